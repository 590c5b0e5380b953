"""What carries the protocol: standard input and output, and HTTP.

Knows: descriptors, sockets, the checks before a message, the official SDK, which serves HTTP.
Does not know: any method.
"""
