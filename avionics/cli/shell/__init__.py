"""What shells and manuals need: completions and the man page.

Knows: the commands and their parameters.
Does not know: what they do.
"""
