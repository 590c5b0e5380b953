"""Re-export `avionics.model.facts`."""

from avionics.model.facts import *  # noqa: F403
