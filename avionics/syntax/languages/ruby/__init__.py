"""Ruby.

Knows: the node types of tree-sitter-ruby.
Does not know: other files, how facts are joined.
"""
