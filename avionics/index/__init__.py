"""The index: what is true of the code, joined from facts.

Knows: facts and how languages join them.
Does not know: questions.
"""
