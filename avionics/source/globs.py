"""Translate globs to regular expressions without exponential backtracking.

`*` and `?` stay within a name, `**` spans directories, `[a-z]` and `[!a-z]` are sets, a backslash escapes the next
character. Between two stars, the shortest match suffices, so each is an atomic group; the cost is at most the length of
the pattern times that of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.errors import OutsideWorkspaceError, UsageError

MAX_GLOB_CHARACTERS = 1_000
MAX_ALTERNATIVES = 64

_TOKEN = late_pattern(r"\*+|\?|\\.|\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|.", re.DOTALL)
_TOKEN_OUTSIDE_SETS = late_pattern(r"\*+|\?|\\.|.", re.DOTALL)
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r"\x20\t", "digit": "0-9", "lower": "a-z", "space": r"\s",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f", "punct": r"!-/:-@\[-`{-~",
}  # fmt: skip
_MEMBER = late_pattern(r"\[:([a-z]+):\]|(\\?.)-(\\?[^\]])|(\\?.)", re.DOTALL)


def split_names(glob: str) -> list[str]:
    """Split a glob at its slashes, but not at those inside a bracket set."""
    names = [""]
    for match in _iter_tokens(glob):
        if match[0] == "/":
            names.append("")
        else:
            names[-1] += match[0]
    return names


def name_regex(glob: str) -> str:
    """Return a regex (`fullmatch`, DOTALL) for one name. Raise `ValueError` if it is incomplete."""
    chunks = [""]
    for match in _iter_tokens(glob):
        token = match[0]
        if token[0] == "*":
            chunks.append("")
        else:
            chunks[-1] += _build_character_regex(token)
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[1:-1] if chunk)
    return f"{chunks[0]}{middle}[^/]*{chunks[-1]}"


def path_regex(glob: str) -> str:
    """Return a regex (`fullmatch`, DOTALL) for a whole path. Raise `ValueError` if it is incomplete."""
    runs: list[list[str]] = [[]]
    for segment in split_names(glob):
        if segment == "**":
            runs.append([])
        elif segment:
            runs[-1].append(name_regex(segment))
    if len(runs) == 1:
        return "/".join(runs[0])
    first = "".join(f"{name}/" for name in runs[0])
    between = ["".join(f"{name}/" for name in run) for run in runs[1:-1] if run]
    middle = "".join(f"(?>(?:[^/]+/)*?{names})" for names in between)
    last = "/".join(runs[-1]) or "[^/]+"
    return f"{first}{middle}(?:[^/]+/)*{last}"


def compile_glob(glob: str) -> re.Pattern[str]:
    """Compile a caller's glob for whole relative paths; use it with `fullmatch`.

    Without a slash it matches names at any depth (`./*.py`: only here), with one it matches paths from the start; a
    trailing slash means everything below; braces hold alternatives. Raise `UsageError` if the glob is invalid, or
    `OutsideWorkspaceError` if it leads out of the workspace.
    """
    if not glob or "\0" in glob or len(glob) > MAX_GLOB_CHARACTERS:
        raise UsageError(f"not a glob: {glob[:80]!r}", hint="for example src/**/*.py or *.{js,ts}")
    try:
        return re.compile("|".join(path_regex(_anchor(each)) for each in _expand_braces(glob)), re.DOTALL)
    except ValueError as error:
        raise UsageError(f"not a glob: {glob[:80]!r}: {error}", hint="a backslash escapes [ ] { } * ?") from None


def _anchor(glob: str) -> str:
    """Return a glob for the whole path from the root, as `compile_glob` reads it."""
    if ".." in glob.split("/") or glob.startswith("/"):
        raise OutsideWorkspaceError(
            f"the glob {glob[:80]!r} leads out of the workspace", hint="start at its root: src/**"
        )
    parts = [part for part in glob.split("/") if part not in {"", "."}]
    if glob.endswith("/"):
        parts.append("**")
    return "/".join(parts) if "/" in glob else f"**/{glob}"


def _expand_braces(glob: str) -> tuple[str, ...]:
    """Expand `{a,b}`, innermost braces first. Raise `ValueError` for more than MAX_ALTERNATIVES globs."""
    pending, done = [glob], []
    while pending:
        current = pending.pop()
        braces = re.search(r"(?<!\\)\{([^{}]*)\}", current)
        if braces is None:
            done.append(current)
        else:
            head, tail = current[: braces.start()], current[braces.end() :]
            pending += [f"{head}{choice}{tail}" for choice in reversed(braces[1].split(","))]
        if len(pending) + len(done) > MAX_ALTERNATIVES:
            raise ValueError(f"more than {MAX_ALTERNATIVES} alternatives in braces")
    return tuple(dict.fromkeys(done))


def _iter_tokens(glob: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a glob in linear time: after the last `]`, no `[` begins a set."""
    end = glob.rfind("]") + 1
    yield from _TOKEN.finditer(glob, 0, end)
    yield from _TOKEN_OUTSIDE_SETS.finditer(glob, end)


def _build_character_regex(piece: str) -> str:
    """Return a pattern for exactly one character."""
    if piece == "?":
        return "[^/]"
    if piece[0] == "[":
        return _build_set_regex(piece)
    if piece == "\\":
        raise ValueError("a backslash at the end")
    return re.escape(piece[-1])


def _build_set_regex(piece: str) -> str:
    """Return a bracket set; an unclosed bracket is an error, as in git."""
    if piece == "[":
        raise ValueError("a bracket that is not closed")
    negated = piece[1] in "!^"
    body = piece[2 if negated else 1 : -1]
    members = "".join(_build_member_regex(match) for match in _MEMBER.finditer(body))
    if negated:
        return f"[^/{members}]"
    return f"(?!/)[{members}]" if members else "(?!)"


def _build_member_regex(match: re.Match[str]) -> str:
    """Return a pattern for one member of a set: a class, a range or a character; "" for a range without any."""
    named, low, high, single = match.groups()
    if named is not None:
        if named not in _CLASSES:
            raise ValueError(f"an unknown class [:{named}:]")
        return _CLASSES[named]
    if single is not None:
        return re.escape(single[-1])
    return f"{re.escape(low[-1])}-{re.escape(high[-1])}" if low[-1] <= high[-1] else ""
