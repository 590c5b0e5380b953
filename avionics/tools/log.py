"""The default logger."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from avionics.model.seams import LoggerProtocol


def standard_logger() -> LoggerProtocol:
    """Return the logger "avionics"; pass it only a message and `exc_info`, which structlog accepts too."""
    import logging

    return cast("LoggerProtocol", logging.getLogger("avionics"))
