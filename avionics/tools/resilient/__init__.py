"""Resilient tools ask one question by a ladder of ways.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
