"""Commands about a change: what it breaks, what a reviewer needs to know of it, and changes that are only planned.

Knows: the command line, the tools about changes.
Does not know: how findings are proven or edits are computed.
"""
