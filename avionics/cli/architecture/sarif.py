"""Architecture violations as a SARIF 2.1.0 log, which code scanning services read.

The format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import quote

import avionics

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_STEP = re.compile(r"(?P<file>.+):(?P<line>\d+) → (?P<target>.+)", re.DOTALL)


def to_sarif(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the log of a `check_architecture` answer: one run, with one result for each violation."""
    rules = [rule["rule"] for rule in data["rules"]]
    new = [_to_result(item, rules, "new") for item in data["violations"]]
    known = [_to_result(item, rules, "unchanged") for item in data["known"]]
    driver = {
        "name": "avionics",
        "version": avionics.__version__,
        "rules": [{"id": rule["rule"], "name": rule["type"]} for rule in data["rules"]],
    }
    notes = [{"level": "warning", "message": {"text": problem["text"]}} for problem in data["problems"]]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolConfigurationNotifications": notes}],
        "results": [*new, *known],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _to_result(item: Mapping[str, Any], rules: list[str], state: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": item["rule"],
        "ruleIndex": rules.index(item["rule"]),
        "level": item["severity"],
        "baselineState": state,
        "message": {"text": item["message"]},
        "locations": [_to_location(item["file"], item["line"])],
        "partialFingerprints": {"violation/v1": _fingerprint(item)},
    }
    steps = [match for step in item["chain"] if (match := _STEP.fullmatch(step))]
    if len(steps) > 1:
        locations = [
            {
                "location": {
                    **_to_location(step["file"], int(step["line"])),
                    "message": {"text": f"imports {step['target']}"},
                }
            }
            for step in steps
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": locations}]}]
    return result


def _to_location(file: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(file, errors="surrogatepass"), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": line},
        }
    }


def _fingerprint(item: Mapping[str, Any]) -> str:
    """Return a digest that stays the same while lines move."""
    targets: Iterable[str] = (match["target"] for step in item["chain"] if (match := _STEP.fullmatch(step)))
    parts = (item["rule"], item["file"], item["message"], *targets)
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
