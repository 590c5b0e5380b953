"""The source adapter: the files of the workspace and their text.

Knows: the disk below one root, and ripgrep.
Does not know: languages, git, the index.
"""
