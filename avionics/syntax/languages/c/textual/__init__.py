"""Read facts of C from text, without parsing it, where the text leaves no doubt.

Knows: tokens, lines and directives of C.
Does not know: syntax trees.
"""
