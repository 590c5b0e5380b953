"""Unified tools choose among the composite tools.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
