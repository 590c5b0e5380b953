"""Read facts of C from text without parsing it, where the text is unambiguous.

Knows: tokens, lines and directives of C.
Does not know: syntax trees.
"""
