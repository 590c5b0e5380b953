"""Rules that need no other one: syntax errors, definitions that shadow one another, and cases that a match lacks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping

from avionics.index.model.values import ClassType, Variable
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause, ChangeFinding, Proof, Rule, Severity, Site
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts, Symbol
from avionics.model.knowledge import Definition
from avionics.syntax.call_sites import read_matches

_SHADOWING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


def iter_syntax_errors(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the first syntax error of each changed file that had none before."""
    for each in pair.files:
        if not each.after or not pair.after.has_file(each.after):
            continue
        problems = [found for found in pair.after.facts(each.after).problems if _is_error(found.message)]
        had = each.before and pair.before.has_file(each.before) and pair.before.facts(each.before).problems
        if problems and not had:
            place = Site(each.after, problems[0].line)
            # The grammar does not expand macros, so code that it rejects in a new file may still be valid.
            is_sure = bool(each.before) or not pair.after.resolver.scopes.spec(each.after).linkage
            yield ChangeFinding(
                Rule.SYNTAX_ERROR,
                Severity.ERROR if is_sure else Severity.WARNING,
                Proof.CERTAIN if is_sure else Proof.POSSIBLE,
                Cause.NOT_PARSED,
                problems[0].message,
                None,
                (place,),
                holder=each.after,
            )


def _is_error(message: str) -> bool:
    return message == "syntax error" or message.startswith("missing ")


