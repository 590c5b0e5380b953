"""Edit JSON, with or without comments, as text: insert or remove one member and keep every other character.

Comments and trailing commas are replaced by spaces, character for character: the result is plain JSON with the same
positions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import attrs

from avionics.connect.text import Insertion
from avionics.model.errors import ConfigError

_STRING = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
_COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"[ \t]*")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


@attrs.frozen
class JsonMember:
    """One `"key": value` and its position."""

    key: str
    start: int
    value_start: int
    end: int


@attrs.frozen
class Object:
    """An object, its position, and its members."""

    start: int
    end: int
    members: tuple[JsonMember, ...]

    def get(self, key: str) -> JsonMember | None:
        """Return the member of a key. Raise `ConfigError` if it occurs twice: programs differ in which they use."""
        named = [member for member in self.members if member.key == key]
        if len(named) > 1:
            raise ConfigError(f"it has {key!r} {len(named)} times", hint="keep one of them")
        return named[0] if named else None


@attrs.frozen
class Document:
    """A text, without its comments, and without its trailing commas too."""

    text: str
    bare: str
    plain: str
    comments: tuple[tuple[int, int], ...]
    value: Any


def read_document(text: str, *, comments: bool) -> Document:
    """Parse the text. Raise `ConfigError` if it is not JSON; the message says where."""
    spans = tuple(match.span() for match in _COMMENT.finditer(text) if _is_comment(match[0])) if comments else ()
    bare = _COMMENT.sub(_blank_comment, text) if comments else text
    plain = _TRAILING.sub(lambda match: " " if match[0] == "," else match[0], bare) if comments else bare
    if not plain.strip(" \t\r\n"):
        return Document(text, bare, plain, spans, {})
    try:
        value = json.loads(plain, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ConfigError(f"line {error.lineno} column {error.colno}: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"it cannot be parsed: {error}") from None
    if not isinstance(value, Mapping):
        raise ConfigError(f"it has {_kind(value)} where an object is expected")
    return Document(text, bare, plain, spans, value)


def plan_member(document: Document, keys: tuple[str, ...], entry: Mapping[str, Any], newline: str) -> Insertion:
    """Return where to insert an entry, and its text; missing objects on the way are inserted with it.

    Raise `ConfigError` if another value is where an object is expected.
    """
    if not document.plain.strip(" \t\r\n"):
        text = _pretty(nest(keys, entry), "", "  ", newline) + newline
        return Insertion(len(document.text), text if _ends_line(document.text) else newline + text)
    root = found = _read_root(document)
    for at, key in enumerate(keys):
        member = found.get(key)
        if member is None:
            return _insert(document, root, found, key, nest(keys[at + 1 :], entry), newline)
        found = _require_object(document, member)
    raise ConfigError(f"it already has {'.'.join(keys)}")


def plan_element(document: Document, keys: tuple[str, ...], entry: Mapping[str, Any], newline: str) -> Insertion:
    """Return where to append an entry to a list, and its text; a missing list is inserted with it.

    Raise `ConfigError` if another value is where the list, or an object on the way to it, is expected.
    """
    found: Any = document.value
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    if found is None:
        return plan_member(document, keys, [entry], newline)  # type: ignore[arg-type]
    if not isinstance(found, list):
        raise ConfigError(f"{keys[-1]!r} is not a list")
    holder = _read_root(document)
    for key in keys[:-1]:
        holder = _require_object(document, holder.get(key))  # type: ignore[arg-type]
    member = holder.get(keys[-1])
    assert member is not None
    return _append(document, member, entry, newline)


def _append(document: Document, member: JsonMember, entry: Mapping[str, Any], newline: str) -> Insertion:
    """Insert an element as the last of a list, in the layout of its neighbours."""
    plain, at = document.plain, _skip(document.plain, member.value_start + 1)
    first = last = 0
    while plain[at] != "]":
        _, end = _DECODER.raw_decode(plain, at)
        first, last = first or at, end
        at = _skip(plain, end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    unit = _unit(document.text, _read_root(document))
    if not last:
        indent = _indent_at(document.text, member.start) + unit
        closing = newline + _indent_at(document.text, member.start)
        text = f"{newline}{indent}{_pretty(entry, indent, unit, newline)}"
        is_open = "\n" in document.text[member.value_start : member.end]
        return Insertion(member.value_start + 1, text if is_open else text + closing)
    if "\n" not in document.text[member.value_start : first]:
        return Insertion(last, f", {json.dumps(entry, ensure_ascii=False)}")
    indent = _indent_at(document.text, first)
    return Insertion(last, f",{newline}{indent}{_pretty(entry, indent, unit, newline)}")


def find_member_spans(document: Document, keys: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the spans to cut to remove a member; none if it does not exist."""
    if not document.value:
        return ()
    found = _read_root(document)
    for key in keys[:-1]:
        member = found.get(key)
        if member is None:
            return ()
        found = _require_object(document, member)
    member = found.get(keys[-1])
    return tuple(_iter_spans(document, found, member)) if member else ()


