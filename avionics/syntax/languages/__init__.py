"""One file a language: its tables and a few pure rules.

Knows: nothing; the languages are listed in `avionics.syntax.spec`.
Does not know: how the tables are read.
"""
