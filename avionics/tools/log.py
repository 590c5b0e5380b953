"""Where words for the operator go when nobody gave a logger."""

from __future__ import annotations

from typing import cast

from avionics.model.seams import LoggerProtocol


def standard_logger() -> LoggerProtocol:
    """The logger "avionics" of the standard library; give it a message and `exc_info` only, as structlog takes too."""
    import logging

    return cast("LoggerProtocol", logging.getLogger("avionics"))
