"""Internal tools that read files and text.

Knows: the disk.
Does not know: symbols.
"""
