"""What analyze is composed of.

Knows: the parts of its answers.
Does not know: which question is asked.
"""
