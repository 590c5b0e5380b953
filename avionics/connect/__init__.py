"""Connect agent clients: change one entry in their configuration and nothing else.

Knows: nothing; its modules do.
Does not know: the command line, the server.
"""
