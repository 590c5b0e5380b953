"""Find the functions that data refer to: in a row of a table with a name, or as a member of an object literal.

Frameworks and programs register what runs by plain data: `{ "add", cmd_add }`, `{ name: "add", run: add }`,
`case "add": return add()`, `router({ create: handler })`. The name is a string or a key, and the function is written
beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import get_end, is_function
from avionics.index.entrypoints.handlers import build_module_body, get_written
from avionics.index.model.file_roles import is_product
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, VALUES, ReferenceKind
from avionics.model.facts import Span, line_and_column, line_of
from avionics.model.knowledge import Definition

_ROLE = r"(?:sub)?(?:commands?|actions?|events?|messages?|handlers?|verbs?|programs?|scripts?|tools?|tasks?|jobs?)"
_NAMED_ENTRY = late_pattern(
    rf"(?:the )?(?:(?P<colon>:)?[`'\"]?(?P<name>[\w-]++)[`'\"]? {_ROLE}|{_ROLE} [`'\":]?(?P<other>[\w-]++)[`'\"]?"
    r"|:(?P<short>[\w-]++))",
    re.IGNORECASE,
)
"""The ways in which questions refer to an entry of a table: "the add command", ":add"."""
_ROUTE = late_pattern(r"(?:[A-Z]+ )?(/\S*)")
_BRANCH = late_pattern(r"=>|->|\b(?:case|when|if|elif)\b|==|\bequals\(|cmp\(")
_LONE_FIELD = late_pattern(r"""\s*["']?\w+["']?\s*[:=]\s*["'`][^"'`]*["'`],\s*\Z""")
"""A field of a literal on a line of its own, with a string."""
_RUNNING_FIELD = late_pattern(
    r"""\s*\.?["']?(?i:\w*(?:run|action|handle|exec|func|callback|perform|method|view|main|invoke|listen)\w*"""
    r"""|fn|cb|do|call|use)["']?\s*[:=]"""
)
"""The name of a field with the function that runs: `run:`, `handler =`."""
_MEMBER = late_pattern(r"(?P<holder>[A-Za-z_$][\w$]*)\.(?P<key>[A-Za-z_$][\w$]*)")
_MAX_SHORT_BLOCK = 2
"""A branch with no more lines leads to the first function that it calls; a longer one is a flow of its own."""
_MAX_FILES, _MAX_ROWS = 60, 4
_DECISION_LINES = 15
"""The maximum number of lines from a branch to its first call, within its block."""


def get_tabled_name(asked: str) -> str:
    """Return the name of the command or event, or the route, in a question: `add` of "the add command"; "" for none."""
    found, route = _NAMED_ENTRY.fullmatch(asked.strip()), _ROUTE.fullmatch(asked.strip())
    if route:
        return route[1]
    return (found["name"] or found["other"] or found["short"]) if found else ""


class TabledRow(Struct, frozen=True):
    """A function next to a string, and the place of the string; `is_branch` if a condition compares with the string."""

    definition: Definition
    file: str
    line: int
    is_branch: bool


def find_tabled(code: CodeIndex, name: str) -> tuple[TabledRow, ...]:
    """Return the functions next to a string with a name in product code, rows of tables before branches."""
    words = sorted(re.findall(r"\w+", name), key=len)
    files = [each for each in code.files_with_word(words[-1]) if is_product(each)] if words else []
    if len(files) > _MAX_FILES:
        return ()
    rows: dict[Definition, TabledRow] = {}
    quoted = re.compile(rf"[\"'`]:?{re.escape(name)}[\"'`]")
    for file in sorted(files):
        lines = code.read_lines(file)
        for number, line in enumerate(lines, 1):
            match = quoted.search(line)
            if match is None:
                continue
            is_branch = _BRANCH.search(line) is not None
            last = get_block_end(lines, number) if is_branch else number
            functions = _iter_first_function(code, file, number, match.end(), last, is_branch=is_branch)
            if not is_branch and _LONE_FIELD.match(line):
                end = sum(len(each) + 1 for each in lines[: number - 1]) + match.end()
                functions = _iter_field_functions(code, file, code.read_text(file), end)
            for each in functions:
                is_long = last - number > _MAX_SHORT_BLOCK
                runs = build_module_body(code, file, Span(number, last)) if is_long else each
                if runs not in rows or rows[runs].is_branch > is_branch:
                    rows[runs] = TabledRow(runs, file, number, is_branch)
    return tuple(sorted(rows.values(), key=lambda each: each.is_branch))[:_MAX_ROWS]


