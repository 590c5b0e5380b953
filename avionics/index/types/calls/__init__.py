"""Infer what calls return: which overload is chosen, and what its parameters are given.

Knows: members, generics, signatures.
Does not know: expressions other than calls.
"""
