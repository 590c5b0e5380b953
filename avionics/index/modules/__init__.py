"""Module systems: which file an import means, a module per system.

Knows: manifests, packages, include paths.
Does not know: names inside a file.
"""