def _iter_spans(document: Document, found: Object, member: JsonMember) -> Iterator[tuple[int, int]]:
    """Yield the spans of the member, with the white space before it, and of one comma: its own or the one before."""
    bare, at = document.bare, found.members.index(member)
    start = member.start - len(bare[: member.start]) + len(bare[: member.start].rstrip(" \t"))
    starts_line = bare[start - 1] == "\n"
    comma = _skip(bare, member.end)
    if starts_line:
        start -= 2 if bare[:start].endswith("\r\n") else 1
    if bare[comma] == ",":
        end = comma + 1
        yield (start if starts_line else member.start), (end if starts_line else _INDENT.match(bare, end).end())  # type: ignore[union-attr]
        return
    yield start, member.end
    if at:
        comma = _skip(bare, found.members[at - 1].end)
        yield comma, comma + 1


def _insert(
    document: Document, root: Object, found: Object, key: str, value: Mapping[str, Any], newline: str
) -> Insertion:
    """Insert the member as the last of an object, in the layout of its neighbours."""
    text = document.text
    if found.members:
        first = found.members[0]
        is_inline = "\n" not in text[found.start : first.start]
        indent = _indent_at(text, first.start)
    else:
        is_inline = bool(root.members) and "\n" not in text[root.start : root.end]
        indent = _indent_at(text, found.start) + _unit(text, root)
    if is_inline:
        return _insert_inline(document, found, f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    member = f"{json.dumps(key)}: {_pretty(value, indent, _unit(text, root), newline)}"
    line = newline + indent
    if not found.members:
        offset = _after_comments(document, found.start + 1, found.end)
        closing = "" if "\n" in text[offset : found.end] else newline + _indent_at(text, found.start)
        return Insertion(offset, f"{line}{member}{closing}")
    end, has_comma = _last_end(document, found)
    offset = _after_comments(document, end, found.end, same_line=True)
    if has_comma:
        return Insertion(offset, f"{line}{member},")
    return Insertion(offset, f",{line}{member}" if offset == end else f"{line}, {member}")


def _insert_inline(document: Document, found: Object, member: str) -> Insertion:
    """Insert the member on the line of its neighbours."""
    if not found.members:
        return Insertion(found.start + 1, member)
    end, has_comma = _last_end(document, found)
    return Insertion(end, f" {member}," if has_comma else f", {member}")


def _last_end(document: Document, found: Object) -> tuple[int, bool]:
    """Return where the last member ends, including its trailing comma."""
    end = found.members[-1].end
    comma = _skip(document.bare, end)
    return (comma + 1, True) if document.bare[comma] == "," else (end, False)


def _after_comments(document: Document, offset: int, limit: int, *, same_line: bool = False) -> int:
    """Return the position after the following comments: those that begin on the same line, or all before the limit."""
    for start, end in document.comments:
        if offset <= start < limit and not (same_line and "\n" in document.text[offset:start]):
            offset = end
    return offset


def _read_root(document: Document) -> Object:
    return _read_object(document.plain, _skip(document.plain, 0))


def _read_object(plain: str, start: int) -> Object:
    """Return the object that begins there, in text known to be JSON."""
    members: list[JsonMember] = []
    at = _skip(plain, start + 1)
    while plain[at] != "}":
        key, end = _DECODER.raw_decode(plain, at)
        value_start = _skip(plain, _skip(plain, end) + 1)
        _, value_end = _DECODER.raw_decode(plain, value_start)
        members.append(JsonMember(key, at, value_start, value_end))
        at = _skip(plain, value_end)
        if plain[at] == ",":
            at = _skip(plain, at + 1)
    return Object(start, at + 1, tuple(members))


def _require_object(document: Document, member: JsonMember) -> Object:
    """Return the object that is a member's value. Raise `ConfigError` if it is another value."""
    if document.plain[member.value_start] != "{":
        raise ConfigError(f"{member.key!r} is not an object", hint="it must map names to servers")
    return _read_object(document.plain, member.value_start)


def nest(keys: tuple[str, ...], entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entry within objects, one for each key."""
    for key in reversed(keys):
        entry = {key: entry}
    return entry


def _pretty(value: Mapping[str, Any], indent: str, unit: str, newline: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)


def _unit(text: str, root: Object) -> str:
    """Return one step of indentation, as used by the members of the root."""
    steps = (_indent_at(text, member.start) for member in root.members[:1])
    return next((step for step in steps if step), "  ")


def _indent_at(text: str, offset: int) -> str:
    """Return the white space that begins the line of a position."""
    return _INDENT.match(text, text.rfind("\n", 0, offset) + 1)[0]  # type: ignore[index]


def _skip(text: str, offset: int) -> int:
    return _SPACE.match(text, offset).end()  # type: ignore[union-attr]


def _ends_line(text: str) -> bool:
    return not text or text.endswith("\n")


def _is_comment(found: str) -> bool:
    return found.startswith("//") or (found.startswith("/*") and found.endswith("*/") and len(found) >= 4)


def _blank_comment(match: re.Match[str]) -> str:
    """Return spaces for a comment, keeping line ends; an unclosed comment is left as it is and fails to parse."""
    return re.sub(r"[^\r\n]", " ", match[0]) if _is_comment(match[0]) else match[0]


def _kind(value: object) -> str:
    return {list: "a list", str: "a string", type(None): "null"}.get(type(value), "a value")
