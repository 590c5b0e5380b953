"""Configured tools: the types that an agent's configuration can name.

Knows: how a configuration becomes a tool.
Does not know: which agent, or who calls.
"""
