"""Find how control gets from one definition to another: steps of control flow, and paths of them.

Knows: bodies, usages, overrides, registered functions and tables.
Does not know: how the ends of a path are named; how paths are shown.
"""
