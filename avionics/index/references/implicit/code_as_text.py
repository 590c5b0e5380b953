"""Find code that is text to other code: in strings that span lines, and in files that generators write into others.

A string may hold a source that a test compiles, a script that it runs, or a build file, which can use what other files
may use. Only the languages that do not record the names in their strings are read for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.facts import line_and_column, line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.syntax.registry import LANGUAGES, conventions_of, get_conventions

_SOURCE = late_pattern(
    r"^[ \t]*(?:import|package|using|use|namespace|#[ \t]*include)\b"
    r"|\b(?:class|fun|func|function|fn|def|struct|interface|public)[ \t]",
    re.MULTILINE,
)
"""What whole sources have."""
_IN_SCRIPT = (
    r"(?<![\w$-])NAME(?=\s?[({<]|::|\.\w)"
    r"|(?:[@\[:<]\s?|\b(?:new|extends|implements|import|use|using|typeof)\s[^\n;]{0,200}?(?<![\w$-]))NAME\b"
    r"|^[ \t]*+NAME[ \t]*+(?:=|$)"
)
"""Code that calls a name, names it as a type, imports it, or sets or reads it in a statement."""
_IN_SOURCE = r"|(?<=[\w)\]?!>]\.)NAME\b"

_TAG_WORDS = ("include", "embed")
_TAG = late_pattern(
    r"""\{%[-+~]?\s*(?:include|embed)\s+["'](?:[^"'\n]{0,200}/)?(?P<file>[^"'\n/]+)["']""", needs=("{%",)
)
"""A template that includes a file."""

_Script = tuple[int, int, bool]
"""The start and end of the text of a string, and whether that is a whole source."""


class CodeInStrings:
    """Finds the strings of one snapshot that have a definition in code."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    def get_place(self, definition: Definition) -> tuple[str, int] | None:
        """Return the first place where code in a string may use a definition; None if there is none."""
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
        """Return whether a name in a string is code that the grammar reads: `"${name}"`."""
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


class EmbeddedFiles:
    """Finds the files of one snapshot that generators write into others: code elsewhere may use what they define."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes

    def get_place(self, file: str) -> tuple[str, int] | None:
        """Return the first place that takes the text of a file; None if there is none."""
        return self._taken.get(file.rpartition("/")[2])

    @cached_property
    def _taken(self) -> Mapping[str, tuple[str, int]]:
        """Return the names of the files whose text others take → where."""
        words = {word for language in LANGUAGES for word in get_conventions(language).files.embedding_words}
        found: dict[str, tuple[str, int]] = {}
        for file in sorted({file for word in (*_TAG_WORDS, *words) for file in self._source.count_word(word)}):
            if self._source.has_file(file) and self._scopes.spec(file).linkage:
                continue  # Nearly all of these have the word `include`.
            text = self._source.read_text(file)
            for pattern in (_TAG, conventions_of(file).files.embedding):
                for each in pattern.finditer(text):
                    found.setdefault(each["file"], (file, line_of(text, each.start())))
        return found
