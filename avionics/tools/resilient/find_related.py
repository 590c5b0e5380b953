"""find_related: what else matters to a symbol, a file or a line.

Knows: relations in code, in history and in words.
Does not know: how any relation is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.index.analysis import related_symbols as relatedness
from avionics.index.analysis.related_symbols import Related
from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition, RankedSymbol, UsageReport
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import find_near, find_paths, require_code_file, resolve_symbol

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_COMMENT = re.compile(r"\s*(?://|/\*|\*|#|--|@)")
_PLACE = re.compile(r"(?P<path>[^:\s]+):(?P<line>[1-9]\d{0,6})(?::\d+)?")
_MAX_OF_ONE = 8
"""So many of one relation: the next relation tells more than the ninth of the same."""
_MAX_OF_ITS_FILE = 3
"""So many files that change with a symbol's file: most of their commits are about other symbols."""
_STRENGTH = {
    "override": 1.0, "overridden": 1.0, "subclass": 1.0, "uses it": 0.9, "it uses": 0.8, "test": 0.7,
    "same class": 0.55, "imports it": 0.7, "it imports": 0.6, "changes with it": 0.75, "changes with its file": 0.5,
    "same module": 0.4, "similar": 0.35, "similar file": 0.3,
}  # fmt: skip
"""How much a relation says, the strongest of each kind; unproven ones least."""
_NAME = Reason(ReasonKind.FIELD_MATCH, subject="name")
_FIELDS = (_NAME, Reason(ReasonKind.FIELD_MATCH, subject="doc"))


@attrs.frozen
class RelatedItem:
    """Something related: where, how, why. A file has no symbol."""

    file: str
    line: int
    symbol: str
    relation: str
    why: str
    score: float

    def to_text(self) -> str:
        """One line."""
        symbol = f" {self.symbol}" if self.symbol else ""
        return f"{self.file}:{self.line}{symbol}  [{self.relation}] {self.why}"


@attrs.frozen
class FindRelatedAnswer:
    """What is related, the most telling first."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    related: tuple[RelatedItem, ...] = part("")
    others: tuple[NameItem, ...] = part("also called so", share=0.1)
    near: tuple[NameItem, ...] = part("names like it")

    def headline(self) -> str:
        """How much is related to what."""
        if not self.related:
            return f"nothing related to {self.subject}"
        return f"{len(self.related)} related to {self.subject}"


@tool(
    ToolId.FIND_RELATED,
    accepts="a symbol, a file or path:line",
    returns="users, callees, tests, overrides, files that change together, siblings, each with its reason",
)
def find_related(workspace: Workspace, reference: str) -> FindRelatedAnswer:
    """Find what else matters to a symbol, file or line.

    Args:
        reference: A name, a dotted name, a path, or path:line.
    """
    asked, ladder = reference.strip(), FallbackChain()
    if not asked:
        raise UsageError("there is nothing to relate to", hint="give a symbol, a file or path:line")
    meant = _find_definitions(workspace, asked)
    if meant:
        report = workspace.code.usages(meant[0])
        answer = _answer(_name(meant[0]), _climb(ladder, _symbol_ways(workspace, meant[0], report)), ladder, report)
        return attrs.evolve(answer, others=tuple(NameItem(_name(each)) for each in meant[1:]))
    place = _PLACE.fullmatch(asked)
    files = find_paths(workspace.code.files, place["path"] if place else asked)
    if files:
        found = _climb(ladder, _file_ways(workspace, require_code_file(workspace, files[0])))
        where = f" (line {place['line']} is in no function or class)" if place else ""
        return _answer(f"{files[0]}{where}", found, ladder)
    texts = find_paths(workspace.code.paths, place["path"] if place else asked)
    if texts:
        found = _climb(ladder, {"files that change together": lambda: _find_co_changing(workspace, texts[0])})
        return _answer(f"{texts[0]} (in no known language)", found, ladder)
    if "/" in asked:
        paths = ladder.try_step("near paths", lambda: workspace.source.find_near(place["path"] if place else asked))
        return FindRelatedAnswer(asked, Coverage(0, 0), ladder.attempts, near=tuple(map(NameItem, paths)))
    near = ladder.try_step("near names", lambda: find_near(workspace.code, asked))
    names = tuple(NameItem(f"{each.file}:{each.line} {each.symbol.qualname}") for each in near)
    return FindRelatedAnswer(asked, Coverage(0, 0), ladder.attempts, near=names)


def _find_definitions(workspace: Workspace, asked: str) -> tuple[Definition, ...]:
    """The symbol that is meant: the innermost around `path:line`, else the likeliest of that name, then the others."""
    code = workspace.code
    place = _PLACE.fullmatch(asked)
    if not place:
        return resolve_symbol(workspace, asked)
    files = find_paths(code.files, place["path"])
    found = code.graph.enclosing(files[0], _code_line(workspace, files[0], int(place["line"]))) if files else None
    return () if found is None else (found,)


def _code_line(workspace: Workspace, path: str, line: int) -> int:
    """The line, or the first one after it that is no comment: what stands above a definition belongs to it."""
    lines = workspace.source.text(path).split("\n")
    while line < len(lines) and _COMMENT.match(lines[line - 1]):
        line += 1
    return line


def _name(definition: Definition) -> str:
    """The definition as an answer calls it."""
    return f"{definition.symbol.qualname} ({definition.file}:{definition.line})"


Ways = dict[str, Callable[[], tuple[Related, ...]]]


def _symbol_ways(workspace: Workspace, definition: Definition, report: UsageReport) -> Ways:
    """The relations of a symbol, by step."""
    code = workspace.code
    return {
        "subclasses and overrides": lambda: relatedness.find_kin(code, definition),
        "who uses it": lambda: relatedness.find_users(definition, report),
        "what it uses": lambda: relatedness.find_callees(code, definition),
        "same class or module": lambda: relatedness.find_siblings(code, definition),
        "files that change together": lambda: tuple(
            attrs.evolve(each, relation="changes with its file")
            for each in _find_co_changing(workspace, definition.file)[:_MAX_OF_ITS_FILE]
        ),
        "similar text": lambda: _find_similar(workspace, definition),
    }


def _file_ways(workspace: Workspace, path: str) -> Ways:
    """The relations of a file, by step."""
    code = workspace.code
    return {
        "who imports it": lambda: relatedness.find_importing(code, path),
        "what it imports": lambda: relatedness.find_imported(code, path),
        "files that change together": lambda: _find_co_changing(workspace, path),
        "similar files": lambda: tuple(
            Related(each.file, 1, "", "similar file", f"shares the words {_quoted(each.terms)}", each.score)
            for each in relatedness.find_similar_files(code, path, workspace.source.read(path))
        ),
    }


def _climb(ladder: FallbackChain, ways: Ways) -> list[tuple[Related, ...]]:
    """What every way finds: each asks something else."""
    return [ladder.try_step(step, find) for step, find in ways.items()]


def _find_co_changing(workspace: Workspace, path: str) -> tuple[Related, ...]:
    """The files that change in the same commits, more than once."""
    if not workspace.history.is_available():
        return ()
    commits = workspace.history.find_commits(path, limit=200, counts=True)
    together, counted = workspace.history.find_co_changes(commits, path)
    return tuple(
        Related(
            each.path,
            1,
            "",
            "changes with it",
            f"changed with {path} in {each.commits} of {counted} commits",
            each.commits / counted,
        )
        for each in together
        if each.commits > 1 and each.path in workspace.code.snapshot.entries
    )


def _find_similar(workspace: Workspace, definition: Definition) -> tuple[Related, ...]:
    """The symbols with words of the definition's name or documentation in their names, the most alike first."""
    symbol = definition.symbol
    query = read_query(f"{symbol.name} {symbol.doc}")
    if query.is_empty:
        return ()
    ranking = rank_symbols(workspace.code, query, workspace.source.text, limit=_MAX_OF_ONE + 1)
    top = ranking.symbols[0].score if ranking.symbols else 1.0
    return tuple(
        Related(each.file, each.start_line, each.symbol, "similar", _why_similar(each, symbol.name), each.score / top)
        for each in ranking.symbols
        if _NAME in each.reasons and not (each.file == definition.file and symbol.span.contains(each.start_line))
    )