def _iter_field_functions(code: CodeIndex, file: str, text: str, start: int) -> Iterator[Definition]:
    """Yield the functions to run in the fields after a field of a literal: `do: add` after `name: "add",`."""
    while start < len(text) and text[start] == ",":
        end = get_end(text, start + 1)
        field = _RUNNING_FIELD.match(text, start + 1, end) if end >= 0 else None
        if field is not None:
            line, column = line_and_column(text, field.end())
            last = line_of(text, end)
            written = _get_function(code, file, line, last) if is_function(text[field.end() : end]) else None
            yield from (written,) if written is not None else _iter_first_function(code, file, line, column, last)
        start = max(end, start + 1)


def _get_function(code: CodeIndex, file: str, line: int, last: int) -> Definition | None:
    """Return the function that is written in some lines, with or without a name."""
    named = (each for each in code.iter_definitions(file) if each.kind in BODIES and line <= each.line <= last)
    return next(named, None) or get_written(code, file, line, last)


def get_block_end(lines: Sequence[str], line: int, most: int = _DECISION_LINES) -> int:
    """Return the last line of the block that a branch begins, by indentation."""
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    end = line
    for number, text in enumerate(lines[line : line + most], line + 1):
        if text.strip() and len(text) - len(text.lstrip()) <= indent:
            break
        end = number
    return end


def _iter_first_function(
    code: CodeIndex, file: str, line: int, column: int, last: int, *, is_branch: bool = False
) -> Iterator[Definition]:
    """Yield the first function that is named after a column; one that is called only if the lines are a branch."""
    kinds = {ReferenceKind.READ, ReferenceKind.CALL} if is_branch else {ReferenceKind.READ}
    following = sorted(
        (each.line, each.column, each)
        for references in code.uses(file).references.values()
        for each in references
        if each.kind in kinds and (line, column) <= (each.line, each.column) and each.line <= last
    )
    for _, _, reference in following:
        targets = code.resolver.resolve(file, reference).targets
        functions = [d for d in code.graph.list_definitions(targets) if d.kind in BODIES and is_product(d.file)]
        if functions:
            yield functions[0]
            return


def find_held(code: CodeIndex, asked: str) -> tuple[Definition, ...]:
    """Return the functions in a member of a variable's object literal: `orders.create` of `orders = { create: … }`."""
    named = _MEMBER.fullmatch(asked.strip())
    if named is None:
        return ()
    found: dict[Definition, None] = {}
    for holder in code.find_definitions(named["holder"]):
        if holder.kind in VALUES and is_product(holder.file):
            found |= dict.fromkeys(_iter_members(code, holder, named["key"]))
    return tuple(found)[:_MAX_ROWS]


def is_written(code: CodeIndex, name: str) -> bool:
    """Return whether product code contains a dotted name literally: `client.orders.create`."""
    words = sorted(re.findall(r"\w+", name), key=len)
    files = [each for each in code.files_with_word(words[-1]) if is_product(each)] if words else []
    return any(name in code.read_text(file) for file in sorted(files)[:_MAX_FILES])


def _iter_members(code: CodeIndex, holder: Definition, key: str) -> Iterator[Definition]:
    """Yield the functions in the value of a key within the lines of a variable."""
    span, text = holder.symbol.span, code.read_text(holder.file)
    lines = text.split("\n")
    start = sum(len(each) + 1 for each in lines[: span.start_line - 1])
    end = start + sum(len(each) + 1 for each in lines[span.start_line - 1 : span.end_line])
    for match in re.finditer(rf"(?<=[{{,\s])[\"']?{re.escape(key)}[\"']?\s*[:(]", text[start:end]):
        first = line_of(text, start + match.start())
        last = line_of(text, get_end(text, start + match.end() - 1))
        written = get_written(code, holder.file, first, last)
        if written is not None:
            yield written
