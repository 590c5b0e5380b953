"""Configured tools: what an agent's configuration can ask for by type.

Knows: how a configuration becomes a tool.
Does not know: which agent, or who calls.
"""
