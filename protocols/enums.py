"""Re-export `avionics.model.enums`."""

from avionics.model.enums import *  # noqa: F403
