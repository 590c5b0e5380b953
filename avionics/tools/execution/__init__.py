"""The parts of the executor pipeline.

Knows: a call and its result.
Does not know: any tool.
"""
