"""The architecture of a workspace: its parts, what they import from one another, in which layers, and what changes.

Knows: files, imports, calls and commits.
Does not know: rules about them, how they are drawn.
"""
