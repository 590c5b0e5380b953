"""Citations are checked against the bytes when the answer leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.execution.citation_check import check_citations
from avionics.workspace import Workspace


@pytest.fixture
def opened(workspace: Callable[..., Workspace]) -> Workspace:
    return workspace({"a.py": "def f():\n    return 1\n"})


def result_of(citations: list[str], usages: list[dict[str, object]]) -> ToolResult:
    data = {"usages": usages, "citations": citations, "coverage": {"certainty": "exact", "because": []}}
    return ToolResult(Status.SUCCESS, data=data, text="f is used")


def test_an_answer_whose_citations_stand_is_left_alone(opened: Workspace) -> None:
    result = result_of(["a.py:2"], [{"file": "a.py", "line": 2, "text": "return 1"}])
    assert check_citations(result, opened) is result


@pytest.mark.parametrize(
    ("citation", "entry"),
    [
        ("a.py:3", {"file": "a.py", "line": 3, "text": ""}),
        ("gone.py:1", {"file": "gone.py", "line": 1, "text": ""}),
        ("a.py:2", {"file": "a.py", "line": 2, "text": "return 2"}),
        ("a.py:1", {"file": "a.py", "start_line": 1, "text": "def f():\n    return 2"}),
    ],
)
def test_a_citation_that_does_not_stand_is_taken_back_and_said(
    citation: str, entry: dict[str, object], opened: Workspace
) -> None:
    checked = check_citations(result_of([citation], [entry]), opened)
    assert checked.status is Status.PARTIAL
    assert checked.data is not None
    assert citation not in checked.data["citations"]
    assert checked.data["coverage"]["certainty"] == "unknown"
    assert citation in checked.text


def test_plain_data_without_citations_passes(opened: Workspace) -> None:
    result = ToolResult(Status.SUCCESS, data={"rows": [1]})
    assert check_citations(result, opened) is result
