"""Blank the macros that the grammar cannot read before C or C++ is parsed, and count the names in them as uses.

Knows: the shapes of misplaced macros, broken conditions and macro bodies.
Does not know: what a macro expands to.
"""
