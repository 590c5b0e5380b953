"""Re-export `avionics.model.tools`."""

from avionics.model.tools import *  # noqa: F403
