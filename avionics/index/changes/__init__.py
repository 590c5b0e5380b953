"""Compare two revisions: symbols, signatures, public API.

Knows: definitions of two snapshots.
Does not know: git, or how a revision is read.
"""
