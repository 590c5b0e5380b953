"""The command line.

Knows: nothing; its modules do.
Does not know: any answer.
"""
