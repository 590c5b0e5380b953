"""The command line: the first door.

Knows: nothing; its modules do.
Does not know: any answer.
"""
