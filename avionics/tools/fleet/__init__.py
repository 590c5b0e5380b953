"""Tools about a fleet: each question is asked in every repository that the caller may see and that may have an answer.

Knows: the questions that a fleet answers, the executor, how an answer is written.
Does not know: SQL, buckets, how callers are authenticated.
"""
