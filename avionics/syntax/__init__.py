"""Turn bytes into facts, one file at a time.

Knows: grammars and languages.
Does not know: files, storage, the facts of other files.
"""