def _why_similar(ranked: RankedSymbol, name: str) -> str:
    """Return which of its parts share words with the definition's name and documentation."""
    alike = " and ".join(reason.subject for reason in ranked.reasons if reason in _FIELDS)
    body = next((reason.subject for reason in ranked.reasons if reason.kind is ReasonKind.BODY_MATCH), "")
    words = [word for word in body.split(", ") if word and word != name]
    return f"same words in its {alike}{f'; says {_quoted(words)}' if words else ''}"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in list(words)[:3])


def _answer(
    title: str, found: Iterable[tuple[Related, ...]], ladder: FallbackChain, report: UsageReport | None = None
) -> FindRelatedAnswer:
    """The best of every relation; what is related twice says it where it counts most."""
    best: dict[tuple[str, str], RelatedItem] = {}
    every: set[tuple[str, str]] = set()
    for related in found:
        taken: Counter[str] = Counter()
        for each in related:
            key = (each.file, each.symbol)
            every.add(key)
            taken[each.relation] += 1
            score = round(_STRENGTH[each.relation] * (0.7 + 0.3 * each.score) * 0.97 ** taken[each.relation], 4)
            if taken[each.relation] <= _MAX_OF_ONE and (key not in best or best[key].score < score):
                best[key] = RelatedItem(each.file, each.line, each.symbol, each.relation, each.why, score)
    ranked = tuple(sorted(best.values(), key=lambda item: (-item.score, item.file, item.line)))
    reasons = (Reason(ReasonKind.RELATION_LIMIT, _MAX_OF_ONE),) if len(every) > len(ranked) else ()
    coverage = Coverage(len(every), len(ranked), reasons=reasons, settled=True)
    if report is not None and report.unresolved:
        doubts = (*count_reasons(each.reason for each in report.unresolved), *report.reasons)
        coverage = attrs.evolve(
            coverage, certainty=report.certainty, unresolved=len(report.unresolved), reasons=(*reasons, *doubts)
        )
    return FindRelatedAnswer(title, coverage, ladder.attempts, ranked)
