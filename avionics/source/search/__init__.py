"""Text search: patterns, engines, the literals a pattern requires.

Knows: files and text.
Does not know: what the text means.
"""
