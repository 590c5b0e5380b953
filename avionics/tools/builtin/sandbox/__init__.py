"""Run programs confined: resource limits, a scratch directory, no network.

Knows: processes and the limits of the system.
Does not know: what a program is run for.
"""
