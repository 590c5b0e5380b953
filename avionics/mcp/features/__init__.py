"""MCP features beside tools: prompts, resources, completions, subscriptions, logging.

Knows: the protocol.
Does not know: how a tool is run.
"""
