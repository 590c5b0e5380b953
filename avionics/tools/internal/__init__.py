"""Internal tools ask one question of an adapter or the index.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
