"""Understand a question: intent, mentioned symbols, literals.

Knows: wordings.
Does not know: how a question is answered.
"""
