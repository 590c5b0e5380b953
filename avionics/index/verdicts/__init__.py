"""Find what a change breaks: compare two versions of the code and prove which places do not fit any more.

Knows: two indexes, which files differ.
Does not know: git, how findings are shown.
"""