def iter_duplicates(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the definitions that shadow an earlier one of the same scope, where the file had no such pair before."""
    for each in pair.files:
        if not each.after or not pair.readable.get(each.after) or not pair.after.has_file(each.after):
            continue
        if not pair.after.resolver.scopes.spec(each.after).executed_classes:
            continue
        known = set(_read_duplicates(pair.before.facts(each.before))) if each.before else set()
        lines = pair.after.read_text(each.after).split("\n")
        for name, symbols in _read_duplicates(pair.after.facts(each.after)).items():
            first, last = symbols[0], symbols[-1]
            if (
                name not in known
                and _margin(lines, first) == _margin(lines, last)
                and not _is_branch(lines, first, last)
            ):
                yield ChangeFinding(
                    Rule.DUPLICATE_DEFINITION,
                    Severity.ERROR,
                    Proof.CERTAIN,
                    Cause.DEFINED_TWICE,
                    name,
                    Site(each.after, first.line),
                    (Site(each.after, last.line, last.column),),
                    holder=each.after,
                )


def _read_duplicates(facts: FileFacts) -> dict[str, list[Symbol]]:
    """Return qualified name → plain definitions, for names with several."""
    found: defaultdict[str, list[Symbol]] = defaultdict(list)
    for symbol in facts.symbols:
        found[symbol.qualname].append(symbol)
    return {
        name: symbols
        for name, symbols in found.items()
        if len(symbols) > 1 and all(each.kind in _SHADOWING and not each.decorators for each in symbols) and name != "_"
    }


def _margin(lines: list[str], symbol: Symbol) -> int:
    text = lines[symbol.span.start_line - 1]
    return len(text) - len(text.lstrip())


def _is_branch(lines: list[str], first: Symbol, last: Symbol) -> bool:
    """Return whether a line between two definitions leaves their block, or the first one is deleted or used there."""
    margin = _margin(lines, first)
    between = lines[first.span.end_line : last.span.start_line - 1]
    is_left = any(line.strip() and len(line) - len(line.lstrip()) < margin for line in between)
    return is_left or any(first.name in line for line in between)


_CONDITION = "cfg"
"""What the attributes contain that leave a variant out of some builds."""


def iter_missing_cases(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the new variants of enumerations and closed types that matches lack which name all the others."""
    for each in pair.files:
        if not each.after or not pair.readable.get(each.after) or not pair.after.has_file(each.after):
            continue
        had = pair.before.facts(each.before).symbols if each.before and pair.before.has_file(each.before) else ()
        names = {symbol.qualname for symbol in had}
        for of, known, fresh in (
            *_iter_grown_enumerations(pair.after.facts(each.after), each.after, names),
            *_iter_grown_types(pair, each.after, names),
        ):
            if known and fresh:
                yield from _iter_lacking(pair, of, known, fresh)


_Grown = tuple[Definition, list[Definition], list[Definition]]
"""What has variants, those that it had before the change, and the new ones."""


def _iter_grown_enumerations(facts: FileFacts, file: str, names: Container[str]) -> Iterator[_Grown]:
    """Yield the enumerations of a file; variants under a condition are no new ones."""
    for index, symbol in enumerate(facts.symbols):
        if symbol.kind is not SymbolKind.ENUM or symbol.qualname not in names:
            continue
        if sum(other.qualname == symbol.qualname for other in facts.symbols) == 1:
            inside = (Definition(file, other, at) for at, other in enumerate(facts.symbols) if other.parent == index)
            variants = [other for other in inside if _is_variant(other.symbol)]
            known = [other for other in variants if other.symbol.qualname in names]
            fresh = [other for other in variants if other not in known and not _is_conditional(other.symbol)]
            yield Definition(file, symbol, index), known, fresh


def _iter_grown_types(pair: VersionPair, file: str, names: Container[str]) -> Iterator[_Grown]:
    """Yield the closed types of which a file has a new subtype, if nothing else can hold those that they had."""
    calls, graph = pair.after.resolver.scopes.spec(file).calls, pair.after.graph
    closed = calls.closed_type if calls is not None else None
    for index, symbol in enumerate(pair.after.facts(file).symbols if closed is not None else ()):
        if symbol.qualname in names or not symbol.bases:
            continue
        fresh = Definition(file, symbol, index)
        for of in graph.bases(fresh):
            was = pair.class_before(ClassType(of.file, of.index))
            if was is None or closed is None or closed.search(of.symbol.signature) is None:
                continue
            below = [each for each in graph.subclasses(of) if each != fresh]
            known = [each for each in below if pair.class_before(ClassType(each.file, each.index)) is not None]
            shared = set[Definition].intersection(*(set(graph.bases(each)) for each in known)) if known else set()
            yield of, known if shared == {of} else [], [fresh]


def _is_variant(symbol: Symbol) -> bool:
    """Return whether a member of an enumeration is one of its values: only those begin with their names."""
    return re.match(rf"{re.escape(symbol.name)}\s*(?:[({{=]|\Z)", symbol.signature) is not None


def _is_conditional(symbol: Symbol) -> bool:
    return any(_CONDITION in each for each in symbol.decorators)


def _iter_lacking(
    pair: VersionPair, of: Definition, known: list[Definition], fresh: list[Definition]
) -> Iterator[ChangeFinding]:
    """Yield the new variants of something, each with the matches that lack it."""
    must_have = {each.name for each in known if not _is_conditional(each.symbol)}
    variants = {(each.file, each.index): each.name for each in (*known, *fresh)}
    lacking: dict[str, list[Site]] = {}
    for file in pair.iter_in_time(set(pair.list_files_with(known[0].name, (known[0].file,)))):
        if pair.readable.get(file, True) and not pair.after.facts(file).problems:
            for line, named in _iter_matches(pair, file, variants):
                for each in fresh if must_have <= named else ():
                    if each.name not in named:
                        lacking.setdefault(each.name, []).append(Site(file, line))
    for each in fresh:
        if each.name in lacking:
            yield ChangeFinding(
                Rule.MISSING_CASE,
                Severity.ERROR,
                Proof.CERTAIN,
                Cause.CASE_MISSING,
                of.symbol.qualname,
                Site(each.file, each.line, each.symbol.column),
                tuple(sorted(lacking[each.name])),
                each.name,
            )


def _iter_matches(
    pair: VersionPair, file: str, variants: Mapping[tuple[str, int], str]
) -> Iterator[tuple[int, set[str]]]:
    """Yield the matches of a file all of whose cases name one of some variants: line and names."""
    code, references = pair.after, pair.after.uses(file).references
    at = {(each.line, each.column): each for name in set(variants.values()) for each in references.get(name, ())}
    content = code.read_text(file).encode("utf-8", "surrogateescape") if at else b""
    matches = set(read_matches(content, code.facts(file).language, at).values()) if at else set()
    for match in matches:
        named: set[str] = set()
        for label in match.labels:
            targets = code.resolver.resolve(file, at[label]).targets if label in at else ()
            meant = [code.graph.get_definition(each) for each in targets if isinstance(each, Variable)]
            if len(meant) != 1 or meant[0] is None or (meant[0].file, meant[0].index) not in variants:
                break
            named.add(meant[0].name)
        else:
            yield match.line, named
