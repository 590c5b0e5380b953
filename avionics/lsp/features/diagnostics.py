"""Compute the diagnostics of a folder: what an edit breaks, in open and in other files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.facts.worker_pool import read_outline
from avionics.index.verdicts.check import check_change, list_changed_files
from avionics.index.verdicts.findings import ChangeFinding, Rule, Severity, Site
from avionics.index.verdicts.suppression import split_suppressed
from avionics.lsp.types import Diagnostic, DiagnosticSeverity, Location, Range, RelatedInformation
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError, HistoryError, MissingDependencyError, UsageError
from avionics.model.facts import ParseProblem
from avionics.tools.answers.findings import describe_finding, describe_fix
from avionics.tools.resolution.baseline import BASELINE, read_baseline
from avionics.tools.resolution.contract_reader import find_broken_rules
from avionics.workspace import Workspace

SOURCE = "avionics"

_SEVERITIES = {
    Severity.ERROR: DiagnosticSeverity.ERROR,
    Severity.WARNING: DiagnosticSeverity.WARNING,
    Severity.INFO: DiagnosticSeverity.INFORMATION,
}
_MAX_PLACES = 200
"""Broken places of one finding that are marked; a base class renamed in a large tree breaks thousands."""

Diagnostics = Mapping[str, list[Diagnostic]]
"""File → what is wrong with it."""


def build_syntax_diagnostics(view: View) -> Diagnostics:
    """Return a diagnostic for each part of an open file that cannot be parsed.

    A syntax error in edited lines is an error. In a line that HEAD has as well it is only a notice: committed code is
    rarely broken; more likely the parser does not expand its macros or support its template language.
    """
    found = {}
    for file in view.open_files:
        problems = view.code.facts(file).problems if view.code.has_file(file) else ()
        known = _read_known_lines(view, file) if problems else frozenset()
        found[file] = [_build(view, file, problem, known) for problem in problems]
    return found


class ChangeDiagnostics:
    """Reports what the changes since HEAD break, wherever it breaks: the findings of `avionics check`.

    A folder that has no history, or whose files are not read yet, has none.
    """

    def __init__(self) -> None:
        self._on_disk: dict[tuple[str, str, int], frozenset[str]] = {}
        self._rules: dict[Hashable, tuple[ChangeFinding, ...]] = {}

    def find(self, view: View) -> Diagnostics:
        """Return a diagnostic for each broken place."""
        try:
            head = view.workspace.history.get_head()
        except (HistoryError, MissingDependencyError):
            head = None
        if head is None or view.workspace.get_index_if_built() is None:
            return {}
        before = view.workspace.at(head)
        changed = self._find_changed(view, before)
        if not changed:
            return {}
        verdict = check_change(before.code, view.code, changed)
        findings = [*verdict.findings, *self._find_broken_rules(view, before, changed)]
        accepted: frozenset[str] = frozenset()
        with suppress(UsageError):
            accepted = read_baseline(view.workspace.root / BASELINE)
        kept, _ = split_suppressed(view.code, findings)
        return _place(view, (each for each in kept if each.key not in accepted))

    def _find_broken_rules(
        self, view: View, before: Workspace, changed: tuple[ChangedFile, ...]
    ) -> tuple[ChangeFinding, ...]:
        """Return the violations of the contract; they are looked for again only when imports have changed."""
        imports = [
            (each.before, each.after, tuple((f.module, f.name, f.line) for f in view.code.facts(each.after).imports))
            for each in changed
            if each.after and view.code.has_file(each.after)
        ]
        key = (view.workspace.root, before.revision, view.workspace.refreshed_ns, tuple(imports))
        if key not in self._rules:
            try:
                self._rules = {key: find_broken_rules(before, view.workspace, changed)}
            except UsageError:
                # `avionics contract check` says what is wrong with the contract.
                self._rules = {key: ()}
        return self._rules[key]

    def _find_changed(self, view: View, before: Workspace) -> tuple[ChangedFile, ...]:
        """Return the changed files.

        Compare contents, except of files that git converts on checkout or does not check out: these count only if git
        reports a change.
        """
        listed = list_changed_files(before.code, view.code)
        buffers = set(view.open_files)
        doubtful = [each for each in listed if each.before and not {each.before, each.after} & buffers]
        if not doubtful:
            return listed
        key = (str(view.workspace.root), before.revision, view.workspace.refreshed_ns)
        if key not in self._on_disk:
            changed = view.workspace.history.find_changed_paths(before.revision)
            self._on_disk = {key: frozenset(path for each in changed for path in (each.path, each.previous) if path)}
        known = self._on_disk[key]
        return tuple(each for each in listed if each not in doubtful or {each.before, each.after} & known)


def _place(view: View, findings: Iterable[ChangeFinding]) -> Diagnostics:
    """Return the findings by file; syntax errors of open files are reported from their text."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    opened = set(view.open_files)
    for finding in findings:
        for site in finding.broken[:_MAX_PLACES]:
            if finding.rule is not Rule.SYNTAX_ERROR or site.file not in opened:
                found[site.file].append(_describe(view, finding, site))
    for diagnostics in found.values():
        diagnostics.sort(key=lambda each: (each.range.start.line, each.range.start.character))
    return found


def _describe(view: View, finding: ChangeFinding, site: Site) -> Diagnostic:
    fix, change = describe_fix(finding), finding.change
    message = describe_finding(finding)
    related = []
    if change is not None and not change.is_before and change != site:
        place = Location(view.uri(change.file), _get_range(view, change))
        related.append(RelatedInformation(place, "changed here"))
    return Diagnostic(
        range=_get_range(view, site),
        message=f"{message}; {fix}" if fix else message,
        severity=_SEVERITIES[finding.severity],
        source=SOURCE,
        code=finding.rule.value,
        related_information=related or None,
    )


def _get_range(view: View, site: Site) -> Range:
    """Return the range of the word at a place, or if there is none of its line from the first character."""
    text = view.text(site.file)
    if length := text.word_length(site.line, site.column):
        return text.range_of(site.line, site.column, length)
    return text.stripped_line_range(site.line)


def _read_known_lines(view: View, file: str) -> frozenset[str]:
    """Return the lines that cannot be parsed in HEAD either; none without a history."""
    try:
        before = view.workspace.history.get_committed(file)
    except AvionicsError:
        return frozenset()
    if before is None:
        return frozenset()
    lines = before.decode("utf-8", "surrogateescape").split("\n")
    problems = read_outline(before, view.code.facts(file).language).problems
    return frozenset(lines[each.line - 1].strip() for each in problems if each.line <= len(lines))


def _build(view: View, file: str, problem: ParseProblem, known: frozenset[str]) -> Diagnostic:
    text = view.text(file)
    is_known = text.line(problem.line).strip() in known
    return Diagnostic(
        range=text.stripped_line_range(problem.line),
        message="cannot be parsed" if is_known else problem.message,
        severity=DiagnosticSeverity.INFORMATION if is_known else DiagnosticSeverity.ERROR,
        source=SOURCE,
        code="syntax",
    )
