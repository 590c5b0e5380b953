"""PHP.

Knows: the node types of tree-sitter-php.
Does not know: other files, how facts are joined.
"""
