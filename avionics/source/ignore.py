"""Ignore rules: apply `.gitignore` and similar files to the names in a directory.

A rule is a sequence of names to match, one per directory. Entering a directory consumes the first, so that only single
names are compared: rules for a name at any depth as one set and one regular expression, and the few rules that
belong to certain directories.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from avionics.source.globs import name_regex, split_names

ANY_DEPTH = "**"

Segment = str | re.Pattern[str]


class IgnoreRule(Struct, frozen=True):
    """One line of an ignore file; `index` is its rank, and the last matching rule decides."""

    index: int
    segments: tuple[Segment, ...]
    negated: bool
    directories_only: bool

    def matches(self, name: str) -> bool:
        """Return whether the rule applies to this name in this directory."""
        segments = self.segments[1:] if self.segments[0] == ANY_DEPTH else self.segments
        return not segments or (len(segments) == 1 and _fits(segments[0], name))

    def enter(self, name: str) -> Iterable[IgnoreRule]:
        """Yield the rules that this one becomes inside a directory."""
        rest = self.segments
        if rest[0] == ANY_DEPTH:
            yield self
            rest = rest[1:]
        if len(rest) > 1 and _fits(rest[0], name):
            yield structs.replace(self, segments=rest[1:])


class NameRules(Struct, frozen=True):
    """Rules for names at any depth: exact names, and one regular expression for all others, the last rule first."""

    whole: Mapping[str, int]
    expression: re.Pattern[str] | None
    ranks: tuple[int, ...]

    def rank(self, name: str) -> int:
        """Return the rank of the last rule that matches, or -1."""
        rank = self.whole.get(name, -1)
        if self.expression is not None:
            match = self.expression.fullmatch(name)
            if match is not None:
                rank = max(rank, self.ranks[(match.lastindex or 1) - 1])
        return rank


class IgnoreRules(Struct, frozen=True):
    """The rules of a directory's ignore files, as they apply in that directory or one below it."""

    files: NameRules
    directories: NameRules
    waiting: tuple[IgnoreRule, ...]
    negated: frozenset[int]

    def ignores(self, name: str, is_directory: bool) -> bool | None:
        """Return whether the name is ignored, or None if no rule applies to it."""
        rank = self.get_rank(name, is_directory)
        return None if rank < 0 else rank not in self.negated

    def get_rank(self, name: str, is_directory: bool) -> int:
        """Return the line, from 0, of the rule that decides about the name; -1 if none does."""
        rank = (self.directories if is_directory else self.files).rank(name)
        for rule in self.waiting:
            if rule.index > rank and (is_directory or not rule.directories_only) and rule.matches(name):
                rank = rule.index
        return rank

    def enter(self, name: str) -> IgnoreRules:
        """Return the rules as they apply inside a directory."""
        if not self.waiting:
            return self
        left = tuple(dict.fromkeys(inner for rule in self.waiting for inner in rule.enter(name)))
        return self if left == self.waiting else structs.replace(self, waiting=left)


def parse_rules(text: str) -> IgnoreRules | None:
    """Return the rules of an ignore file; None if it has none. Invalid lines are skipped, as in git."""
    lines = (line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n"))
    rules = [rule for index, line in enumerate(lines) if (rule := _parse_rule(index, line)) is not None]
    if not rules:
        return None
    floating = [rule for rule in rules if rule.segments[0] == ANY_DEPTH and len(rule.segments) == 2]
    return IgnoreRules(
        files=_build_name_rules(rule for rule in floating if not rule.directories_only),
        directories=_build_name_rules(floating),
        waiting=tuple(rule for rule in rules if rule.segments[0] != ANY_DEPTH or len(rule.segments) != 2),
        negated=frozenset(rule.index for rule in rules if rule.negated),
    )


def _parse_rule(index: int, line: str) -> IgnoreRule | None:
    """Return the rule in the line with this index; None for a comment, a blank line or an invalid rule."""
    while line.endswith(" ") and not line.endswith("\\ "):
        line = line[:-1]
    if line.startswith("#"):
        return None
    negated = line.startswith("!")
    body = line.removeprefix("!")
    directories_only = body.endswith("/")
    body = body.removesuffix("/")
    names = [ANY_DEPTH if re.fullmatch(r"\*{2,}", name) else name for name in split_names(body.removeprefix("/"))]
    if "" in names:
        return None
    if "/" not in body:
        names.insert(0, ANY_DEPTH)
    # Two `**` in a row are one.
    distinct = [name for at, name in enumerate(names) if at == 0 or not name == names[at - 1] == ANY_DEPTH]
    try:
        segments = tuple(map(_parse_segment, distinct))
    except ValueError:
        return None
    return IgnoreRule(index, segments, negated, directories_only)


def _parse_segment(glob: str) -> Segment:
    """Return an exact name, a compiled pattern, or ANY_DEPTH."""
    if glob == ANY_DEPTH or not re.search(r"[*?\[\\]", glob):
        return glob
    return re.compile(name_regex(glob), re.DOTALL)


def _build_name_rules(rules: Iterable[IgnoreRule]) -> NameRules:
    """Return rules for names at any depth in the form that compares a name with all of them at once."""
    whole: dict[str, int] = {}
    patterns: dict[str, int] = {}
    for rule in rules:
        last = rule.segments[-1]
        if isinstance(last, str):
            whole[last] = rule.index
        else:
            patterns[last.pattern] = rule.index
    ordered = sorted(patterns.items(), key=lambda entry: -entry[1])
    expression = re.compile("|".join(f"({pattern})" for pattern, _ in ordered), re.DOTALL) if ordered else None
    return NameRules(whole, expression, tuple(rank for _, rank in ordered))


def _fits(segment: Segment, name: str) -> bool:
    """Return whether an exact name or a pattern matches a name."""
    return segment == name if isinstance(segment, str) else segment.fullmatch(name) is not None
