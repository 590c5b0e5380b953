"""Observe calls: audit and telemetry.

Knows: finished and refused calls.
Does not know: how a call is decided.
"""
