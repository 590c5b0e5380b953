"""The store: facts by content, one inverted index, snapshots; for every workspace of this user.

Knows: SQLite, and how values become bytes.
Does not know: paths of code, languages, questions.
"""
