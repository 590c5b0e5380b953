"""Re-export `avionics.model.errors`."""

from avionics.model.errors import *  # noqa: F403
