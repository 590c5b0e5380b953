"""Find what a change breaks: compare two versions of the code and prove which places no longer fit.

Knows: two indexes, which files differ.
Does not know: git, how findings are shown.
"""
