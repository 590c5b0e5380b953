"""Compile regular expressions when they are first used, because a command uses few of those that it imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, AnyStr, cast

_METHODS = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "search", "split", "sub", "subn",
)  # fmt: skip


class LatePattern:
    """A regular expression whose attributes are those of the compiled pattern from the first use on."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self._flags = flags

    def compile(self) -> re.Pattern[Any]:
        """Return the compiled pattern."""
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        compiled = self.compile()
        vars(self).update((each, getattr(compiled, each)) for each in _METHODS)
        return getattr(compiled, name)


class GuardedPattern(LatePattern):
    """A late pattern whose matches contain one of some texts; one that has none of them is passed over unread."""

    def __init__(self, text: str | bytes, flags: int, needs: tuple[Any, ...]) -> None:
        super().__init__(text, flags)
        self._needs = needs
        self._is_folded = bool(flags & re.IGNORECASE)

    def match(self, text: AnyStr, *bounds: int) -> re.Match[AnyStr] | None:
        """Return the match at the start of a text."""
        return self._found.match(text, *bounds) if self.may_match(text) else None

    def search(self, text: AnyStr, *bounds: int) -> re.Match[AnyStr] | None:
        """Return the first match in a text."""
        return self._found.search(text, *bounds) if self.may_match(text) else None

    def findall(self, text: AnyStr, *bounds: int) -> list[Any]:
        """Return the texts of all matches."""
        return self._found.findall(text, *bounds) if self.may_match(text) else []

    def finditer(self, text: AnyStr, *bounds: int) -> Iterator[re.Match[AnyStr]]:
        """Yield the matches in a text."""
        return self._found.finditer(text, *bounds) if self.may_match(text) else iter(())

    def split(self, text: AnyStr, maxsplit: int = 0) -> list[AnyStr]:
        """Return the parts of a text between matches."""
        return self._found.split(text, maxsplit) if self.may_match(text) else [text]

    def sub(self, repl: Any, text: AnyStr, count: int = 0) -> AnyStr:
        """Return a text with its matches replaced."""
        found: AnyStr = self._found.sub(repl, text, count) if self.may_match(text) else text
        return found

    def may_match(self, text: AnyStr) -> bool:
        """Return whether a text contains one of the texts that every match has."""
        if self._is_folded:
            text = text.casefold() if isinstance(text, str) else text.lower()
        return any(each in text for each in self._needs)

    @cached_property
    def _found(self) -> re.Pattern[Any]:
        return self.compile()


def late_pattern(text: AnyStr, flags: int = 0, needs: tuple[AnyStr, ...] = ()) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled at its first use.

    Args:
        text: The pattern.
        flags: Its flags.
        needs: Texts of which every match contains one, in lower case if case is ignored; where none of them is, the
            pattern is not even compiled. `tests/house/test_needs.py` holds them to the pattern.
    """
    made = GuardedPattern(text, flags, needs) if needs else LatePattern(text, flags)
    return cast("re.Pattern[AnyStr]", made)


NEVER = late_pattern(r"(?!)")
"""Matches nothing."""
