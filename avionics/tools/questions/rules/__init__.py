"""The rules that recognize what a question asks for, by subject.

Knows: wordings and intents.
Does not know: the code that is asked about.
"""
