"""The source sense: files of the workspace and the text in them.

Knows: the disk below one root, and ripgrep.
Does not know: languages, git, the index.
"""
