"""Answers about a fleet: grouped by repository, each place as `repository@revision:path:line`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct

from avionics.cross_repository.usages import NONE_VISIBLE, FleetUsages, RepositoryUsages
from avionics.fleet.catalogue import FleetRepository
from avionics.model.enums import Status
from avionics.model.naming import plural
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import visible

MAX_SHOWN_USAGES = 60
"""Lines of usages in one text, of all repositories together: with their places and code about 2,000 tokens."""
_MAX_LINE = 120
_MAX_REVISION = 12
_CITED = re.compile(r"(?<!\S)([(\[]*+)([^\s:]++)(?=:\d)")
"""A possible path of a citation: it begins a word, and a line number follows."""


class RepositoryAnswer(Struct, frozen=True):
    """What a tool found in one repository."""

    repository: FleetRepository
    result: ToolResult


class FleetAnswer(Struct, frozen=True):
    """What a tool found in the repositories of a fleet.

    Attributes:
        found: The repositories in which it found something, best first.
        visible: The number of repositories that the caller may see.
        asked: The number of those that were asked.
        failed: Repository → why it could not be asked.
        unreached: Repositories that could not be asked in time.
        unindexed: Repositories that have no snapshot yet.
        skipped: Why the others were not asked, "" if all were to be asked.
    """

    found: tuple[RepositoryAnswer, ...]
    visible: int
    asked: int
    failed: tuple[tuple[str, str], ...]
    unreached: tuple[str, ...]
    unindexed: tuple[str, ...]
    skipped: str

    def to_result(self) -> ToolResult:
        """Return the result: text grouped by repository, and data with the coverage of the whole."""
        is_whole = not (self.failed or self.unreached or self.unindexed)
        status = get_status(is_found=bool(self.found), is_whole=is_whole)
        data = {
            "repositories": [
                {**describe_repository(each.repository), "answer": each.result.data} for each in self.found
            ],
            "coverage": {
                "visible": self.visible, "asked": self.asked, "unreached": list(self.unreached),
                "unindexed": list(self.unindexed),
                "failed": _list_failed(self.failed),
            },
        }  # fmt: skip
        message = "" if status is Status.SUCCESS else self._get_asked()
        return ToolResult(status, data, message, text="\n\n".join(self._iter_text()))

    def _iter_text(self) -> Iterator[str]:
        for each in self.found:
            head = name_snapshot(each.repository.name, each.repository.revision)
            yield f"{head} ({describe_age(each.repository.age)})\n{each.result.text}"
        if not self.found:
            yield "no repository has an answer" if self.visible else NONE_VISIBLE
        yield f"[{self._get_asked()}]{_describe_failed(self.failed)}"

    def _get_asked(self) -> str:
        skipped = f": {self.skipped}" if self.skipped and self.asked < self.visible else ""
        late = f"; {len(self.unreached)} not asked in time" if self.unreached else ""
        return f"{_count_asked(self.asked, self.visible)}{skipped}{late}{_count_waiting(self.unindexed)}"


def place_citations(text: str, head: str, paths: Collection[str]) -> str:
    """Return a text with each citation of one of the paths as `head:path:line`."""
    return _CITED.sub(lambda match: f"{match[1]}{head}:{match[2]}" if match[2] in paths else match[0], text)


def name_snapshot(repository: str, revision: str) -> str:
    """Return the name of a snapshot: the repository and the abbreviated commit."""
    return f"{repository}@{revision[:_MAX_REVISION]}"


def describe_age(age: timedelta | None) -> str:
    """Return how old a snapshot is."""
    if age is None:
        return "never"
    seconds = max(0.0, age.total_seconds())
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit} old"
    return f"{seconds:.0f} s old"


def write_usages(found: FleetUsages, limit: int | None) -> str:
    """Return the usages of a definition in a fleet as text, at most `limit`; None for all."""
    total = sum(len(each.usages) for each in found.found)
    outside = sum(len(each.usages) for each in found.found if each.repository.name != found.owner)
    elsewhere = f", {outside} outside {found.owner}" if total else ""
    packages = f" ({', '.join(found.packages)})" if found.packages else ""
    place = f"{found.owner}:{found.definition.file}:{found.definition.line}"
    where = plural(sum(bool(each.usages) for each in found.found), "repository")
    head = f"{found.definition.symbol.qualname}, {place}{packages}: {plural(total, 'usage')} in {where}{elsewhere}"
    asked = f"{_count_asked(len(found.asked), found.visible)}: the others do not import it"
    waiting = _count_waiting(found.unindexed)
    shares = _divide(limit, [len(each.usages) for each in found.found])
    listed = ("\n".join(_iter_usage_lines(each, share)) for each, share in zip(found.found, shares, strict=True))
    return "\n\n".join((head, *listed, f"[{asked}{waiting}]{_describe_failed(found.failed)}"))


def _divide(limit: int | None, counts: Sequence[int]) -> list[int | None]:
    """Return how many usages of each repository are listed: all of those with few, and equal parts of the others."""
    if limit is None:
        return [None] * len(counts)
    shares: list[int | None] = [0] * len(counts)
    left = limit
    for done, at in enumerate(sorted(range(len(counts)), key=counts.__getitem__)):
        share = min(counts[at], -(-left // (len(counts) - done)))
        shares[at] = share
        left -= share
    return shares


def _iter_usage_lines(each: RepositoryUsages, limit: int | None) -> Iterator[str]:
    """Yield a line about a repository, then one for each of its usages, at most `limit`; None for all."""
    more = ""
    if not each.is_complete:
        more = f", {len(each.possible)} possible" if each.possible else ", perhaps more"
    snapshot = name_snapshot(each.repository.name, each.repository.revision)
    copy = f", of its own copy in {each.copies[0]}" if each.copies else ""
    yield f"{snapshot} ({describe_age(each.repository.age)}): {plural(len(each.usages), 'usage')}{copy}{more}"
    for cited in each.usages[:limit]:
        use = cited.usage
        yield f"{snapshot}:{use.file}:{use.line} {use.role.value}  {visible(cited.text[:_MAX_LINE])}"
    if limit is not None and len(each.usages) > limit:
        yield f"… {len(each.usages) - limit} more; --all shows them"
    for possible in each.possible if limit is None else ():
        yield f"possible: {snapshot}:{possible.file}:{possible.line}"


def to_usage_data(found: FleetUsages) -> dict[str, Any]:
    """Return the usages of a definition in a fleet as plain data."""
    return {
        "definition": {"repository": found.owner, "file": found.definition.file, "line": found.definition.line},
        "packages": list(found.packages),
        "repositories": [
            {
                **describe_repository(each.repository),
                "complete": each.is_complete,
                "copies": list(each.copies),
                "usages": [
                    {"file": one.usage.file, "line": one.usage.line, "column": one.usage.column,
                     "role": one.usage.role.value, "evidence": one.usage.evidence.value, "text": one.text}
                    for one in each.usages
                ],
                "possible": [{"file": one.file, "line": one.line} for one in each.possible],
            }
            for each in found.found
        ],
        "coverage": {
            "visible": found.visible, "asked": len(found.asked), "unindexed": list(found.unindexed),
            "failed": _list_failed(found.failed),
        },
    }  # fmt: skip


def describe_repository(repository: FleetRepository) -> dict[str, Any]:
    """Return a repository's name and snapshot as plain data."""
    indexed = repository.indexed.isoformat() if repository.indexed else None
    return {"repository": repository.name, "revision": repository.revision, "indexed": indexed}


def get_status(*, is_found: bool, is_whole: bool) -> Status:
    """Return the status of an answer that found something or nothing, and that is whole or may lack something."""
    if not is_found:
        return Status.NOT_FOUND
    return Status.SUCCESS if is_whole else Status.PARTIAL


def _list_failed(failed: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return the repositories that could not be asked as plain data."""
    return [{"repository": name, "because": why} for name, why in failed]


def _describe_failed(failed: Sequence[tuple[str, str]]) -> str:
    """Return a line for each repository that could not be asked, each after a line break."""
    return "".join(f"\n{name} could not be asked: {visible(why)}" for name, why in failed)


def _count_asked(asked: int, of: int) -> str:
    return f"{asked} of {plural(of, 'repository')} asked"


def _count_waiting(unindexed: Collection[str]) -> str:
    return f"; {len(unindexed)} not indexed yet" if unindexed else ""
