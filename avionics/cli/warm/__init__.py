"""`avionics watch`: a process that keeps the index of a directory in memory, and the client that asks it.

Knows: sockets, requests and replies.
Does not know: what a command does.
"""
