"""Find where control enters a program: routes, commands, `main` functions, scripts.

Knows: the rules of frameworks.
Does not know: what is called from an entry point.
"""
