"""Internal tools that look up symbols and references.

Knows: the index.
Does not know: how answers are combined.
"""
