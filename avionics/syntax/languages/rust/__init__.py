"""Rust.

Knows: the node types of tree-sitter-rust, and Rust's scoping rules (https://doc.rust-lang.org/reference/names.html).
Does not know: other files, how facts are joined.
"""
