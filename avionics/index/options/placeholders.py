"""Find the environment variables that files of settings take values from: `port: ${GATE_PORT:8080}`.

Which program reads the file does not matter: it replaces the placeholder by the variable, or else by the default
behind its name. Scripts within such files have variables of their own, which are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.options.declarations import OptionCandidate, iter_settings_texts
from avionics.index.options.declared_names import MAX_LINE, OptionKind
from avionics.index.options.descriptions import get_indent
from avionics.index.options.documentation import DocumentedOption, fold_option
from avionics.index.options.option_names import cut_stems, read_stems
from avionics.index.search.query import stems_of
from avionics.late_pattern import late_pattern

_FILE = late_pattern(r"(?<![^/])(?!\.)[^/]+\.(?:ya?ml|properties|conf|hocon|toml|prisma)\Z")
_OF_PRISMA = ".prisma"
_CALL = late_pattern(r"\benv\(\s*+\"(\w++)\"\s*+\)")
"""How a schema of Prisma takes a variable: `url = env("DATABASE_URL")`."""
_MAX_FILES, _MAX_LENGTH = 120, 400_000
_COMMENT = late_pattern(r"\s*+(?:#+|//+|!)\s?(.*)")
_KEY = late_pattern(r"\s*+(?:- )?[\"']?([A-Za-z_][\w./-]*+)[\"']?\s*+(?:[:=]|\+=|\{)\s*+(.*)")
_SECTION = late_pattern(r"\[+([\w.-]+)\]+\s*\Z")
_TEXT_BELOW = late_pattern(r"[:=-]\s*[|>][-+\d]{0,2}\s*(?:#.*)?\Z")
"""The end of a line below which a text of several lines stands, as that of a script."""
_LONG_QUOTES = ('"""', "'''")
_PLACEHOLDER = late_pattern(
    r"(?<!\$)\$\{(\?|[eE][nN][vV][:.])?([A-Z][A-Z\d]++(?>(?:_[A-Z\d]++)*))(:(?!:)[-?]?|[-?](?=[^}])|(?=\}))"
)
"""The mark of a variable, its name, and the mark of a default or a message."""
_SHELL = late_pattern(r"\$[A-Za-z_@*#(\d]|&&|\|\|")
"""What scripts have and values do not."""
_OF_SCRIPTS = frozenset({"run", "script", "scripts", "before_script", "after_script", "cmds", "cmd", "sh", "shell"})
_OF_CONTAINERS = frozenset({"environment", "env"})
_PART = late_pattern(r"\d+:-?\d+")
"""A part of the value, as shells take it: `${COMMIT:0:8}`."""
_PLAIN_COLON = late_pattern(r"\$\{[A-Z][A-Z\d_]++:(?!\d+:)[^-:?+=}]")
"""A default directly after a colon; a dash there is a part of it."""


class _Line(Struct, frozen=True):
    """A line with a value: its index, the keys around it, its own key and value, and the comment that describes it."""

    number: int
    around: tuple[str, ...]
    key: str
    value: str
    comment: str


def list_placeholders(
    code: CodeIndex, documented: Mapping[str, DocumentedOption], scope: str | None
) -> list[OptionCandidate]:
    """Return the environment variables that the files of settings in a directory take values from."""
    texts = iter_settings_texts(code, _FILE, scope, _MAX_FILES)
    spelled = ((file, _CALL.sub(r"${env:\1}", text) if file.endswith(_OF_PRISMA) else text) for file, text in texts)
    return [each for file, text in spelled if "${" in text for each in _iter_variables(file, text, documented)]


