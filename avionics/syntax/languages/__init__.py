"""One package a language: its tables and a few pure rules.

Knows: the grammars' node types, and the rules of the languages.
Does not know: how the tables are read; which files are in which language (see `avionics.syntax.registry`).
"""
