"""Tables that tools pass to each other by handle, and their charts and summaries.

Knows: rows and columns, whose they are, and how they are kept, drawn and summarized.
Does not know: the tools that make them.
"""
