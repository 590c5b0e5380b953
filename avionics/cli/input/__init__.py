"""What is typed: options, the command lines that are read without click, and the arguments of calls.

Knows: the options that commands share, the types of parameters.
Does not know: commands, workspaces, click.
"""
