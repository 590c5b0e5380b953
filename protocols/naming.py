"""Re-export `avionics.model.naming`."""

from avionics.model.naming import *  # noqa: F403
