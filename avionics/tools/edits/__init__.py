"""Compute edits of names: what an occurrence means, every place that names it, and a rename that is proven.

Knows: the code index, the text of files, reasons in English.
Does not know: the Language Server Protocol, the command line; it writes no file.
"""
