"""Re-export `avionics.model.results`."""

from avionics.model.results import *  # noqa: F403
