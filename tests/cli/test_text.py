"""What a result looks like on the command line, and the exit code it stands for."""

from __future__ import annotations

import json

import pytest

from avionics.cli import text
from avionics.model import OutsideWorkspaceError, Status, ToolResult


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (ToolResult(Status.SUCCESS), 0),
        (ToolResult(Status.PARTIAL), 0),
        (ToolResult(Status.NOT_FOUND), 1),
        (ToolResult(Status.ERROR, error_type="tool_not_found"), 2),
        (ToolResult(Status.ERROR, error_type="validation_error"), 2),
        (ToolResult(Status.ERROR, error_type="permission_denied"), 2),
        (ToolResult(Status.ERROR, error_type="usage_error"), 2),
        (ToolResult(Status.ERROR, error_type="outside_workspace"), 2),
        (ToolResult(Status.ERROR, error_type="config_error"), 2),
        (ToolResult(Status.ERROR, error_type="deadline"), 3),
        (ToolResult(Status.ERROR, error_type="history_error"), 3),
        (ToolResult(Status.ERROR, error_type="KeyError"), 3),
    ],
)
def test_every_outcome_has_its_exit_code(result, code):
    assert text.exit_code(result) == code


def test_text_goes_to_standard_output(capsys):
    assert text.show(ToolResult(Status.SUCCESS, text="a.py:1  x"), as_json=False) == 0
    assert capsys.readouterr() == ("a.py:1  x\n", "")


def test_an_error_goes_to_standard_error_with_every_fault_and_the_hint(capsys):
    faults = ("path: missing, expected string", "limit: expected integer, got string 'x'")
    result = ToolResult(
        Status.ERROR, error="faults", error_type="validation_error", validation_errors=faults, hint="mend"
    )
    assert text.show(result, as_json=False) == 2
    shown = f"error: invalid parameters:\n  {faults[0]}\n  {faults[1]}\nhint: mend\n"
    assert capsys.readouterr() == ("", shown)


def test_json_is_one_ascii_document_for_answers_and_errors(capsys):
    answer = ToolResult(Status.SUCCESS, data={"name": "caf\u00e9 \udcff"}, execution_time_ms=1)
    text.show(answer, as_json=True)
    text.show(text.error_result(OutsideWorkspaceError("../x leads out", hint="stay inside")), as_json=True)
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"status": "success", "data": {"name": "caf\u00e9 \udcff"}, "execution_time_ms": 1},
        {
            "status": "error", "error": "../x leads out", "error_type": "outside_workspace", "hint": "stay inside",
            "execution_time_ms": 0,
        },
    ]  # fmt: skip
    assert all(line.isascii() for line in lines)


def test_nothing_drives_the_terminal(capsys):
    driving = "\x1b[31m\x9b\u202e\U000e0041\r"
    text.show(ToolResult(Status.SUCCESS, text=driving), as_json=False)
    text.show(ToolResult(Status.ERROR, error=driving, hint=driving), as_json=False)
    escaped = r"\u{1b}[31m\u{9b}\u{202e}\u{e0041}\u{d}"
    assert capsys.readouterr() == (f"{escaped}\n", f"error: {escaped}\nhint: {escaped}\n")
