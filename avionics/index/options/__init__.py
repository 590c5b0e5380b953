"""Find options, settings and environment variables: where code declares them, and what documents say of them.

Knows: how declarations and documents of options look in any language.
Does not know: who asks; what the code does with the value of an option.
"""
