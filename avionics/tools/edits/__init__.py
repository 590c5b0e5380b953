"""Compute edits of names: the targets of an occurrence, all places that name them, and proven renames.

Knows: the code index, the text of files, reasons in English.
Does not know: the Language Server Protocol, the command line; it writes no file.
"""
