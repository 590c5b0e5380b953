"""find_related: find what else matters to a symbol, a file or a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.cancellation import seconds_left
from avionics.index.analysis import related_symbols
from avionics.index.analysis.related_symbols import Related
from avionics.index.model.file_roles import find_package_files
from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition, RankedSymbol, UsageReport
from avionics.model.reasons import Reason, ReasonKind, count_reasons
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import NameItem
from avionics.tools.answers.next_step import suggest_meant
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import find_paths, get_named_path, parse_place
from avionics.tools.resolution.symbol_resolver import find_near, resolve_symbol

if TYPE_CHECKING:
    from avionics.history.history import History
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_COMMENT = re.compile(r"\s*(?://|/\*|\*|#|--|@)")
_MAX_PER_RELATION = 8
"""An item of another relation is more useful than the ninth of the same one."""
_MAX_WITH_FILE = 3
"""The maximum number of files that change with a symbol's file; most of those commits are about other symbols."""
_MAX_COMMITS = 200
_STRENGTH = {
    "override": 1.0, "overridden": 1.0, "subclass": 1.0, "uses it": 0.9, "it uses": 0.8, "test": 0.7,
    "same class": 0.55, "imports it": 0.7, "it imports": 0.6, "changes with it": 0.75, "changes with its file": 0.5,
    "same module": 0.4, "similar": 0.35, "similar file": 0.3,
}  # fmt: skip
"""The score of the strongest item of each relation; relations that are not proven have the lowest."""
_NAME = Reason(ReasonKind.FIELD_MATCH, subject="name")
_FIELDS = (_NAME, Reason(ReasonKind.FIELD_MATCH, subject="doc"))

Lookups = dict[str, Callable[[], tuple[Related, ...]]]
"""The name of a step → the lookup."""


class RelatedItem(Related, frozen=True):
    """A related symbol or file, the relation, and the reason; `symbol` is "" for a file."""

    def to_text(self) -> str:
        symbol = f" {self.symbol}" if self.symbol else ""
        return f"{self.file}:{self.line}{symbol}  [{self.relation}] {self.why}"


class FindRelatedAnswer(Struct, frozen=True):
    """The related code, strongest relations first."""

    subject: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    related: tuple[RelatedItem, ...] = part("")
    others: tuple[NameItem, ...] = part("other definitions with this name", share=0.1)
    near: tuple[NameItem, ...] = part("similar names")

    def headline(self) -> str:
        if self.coverage.certainty is Certainty.UNKNOWN:
            return f"no symbol or file named {self.subject!r}"
        return f"{len(self.related) or 'nothing'} related to {self.subject}"


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
    asked, fallbacks = reference.strip(), FallbackChain()
    if not asked:
        raise UsageError("the reference is empty", hint="give a symbol, a file or path:line")
    code, source, history = workspace.code, workspace.source, workspace.history
    path, line = parse_place(asked) or (asked, 0)
    files = _find_files(code, path)
    meant = _find_at(code, source, files, line) if line else resolve_symbol(code, asked)
    if meant:
        report = code.usages(meant[0])
        found = _try_all(fallbacks, _map_symbol_lookups(code, source, history, meant[0], report))
        answer = _build_answer(_name(meant[0]), found, fallbacks, report)
        return structs.replace(answer, others=tuple(NameItem(_name(each)) for each in meant[1:]))
    if files:
        found = _try_all(fallbacks, _map_file_lookups(code, source, history, files[0]))
        where = f" (line {line} is in no function or class)" if line else ""
        return _build_answer(f"{files[0]}{where}", found, fallbacks)
    texts = find_paths(code.paths, path)
    if texts:
        found = _try_all(fallbacks, {"files that change together": lambda: _find_co_changing(code, history, texts[0])})
        return _build_answer(f"{texts[0]} (in an unsupported language)", found, fallbacks)
    near_paths = fallbacks.try_step("near paths", lambda: source.find_near(path)) if "/" in asked else ()
    near = fallbacks.try_step("near names", lambda: find_near(code, asked)) if "/" not in asked else ()
    names = (*near_paths, *(f"{each.file}:{each.line} {each.symbol.qualname}" for each in near))
    offered = (*near_paths, *(each.symbol.qualname for each in near))
    following = suggest_meant(ToolId.FIND_RELATED, offered, "reference")
    unknown = Coverage(0, 0, Certainty.UNKNOWN, next=following)
    return FindRelatedAnswer(asked, unknown, fallbacks.attempts, near=tuple(map(NameItem, names)))


def _find_files(code: CodeIndex, path: str) -> tuple[str, ...]:
    """Return the files that a path may mean, the likeliest first; for a package's directory, its file.

    Raise `UsageError` if it is a directory that is not a package.
    """
    place = get_named_path(code, path)
    if place is None or code.has_file(place):
        return find_paths(code.files, path)
    if place in code.snapshot.entries:
        return ()
    package = tuple(each for each in find_package_files(place) if code.has_file(each))
    if not package:
        raise UsageError(f"{place!r} is a directory", hint="name a file in it; map_module shows directories")
    return package


def _find_at(code: CodeIndex, source: SourceTree, files: tuple[str, ...], line: int) -> tuple[Definition, ...]:
    """Return the innermost symbol around a line; a comment belongs to the definition below it."""
    if not files:
        return ()
    lines = source.text(files[0]).split("\n")
    while line < len(lines) and _COMMENT.match(lines[line - 1]):
        line += 1
    found = code.graph.enclosing(files[0], line)
    return () if found is None else (found,)


