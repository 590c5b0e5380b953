"""Distinguish the specializations of a template in C++ by the arguments that follow its name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, ExpressionKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Expression, Reference, Symbol
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind

_MAX_ARGUMENTS = 400
"""The maximum number of characters of template arguments that are read."""
_MAX_LINES = 4
_STANDARD = "std"
_SPECIAL = late_pattern(r"template\s*<\s*>")
_ALIAS_END = "_t"
_INHERITING = frozenset({"conjunction", "disjunction"})
"""Templates of the standard library whose members are those of an argument."""


def read_specialized(definition: Definition, scopes: NameResolver) -> str:
    """Return the arguments of a template specialization: `<Foo>` of `struct hash<Foo>`; "" for anything else."""
    symbol, spec = definition.symbol, scopes.spec(definition.file)
    is_read = is_class(symbol.kind) or (symbol.kind in FUNCTIONS and _SPECIAL.match(symbol.signature) is not None)
    if not (is_read and spec.linkage and spec.overloads):
        return ""
    found = re.search(rf"\b{re.escape(symbol.name)}(?=\s*<)", symbol.signature)
    return _read_arguments(symbol.signature[found.end() :]) if found is not None else ""


def select_specialization(
    asked: Definition, others: Iterable[Definition], scopes: NameResolver, file: str, reference: Reference
) -> bool | Reason | None:
    """Return whether a use of a template means the definition asked for; None if the parameters decide that.

    Every use of a class template also counts for the template itself. Return a reason if the arguments of the use are
    written differently, because they may be aliases of those of the specialization.
    """
    own, beside = read_specialized(asked, scopes), {read_specialized(each, scopes) for each in others}
    if not own:
        return True if is_class(asked.kind) and beside and "" not in beside else None
    text = "\n".join(scopes.source.read_lines(file)[reference.line - 1 :][:_MAX_LINES])
    written = _read_arguments(text[reference.column + len(asked.name) :])
    if not written and not is_class(asked.kind):
        return None
    is_within = file == asked.file and asked.symbol.span.contains(reference.line)
    if written == own or (is_within and not written):
        return True
    return False if written in beside - {""} else Reason(ReasonKind.OTHER_SPECIALIZATION)


def get_outside_template(definition: Definition, scopes: NameResolver) -> str:
    """Return the qualified name of an outside template that a definition, or the class around it, specializes; or "".

    An outside template is one of a class, function or variable that no file of the workspace declares.
    """
    source = scopes.source
    symbols, symbol, index = source.facts(definition.file).symbols, definition.symbol, definition.index
    while not (is_class(symbol.kind) or _has_arguments(definition.file, symbol, scopes)) and symbol.parent >= 0:
        index = symbol.parent
        symbol = symbols[index]
    if not _is_specialization(Definition(definition.file, symbol, index), scopes):
        return ""
    for other in source.iter_named(symbol.name):
        is_same = other.symbol.qualname == symbol.qualname and is_class(other.kind) == is_class(symbol.kind)
        if is_same and not _is_specialization(other, scopes):
            return ""
    return symbol.qualname.replace(".", "::")


def get_outside_namespace(definition: Definition, scopes: NameResolver) -> str:
    """Return the standard library's namespace that a definition opens again (`namespace std {`); "" for any other."""
    spec, symbol = scopes.spec(definition.file), definition.symbol
    if symbol.kind is not SymbolKind.MODULE or not spec.linkage:
        return ""
    is_standard = bool(scopes.find_in_stub(definition.file, symbol.qualname.partition(".")[0]))
    return symbol.qualname.replace(".", "::") if is_standard else ""


def _is_specialization(definition: Definition, scopes: NameResolver) -> bool:
    """Return whether a class, a function or a variable is a template with arguments."""
    return bool(read_specialized(definition, scopes)) or _has_arguments(definition.file, definition.symbol, scopes)


def _has_arguments(file: str, symbol: Symbol, scopes: NameResolver) -> bool:
    """Return whether a function or a variable is declared with template arguments: `enable_view<Foo>{true}`."""
    spec = scopes.spec(file)
    if is_class(symbol.kind) or not (spec.linkage and spec.overloads and symbol.name.isidentifier()):
        return False
    return re.match(rf"[^=({{]*\b{re.escape(symbol.name)}\s*<", symbol.signature) is not None


def is_of_standard_template(receiver: Expression, scopes: NameResolver) -> bool:
    """Return whether a qualifier is a class template of the standard library with arguments: `std::is_enum<T>`.

    Its members are its own, whatever the arguments are, unless it is another name for a type, inherits from its
    arguments, or the workspace specializes it.
    """
    of = receiver.parts[0] if receiver.kind is ExpressionKind.SUBSCRIPT else UNKNOWN
    if of.kind is not ExpressionKind.ATTRIBUTE or of.parts[0].kind is not ExpressionKind.NAME:
        return False
    if of.parts[0].name != _STANDARD or of.name in _INHERITING or of.name.endswith(_ALIAS_END):
        return False
    return not any(is_class(each.kind) for each in scopes.source.iter_named(of.name))


def _read_arguments(text: str) -> str:
    """Return the template arguments that a text starts with, without spaces; "" if there are none."""
    depth, start = 0, text.lstrip()[:_MAX_ARGUMENTS]
    for at, character in enumerate(start):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if not depth:
            return "".join(start[: at + 1].split()) if at else ""
    return ""
