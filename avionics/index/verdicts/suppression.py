"""Findings that a comment accepts: `avionics: ignore` for all rules, `avionics: ignore[rule, rule]` for some."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.verdicts.findings import ChangeFinding, Site

_COMMENT = re.compile(r"#|//|/\*|--|<!--")
_IGNORE = re.compile(r"\bavionics:\s{0,9}+ignore(?:\[([\w\s,-]{0,500}+)\])?")


def split_suppressed(
    code: CodeIndex, findings: Iterable[ChangeFinding]
) -> tuple[tuple[ChangeFinding, ...], tuple[ChangeFinding, ...]]:
    """Return the findings without the places that a comment accepts, and the findings accepted as a whole.

    A comment accepts the line it stands on, and as a line of its own the next line.
    """
    kept, suppressed = [], []
    texts: dict[str, list[str]] = {}
    for finding in findings:
        left = []
        for site in finding.broken:
            if site.file not in texts:
                texts[site.file] = code.read_text(site.file).split("\n")
            if not _is_accepted(texts[site.file], site, finding.rule.value):
                left.append(site)
        if left or not finding.broken:
            kept.append(structs.replace(finding, broken=tuple(left)))
        else:
            suppressed.append(finding)
    return tuple(kept), tuple(suppressed)


def _is_accepted(lines: list[str], site: Site, rule: str) -> bool:
    if not 1 <= site.line <= len(lines):
        return False
    own, above = lines[site.line - 1], lines[site.line - 2].strip() if site.line > 1 else ""
    comments = (_get_ignore(own, _COMMENT.search(own)), _get_ignore(above, _COMMENT.match(above)))
    return any(_accepts(found, rule) for found in comments if found is not None)


def _get_ignore(line: str, comment: re.Match[str] | None) -> re.Match[str] | None:
    """Return the match of an ignore comment on a line, or None."""
    return _IGNORE.search(line, comment.end()) if comment is not None else None


def _accepts(comment: re.Match[str], rule: str) -> bool:
    return comment[1] is None or rule in {each.strip() for each in comment[1].split(",")}
