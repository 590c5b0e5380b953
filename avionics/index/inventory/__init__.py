"""List what a repository has of a kind beside its definitions: commands for its developers, tables of its database.

Knows: what manifests, makefiles, workflows and guides write, and which classes a language's conventions call stored.
Does not know: what a question asks for; which of the lists it needs.
"""
