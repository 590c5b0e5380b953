"""Re-export `avionics.model.vectors`."""

from avionics.model.vectors import *  # noqa: F403
