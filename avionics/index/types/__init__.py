"""Infer types on demand.

Knows: scopes.
Does not know: who uses a definition.
"""
