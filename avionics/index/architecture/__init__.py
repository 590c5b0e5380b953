"""The architecture of a workspace: its parts, their imports, their layers, and their changes.

Knows: files, imports, calls and commits.
Does not know: rules about them, how they are drawn.
"""
