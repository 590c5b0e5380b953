"""What the schema of SARIF 2.1.0 asks of the parts that avionics writes, and that a log says nothing else."""

from __future__ import annotations

import re
from typing import Any

_TEXT = {"text": str}
_PLACE = {
    "physicalLocation": {"artifactLocation": {"uri": str, "uriBaseId": str}, "region": {"startLine": int}},
    "message?": _TEXT,
}
_LEVEL = frozenset({"none", "note", "warning", "error"})
_RULE = {
    "id": str, "name?": str, "shortDescription?": _TEXT, "fullDescription?": _TEXT, "help?": _TEXT,
    "defaultConfiguration?": {"level": _LEVEL},
}  # fmt: skip
_RESULT = {
    "ruleId": str, "ruleIndex": int, "level": _LEVEL, "message": _TEXT, "locations": [_PLACE],
    "partialFingerprints": {"*": str}, "baselineState?": frozenset({"new", "unchanged", "updated", "absent"}),
    "codeFlows?": [{"threadFlows": [{"locations": [{"location": _PLACE}]}]}],
}  # fmt: skip
_INVOCATION = {"executionSuccessful": bool, "toolConfigurationNotifications?": [{"level": _LEVEL, "message": _TEXT}]}
_RUN = {
    "tool": {"driver": {"name": str, "version": str, "rules": [_RULE]}},
    "columnKind": frozenset({"utf16CodeUnits", "unicodeCodePoints"}),
    "invocations": [_INVOCATION],
    "results": [_RESULT],
}
_LOG = {"$schema": str, "version": frozenset({"2.1.0"}), "runs": [_RUN]}


def require_sarif(log: Any) -> list[dict[str, Any]]:
    """Returns the results of a log, after every part of it was compared with the schema."""
    _require(log, _LOG, "log")
    (run,) = log["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(ids) == len(set(ids))
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        for place in result["locations"]:
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+", uri, re.ASCII), uri
            assert place["physicalLocation"]["region"]["startLine"] >= 1
    return run["results"]


def _require(value: Any, schema: Any, at: str) -> None:
    if isinstance(schema, dict):
        assert isinstance(value, dict), at
        known = {name.removesuffix("?"): each for name, each in schema.items()}
        assert "*" in known or value.keys() <= known.keys(), (at, value.keys() - known.keys())
        required = {name for name in schema if name != "*" and not name.endswith("?")}
        assert required <= value.keys(), (at, required - value.keys())
        for name, each in value.items():
            _require(each, known.get(name, known.get("*")), f"{at}.{name}")
    elif isinstance(schema, list):
        assert isinstance(value, list), at
        for index, each in enumerate(value):
            _require(each, schema[0], f"{at}[{index}]")
    elif isinstance(schema, frozenset):
        assert value in schema, (at, value)
    else:
        assert type(value) is schema, (at, value)
