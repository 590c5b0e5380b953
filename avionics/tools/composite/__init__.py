"""Composite tools combine several questions.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
