"""A logger for tests."""

from __future__ import annotations

from typing import Any


class Silent:
    """Keeps what it is told to log, and prints nothing."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def error(self, event: str, **_fields: Any) -> None:
        self.lines.append(event)

    warning = error
