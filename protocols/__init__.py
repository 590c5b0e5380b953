"""The public face of `avionics.model`: values, results, errors and protocols for users of the library.

The product imports `avionics.model` itself, so a user's own `protocols.py` cannot break it.
"""

from avionics.model import *  # noqa: F403
