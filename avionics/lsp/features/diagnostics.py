"""Diagnostics: what is wrong with an open document, pushed after each edit."""

from __future__ import annotations

from typing import Protocol

from lsprotocol import types

from avionics.index.facts.worker_pool import read_outline
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError
from avionics.model.facts import ParseProblem

SOURCE = "avionics"


class DiagnosticProvider(Protocol):
    """Finds what is wrong with one document."""

    def find(self, view: View, file: str) -> list[types.Diagnostic]:
        """Return the diagnostics of a file, as the view shows it."""
        ...


class SyntaxDiagnostics:
    """Reports what the parser does not understand.

    An edit that breaks the syntax is an error. A line that HEAD has as well is only a notice: committed code is
    rarely broken, and it is rather the parser that does not expand its macros or know its template language.
    """

    def find(self, view: View, file: str) -> list[types.Diagnostic]:
        """Return a diagnostic for each problem, ordered by line."""
        if not view.code.has_file(file):
            return []
        problems = view.code.facts(file).problems
        known = _read_known_lines(view, file) if problems else frozenset()
        return [_build(view, file, problem, known) for problem in problems]


def _read_known_lines(view: View, file: str) -> frozenset[str]:
    """Return the lines that were not understood in HEAD either; none where there is no history to ask."""
    try:
        before = view.workspace.history.get_committed(file)
    except AvionicsError:
        return frozenset()
    if before is None:
        return frozenset()
    lines = before.decode("utf-8", "surrogateescape").split("\n")
    problems = read_outline(before, view.code.facts(file).language).problems
    return frozenset(lines[each.line - 1].strip() for each in problems if each.line <= len(lines))


def _build(view: View, file: str, problem: ParseProblem, known: frozenset[str]) -> types.Diagnostic:
    text = view.text(file)
    line = text.line(problem.line)
    start = len(line) - len(line.lstrip())
    is_known = line.strip() in known
    return types.Diagnostic(
        range=text.range_of(problem.line, start, max(len(line.rstrip()) - start, 0)),
        message="not understood by the parser" if is_known else problem.message,
        severity=types.DiagnosticSeverity.Information if is_known else types.DiagnosticSeverity.Error,
        source=SOURCE,
        code="syntax",
    )
