"""Guess what kind of question a text is by its words, for texts that no rule of `tools.questions` reads.

Knows: the words of questions, and weights fitted to questions of known kinds.
Does not know: the index, intents and their rules.
"""
