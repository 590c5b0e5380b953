"""Answer questions for what a repository has of a kind: commands for its developers, tables, events.

Knows: how such lists are shown, and which lines of text belong into them.
Does not know: how questions are read; how code is resolved.
"""
