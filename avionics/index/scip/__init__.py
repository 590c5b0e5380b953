"""Convert between SCIP and the index: export a snapshot, and import what compilers proved.

Knows: the code index, the SCIP adapter.
Does not know: how answers are rendered.
"""
