"""List what a repository has besides definitions: commands for its developers, tables of its database.

Knows: the contents of manifests, makefiles, workflows and guides; which classes conventions of languages call stored.
Does not know: what a question asks for; which of the lists it needs.
"""
