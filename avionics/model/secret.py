"""Secrets: credentials that do not show themselves."""

from __future__ import annotations

from typing import Final, NoReturn

HIDDEN: Final = "***"


class Secret:
    """A credential: `***` wherever it is printed, logged or turned into data; only `reveal()` gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the credential itself, for the one place that sends it."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Return the text with every occurrence of the credential made `***`."""
        return text.replace(self._value, HIDDEN) if self._value else text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __str__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down")


NO_SECRET: Final = Secret("")
"""Nothing to send."""
