"""Find syntax errors, shadowed definitions, missing cases of matches, and declarations that disagree."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.model.values import ClassType, Variable
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause, ChangeFinding, Proof, Rule, Site
from avionics.index.verdicts.places import read_conditions
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, SymbolKind
from avionics.model.facts import FileFacts, Symbol
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.syntax.call_sites import read_matches

if TYPE_CHECKING:
    from avionics.index.verdicts.calls.call_mismatches import CallMismatches

_SHADOWING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})


def iter_syntax_errors(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the first syntax error of each changed file that had none before."""
    for each in pair.files:
        problems = [found for found in pair.after.facts(each.after).problems if _is_error(found.message)]
        if problems and not pair.before.facts(each.before).problems:
            place, proof = Site(each.after, problems[0].line), _get_proof(pair, each, problems[0].line)
            if proof is not None:
                message = problems[0].message
                yield ChangeFinding(
                    Rule.SYNTAX_ERROR, Cause.NOT_PARSED, message, None, (place,), holder=each.after, proof=proof
                )


_MIN_CONFLICT = "<" * 7
_CONDITION_LINE = late_pattern(r"\s*+#\s*+(?:if|el|end|region|define)")
_DOUBTFUL = late_pattern(r"<%|%>|\{%|\A\s*+(?:#\[|[A-Z][\w ,.'-]*+&\s)|\}\s*+&\s|->class\b")
"""Text that grammars reject and compilers accept: templates, text of elements, attributes of parameters and of tuples,
a member in a string of PHP that is called like a keyword."""

_MACRO = late_pattern(r"\b[A-Z][A-Z0-9]*+_?[A-Z0-9_]++\b")
_BLOCKS = (("{", "}"),)
_BRACKETS = (*_BLOCKS, ("(", ")"), ("[", "]"))


def _get_proof(pair: VersionPair, changed: ChangedFile, line: int) -> Proof | None:
    """Return whether a syntax error that a grammar finds is one for the language's own compiler, too; None if hardly.

    Grammars do not expand macros, do not evaluate conditions of a preprocessor, and some know only a part of their
    language. Then the error is certain only if the change left a bracket open, or the marks of a merge conflict.
    """
    spec, lines = pair.after.resolver.scopes.spec(changed.after), pair.after.read_lines(changed.after)
    if any(each.startswith(_MIN_CONFLICT) for each in lines):
        return Proof.CERTAIN
    around, above = lines[max(0, line - 4) : line + 3], lines[max(0, line - 3) : line]
    is_under_condition = any(map(_CONDITION_LINE.match, around)) and (bool(spec.linkage) or spec.has_conditions)
    is_doubtful = is_under_condition or not spec.has_uses or spec.has_partial_grammar
    is_doubtful = is_doubtful or (bool(spec.linkage) and any(map(_MACRO.search, above)))
    if not (is_doubtful or any(map(_DOUBTFUL.search, lines[max(0, line - 2) : line]))):
        return Proof.CERTAIN if changed.before or not spec.linkage else Proof.POSSIBLE
    was = pair.before.read_text(changed.before) if changed.before else ""
    kinds = _BRACKETS if spec.has_uses else _BLOCKS
    is_open = _count_open("\n".join(lines), kinds) != _count_open(was, kinds)
    if is_under_condition:
        return Proof.POSSIBLE if is_open else None
    return Proof.CERTAIN if is_open else Proof.POSSIBLE


def _count_open(text: str, kinds: Iterable[tuple[str, str]]) -> tuple[int, ...]:
    """Return for each kind of brackets how many more open than close."""
    return tuple(text.count(opening) - text.count(closing) for opening, closing in kinds)


def _is_error(message: str) -> bool:
    return message == "syntax error" or message.startswith("missing ")


