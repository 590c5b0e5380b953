"""Find the targets of a command-line option: the function it is declared to run, else the functions that read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from avionics.index.model.file_roles import is_product
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

FLAG = late_pattern(r"(?<![\w-])--[A-Za-z][\w-]*\w")
"""A long option in a text."""
_RUNS = late_pattern(r"\b(?:const|callback|handler|func|run|action|command)\s*[=:]\s*(?:\w+\.)*(?P<name>[A-Za-z_]\w*)")
"""An argument with the function that an option is declared to run."""
_HOLDER = r"(?i:\b(?:\w*_)?(?:args?|argv|opts?|options?|flags?|cli|cfg|conf|config|params?|settings|matches|namespace))"
"""Names of objects with the values of options."""
_MAX_FILES, _MAX_READERS = 60, 12


def map_option_targets(code: CodeIndex, flag: str) -> dict[Definition, int]:
    """Map the function that an option runs, or else product functions that read its value, to the line that does."""
    from avionics.index.flows.flow_steps import FlowSteps

    name = flag.strip("-")
    first, *others = name.split("-")
    spelled = dict.fromkeys(("_".join((first, *others)), first + "".join(map(str.title, others))))
    run = {each: each.line for file, start in _iter_declared(code, flag) for each in _iter_run(code, file, start)}
    if run:
        return run
    readers: dict[Definition, int] = {}
    steps = FlowSteps(code)
    for word in spelled:
        reads = re.compile(rf"{_HOLDER}(?:\??\.|->|::|\[[\"'])(?i:{re.escape(word)})\b(?!\s*=[^=])")
        for file in _list_files(code, word):
            for number, line in enumerate(code.read_lines(file), 1):
                if reads.search(line):
                    readers.setdefault(steps.get_holder(file, number), number)
    return readers if len(readers) <= _MAX_READERS else {}


def _list_files(code: CodeIndex, word: str) -> list[str]:
    """Return the first product files that contain a word, as it is or capitalized, by path."""
    having = {*code.files_with_word(word), *code.files_with_word(word[:1].upper() + word[1:])}
    return sorted(filter(is_product, having))[:_MAX_FILES]


def _iter_declared(code: CodeIndex, flag: str) -> Iterator[tuple[str, int]]:
    """Yield where product code has an option in quotation marks: the file, and the offset after the option."""
    literal = re.compile(rf"[\"'`](?:-\w, ?)?{re.escape(flag)}(?:[ =][^\"'`\n]*)?[\"'`]")
    for file in _list_files(code, max(re.findall(r"\w+", flag), key=len)):
        for match in literal.finditer(code.read_text(file)):
            yield file, match.end()


def _iter_run(code: CodeIndex, file: str, start: int) -> Iterator[Definition]:
    """Yield the functions to run in the arguments after an option."""
    from avionics.index.entrypoints.call_arguments import get_end

    text = code.read_text(file)
    while start < len(text) and (end := get_end(text, start)) >= 0:
        given = _RUNS.search(text, start, end)
        if given is not None:
            line = line_of(text, given.start("name"))
            named = (each for each in code.uses(file).references.get(given["name"], ()) if each.line == line)
            targets = (target for each in named for target in code.resolver.resolve(file, each).targets)
            yield from (each for each in code.graph.list_definitions(targets) if each.kind in FUNCTIONS)
        if text[end] != ",":
            return
        start = end + 1
