"""Tables that pass from one tool to the next by handle, and what draws and summarizes them.

Knows: rows and columns, whose they are, and how they are kept, drawn and summarized.
Does not know: the tools that make them.
"""
