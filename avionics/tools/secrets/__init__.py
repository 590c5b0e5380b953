"""Redact secrets from results and audit records.

Knows: what a secret looks like.
Does not know: where a result goes.
"""
