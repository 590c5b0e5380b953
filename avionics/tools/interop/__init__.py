"""Convert tools and results to and from other tool systems.

Knows: the formats of others.
Does not know: any tool of ours.
"""
