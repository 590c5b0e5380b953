"""Serve agents that speak the Model Context Protocol.

Knows: nothing; its modules do.
Does not know: any answer.
"""
