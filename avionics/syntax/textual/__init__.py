"""Read facts from text without parsing it.

Knows: tokens and lines.
Does not know: syntax trees.
"""
