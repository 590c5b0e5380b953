"""Values shared by every package of the index.

Knows: types, the memo, roles of files.
Does not know: how any of them is computed.
"""
