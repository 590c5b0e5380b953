"""Find the calls that a change breaks: which function they run, and which arguments it takes.

Knows: two versions of the code.
Does not know: names that lead nowhere.
"""
