"""Confine processes by restrictions of the operating system, which hold for whatever code they run.

Programs that are trusted but read a stranger's bytes (git, ripgrep, the parser workers) are started in a restricted
thread. Programs that nobody trusts (the built-in shell and Python tools) are run by a launcher, in namespaces of their
own where the system allows it.

Knows: resource limits, Landlock, namespaces, scratch directories.
Does not know: which program is run, for whom.
"""
