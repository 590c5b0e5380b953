"""Kotlin.

Knows: the node types of tree-sitter-kotlin, and Kotlin's scoping rules (https://kotlinlang.org/spec/).
Does not know: other files, how facts are joined.
"""
