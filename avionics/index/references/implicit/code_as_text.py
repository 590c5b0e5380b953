"""Find uses of definitions in code that is text to other code: strings, documentation examples, embedded files.

A string of several lines may be a source that a test compiles, a script that it runs, or a build file, which can use
the definitions of other files. Only languages whose facts do not record the words in strings are searched for them.
Tests run the examples in documentation. Some files embed the whole text of another file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.facts import line_and_column, line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import LANGUAGES, conventions_of, get_conventions

_SOURCE = late_pattern(
    r"^[ \t]*(?:import|package|using|use|namespace|#[ \t]*include)\b"
    r"|\b(?:class|fun|func|function|fn|def|struct|interface|public)[ \t]",
    re.MULTILINE,
)
"""Text that only whole sources have, rather than scripts."""
_IN_SCRIPT = (
    r"(?<![\w$-])NAME(?=\s?[({<]|::|\.\w)"
    r"|(?:[@\[:<]\s?|\b(?:new|extends|implements|import|use|using|typeof)\s[^\n;]{0,200}?(?<![\w$-]))NAME\b"
    r"|^[ \t]*+NAME[ \t]*+(?:=|$)"
)
"""Code that calls a name, names it as a type, imports it, or sets or reads it in a statement."""
_IN_SOURCE = r"|(?<=[\w)\]?!>]\.)NAME\b"

IN_COMMENT = late_pattern(r"\s*(?://|/?\*)")
"""A line of a comment."""
_ABOVE = late_pattern(r"\s*(?://|/?\*|#\[|@)")
"""A line of a comment or an attribute."""
_TAG_WORDS = ("include", "embed")
_TAG = late_pattern(
    r"""\{%[-+~]?\s*(?:include|embed)\s+["'](?:[^"'\n]{0,200}/)?(?P<file>[^"'\n/]+)["']""", needs=("{%",)
)
"""A template that includes a file."""

_Script = tuple[int, int, bool]
"""The start and end of the text of a string, and whether that is a whole source."""
_Place = tuple[str, int]
"""A file and a line."""


class CodeAsText:
    """Finds uses of definitions in the texts of one snapshot that other code runs or embeds."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first place of each kind that may use a definition as text."""
        if (place := self._get_string(definition)) is not None:
            yield Reason(ReasonKind.STRING_LITERAL, place=place)
        if (place := self._get_example(definition)) is not None:
            yield Reason(ReasonKind.CODE_EXAMPLE, place=place)
        if (place := self._embedded.get(definition.file.rpartition("/")[2])) is not None:
            yield Reason(ReasonKind.EMBEDDED_FILE, place=place)

    def _get_string(self, definition: Definition) -> _Place | None:
        """Return the first string of several lines with code that may use a definition; None if there is none."""
        implicit = conventions_of(definition.file).implicit
        strings = implicit.script_strings
        if strings is None or not definition.symbol.exported:
            return None
        for name in (definition.name, *implicit.list_other_names(definition.symbol)):
            in_script = re.compile(_IN_SCRIPT.replace("NAME", re.escape(name)), re.MULTILINE)
            in_source = re.compile((_IN_SCRIPT + _IN_SOURCE).replace("NAME", re.escape(name)), re.MULTILINE)
            for file in self._source.files_with_word(name):
                if conventions_of(file).implicit.script_strings != strings:
                    continue
                text = self._source.read_text(file)
                for start, end, is_source in self._list_scripts(file):
                    for found in (in_source if is_source else in_script).finditer(text, start, end):
                        place = line_and_column(text, text.rindex(name, found.start(), found.end()))
                        if not self._is_recorded(file, name, place):
                            return file, place[0]
        return None

    def _is_recorded(self, file: str, name: str, place: tuple[int, int]) -> bool:
        """Return whether facts record a reference at the place of a name in a string: `"${name}"`."""
        references = self._source.uses(file).references
        named = (*references.get(name, ()), *references.get(called(name), ()))
        return any((each.line, each.column) == place for each in named)

    @cached_method
    def _list_scripts(self, file: str) -> tuple[_Script, ...]:
        """Return the strings of a file that span lines."""
        text, strings = self._source.read_text(file), conventions_of(file).implicit.script_strings
        if strings is None or not any(mark in text for mark in strings.marks):
            return ()
        spans = (each.span("script") for each in strings.tokens.finditer(text) if "\n" in (each["script"] or ""))
        return tuple((start, end, _SOURCE.search(text, start, end) is not None) for start, end in spans)

    def _get_example(self, definition: Definition) -> _Place | None:
        """Return the first example that uses a definition, in the documentation of anything else; None without one."""
        examples = conventions_of(definition.file).implicit.examples
        if examples is NEVER or not definition.symbol.exported:
            return None
        used = re.compile(rf"(?<![\w-]){re.escape(definition.name)}(?=\s?[(!{{<]|::|\.\w|[;,)])")
        for file in self._source.files_with_word(definition.name):
            if conventions_of(file).implicit.examples != examples:
                continue
            text = self._source.read_text(file)
            run = (each for each in examples.finditer(text) if each["example"])
            found = (used.search(text, *each.span("example")) for each in run)
            lines = (line_of(text, each.start()) for each in found if each is not None)
            if (line := next((each for each in lines if not self._documents(file, each, definition)), 0)) > 0:
                return file, line
        return None

    def _documents(self, file: str, line: int, definition: Definition) -> bool:
        """Return whether a line is in the documentation of a definition: in its body, or in the comment above it."""
        if file != definition.file:
            return False
        lines, span = self._source.read_lines(file), definition.symbol.span
        while line < span.start_line and _ABOVE.match(lines[line - 1]):
            line += 1
        return span.contains(line)

    @cached_property
    def _embedded(self) -> Mapping[str, _Place]:
        """Return name of a file whose text another file embeds → the place of the first embedding."""
        found: dict[str, _Place] = {}
        for file, pattern in self._iter_embedding():
            text = self._source.read_text(file)
            for each in pattern.finditer(text):
                found.setdefault(each["file"], (file, line_of(text, each.start())))
        return found

    def _iter_embedding(self) -> Iterator[tuple[str, re.Pattern[str]]]:
        """Yield the files that may embed the text of others, each with the pattern of an embedding."""
        for file in sorted({file for word in _TAG_WORDS for file in self._source.count_word(word)}):
            # Nearly all files of C have the word `include`.
            if not (self._source.has_file(file) and self._scopes.spec(file).linkage):
                yield file, _TAG
        words = {word for language in LANGUAGES for word in get_conventions(language).files.embedding_words}
        for file in sorted({file for word in words for file in self._source.files_with_word(word)}):
            if (embedding := conventions_of(file).files.embedding) is not NEVER:
                yield file, embedding
