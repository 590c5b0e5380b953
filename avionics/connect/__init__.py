"""Getting connected: one entry in the configuration of an agent client, and nothing else touched.

Knows: nothing; its modules do.
Does not know: the command line, the server.
"""
