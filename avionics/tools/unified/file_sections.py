"""Answer questions about the purpose of a file: its definitions, who uses it, and its tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.analysis.public_api import build_importer_index
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.name_resolver import is_class
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition
from avionics.tools.answers.answer import Section, shorten, take_sections
from avionics.tools.answers.items import NameItem, few, first_sentence, plural
from avionics.tools.questions.question_reader import Question
from avionics.tools.resolution.symbol_resolver import find_top_level
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.tools.composite.map_module import MapModuleAnswer, OfferItem
    from avionics.workspace import Workspace

_MAX_DEFINITIONS, _MAX_OTHERS = 18, 24
_MAX_MEMBERS = 6
_FEW = 2
"""The members of so few classes are definitions of their own."""
_MAX_USERS = 8
_SIGNATURE, _DOC = 80, 90
_SHOWN = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO, SymbolKind.TYPE})


class ContentItem(Struct, frozen=True):
    """A definition of a file: its description, its members, and the number of other files that use it."""

    file: str
    line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    importers: int
    members: tuple[str, ...] = ()

    @classmethod
    def of_offer(cls, offer: OfferItem) -> ContentItem:
        """Return the item of a public symbol."""
        return cls(
            offer.file, offer.line, offer.symbol, offer.kind, offer.signature, offer.doc, offer.importers, offer.members
        )

    @classmethod
    def of(cls, definition: Definition, methods: Iterable[Definition] = ()) -> ContentItem:
        """Return the item of a definition that other packages do not see, with those of some methods that it has."""
        symbol = definition.symbol
        members = tuple(each.name for each in methods if each.symbol.qualname == f"{symbol.qualname}.{each.name}")
        return cls(
            definition.file, symbol.line, symbol.qualname, symbol.kind.value, symbol.signature, symbol.doc, 0, members
        )

    def to_text(self) -> str:
        """Return one line."""
        used = f" [used in {plural(self.importers, 'file')}]" if self.importers else ""
        members = f": {', '.join(few(self.members, _MAX_MEMBERS))}" if self.members else ""
        doc = shorten(first_sentence(self.doc), _DOC)
        name = shorten(self.signature, _SIGNATURE) or f"{self.kind} {self.symbol}"
        name = name if self.symbol.rpartition(".")[2] in name else f"{self.symbol} = {name}"
        return f"{self.file}:{self.line} {name}{members}{doc}{used}"


def answer_file(workspace: Workspace, question: Question, found: MapModuleAnswer) -> AnalyzeAnswer:
    """Return what a file contains and does, who imports it, and its tests."""
    offers = [ContentItem.of_offer(each) for each in found.api]
    listed = {each.line for each in offers}
    others = [each for each in _find_own(workspace.code, question.path) if each.line not in listed]
    methods = _find_methods(workspace.code, question.path)
    if len(offers) + len(others) <= _FEW:
        elsewhere = {each.symbol for each in found.methods}
        others += [each for each in methods if each.symbol.qualname.rpartition(".")[0] not in elsewhere]
        methods = ()
    chosen = offers[:_MAX_DEFINITIONS]
    chosen += [ContentItem.of(each, methods) for each in others[: max(0, _MAX_DEFINITIONS - len(offers))]]
    rest = [each.symbol for each in offers[_MAX_DEFINITIONS:]]
    rest += [each.symbol.qualname for each in others[max(0, _MAX_DEFINITIONS - len(offers)) :]]
    defined = len(offers) + len(others) + sum(len(each.members) for each in found.methods)
    counts = [plural(found.lines, "line"), plural(defined, "definition")]
    users = sum(each.files for each in found.dependents)
    naming = _rank_mentioning(workspace.code, question.path, chosen) if users <= _FEW else []
    if users or not naming:
        counts.append(f"imported by {plural(users, 'file')}" if users else "no product file imports it")
    more = f"\nfurther definitions: {', '.join(few(rest, _MAX_OTHERS))}" if rest else ""
    tests = (structs.replace(each, items=each.items[:5]) for each in take_sections(found, "tests"))
    return build_answer(
        question,
        f"{question.path}: {', '.join(counts)}{more}",
        found.coverage,
        () if _is_notice(found) else take_sections(found, "purpose"),
        take_sections(found, "methods"),
        make_section("api", "definitions, most used first", chosen, 5.0, counts=True),
        take_sections(found, "dependents"),
        _mention_section(naming),
        (structs.replace(each, shown=structs.replace(each.shown, title="tests that import it")) for each in tests),
        take_sections(found, "entry_points"),
    )


def _find_methods(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the methods of the classes of a file, documented ones first."""
    methods = [
        Definition(path, symbol, at)
        for at, symbol in enumerate(code.facts(path).symbols)
        if symbol.kind in {SymbolKind.METHOD, SymbolKind.FUNCTION} and not symbol.name.startswith("_")
        and "." in symbol.qualname
        and (symbol.parent < 0 or is_class(code.facts(path).symbols[symbol.parent].kind))
    ]  # fmt: skip
    return tuple(sorted(methods, key=lambda each: (not each.symbol.doc, each.line)))


def _rank_mentioning(code: CodeIndex, path: str, defined: list[ContentItem]) -> list[tuple[str, list[str]]]:
    """Return the product files that use names of a file without an import of it, each with the names."""
    exported = {symbol.qualname: symbol.exported for symbol in code.facts(path).symbols if symbol.parent < 0}
    users = code.keep(build_importer_index)
    found: dict[str, list[str]] = {}
    for name in (each.symbol for each in defined if each.symbol in exported):
        for file in users.find(path, name, exported=exported[name]):
            if role_of(file) < FileRole.TEST:
                found.setdefault(file, []).append(name)
    return sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))


def _mention_section(ranked: list[tuple[str, list[str]]]) -> Section:
    """Return the first files that mention names of a file."""
    items = [NameItem(f"{file}: {', '.join(few(names, _MAX_MEMBERS))}") for file, names in ranked[:_MAX_USERS]]
    first = f", the first of {len(ranked)}" if len(ranked) > _MAX_USERS else ""
    return make_section("users", f"files that mention its names{first}", items, 1.5)


def _is_notice(found: MapModuleAnswer) -> bool:
    """Return whether the first comment of a file is a version mark or a licence rather than a description."""
    return any(each.text.startswith("$") or "icense" in each.text or "opyright" in each.text for each in found.purpose)


def _find_own(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the top-level functions and classes of a file, without tests written beside the code."""
    is_test_file = role_of(path) is FileRole.TEST
    return tuple(
        each
        for each in find_top_level(code, path)
        if (is_class(each.kind) or each.kind in _SHOWN) and (is_test_file or not each.name.startswith("test_"))
    )
