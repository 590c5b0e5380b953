"""Confine processes: what the operating system holds them to, whatever the bytes they read make of them.

Programs that are trusted but read a stranger's bytes (git, ripgrep, the parser workers) are started in a restricted
thread. Programs that nobody trusts (the built-in shell and Python tools) are run by a launcher, in namespaces of their
own where the system allows it.

Knows: resource limits, Landlock, namespaces, scratch directories.
Does not know: which program is run, for whom.
"""
