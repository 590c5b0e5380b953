"""`avionics gc`, `avionics export`, `avionics import`: maintain the cache and exchange its contents.

Knows: workspaces, the store, the export and import of SCIP.
Does not know: how a file is described.
"""
