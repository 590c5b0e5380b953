"""Find definitions by what their declarations say: what a function returns, what is deprecated."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import takewhile

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, is_declaration_file, role_and_place, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, SymbolKind, is_class
from avionics.model.facts import Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import last_part

_KEYWORD = late_pattern(r"(?<![\w@])(?:def|fn|func|fun|function|sub|let|const|var|get|set)(?!\w)")
"""A word before the name of a function in languages that write what it returns after its parameters."""
_RESULT_END = late_pattern(r"(?:=>|\{|\bwhere\b|;|=\s|\bthrows\b)")
_DEPRECATION_NOTE = late_pattern(
    r"@deprecated\b|(?<![\w.])Deprecated\s*:|\.\. deprecated::|\bDEPRECATED\b|\*\*Deprecated\b", re.MULTILINE
)
"""The marks of deprecated definitions in documentation: JSDoc, Javadoc, Go, Sphinx, Doxygen."""
_DEPRECATION_ATTRIBUTE = late_pattern(r"(?i:(?:[\w.:]*[.:])?(?:deprecated|obsolete))\b")
_DEPRECATION_WORDS = ("deprecated", "Deprecated", "DEPRECATED", "obsolete", "Obsolete")
_COMMENT_STARTS = ("//", "#", "*", "/*", "--", "<!--")
_MAX_COMMENT = 60
_ASYNC_WORDS = ("async", "suspend")
_ASYNC = late_pattern(r"(?<![\w.])(?:async|suspend)(?!\w)")
_ASYNC_VALUE = late_pattern(r"\s*(?::[^=\n]*)?=\s*async\b")
"""A function that is the value of a name: `load = async (path) => …`."""


def find_declaring(code: CodeIndex, type_name: str, *, takes: bool) -> tuple[Definition, ...]:
    """Return the functions declared to return or to take a type, or a type that contains it; product code first."""
    name = last_part(type_name.replace("::", ".").strip("."))
    wanted = re.compile(rf"(?<![\w]){re.escape(name)}(?!\w)")
    bodies = (each for file in code.files_with_word(name) for each in _iter_functions(code, file))
    part = 0 if takes else 1
    return _order(each for each in bodies if wanted.search(_split_signature(each.symbol)[part]))


def _split_signature(symbol: Symbol) -> tuple[str, str]:
    """Return the parameters and the result type in the signature of a function; "" for a missing one."""
    text = symbol.signature
    name = re.search(rf"(?<!\w){re.escape(symbol.name)}(?!\w)", text)
    if name is None:
        return "", ""
    before, rest = text[: name.start()], text[name.end() :]
    opening = _skip_brackets(rest, rest.find("<")) if rest.lstrip().startswith("<") else 0
    opening = rest.find("(", opening)
    closing = _skip_brackets(rest, opening) if opening >= 0 else -1
    after = rest[closing:] if closing > 0 else ""
    end = _RESULT_END.search(after)
    after = after[: end.start()].rstrip() if end else after
    is_before = not _KEYWORD.search(before) and before.strip() and not after.lstrip().startswith((":", "->"))
    return rest[opening + 1 : closing - 1], before.strip() if is_before else after.lstrip(" :->")


def find_deprecated(code: CodeIndex) -> tuple[Definition, ...]:
    """Return the definitions that an attribute or their documentation marks as deprecated; product code first."""
    files = dict.fromkeys(file for word in _DEPRECATION_WORDS for file in code.files_with_word(word))
    return _order(each for file in files for each in _iter_deprecated(code, file))


def find_asynchronous(code: CodeIndex) -> tuple[Definition, ...]:
    """Return the functions that are declared as asynchronous, product code first."""
    files = sorted({file for word in _ASYNC_WORDS for file in code.files_with_word(word)})
    every = code.iter_all_definitions(files)
    return _order(each for each in every if each.kind in FUNCTIONS and _is_asynchronous(each.symbol))


def _is_asynchronous(symbol: Symbol) -> bool:
    """Return whether a function is declared as asynchronous, before its name or before its parameters."""
    named = re.search(rf"(?<!\w){re.escape(symbol.name)}(?!\w)", symbol.signature)
    if named is None:
        return False
    is_value = _ASYNC_VALUE.match(symbol.signature, named.end()) is not None
    return is_value or _ASYNC.search(symbol.signature[: named.start()]) is not None


def _iter_functions(code: CodeIndex, file: str) -> Iterator[Definition]:
    return (each for each in code.iter_definitions(file) if each.kind in FUNCTIONS)


def find_undocumented(code: CodeIndex) -> tuple[Definition, ...]:
    """Return the functions and classes of product code without documentation, those that others see first.

    Languages in which no definition has documentation are left out, because their documentation may have another form.
    """
    files = [file for file in code.files if role_of(file) is FileRole.PRODUCT and not is_declaration_file(file)]
    undocumented, documented = [], set[str]()
    for each in code.iter_all_definitions(files):
        holder = code.get_parent(each)
        is_inner = holder is not None and holder.kind in FUNCTIONS
        if each.symbol.doc:
            documented.add(code.facts(each.file).language)
        elif not is_inner and not each.symbol.is_announced and (each.kind in FUNCTIONS or is_class(each.kind)):
            undocumented.append(each)
    chosen = (each for each in undocumented if code.facts(each.file).language in documented)
    return tuple(sorted(chosen, key=lambda each: (not each.symbol.exported, each.name.startswith("_"), each.file)))


def find_largest(code: CodeIndex, kinds: Collection[SymbolKind], within: str | None) -> tuple[Definition, ...]:
    """Return the definitions of some kinds with the most lines, longest first, without those of generated code."""
    files = [file for file in code.files if is_within(file, within) and role_of(file) < FileRole.GENERATED]
    found = (each for each in code.iter_all_definitions(files) if each.kind in kinds)
    return tuple(sorted(found, key=lambda each: each.symbol.span.start_line - each.symbol.span.end_line))


def _iter_deprecated(code: CodeIndex, file: str) -> Iterator[Definition]:
    lines = code.read_lines(file)
    for each in code.iter_definitions(file):
        is_attributed, doc = any(map(_DEPRECATION_ATTRIBUTE.match, each.symbol.decorators)), each.symbol.doc
        if (
            is_attributed
            or _DEPRECATION_NOTE.search(doc)
            or _DEPRECATION_NOTE.search(_read_comment(lines, each.symbol.span.start_line))
        ):
            yield each


def _read_comment(lines: list[str], line: int) -> str:
    """Return the comment directly above a line."""
    above = reversed(lines[max(0, line - 1 - _MAX_COMMENT) : line - 1])
    return "\n".join(takewhile(lambda text: text.strip().startswith(_COMMENT_STARTS), above))


def _skip_brackets(text: str, opening: int) -> int:
    """Return the position after the bracket that closes the one at a place; -1 if there is none."""
    depth, pairs = 0, {"(": ")", "<": ">"}
    first = text[opening] if 0 <= opening < len(text) else ""
    for at in range(opening, len(text)) if first else ():
        is_arrow = text[at - 1 : at + 1] in {"->", "=>"}
        depth += (text[at] == first) - (text[at] == pairs[first] and not is_arrow)
        if not depth:
            return at + 1
    return -1


def _order(found: Iterator[Definition]) -> tuple[Definition, ...]:
    return tuple(sorted(dict.fromkeys(found), key=role_and_place))