def _iter_variables(file: str, text: str, documented: Mapping[str, DocumentedOption]) -> Iterator[OptionCandidate]:
    """Yield the variables of a file."""
    text = text[:_MAX_LENGTH]
    lines = list(_iter_lines([line[:MAX_LINE] for line in text.split("\n")]))
    # Variables set for a container are not visible in the file itself.
    set_here = (each for each in lines if each.key not in each.value and _OF_CONTAINERS.isdisjoint(each.around))
    own = {each.key for each in set_here}
    is_dash_value = any(_PLAIN_COLON.search(each.value) for each in lines)
    # A variable may replace what a line above sets: `port = 80`, `port = ${?GATE_PORT}`.
    replaced: dict[tuple[str, ...], _Line] = {}
    for line in lines:
        path = (*line.around, line.key)
        above = replaced.get(path)
        for match in _PLACEHOLDER.finditer(line.value):
            name, mark = match[2], match[3]
            message = _read_default(line.value, match.end()) if name not in own and (mark or match[1]) else None
            if message is None or _PART.fullmatch(message):
                continue
            message = f"-{message}" if mark == ":-" and is_dash_value else message
            is_message = mark.endswith("?")
            default = "" if is_message else message or (above.value.strip().strip(",;") if above else "")
            comment = line.comment or (above.comment if above else "")
            help_text = f"{comment} {message if is_message else ''}".strip()
            known = documented.get(fold_option(name))
            yield _build(file, line, name, help_text, default, known)
        if "${" not in line.value:
            replaced[path] = line


def _build(
    file: str, line: _Line, name: str, comment: str, default: str, known: DocumentedOption | None
) -> OptionCandidate:
    """Return a variable with the words of the line that takes it."""
    # A container is passed the variable that the product reads: `GATE_PORT: ${GATE_PORT:-8080}`.
    is_passed_on = line.key == name
    document = known.document if known else ""
    return OptionCandidate(
        name=name,
        kind=OptionKind.ENVIRONMENT,
        file=file,
        line=line.number + 1,
        named=cut_stems((*stems_of(name), *stems_of(line.key.rpartition(".")[2]))),
        beside=read_stems(" ".join((*line.around, line.key, comment))),
        described=read_stems(known.text) if known and document else frozenset(),
        help=comment or (known.text if known else ""),
        default=default,
        document=document,
        is_guess=is_passed_on,
        is_among_options=not is_passed_on,
        has_comment=bool(line.comment),
        is_switch=default.lower() in {"true", "false"},
    )


def _iter_lines(lines: Sequence[str]) -> Iterator[_Line]:
    """Yield the lines that set values, without those of scripts and of other texts of several lines."""
    section, around = "", list[tuple[int, str]]()
    above: list[str] = []
    deeper, quote = -1, ""
    for number, line in enumerate(lines):
        is_inside = bool(quote) or (deeper >= 0 and (not line.strip() or get_indent(line) > deeper))
        if quote:
            quote = "" if quote in line else quote
        if is_inside:
            continue
        deeper = get_indent(line) if _TEXT_BELOW.search(line) else -1
        quote = next((each for each in _LONG_QUOTES if line.count(each) == 1), "")
        if comment := _COMMENT.match(line):
            above.append(comment[1])
            continue
        if head := _SECTION.match(line):
            section, around = head[1], []
        keyed = _KEY.match(line)
        if line.strip():
            around = [each for each in around if each[0] < get_indent(line)]
        outer = tuple(filter(None, (section, *(each for _, each in around))))
        key, value = (keyed[1], keyed[2]) if keyed else ("", line)
        if line.strip() and not head and _OF_SCRIPTS.isdisjoint((*outer, key)) and not _SHELL.search(value):
            value, _, behind = value.partition(" #")
            yield _Line(number, outer, key, value, " ".join((*above, behind)).strip())
        if keyed:
            around.append((get_indent(line), key))
        above = []


def _read_default(text: str, start: int) -> str | None:
    """Return what stands from an index up to the end of a placeholder, or the default of the one that it is.

    None if that is not a plain text.
    """
    depth, end = 1, start
    while end < len(text) and depth:
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    if depth:
        return None
    text_of_default = text[start : end - 1]
    inner = _PLACEHOLDER.match(text_of_default)
    if inner and text_of_default.endswith("}"):
        return _read_default(text_of_default, inner.end()) if inner[3] else ""
    return "" if "${" in text_of_default else text_of_default.strip()
