"""Re-export `avionics.model.seams`."""

from avionics.model.seams import *  # noqa: F403
