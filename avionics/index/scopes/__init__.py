"""Resolve names: scopes, star imports, redeclarations, symbol lookup.

Knows: modules.
Does not know: types of expressions.
"""
