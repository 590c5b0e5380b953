"""Infer what calls return: choose the overload and bind its parameters.

Knows: members, generics, signatures.
Does not know: expressions other than calls.
"""
