"""Answer questions for the commits that explain code: those that changed it, and those whose messages tell why.

Knows: which commits and lines of code belong into such an answer.
Does not know: how questions are read; how git is run.
"""
