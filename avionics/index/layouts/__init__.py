"""Layouts: how families of languages lay code out in files.

Knows: nothing by itself; each module is one layout, named by the languages that follow it.
Does not know: scopes, types.
"""
