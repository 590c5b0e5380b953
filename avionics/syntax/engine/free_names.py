"""Pack free names: names that a file uses and does not bind.

The meaning of a free name depends on what its file can see, not on its place in the file, so all its uses in a file
mean the same. An index keeps them for languages that look names up in blocks and then in the file, so that questions
about a common name are answered without reading the scopes of thousands of files.

A packed use is two numbers of 16 bits: its line; its role and column.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
from types import MappingProxyType

from msgspec import Struct

from avionics.model.enums import BindingKind, ExpressionKind, ReferenceKind, ScopeKind
from avionics.model.facts import FileFacts, FileUses, Reference, Symbol
from avionics.model.naming import as_written

TAKEN = ""
"""The name that marks a file whose free names are stored: it has one use, whose line is _WHOLE or _PARTLY."""
_WHOLE, _PARTLY = 1, 2

_ROLES = (
    ReferenceKind.READ, ReferenceKind.WRITE, ReferenceKind.CALL, ReferenceKind.INHERIT, ReferenceKind.DECORATE,
    ReferenceKind.ANNOTATE, ReferenceKind.DELETE,
)  # fmt: skip
_TEXT, _BOUND, _UNSURE = 13, 14, 15
_CODES = MappingProxyType({role: code for code, role in enumerate(_ROLES)})
_STRANGE = frozenset({BindingKind.OUTER, BindingKind.IMPORT})
_COLUMN_BITS = 12
_MAX_LINES, _MAX_COLUMNS = (1 << 16) - 1, (1 << _COLUMN_BITS) - 1


class FreeName(Struct, frozen=True):
    """The uses of a name in a file.

    Attributes:
        uses: Line, column and role of each use that nothing in the file binds.
        texts: The lines where it occurs in text rather than in code.
        is_bound: Whether the file binds it at its top level, although its outline has no such symbol.
        is_unsure: Whether the file has to be parsed to know its uses.
        is_partial: Whether the file was read only in part.
    """

    uses: tuple[tuple[int, int, ReferenceKind], ...] = ()
    texts: tuple[int, ...] = ()
    is_bound: bool = False
    is_unsure: bool = False
    is_partial: bool = False


def pack_free_names(facts: FileFacts, uses: FileUses, is_outermost: Callable[[Symbol], bool]) -> dict[str, bytes]:
    """Return name → its packed uses in a file; {} for a file with lines too long or too many to pack.

    Names that symbols bind at the top level are left out unless the symbols and the bindings disagree.
    """
    outer = {symbol.name for symbol in facts.symbols if is_outermost(symbol)}
    packed: defaultdict[str, list[int]] = defaultdict(list)
    packed[TAKEN] += _PARTLY if uses.is_partial else _WHOLE, 0
    try:
        for name in dict.fromkeys((*uses.references, *uses.bindings, *uses.strings, *uses.unread, *outer)):
            if name and name == as_written(name):
                found = _pack_name(uses, name, name in outer)
                if found:
                    packed[name] += found
    except OverflowError:
        return {}
    return {name: array("H", numbers).tobytes() for name, numbers in packed.items()}


def unpack_free_names(numbers: Iterable[int], taken: Sequence[int]) -> FreeName:
    """Decode the packed uses of a free name; `taken` are the packed uses of the word `TAKEN` in the same file."""
    found, texts, codes = [], [], set()
    each = iter(numbers)
    for line, how in zip(each, each, strict=False):
        code = how >> _COLUMN_BITS
        if code < len(_ROLES):
            found.append((line, how & _MAX_COLUMNS, _ROLES[code]))
        elif code == _TEXT:
            texts.append(line)
        else:
            codes.add(code)
    is_partial = _PARTLY in taken[:1]
    return FreeName(tuple(found), tuple(texts), _BOUND in codes, bool(codes - {_BOUND}), is_partial)


def _pack_name(uses: FileUses, name: str, is_expected: bool) -> list[int]:
    """Return the packed uses of a name; raise `OverflowError` if a place cannot be packed."""
    packed: list[int] = []
    bindings, references = uses.bindings.get(name, ()), uses.references.get(name, ())
    binding = {each.scope for each in bindings if each.kind is not BindingKind.MEMBER} if bindings else frozenset()
    is_bound = 0 in binding
    if is_bound and not is_expected:
        packed += 0, _BOUND << _COLUMN_BITS
    is_strange = any(each.kind in _STRANGE for each in bindings) if bindings else False
    if is_strange or is_bound < is_expected or any(map(_is_unsure, references)):
        packed += 0, _UNSURE << _COLUMN_BITS
    for each in references if not is_bound else ():
        if each.receiver is None and not (binding and _is_local(uses, each, binding)):
            code = _CODES.get(each.kind, _UNSURE)
            packed += _fit(each.line, _MAX_LINES), code << _COLUMN_BITS | _fit(each.column, _MAX_COLUMNS)
    lines, unread = uses.strings.get(name, ()), uses.unread.get(name, ())
    for line in {*lines, *[line for line, _ in unread]} if lines or unread else ():
        packed += _fit(line, _MAX_LINES), _TEXT << _COLUMN_BITS
    return packed


def _is_unsure(reference: Reference) -> bool:
    """Return whether the target of a reference may depend on more than its name."""
    receiver = reference.receiver
    if receiver is not None and receiver.kind is ExpressionKind.UNKNOWN and receiver.name:
        return True
    return reference.is_import


def _is_local(uses: FileUses, reference: Reference, binding: Set[int]) -> bool:
    """Return whether a block or function around a bare name binds it; the braces of a type bind no bare name."""
    at = reference.scope
    while at >= 0:
        if at in binding and uses.scopes[at].kind is not ScopeKind.CLASS:
            return True
        at = uses.scopes[at].parent
    return False


def _fit(number: int, most: int) -> int:
    if number > most:
        raise OverflowError
    return number
