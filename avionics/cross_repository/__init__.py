"""Questions across the repositories of a fleet: how one is indexed, and who anywhere uses a definition.

Knows: workspaces, the index, the fleet's stores.
Does not know: how answers are rendered, who the caller is beyond the groups given.
"""
