"""Produce and read facts: snapshots, the build, worker processes, text scans.

Knows: files and blobs.
Does not know: what a name means.
"""
