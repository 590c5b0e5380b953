"""Parse what users type: options, command lines that are read without click, and arguments of calls.

Knows: the options that commands share, the types of parameters.
Does not know: commands, workspaces, click.
"""
