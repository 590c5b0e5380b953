"""C.

Knows: the node types of tree-sitter-c, and the scopes and name spaces of C.
Does not know: other files, how facts are joined.
"""
