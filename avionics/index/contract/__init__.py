"""The architecture contract: rules about a workspace's imports and sizes, whether they are kept, and what changes.

Knows: files, imports, packages and sizes.
Does not know: how violations are shown.
"""
