"""Internal tools ask one question of one sense or the index.

Knows: nothing; each tool is a module of its own name.
Does not know: which tools there are.
"""
