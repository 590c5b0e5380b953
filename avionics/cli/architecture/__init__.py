"""The commands about architecture: the contract and the pictures.

Knows: options, formats, files to write.
Does not know: how violations are found, how pictures are drawn.
"""
