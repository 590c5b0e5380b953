"""Registry views and overrides.

Knows: registered tools.
Does not know: how a tool is run.
"""
