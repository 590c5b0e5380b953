"""Convert findings to the formats of other programs: SARIF 2.1.0 and GitHub workflow commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from avionics.index.verdicts.findings import Rule, Severity
from avionics.tools.answers.findings import RULES
from avionics.tools.answers.sarif import SarifResult, SarifRule, build_sarif

_LEVELS = {Severity.ERROR.value: "error", Severity.WARNING.value: "warning", Severity.INFO.value: "note"}
_COMMANDS = {Severity.ERROR.value: "error", Severity.WARNING.value: "warning", Severity.INFO.value: "notice"}


class FindingLike(Protocol):
    """What the formats need of a finding."""

    @property
    def rule(self) -> str:
        """Return the rule's id."""

    @property
    def severity(self) -> str:
        """Return the severity."""

    @property
    def message(self) -> str:
        """Return the description of the break and its reason."""

    @property
    def fix(self) -> str:
        """Return the suggested fix; "" if there is none."""

    @property
    def places(self) -> tuple[str, ...]:
        """Return `path:line` of every broken place."""

    @property
    def key(self) -> str:
        """Return a key that identifies the finding across edits elsewhere."""


def build_findings_sarif(version: str, findings: Iterable[FindingLike]) -> dict[str, Any]:
    """Return findings as a SARIF log; each broken place is a result."""
    return build_sarif(
        version,
        [_describe_rule(rule) for rule in Rule],
        [result for each in findings for result in _list_results(each)],
    )


def _describe_rule(rule: Rule) -> SarifRule:
    document = RULES[rule]
    level = _LEVELS[document.severity.value]
    return SarifRule(rule.value, "", document.title, document.reports, document.proof, level)


def _list_results(finding: FindingLike) -> Iterator[SarifResult]:
    message = f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."
    for number, place in enumerate(finding.places):
        file, _, line = place.rpartition(":")
        fingerprint = ("avionicsFinding/v1", f"{finding.key}|{number}")
        yield SarifResult(finding.rule, _LEVELS[finding.severity], message, file, int(line), fingerprint)


def iter_github_commands(findings: Iterable[FindingLike]) -> Iterator[str]:
    """Yield one workflow command a broken place, which GitHub shows at the line of a pull request."""
    for each in findings:
        for place in each.places:
            file, _, line = place.rpartition(":")
            text = f"{each.message}; {each.fix}" if each.fix else each.message
            properties = f"file={_escape_property(file)},line={line},title={_escape_property(f'avionics {each.rule}')}"
            yield f"::{_COMMANDS[each.severity]} {properties}::{_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
