"""Findings in the formats that other programs read: SARIF 2.1.0 and GitHub workflow commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from avionics.index.verdicts.findings import Rule, Severity
from avionics.tools.answers.findings import RULES

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
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
        """Return what broke and why."""

    @property
    def fix(self) -> str:
        """Return the evident fix, "" for none."""

    @property
    def places(self) -> tuple[str, ...]:
        """Return `path:line` of every broken place."""

    @property
    def key(self) -> str:
        """Return what identifies the finding across edits elsewhere."""


def build_sarif(findings: Iterable[FindingLike], version: str) -> dict[str, Any]:
    """Return findings as one SARIF 2.1.0 run; each broken place is a result."""
    rules = list(Rule)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "avionics",
                        "version": version,
                        "rules": [_describe_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _build_result(each, place, number, [rule.value for rule in rules].index(each.rule))
                    for each in findings
                    for number, place in enumerate(each.places)
                ],
            }
        ],
    }


def _describe_rule(rule: Rule) -> dict[str, Any]:
    document = RULES[rule]
    return {
        "id": rule.value,
        "shortDescription": {"text": document.title},
        "fullDescription": {"text": document.reports},
        "help": {"text": f"{document.reports}\n\n{document.proof}"},
        "defaultConfiguration": {"level": _LEVELS[document.severity.value]},
    }


def _build_result(finding: FindingLike, place: str, number: int, index: int) -> dict[str, Any]:
    file, _, line = place.rpartition(":")
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _quote(file), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": max(1, int(line))},
                }
            }
        ],
        "partialFingerprints": {"avionicsFinding/v1": f"{finding.key}|{number}"},
    }


def _quote(path: str) -> str:
    from urllib.parse import quote

    return quote(path.encode("utf-8", "surrogateescape"))


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
