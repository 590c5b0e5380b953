"""Find what uses a definition without its name: decorators, strings, overrides, calls of a class.

Knows: resolved references.
Does not know: the usages that name a definition.
"""
