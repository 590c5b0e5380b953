"""Compile regular expressions when they are first used, because a command uses few of those that it imports."""

from __future__ import annotations

import re
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


def late_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled at its first use."""
    return cast("re.Pattern[AnyStr]", LatePattern(text, flags))


NEVER = late_pattern(r"(?!)")
"""Matches nothing."""
