"""The git history of the workspace.

Knows: git repositories, read without obeying their configuration.
Does not know: syntax, the index, any tool.
"""
