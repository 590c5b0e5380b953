"""Re-export `avionics.model.knowledge`."""

from avionics.model.knowledge import *  # noqa: F403
