"""Print answers as results: grouped for people, one line each for programs.

Knows: answers, terminals and pagers.
Does not know: which tool gave the answer.
"""
