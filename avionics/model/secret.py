"""Credentials that are never printed."""

from __future__ import annotations

from typing import Final, NoReturn

HIDDEN: Final = "***"


class Secret:
    """A credential, shown as `***` wherever it is printed, logged or converted to data; only `reveal()` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the credential itself, for the code that sends it."""
        return self._value

    def hide_in(self, text: str) -> str:
        """Replace every occurrence of the credential in the text by `***`."""
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
        raise TypeError("a secret cannot be serialized")


NO_SECRET: Final = Secret("")
"""No credential."""
