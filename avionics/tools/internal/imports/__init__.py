"""Internal tools that answer from imports.

Knows: the index.
Does not know: how answers are combined.
"""
