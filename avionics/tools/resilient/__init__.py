"""Resilient tools answer one question by a chain of fallbacks.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
