"""Write findings as a SARIF 2.1.0 log, which code scanning services read.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from msgspec import Struct

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class SarifRule(Struct, frozen=True):
    """A rule of a log.

    Attributes:
        id: The id by which results refer to it.
        name: A second name, "" for none.
        title: What it reports in a few words, "" to leave it out.
        reports: What it reports in sentences.
        proof: What it needs as proof.
        level: "error", "warning" or "note"; "" to leave it out.
    """

    id: str
    name: str = ""
    title: str = ""
    reports: str = ""
    proof: str = ""
    level: str = ""


class SarifResult(Struct, frozen=True):
    """A finding at one place.

    Attributes:
        rule: The id of its rule.
        level: "error", "warning" or "note".
        file: Where it is.
        fingerprint: The name and value of what identifies it even if lines move.
        state: "new" or "unchanged" against a base, "" without one.
        steps: File, line and text of each step that leads to it.
    """

    rule: str
    level: str
    message: str
    file: str
    line: int
    fingerprint: tuple[str, str]
    state: str = ""
    steps: tuple[tuple[str, int, str], ...] = ()


def build_sarif(
    version: str, rules: Iterable[SarifRule], results: Iterable[SarifResult], notes: Iterable[str] = ()
) -> dict[str, Any]:
    """Return a log of one run; notes say what is wrong with the configuration itself."""
    listed = list(rules)
    places = {rule.id: index for index, rule in enumerate(listed)}
    notifications = [{"level": "warning", "message": {"text": _clean(note)}} for note in notes]
    run = {
        "tool": {
            "driver": {"name": "avionics", "version": version, "rules": [_describe_rule(rule) for rule in listed]}
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolConfigurationNotifications": notifications}],
        "results": [_describe_result(result, places[result.rule]) for result in results],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _describe_rule(rule: SarifRule) -> dict[str, Any]:
    found: dict[str, Any] = {"id": rule.id}
    if rule.name:
        found["name"] = rule.name
    if rule.title:
        found["shortDescription"] = {"text": rule.title}
        found["fullDescription"] = {"text": rule.reports}
        found["help"] = {"text": f"{rule.reports}\n\n{rule.proof}"}
    if rule.level:
        found["defaultConfiguration"] = {"level": rule.level}
    return found


def _describe_result(result: SarifResult, index: int) -> dict[str, Any]:
    name, value = result.fingerprint
    found: dict[str, Any] = {
        "ruleId": result.rule,
        "ruleIndex": index,
        "level": result.level,
        "message": {"text": _clean(result.message)},
        "locations": [_describe_place(result.file, result.line)],
        "partialFingerprints": {name: _clean(value)},
    }
    if result.state:
        found["baselineState"] = result.state
    if result.steps:
        locations = [
            {"location": {**_describe_place(file, line), "message": {"text": _clean(text)}}}
            for file, line, text in result.steps
        ]
        found["codeFlows"] = [{"threadFlows": [{"locations": locations}]}]
    return found


def _describe_place(file: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(file.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, line)},
        }
    }


def _clean(text: str) -> str:
    """Return text that every reader of JSON accepts: bytes that are not UTF-8 are shown as such."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
