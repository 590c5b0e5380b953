"""What the language server answers: navigation, hierarchies, outlines, hovers, renames, diagnostics and commands.

Knows: the code index, the protocol's values.
Does not know: requests, threads, open documents.
"""
