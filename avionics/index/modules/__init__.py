"""Module systems: which file an import means, with one module per system.

Knows: manifests, packages, include paths.
Does not know: names inside a file.
"""
