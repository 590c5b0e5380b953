"""The architecture contract: rules about a workspace's imports and sizes, and their evaluation.

Knows: files, imports, packages and sizes.
Does not know: how violations are shown.
"""
