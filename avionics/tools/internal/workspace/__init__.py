"""Internal tools about git, the index and the session.

Knows: the workspace.
Does not know: how answers are combined.
"""
