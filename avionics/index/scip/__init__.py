"""SCIP from and to the index: what an index file says of a snapshot, and what a compiler's index proves of contents.

Knows: the code index, the SCIP adapter.
Does not know: how answers are rendered.
"""
