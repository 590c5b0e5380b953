"""Find options, settings and environment variables: their declarations and their documentation.

Knows: how declarations and documents of options look in any language.
Does not know: who asks; what the code does with the value of an option.
"""
