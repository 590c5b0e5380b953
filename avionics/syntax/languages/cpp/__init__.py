"""C++.

Knows: the node types of tree-sitter-cpp that C does not have.
Does not know: other files, how facts are joined.
"""
