"""Go.

Knows: the node types of tree-sitter-go, and Go's scoping rules (https://go.dev/ref/spec).
Does not know: other files, how facts are joined.
"""