def _name(definition: Definition) -> str:
    return definition.label


def _map_symbol_lookups(
    code: CodeIndex, source: SourceTree, history: History, definition: Definition, report: UsageReport
) -> Lookups:
    """Return the lookups for relations of a symbol."""
    return {
        "subclasses and overrides": lambda: related_symbols.find_kin(code, definition),
        "who uses it": lambda: related_symbols.find_users(definition, report),
        "what it uses": lambda: related_symbols.find_callees(code, definition),
        "same class or module": lambda: related_symbols.find_siblings(code, definition),
        "files that change together": lambda: tuple(
            structs.replace(each, relation="changes with its file")
            for each in _find_co_changing(code, history, definition.file)[:_MAX_WITH_FILE]
        ),
        "similar text": lambda: _find_similar(code, source, definition),
    }


def _map_file_lookups(code: CodeIndex, source: SourceTree, history: History, path: str) -> Lookups:
    """Return the lookups for relations of a file."""
    return {
        "who imports it": lambda: related_symbols.find_importing(code, path),
        "what it imports": lambda: related_symbols.find_imported(code, path),
        "files that change together": lambda: _find_co_changing(code, history, path),
        "similar files": lambda: tuple(
            Related(each.file, 1, "", "similar file", f"shares the words {_quote(each.terms)}", each.score)
            for each in related_symbols.find_similar_files(code, path, source.read(path))
        ),
    }


def _try_all(fallbacks: FallbackChain, lookups: Lookups) -> list[tuple[Related, ...]]:
    """Return the results of each lookup, as long as there is time."""
    return [fallbacks.try_step(step, find) for step, find in lookups.items() if seconds_left() > 0]


def _find_co_changing(code: CodeIndex, history: History, path: str) -> tuple[Related, ...]:
    """Return the files that changed in the same commits more than once."""
    if not history.is_available():
        return ()
    together, counted = history.find_co_changes(history.find_commits(path, limit=_MAX_COMMITS, counts=True), path)
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
        if each.commits > 1 and each.path in code.snapshot.entries
    )


def _find_similar(code: CodeIndex, source: SourceTree, definition: Definition) -> tuple[Related, ...]:
    """Return the symbols whose names share words with the definition's name or documentation, most similar first."""
    symbol = definition.symbol
    query = read_query(f"{symbol.name} {symbol.doc}")
    if query.is_empty:
        return ()
    ranking = rank_symbols(code, query, source.text, limit=_MAX_PER_RELATION + 1)
    top = ranking.symbols[0].score if ranking.symbols else 1.0
    return tuple(
        Related(
            each.file, each.start_line, each.symbol, "similar", _describe_likeness(each, symbol.name), each.score / top
        )
        for each in ranking.symbols
        if _NAME in each.reasons and not (each.file == definition.file and symbol.span.contains(each.start_line))
    )


def _describe_likeness(ranked: RankedSymbol, name: str) -> str:
    """Return the phrase for the fields and words that two symbols share."""
    fields = " and ".join(reason.subject for reason in ranked.reasons if reason in _FIELDS)
    body = next((reason.subject for reason in ranked.reasons if reason.kind is ReasonKind.BODY_MATCH), "")
    words = [word for word in body.split(", ") if word and word != name]
    return f"same words in its {fields}{f' and body: {_quote(words)}' if words else ''}"


def _quote(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in list(words)[:3])


def _build_answer(
    title: str, found: Iterable[tuple[Related, ...]], fallbacks: FallbackChain, report: UsageReport | None = None
) -> FindRelatedAnswer:
    """Return the best of every relation; what is related in two ways is listed under the stronger one."""
    best: dict[tuple[str, str], RelatedItem] = {}
    every: set[tuple[str, str]] = set()
    for related in found:
        taken: Counter[str] = Counter()
        for each in related:
            key = (each.file, each.symbol)
            every.add(key)
            taken[each.relation] += 1
            score = round(_STRENGTH[each.relation] * (0.7 + 0.3 * each.score) * 0.97 ** taken[each.relation], 4)
            if taken[each.relation] <= _MAX_PER_RELATION and (key not in best or best[key].score < score):
                best[key] = RelatedItem(each.file, each.line, each.symbol, each.relation, each.why, score)
    ranked = tuple(sorted(best.values(), key=lambda item: (-item.score, item.file, item.line)))
    reasons = (Reason(ReasonKind.RELATION_LIMIT, _MAX_PER_RELATION),) if len(every) > len(ranked) else ()
    coverage = Coverage(len(every), len(ranked), reasons=reasons, settled=True)
    if report is not None and report.unresolved:
        doubts = (*count_reasons(each.reason for each in report.unresolved), *report.reasons)
        coverage = structs.replace(coverage, certainty=report.certainty, unresolved=len(report.unresolved))
        coverage = coverage.with_reasons(*doubts)
    if seconds_left() <= 0:
        coverage = structs.replace(coverage, certainty=Certainty.AT_LEAST)
        coverage = coverage.with_reasons(Reason(ReasonKind.TIME_RAN_OUT))
    return FindRelatedAnswer(title, coverage, fallbacks.attempts, ranked)
