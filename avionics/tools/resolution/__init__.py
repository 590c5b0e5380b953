"""Resolve the parameters of code tools: symbols, scopes, revisions.

Knows: the workspace.
Does not know: how an answer is shown.
"""
