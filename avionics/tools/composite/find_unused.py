"""find_unused: definitions that nothing uses, and those of which that cannot be known.

Knows: definitions, verdicts, texts beside the code.
Does not know: how a use is proven.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import SymbolItem, plural
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import require_scope

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_SHARE_OF_TIME = 0.5
"""Of the time a call may take so much is spent on judging; what is left says what was found."""

_WORD = re.compile(r"[^\W\d]\w*")
_INNER = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


@attrs.frozen
class UnknownItem:
    """A definition without a proven use that may be used unseen, and how."""

    file: str
    line: int
    symbol: str
    kind: str
    because: tuple[str, ...]

    def to_text(self) -> str:
        """One line."""
        return f"{self.file}:{self.line} {self.kind} {self.symbol}: {'; '.join(self.because)}"


@attrs.frozen
class FindUnusedAnswer:
    """What is unused for certain, what is unused here but offered to others, and what cannot be known."""

    scope: str
    summary: str
    coverage: Coverage
    unused: tuple[SymbolItem, ...] = part("unused", share=3.0, counts=True)
    public: tuple[SymbolItem, ...] = part("unused here, but public: code outside may use it", share=1.5, counts=True)
    unknown: tuple[UnknownItem, ...] = part("no use found, but one cannot be ruled out", share=1.5)

    def headline(self) -> str:
        """How many were judged, and how."""
        return self.summary


@tool(
    ToolId.FIND_UNUSED,
    accepts="nothing, or a directory or file",
    returns="definitions that nothing uses, those offered to others, and those of which it cannot be known, with why",
)
def find_unused(workspace: Workspace, scope: str | None = None) -> FindUnusedAnswer:
    """Find definitions that nothing uses; what cannot be known is said with its reason.

    Args:
        scope: Only definitions in this directory or file; their uses are looked for everywhere.
    """
    from avionics.index.analysis.unused_code import Unused, Use, Verdict
    from avionics.index.changes.api_compat import is_public
    from avionics.index.changes.symbol_diff import RevisionView

    within, code = require_scope(workspace, scope), workspace.code
    asked = _find_asked(code, within)
    judge = Unused(code.source, code.graph, code.resolver, _read_mentions(workspace, {each.name for each in asked}))
    until = time.monotonic() + _SHARE_OF_TIME * workspace.settings.timeout_seconds
    side = RevisionView(code, workspace.source)
    unused: list[SymbolItem] = []
    public: list[SymbolItem] = []
    unknown: list[UnknownItem] = []
    judged = 0
    for definition in asked:
        if time.monotonic() > until:
            break
        judged += 1
        verdict = judge.judge(definition)
        if verdict.use is Use.UNUSED and (reader := _loader_of(code, definition)):
            verdict = Verdict(Use.UNKNOWN, reasons=(reader,))
        if verdict.use is Use.UNUSED:
            (public if is_public(side, definition) else unused).append(SymbolItem.of(definition))
        elif verdict.use is Use.UNKNOWN:
            symbol = definition.symbol
            unknown.append(
                UnknownItem(
                    definition.file, symbol.line, symbol.qualname, symbol.kind.value, describe_reasons(verdict.reasons)
                )
            )
    found = len(unused) + len(public)
    left = len(asked) - judged
    reasons = (Reason(ReasonKind.DEFINITIONS_NOT_CHECKED, left),) if left else ()
    certainty = Certainty.AT_LEAST if unknown or left else Certainty.EXACT
    place = f" in {within}" if within else ""
    return FindUnusedAnswer(
        within,
        f"{plural(judged, 'definition')} judged{place}: {len(unused)} unused, {len(public)} unused here but public, "
        f"{len(unknown)} unknown, {judged - found - len(unknown)} used",
        Coverage(found, found, certainty, len(unknown), reasons, settled=True),
        tuple(unused),
        tuple(public),
        tuple(unknown),
    )


def _find_asked(code: CodeIndex, scope: str) -> tuple[Definition, ...]:
    """The definitions to judge, the product's: not those in tests, of others, or inside functions."""
    from avionics.index.model.file_roles import FileRole, role_of
    from avionics.index.scopes.symbol_lookup import is_within

    files = [file for file in code.files if is_within(file, scope) and role_of(file) <= FileRole.AUXILIARY]
    code.load_facts(files)
    found = []
    for file in sorted(files, key=lambda file: (role_of(file), file)):
        symbols = code.facts(file).symbols
        for index, symbol in enumerate(symbols):
            is_inner = symbol.parent >= 0 and symbols[symbol.parent].kind in _INNER
            if not (is_inner or (symbol.name.startswith("__") and symbol.name.endswith("__")) or symbol.name == "_"):
                found.append(Definition(file, symbol, index))
    return tuple(found)


def _loader_of(code: CodeIndex, definition: Definition) -> Reason | None:
    """Return how a tool or framework may use it by loading its file, as a configuration or a page, or None."""
    symbol = definition.symbol
    if symbol.parent >= 0:
        return None
    if symbol.signature.startswith("export default "):
        return Reason(ReasonKind.DEFAULT_EXPORT)
    is_value = symbol.kind in {SymbolKind.VARIABLE, SymbolKind.CONSTANT} and not symbol.name.startswith("_")
    if not (is_value or symbol.signature.startswith("export ")) or code.importers(definition.file):
        return None
    return Reason(ReasonKind.FILE_NOT_IMPORTED)


def _read_mentions(workspace: Workspace, names: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Word → the files outside the code that have it."""
    wanted = frozenset(names)
    found: dict[str, list[str]] = {}
    others = [file.path for file in workspace.source.walk().files if not workspace.code.has_file(file.path)]
    for content in workspace.source.iter_contents(others):
        text = "" if b"\0" in content.data else content.data.decode("utf-8", "replace")
        for word in wanted.intersection(_WORD.findall(text)):
            found.setdefault(word, []).append(content.path)
    return lambda word: tuple(found.get(word, ()))
