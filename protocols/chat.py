"""Re-export `avionics.model.chat`."""

from avionics.model.chat import *  # noqa: F403
