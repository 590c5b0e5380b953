"""The syntax sense: bytes to facts, one file at a time.

Knows: grammars and languages.
Does not know: files, storage, other files' facts.
"""
