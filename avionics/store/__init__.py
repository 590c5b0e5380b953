"""The store: facts by content, an inverted index and snapshots, shared by all workspaces of a user.

Knows: SQLite, and how values become bytes.
Does not know: paths of code, languages, questions.
"""
