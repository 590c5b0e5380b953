"""Claims: a citation stands if a tool returned it and the file still has it."""

from __future__ import annotations

import pytest

from avionics.agents.citation_claims import check_claims, strike
from avionics.agents.plans import PlanStep, StepResult
from avionics.model import Status, ToolResult

CODE = 'def total_of(order: Order) -> float:\n    """The price of an order, with tax."""\n    return with_tax(1.0)'
DATA = {
    "citations": ["shop/models.py:11"],
    "code": [{"file": "shop/pricing.py", "start_line": 8, "end_line": 10, "text": CODE}],
}
EVIDENCE = (StepResult(PlanStep("1", "read_code"), ToolResult(Status.SUCCESS, DATA)),)


@pytest.mark.parametrize(
    ("text", "verified", "unverified"),
    [
        ("Order is at shop/models.py:11.", ("shop/models.py:11",), ()),
        ("See `shop/pricing.py:8-10` (shop/pricing.py:9).", ("shop/pricing.py:8-10", "shop/pricing.py:9"), ()),
        ("See shop/pricing.py:11.", (), ("shop/pricing.py:11",)),
        ("See shop/pricing.py:8-99.", (), ("shop/pricing.py:8-99",)),
        ("See models.py:11 and shop/invented.py:3.", (), ("models.py:11", "shop/invented.py:3")),
        ("It listens on http://localhost:8080/x at 12:30.", (), ()),
        ("Twice: shop/models.py:11, shop/models.py:11", ("shop/models.py:11",), ()),
    ],
)
def test_only_what_a_tool_returned_stands(text, verified, unverified, shop):
    claims = check_claims(text, EVIDENCE, shop)
    assert (claims.verified, claims.unverified) == (verified, unverified)


def test_what_changed_since_does_not_stand(shop):
    (shop.root / "shop/pricing.py").write_text("TAX_RATE = 0\n" * 20)
    assert check_claims("shop/pricing.py:8 shop/models.py:11", EVIDENCE, shop).unverified == ("shop/pricing.py:8",)


def test_a_known_file_may_have_any_name(workspace):
    opened = workspace({"my file.py": "x = 1\n", "Makefile": "all:\n"})
    evidence = (
        StepResult(PlanStep("1", "x"), ToolResult(Status.SUCCESS, {"citations": ["my file.py:1", "Makefile:1"]})),
    )
    assert check_claims("in my file.py:1, Makefile:1", evidence, opened).verified == ("my file.py:1", "Makefile:1")


def test_what_does_not_stand_is_struck_out_and_nothing_else():
    assert strike("a/b.py:1, a/b.py:12, x/a/b.py:1", ("a/b.py:1",)) == "[citation removed], a/b.py:12, x/a/b.py:1"


def test_the_lines_of_a_flow_are_those_of_the_callers_file(workspace):
    opened = workspace({"a.py": "x\n" * 9, "b.py": "x\n" * 9})
    flow = [
        {"file": "a.py", "line": 1, "depth": 0, "calls_at": []},
        {"file": "b.py", "line": 2, "depth": 1, "calls_at": [5, 7]},
        {"file": "a.py", "line": 3, "depth": 2, "calls_at": [6]},
        {"file": "b.py", "line": 4, "depth": 1, "calls_at": [8]},
    ]
    evidence = (StepResult(PlanStep("1", "trace_entry_point"), ToolResult(Status.SUCCESS, {"flow": flow})),)
    claims = check_claims("a.py:5 a.py:7 b.py:6 a.py:8, not b.py:5 or a.py:6", evidence, opened)
    assert claims.verified == ("a.py:5", "a.py:7", "b.py:6", "a.py:8")
    assert claims.unverified == ("b.py:5", "a.py:6")
