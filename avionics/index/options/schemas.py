"""Find the settings that a schema or a table of a configuration declares, in JSON, YAML or XML, and those of a build.

A file with settings is checked by such a schema, so the code may read what it allows without naming it anywhere. In XML
these are the schemas of GSettings and KConfig and the preferences of Android; builds are those of CMake, Meson, Kconfig
and Autoconf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.options.declarations import OptionCandidate, iter_settings_texts
from avionics.index.options.declared_names import MAX_LINE, OptionKind
from avionics.index.options.descriptions import get_indent, read_said_default
from avionics.index.options.documentation import DocumentedOption, fold_option
from avionics.index.options.option_names import cut_stems, read_stems
from avionics.index.search.query import stems_of
from avionics.late_pattern import late_pattern

_FILE = late_pattern(
    r"schemas?(?:/|\b|_)[^/]*\.(?:json|ya?ml)\Z|(?:\A|/)package\.json\Z|schema\.(?:json|ya?ml)\Z", re.IGNORECASE
)
_TABLE = late_pattern(r"(?:\A|/)(?:action|[\w-]*(?:settings?|options?|argument_specs))\.ya?ml\Z")
"""A file with a table of settings in YAML, each of which has a `default` below its name; also an action of GitHub."""
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
_XML = late_pattern(r"\.(?:gschema\.xml(?:\.in)?|kcfg)\Z|(?:\A|/)res/xml[\w-]*/[\w-]+\.xml\Z")
_STRINGS = late_pattern(r"(?:\A|/)res/values/[\w-]*(?:strings?|preferences?|keys?|donottranslate)[\w-]*\.xml\Z")
_ELEMENT = late_pattern(r"<(key|entry|[\w.]*Preference\w*)\s++([^<>]*+)>")
_ATTRIBUTE = late_pattern(r"(?<![\w:])([\w:]++)\s*+=\s*+\"([^\"]*+)\"")
_CHILD = late_pattern(r"<(default|label|summary|description|whatsthis|tooltip)\b[^<>]*+>([^<>]*+)<")
_STRING = late_pattern(r"<string\s++name=\"(\w++)\"[^<>]*+>([^<>]*+)<")
_BUILD = late_pattern(
    r"(?:\A|/)(?:CMakeLists\.txt|meson_options\.txt|meson\.options|Kconfig[\w.]*|configure\.(?:ac|in))\Z|\.cmake\Z"
)
_BUILD_OPTION = late_pattern(
    # CMake, Meson
    r"^[ \t]*+(?:option[ ]?\([\s]*+([A-Z]\w++)\s++\"([^\"]*+)\"(?:\s++(\w++))?"
    r"|set[ ]?\([\s]*+([A-Z]\w++)\s++(\S++)\s++CACHE\s++\w++\s++\"([^\"]*+)\""
    r"|option\([\s]*+'([\w-]++)',([^()]*+)\)"
    # Kconfig
    r"|(?:menu)?config[ \t]++([A-Z]\w++)[ \t]*+\n((?>(?:[ \t]++\S[^\n]*+\n|[ \t]*+\n)*)))"
    # Autoconf
    r"|\[(--[a-z][\w-]++)[^\]\n]{0,40}\],[\s]*+\[([^\]]*+)\]",
    re.MULTILINE,
)
_MESON_VALUE = late_pattern(r"\b(value|description)\s*+:\s*+(?:'([^'\n]*+)'|([\w.-]++))")
_KCONFIG = late_pattern(
    r"[ \t](?:(?:bool|tristate|int|hex|string|prompt)[ \t]++\"([^\"\n]*+)\"|default[ \t]++(\S++)|help\n([^\0]*+))"
)


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
    found = [each for file, text in texts if "properties" in text for each in _iter_options(file, text, documented)]
    tables = iter_settings_texts(code, _TABLE, scope, _MAX_FILES)
    found += [each for file, text in tables for each in _iter_in_table(file, text[:_MAX_LENGTH], documented)]
    in_xml = [(file, text[:_MAX_LENGTH]) for file, text in iter_settings_texts(code, _XML, scope, _MAX_FILES)]
    strings = _read_strings(code, scope) if any("@string/" in text for _, text in in_xml) else {}
    found += [each for file, text in in_xml for each in _iter_elements(file, text, strings, documented)]
    builds = iter_settings_texts(code, _BUILD, scope, _MAX_FILES)
    return [*found, *(each for file, text in builds for each in _iter_build_options(file, text[:_MAX_LENGTH]))]


def _iter_in_table(file: str, text: str, documented: Mapping[str, DocumentedOption]) -> Iterator[OptionCandidate]:
    """Yield the settings of a table in YAML: the keys that have a `default` directly below them."""
    lines = [line[:MAX_LINE] for line in text.split("\n")[:_MAX_LINES]]
    around: list[_Property] = []
    found: list[_Property] = []
    for number, line in enumerate(lines):
        keyed = _KEY.match(line)
        if keyed is None or line.lstrip().startswith("#"):
            continue
        indent, key = get_indent(line), keyed[1] or keyed[2]
        while around and indent <= get_indent(lines[around[-1].number]):
            around.pop()
        if around and key in {*_TEXTS, "default"} and keyed[3]:
            around[-1].texts[key] = _read_value(lines, number, keyed[3].rstrip())
            found += [around[-1]] if key == "default" else []
        around.append(_Property(number, (key,), {}))
    for each in found:
        help_text, (name,) = next((each.texts[key] for key in _TEXTS if each.texts.get(key)), ""), each.names
        known = documented.get(fold_option(name))
        default = each.texts["default"].strip()
        yield _build_option(file, each.number + 1, name, help_text, default, known, is_among_options=True)


def _read_strings(code: CodeIndex, scope: str | None) -> dict[str, str]:
    """Return name → text of the string resources of an Android program."""
    texts = iter_settings_texts(code, _STRINGS, scope, _MAX_FILES)
    return {match[1]: match[2].strip() for _, text in texts for match in _STRING.finditer(text[:_MAX_LENGTH])}


def _iter_elements(
    file: str, text: str, strings: Mapping[str, str], documented: Mapping[str, DocumentedOption]
) -> Iterator[OptionCandidate]:
    """Yield the settings that the elements of a file of XML declare."""
    for element in _ELEMENT.finditer(text):
        attributes = {
            name.rpartition(":")[2]: strings.get(value.removeprefix("@string/"), value)
            for name, value in _ATTRIBUTE.findall(element[2])
        }
        name = attributes.get("key") or attributes.get("name", "")
        if not name or name.startswith("@"):
            continue
        end = element.end() if element[2].rstrip().endswith("/") else text.find(f"</{element[1]}>", element.end())
        inside = dict(_CHILD.findall(text, element.end(), max(end, element.end())))
        said = (*(attributes.get(key, "") for key in ("title", "summary")), *inside.values())
        help_text = " ".join(" ".join(each.split()) for each in said if each and each != inside.get("default"))
        default = attributes.get("defaultValue") or " ".join(inside.get("default", "").split())
        known = documented.get(fold_option(name))
        line = text.count("\n", 0, element.start()) + 1
        yield _build_option(file, line, name, help_text, default, known, is_among_options=True)


def _iter_build_options(file: str, text: str) -> Iterator[OptionCandidate]:
    """Yield the options of a build that a file declares."""
    for match in _BUILD_OPTION.finditer(text):
        cmake, cmake_text, cmake_default, cached, value, cached_text, meson, meson_rest, kconfig, body, flag, said = (
            each or "" for each in match.groups()
        )
        help_text, default = cmake_text or cached_text or " ".join(said.split()), cmake_default or value
        if meson:
            keys = {key: quoted or plain for key, quoted, plain in _MESON_VALUE.findall(meson_rest)}
            help_text, default = keys.get("description", ""), keys.get("value", "")
        for prompt, given, text_below in _KCONFIG.findall(f" {body}") if kconfig else ():
            help_text = " ".join((*help_text.split(), *prompt.split(), *text_below.split()))
            default = default or given
        line = text.count("\n", 0, match.start()) + 1
        name = cmake or cached or meson or kconfig or flag
        yield _build_option(file, line, name, help_text, default, None, is_among_options=False)


def _build_option(
    file: str,
    line: int,
    name: str,
    help_text: str,
    default: str,
    known: DocumentedOption | None,
    *,
    is_among_options: bool,
) -> OptionCandidate:
    """Return an option that a file without code declares."""
    document = known.document if known else ""
    return OptionCandidate(
        name=name,
        kind=OptionKind.FLAG if name.startswith("--") else OptionKind.SETTING,
        file=file,
        line=line,
        named=cut_stems(stem for part in name.split(".") for stem in stems_of(part)),
        beside=read_stems(help_text),
        described=read_stems(known.text) if known and document else frozenset(),
        help=help_text or (known.text if known else ""),
        default=default,
        document=document,
        is_guess=False,
        is_among_options=is_among_options,
        has_comment=bool(help_text),
        is_switch=default.lower() in {"true", "false", "on", "off", "y", "n"},
    )


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
