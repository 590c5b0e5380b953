"""avionics: code intelligence for agents, as a tool system and a code-analysis engine.

Knows: its version.
Does not know: everything else; importing avionics imports nothing heavy.
"""

__version__ = "0.1.0"
