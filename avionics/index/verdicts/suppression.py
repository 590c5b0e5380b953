"""Find lines on which a comment accepts findings, or on which the code expects that a name is unresolved.

The comment `avionics: ignore` accepts findings of all rules, `avionics: ignore[rule, rule]` those of some.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.verdicts.findings import ChangeFinding, Site
from avionics.late_pattern import late_pattern

_COMMENT = late_pattern(r"#|//|/\*|--|<!--")
_IGNORE = late_pattern(r"\bavionics:\s{0,9}+ignore(?:\[([\w\s,-]{0,500}+)\])?")

_EXCUSES_BELOW = ("@ts-ignore", "@ts-expect-error")
"""A comment that also excuses the line after it."""
_EXCUSES = ("# noqa", "# type: ignore", "# pyright: ignore", *_EXCUSES_BELOW, "NOLINT", "noinspection")

_TYPE_IGNORE = late_pattern(r"#\s{0,99}+(?:type|pyright):\s{0,99}+ignore(?:\[([^\]]{0,500}+)\]|(?![\w\[-]))")
"""A comment that silences a type checker on its line: for all errors, or only those with the codes in brackets."""
CALL_CODES = frozenset(
    {"call-arg", "call-overload", "reportCallIssue", "typeddict-item", "reportAssignmentType", "reportReturnType"}
)
PASSED_CODES = frozenset({"arg-type", "reportArgumentType"})
OVERRIDE_CODES = frozenset({"override", "reportIncompatibleMethodOverride"})
"""Codes of mypy and pyright for calls and dictionaries that do not fit, for functions that do not fit the parameter
they are passed to, and for methods that do not fit those they override."""

_CHECKED = "@ts-check"
_CONFIGURATION = late_pattern(r"(?:^|/)[jt]sconfig[\w.-]*\.json\Z")
_CHECKING = late_pattern(r"\"checkJs\"\s*:\s*true\b")

_CONDITION = late_pattern(r"\s*#\s*(?:el)?if")
"""A condition of a preprocessor, in which an undefined name counts as false."""


def split_suppressed(
    code: CodeIndex, findings: Iterable[ChangeFinding]
) -> tuple[tuple[ChangeFinding, ...], tuple[ChangeFinding, ...]]:
    """Return the findings without the places that a comment accepts, and the findings accepted as a whole.

    A comment applies to its own line and, if nothing else is on that line, to the next one.
    """
    kept, suppressed = [], []
    for finding in findings:
        rule = finding.rule.value
        left = [site for site in finding.broken if not _is_accepted(code.read_lines(site.file), site, rule)]
        if left or not finding.broken:
            kept.append(structs.replace(finding, broken=tuple(left)))
        else:
            suppressed.append(finding)
    return tuple(kept), tuple(suppressed)


def _is_accepted(lines: list[str], site: Site, rule: str) -> bool:
    """Return whether a comment on the line of a place, or alone on the line above, accepts findings of a rule."""
    if not 1 <= site.line <= len(lines):
        return False
    own = lines[site.line - 1]
    above = lines[site.line - 2].strip() if site.line > 1 else ""
    comments = (_get_ignore(own, _COMMENT.search(own)), _get_ignore(above, _COMMENT.match(above)))
    return any(_accepts(found, rule) for found in comments if found is not None)


def _get_ignore(line: str, comment: re.Match[str] | None) -> re.Match[str] | None:
    """Return the words in the comment of a line that accept findings; None without a comment or such words."""
    return _IGNORE.search(line, comment.end()) if comment is not None else None


def _accepts(comment: re.Match[str], rule: str) -> bool:
    return comment[1] is None or rule in {each.strip() for each in comment[1].split(",")}


def list_guarded_lines(text: str) -> frozenset[int]:
    """Return the lines inside a `try` that catches a failing import."""
    lines = text.split("\n")
    found: set[int] = set()
    for number, line in enumerate(lines):
        if line.strip() != "try:":
            continue
        end = _end_of_block(lines, number)
        if end < len(lines) and lines[end].lstrip().startswith("except"):
            found.update(range(number + 1, _end_of_block(lines, end) + 1))
    return frozenset(found)


def _end_of_block(lines: Sequence[str], head: int) -> int:
    """Return the index of the first line after a head that is not indented further."""
    margin = len(lines[head]) - len(lines[head].lstrip())
    end = head + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > margin):
        end += 1
    return end


def is_excused(lines: list[str], place: tuple[str, int, int], name: str) -> bool:
    """Return whether a comment for another checker accepts the line, or the name is not written at the place."""
    _, number, column = place
    line = lines[number - 1] if number <= len(lines) else ""
    if _CONDITION.match(line) or any(each in line for each in _EXCUSES) or _is_excused_above(lines, number):
        return True
    return not line[column:].startswith(name)


def is_stand_in(code: CodeIndex, file: str, name: str) -> bool:
    """Return whether a file defines a name only where the language's library lacks it, as a polyfill does."""
    check = code.spec(file).existence_check
    return check is not None and any(found[1] == name for found in check.finditer(code.read_text(file)))


def is_unchecked_comment(code: CodeIndex, place: tuple[str, int, int]) -> bool:
    """Return whether a place is in a comment whose types no checker reads, as JSDoc without `checkJs`."""
    file, number, column = place
    if not code.spec(file).types_in_comments:
        return False
    lines = code.read_lines(file)
    before = "\n".join((*lines[: number - 1], lines[number - 1][:column]))
    if before.rfind("/*") <= before.rfind("*/") or _CHECKED in before:
        return False
    configurations = (path for path in code.snapshot.entries if _CONFIGURATION.search(path))
    return not any(_CHECKING.search(code.read_text(path)) for path in configurations)


def is_type_excused(lines: list[str], number: int, codes: frozenset[str]) -> bool:
    """Return whether a comment tells a type checker to accept a line.

    A comment with codes counts only if it has one of the given codes. `# noqa` does not count: linters check no types.
    """
    line = lines[number - 1] if number <= len(lines) else ""
    is_ignored = any(
        found[1] is None or not codes.isdisjoint(code.strip() for code in found[1].split(","))
        for found in _TYPE_IGNORE.finditer(line)
    )
    return is_ignored or any(each in line for each in _EXCUSES_BELOW) or _is_excused_above(lines, number)


def _is_excused_above(lines: list[str], number: int) -> bool:
    return number > 1 and any(each in lines[number - 2] for each in _EXCUSES_BELOW)
