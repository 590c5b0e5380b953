"""Definitions that a change leaves unused: it removed their last use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from avionics.cancellation import check_cancelled
from avionics.index.analysis.unused_code import Unused, Use
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import Variable
from avionics.index.verdicts.comparison import VersionPair
from avionics.model.knowledge import Definition

_MAX_JUDGED = 40
"""Definitions that are judged for one change; each is looked for in the whole workspace."""


def iter_left_unused(pair: VersionPair) -> Iterator[Definition]:
    """Yield the product definitions that are unused now and were used by a removed line."""
    found = _list_once_used(pair)
    if not found:
        return
    after = pair.after
    judge = Unused(after.source, after.graph, after.resolver, after.unseen)
    for definition in found[:_MAX_JUDGED]:
        check_cancelled()
        if judge.judge(definition).use is Use.UNUSED:
            yield definition


def _list_once_used(pair: VersionPair) -> list[Definition]:
    """Return the definitions, in the new version, that removed lines of changed files used."""
    found: dict[tuple[str, str], Definition] = {}
    before = pair.before
    for each in pair.files:
        if not each.before or not before.has_file(each.before) or (each.after and not pair.readable.get(each.after)):
            continue
        lines = _removed_lines(pair, each.before, each.after)
        for references in before.uses(each.before).references.values():
            for reference in references:
                if reference.line not in lines:
                    continue
                for target in before.resolver.resolve(each.before, reference).targets:
                    was = before.graph.get_definition(target) if isinstance(target, Variable) else None
                    now = _get_after(pair, was) if was is not None else None
                    if now is not None and role_of(now.file) is FileRole.PRODUCT:
                        found.setdefault((now.file, now.symbol.qualname), now)
    return list(found.values())


def _removed_lines(pair: VersionPair, before: str, after: str) -> frozenset[int]:
    left = Counter(pair.after.read_text(after).split("\n")) if after else Counter()
    found = []
    for number, line in enumerate(pair.before.read_text(before).split("\n"), 1):
        if left[line] > 0:
            left[line] -= 1
        else:
            found.append(number)
    return frozenset(found)


def _get_after(pair: VersionPair, was: Definition) -> Definition | None:
    """Return a definition as the version after has it, or None."""
    file = pair.path_after(was.file)
    if not file or not pair.after.has_file(file):
        return None
    for index, symbol in enumerate(pair.after.facts(file).symbols):
        if symbol.qualname == was.symbol.qualname and symbol.kind is was.kind:
            return Definition(file, symbol, index)
    return None
