"""Questions across the repositories of a fleet: index a repository, and find who uses a definition anywhere.

Knows: workspaces, the index, the fleet's stores.
Does not know: how answers are rendered, who the caller is beyond the groups given.
"""
