"""Java.

Knows: the node types of tree-sitter-java, and Java's scoping rules
(https://docs.oracle.com/javase/specs/jls/se21/html/jls-6.html).
Does not know: other files, how facts are joined.
"""
