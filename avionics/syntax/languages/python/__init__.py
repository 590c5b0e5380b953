"""Python, and the code in notebooks.

Knows: the node types of tree-sitter-python, and Python's scoping rules
(https://docs.python.org/3/reference/executionmodel.html).
Does not know: other files, how facts are joined.
"""
