"""Find where control enters programs: routes, commands, `main` functions, scripts.

Knows: what the rules of the languages match.
Does not know: which frameworks there are (`avionics.syntax.languages`); what is called from an entry point.
"""
