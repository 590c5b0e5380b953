"""Re-export `avionics.model.secret`."""

from avionics.model.secret import *  # noqa: F403
