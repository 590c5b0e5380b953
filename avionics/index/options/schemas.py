"""Find the settings that a schema of a configuration declares: the properties of a JSON Schema, in JSON or YAML.

A file with settings is checked by such a schema, so the code may read what it allows without naming it anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.options.declarations import OptionCandidate, cut_stems, iter_settings_texts, read_stems
from avionics.index.options.declared_names import MAX_LINE, OptionKind
from avionics.index.options.descriptions import get_indent, read_said_default
from avionics.index.options.documentation import DocumentedOption, fold_option
from avionics.index.search.query import stems_of
from avionics.late_pattern import late_pattern

_FILE = late_pattern(
    r"schemas?(?:/|\b|_)[^/]*\.(?:json|ya?ml)\Z|(?:\A|/)package\.json\Z|schema\.(?:json|ya?ml)\Z", re.IGNORECASE
)
_MAX_FILES, _MAX_LENGTH, _MAX_LINES = 40, 1_000_000, 20_000
_PROPERTIES = late_pattern(r"\s*+\"?properties\"?\s*+:\s*+\{?\s*+\Z")
_KEY = late_pattern(r"\s*+(?:\"([A-Za-z_$][\w.$-]*+)\"|([A-Za-z_][\w.-]*+))\s*+:\s*+(.*)")
_OF_API = late_pattern(r"^[ \t]*+\"?(?:openapi|swagger|asyncapi|paths)\"?\s*+:", re.MULTILINE)
"""What the description of an interface for other programs has; its properties are those of messages."""
_OF_SETTINGS = late_pattern(r"config|setting|option|preference", re.IGNORECASE)
_HEAD = 2_000
"""Characters at the start of a schema that say what it is about."""
_BLOCK = late_pattern(r"[|>][-+\d]{0,2}\Z")
_TEXTS = ("description", "markdownDescription", "title")
_MAX_DEPTH = 5


class _Property(Struct):
    """A property of a schema: its line index, its names from the outermost on, and what the schema says of it."""

    number: int
    names: tuple[str, ...]
    texts: dict[str, str]


def list_schema_options(
    code: CodeIndex, documented: Mapping[str, DocumentedOption], scope: str | None
) -> list[OptionCandidate]:
    """Return the settings that schemas in a directory declare."""
    texts = iter_settings_texts(code, _FILE, scope, _MAX_FILES)
    return [each for file, text in texts if "properties" in text for each in _iter_options(file, text, documented)]


def _iter_options(file: str, text: str, documented: Mapping[str, DocumentedOption]) -> Iterator[OptionCandidate]:
    """Yield the settings that a schema declares."""
    text = text[:_MAX_LENGTH]
    if _OF_API.search(text[:_HEAD]):
        return
    is_for_settings = _OF_SETTINGS.search(f"{file}\n{text[:_HEAD]}") is not None
    for each in _iter_properties([line[:MAX_LINE] for line in text.split("\n")[:_MAX_LINES]]):
        name = ".".join(each.names)
        help_text = next((each.texts[key] for key in _TEXTS if each.texts.get(key)), "")
        known = documented.get(fold_option(name)) or documented.get(fold_option(each.names[-1]))
        document = known.document if known else ""
        default = each.texts.get("default", "").strip()
        yield OptionCandidate(
            name=name,
            kind=OptionKind.SETTING,
            file=file,
            line=each.number + 1,
            named=cut_stems(stem for part in each.names for stem in stems_of(part)),
            beside=read_stems(" ".join((*each.names, *(each.texts.get(key, "") for key in _TEXTS)))),
            described=read_stems(known.text) if known and document else frozenset(),
            help=help_text or (known.text if known else ""),
            default="" if default in {"{", "["} else default or read_said_default(help_text),
            document=document,
            is_guess=False,
            is_among_options=is_for_settings,
            has_comment=bool(help_text),
            is_switch="bool" in each.texts.get("type", ""),
        )


def _iter_properties(lines: Sequence[str]) -> Iterator[_Property]:
    """Yield the properties of a schema that is written with a key on each line."""
    # The indents of the lists of properties around a line, and the properties that have them.
    lists: list[tuple[int, int]] = []
    around: list[_Property] = []
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith(("#", "}", "]")):
            continue
        indent = get_indent(line)
        while lists and indent <= lists[-1][0]:
            lists.pop()
        while around and indent <= get_indent(lines[around[-1].number]):
            yield around.pop()
        if _PROPERTIES.match(line) and not (lists and lists[-1][1] == indent):
            lists.append((indent, -1))
            continue
        keyed = _KEY.match(line)
        if not lists or not keyed:
            continue
        outer, inner = lists[-1]
        if inner < 0:
            inner = indent
            lists[-1] = outer, inner
        key = keyed[1] or keyed[2]
        if indent == inner:
            names = (*(around[-1].names if around else ()), key)
            if len(names) <= _MAX_DEPTH:
                around.append(_Property(number, names, {}))
        elif around and key in {*_TEXTS, "default", "type"} and key not in around[-1].texts:
            around[-1].texts[key] = _read_value(lines, number, keyed[3].rstrip().removesuffix(",").rstrip())
    yield from reversed(around)


def _read_value(lines: Sequence[str], number: int, value: str) -> str:
    """Return the value of a key; a text of several lines is joined."""
    if not _BLOCK.match(value):
        return value.strip("\"'") if value[:1] in {'"', "'"} and value[:1] == value[-1:] else value
    pieces = []
    for line in lines[number + 1 :]:
        if line.strip() and get_indent(line) <= get_indent(lines[number]):
            break
        pieces.append(line.strip())
    return " ".join(pieces).strip()
