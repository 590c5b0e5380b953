"""Find the names that a change leaves without a definition: imports, bare names and members.

Knows: two versions of the code.
Does not know: arguments of calls.
"""
