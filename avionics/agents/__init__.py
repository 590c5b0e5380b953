"""Agents: a planner that sees tools, a traverser that runs them, and an agent that combines the two.

Knows: nothing; its modules do.
Does not know: any tool, any model.
"""
