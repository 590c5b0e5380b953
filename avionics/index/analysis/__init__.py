"""Analyses that join usages, calls and imports: call trees, impact, unused code, test selection.

Knows: a finished `CodeIndex`.
Does not know: how answers are shown.
"""