def iter_duplicates(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the definitions of Python that replace an earlier one of their scope, if that is new in the file."""
    for each in pair.read_files:
        if not pair.after.resolver.scopes.spec(each.after).executed_classes:
            continue
        found = _read_duplicates(pair.after.facts(each.after))
        known = set(_read_duplicates(pair.before.facts(each.before))) if found and each.before else set()
        lines = pair.after.read_lines(each.after) if found else []
        for name, symbols in found.items():
            first, last = symbols[0], symbols[-1]
            if name in known or _margin(lines, first) != _margin(lines, last) or _is_branch(lines, first, last):
                continue
            file, change = each.after, Site(each.after, first.line)
            place = Site(file, last.line, last.column)
            yield ChangeFinding(Rule.DUPLICATE_DEFINITION, Cause.DEFINED_TWICE, name, change, (place,), holder=file)


def _read_duplicates(facts: FileFacts) -> dict[str, list[Symbol]]:
    """Return qualified name → its definitions, for names with several, none of which is decorated."""
    found = group_pairs((symbol.qualname, symbol) for symbol in facts.symbols)
    return {
        name: symbols
        for name, symbols in found.items()
        if len(symbols) > 1 and all(each.kind in _SHADOWING and not each.decorators for each in symbols) and name != "_"
    }


def _margin(lines: list[str], symbol: Symbol) -> int:
    text = lines[symbol.span.start_line - 1]
    return len(text) - len(text.lstrip())


def _is_branch(lines: list[str], first: Symbol, last: Symbol) -> bool:
    """Return whether a line between two definitions ends their block, or uses or deletes the first one."""
    margin = _margin(lines, first)
    between = lines[first.span.end_line : last.span.start_line - 1]
    is_left = any(line.strip() and len(line) - len(line.lstrip()) < margin for line in between)
    return is_left or any(first.name in line for line in between)


_CONDITION = "cfg"
"""The part of an attribute that leaves a variant out of some builds."""


def iter_missing_cases(pair: VersionPair) -> Iterator[ChangeFinding]:
    """Yield the new variants of enumerations and closed types that are missing in matches on all former variants."""
    for each in pair.read_files:
        names = {symbol.qualname for symbol in pair.before.facts(each.before).symbols}
        for of, known, fresh in (
            *_iter_grown_enumerations(pair.after, each.after, names),
            *_iter_grown_types(pair, each.after, names),
        ):
            if known and fresh:
                yield from _iter_lacking(pair, of, known, fresh)


_Grown = tuple[Definition, list[Definition], list[Definition]]
"""An enumeration or closed type, the variants that it had before the change, and the new ones."""


def _iter_grown_enumerations(code: CodeIndex, file: str, names: Container[str]) -> Iterator[_Grown]:
    """Yield the enumerations of a file; new variants under a condition are left out."""
    for of in code.iter_definitions(file):
        if of.kind is not SymbolKind.ENUM or of.symbol.qualname not in names:
            continue
        if len(code.find_qualified(file, of.symbol.qualname)) == 1:
            variants = [other for other in code.list_members(of) if _is_variant(other.symbol)]
            known = [other for other in variants if other.symbol.qualname in names]
            fresh = [other for other in variants if other not in known and not _is_conditional(other.symbol)]
            yield of, known, fresh


def _iter_grown_types(pair: VersionPair, file: str, names: Container[str]) -> Iterator[_Grown]:
    """Yield the closed types with a new subtype in a file; without former ones if these share another base."""
    calls, graph = pair.after.resolver.scopes.rules(file).calls, pair.after.graph
    closed = calls.closed_type if calls is not None else None
    for fresh in pair.after.iter_definitions(file) if closed is not None else ():
        if fresh.symbol.qualname in names or not fresh.symbol.bases:
            continue
        for of in graph.classes.bases(fresh):
            was = pair.class_before(ClassType.of(of))
            if was is None or closed is None or closed.search(of.symbol.signature) is None:
                continue
            below = [each for each in graph.classes.subclasses(of) if each != fresh]
            known = [each for each in below if pair.class_before(ClassType.of(each)) is not None]
            shared = set.intersection(*(set(graph.classes.bases(each)) for each in known)) if known else set()
            yield of, known if shared == {of} else [], [fresh]


def _is_variant(symbol: Symbol) -> bool:
    """Return whether a member of an enumeration is a variant, whose signature begins with its name."""
    return re.match(rf"{re.escape(symbol.name)}\s*(?:[({{=]|\Z)", symbol.signature) is not None


def _is_conditional(symbol: Symbol) -> bool:
    return any(_CONDITION in each for each in symbol.decorators)


def _iter_lacking(
    pair: VersionPair, of: Definition, known: list[Definition], fresh: list[Definition]
) -> Iterator[ChangeFinding]:
    """Yield the new variants of a type that some match lacks, each with these matches."""
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
            places, name = tuple(sorted(lacking[each.name])), of.symbol.qualname
            yield ChangeFinding(Rule.MISSING_CASE, Cause.CASE_MISSING, name, Site.of(each), places, each.name)


def _iter_matches(
    pair: VersionPair, file: str, variants: Mapping[tuple[str, int], str]
) -> Iterator[tuple[int, set[str]]]:
    """Yield the matches of a file in which every case names one of the variants: line and names."""
    code, references = pair.after, pair.after.uses(file).references
    by_place = {(each.line, each.column): each for name in set(variants.values()) for each in references.get(name, ())}
    content = code.read_content(file) if by_place else b""
    matches = set(read_matches(content, code.facts(file).language, by_place).values()) if by_place else set()
    for match in matches:
        named: set[str] = set()
        for label in match.labels:
            targets = code.resolver.resolve(file, by_place[label]).targets if label in by_place else ()
            definitions = [code.graph.get_definition(each) for each in targets if isinstance(each, Variable)]
            variant = definitions[0] if len(definitions) == 1 else None
            if variant is None or (variant.file, variant.index) not in variants:
                break
            named.add(variant.name)
        else:
            yield match.line, named


class DisagreeingDeclarations:
    """Finds the declarations of one function that agreed before a change and no longer do."""

    def __init__(self, pair: VersionPair, calls: CallMismatches) -> None:
        self._pair = pair
        self._after = pair.after
        self._calls = calls

    def iter_pairs(self) -> Iterator[tuple[Definition, Definition]]:
        """Yield pairs of a declaration and another one that it sees, if they list different parameters now.

        Only pairs that agreed before the change count, and only if both are compiled together.
        """
        for now in self._calls.changed:
            spec = self._after.resolver.scopes.spec(now.file)
            if not spec.linkage or spec.overloads:
                continue
            for file in self._pair.list_files_with(now.name, (now.file,)):
                includes, is_included = self._sees(file, now.file, now.name), self._sees(now.file, file, now.name)
                is_near = includes or is_included or file == now.file
                for other in self._after.find_qualified(file, now.symbol.qualname) if is_near else ():
                    if other.kind not in FUNCTIONS:
                        continue
                    # If a header includes its own source file, the body comes after the prototype.
                    is_later = not other.symbol.is_announced if includes and is_included else includes
                    is_later = is_later or (file == now.file and other.line > now.line)
                    declared, seen = (other, now) if is_later else (now, other)
                    if self._disagree(declared, seen):
                        yield declared, seen

    def _sees(self, file: str, other: str, name: str) -> bool:
        """Return whether a file includes another one that has the name."""
        modules = self._after.resolver.scopes.modules
        return file != other and any(other in modules.files_of(each, name) for each in modules.ambient(file))

    def _disagree(self, declared: Definition, seen: Definition) -> bool:
        """Return whether a declaration and another one that it sees agreed before the change and no longer do."""
        later, earlier = (read_conditions(self._after, each.file, each.line) for each in (declared, seen))
        if not earlier <= later or not all(self._pair.steady.get(each.file, True) for each in (declared, seen)):
            return False
        counts = [self._count(self._after, each) for each in (declared, seen)]
        previous = [self._calls.callees.list_previous(each) for each in (declared, seen)]
        before = [{self._count(self._pair.before, was) for was in each} for each in previous]
        return counts[0] != counts[1] and None not in counts and len(before[0]) == 1 and before[0] == before[1]

    def _count(self, code: CodeIndex, definition: Definition) -> tuple[str, ...] | None:
        """Return for each parameter of a declaration what it gathers; None if its parameters are not known."""
        signature = self._calls.callees.read_signature(code, definition)
        return tuple(each.gathers for each in signature.parameters) if signature is not None else None
