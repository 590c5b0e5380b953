"""The index: what is known about the code across files, derived from facts.

Knows: facts and how languages connect them.
Does not know: questions.
"""
