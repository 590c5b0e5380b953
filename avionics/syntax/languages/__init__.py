"""One package per language: its tables and its rules.

Knows: the grammars' node types, and the rules of the languages.
Does not know: how the tables are used; which files are in which language (see `avionics.syntax.registry`).
"""
