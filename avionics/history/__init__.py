"""History: what git remembers of the workspace.

Knows: git repositories, read without obeying them.
Does not know: syntax, the index, any tool.
"""
