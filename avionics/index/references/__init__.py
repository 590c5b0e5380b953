"""Find and classify the references to a definition.

Knows: scopes and types.
Does not know: who asks.
"""
