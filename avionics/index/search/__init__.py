"""Ranked search over symbols: candidates, features, ranking.

Knows: the inverted index.
Does not know: how a result is shown.
"""
