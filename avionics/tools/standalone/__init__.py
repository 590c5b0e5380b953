"""Standalone tools: about the workspace or the toolkit itself.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
