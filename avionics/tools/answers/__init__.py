"""Declare answers and render them as text and JSON.

Knows: coverage, budgets, items.
Does not know: how an answer is found.
"""
