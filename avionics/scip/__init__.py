"""SCIP, the index format of compilers and code hosts: its messages, files and symbol names.

Knows: protobuf, the model.
Does not know: facts, resolution.
"""
