"""Tell which lines of a file are never compiled together, as those of `#if` and its `#else`."""

from __future__ import annotations

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.syntax.conventions import Branch, read_tests
from avionics.syntax.registry import conventions_of


class Conditions:
    """Compares the conditions (`#if`) of lines in the files of one snapshot."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    def exclude(self, file: str, line: int, other_line: int) -> bool:
        """Return whether two lines of a file are never compiled together, as those of `#if X` and its `#else`."""
        branches = self.list_branches(file)
        if not branches:
            return False
        here, there = read_tests(branches, line), read_tests(branches, other_line)
        return any((test, not is_true) in there for test, is_true in here)

    @cached_method
    def list_branches(self, file: str) -> tuple[Branch, ...]:
        """Return the lines of a file that are compiled under conditions; () in a language without such conditions."""
        read = conventions_of(file).list_branches
        text = self._source.read_content(file) if read is not None else b""
        return read(text) if read is not None and b"#" in text else ()
