"""Verbs such as `avionics refs Cart.add`: each runs one tool, with its first parameters as arguments.

Knows: the tools' parameters, and which parts of an answer a verb lists.
Does not know: how an answer is printed.
"""
