"""Tools of low risk may be answered from an earlier result, and run again when they fail."""

from __future__ import annotations

import pytest

from avionics import Caller, Context, ToolCall, ToolExecutor, ToolRegistry
from avionics.model import RegistrationError
from avionics.model.enums import Status
from avionics.model.errors import RemoteError, UsageError
from avionics.model.results import ToolResult
from avionics.tools.execution.result_cache import MAX_RESULTS, ResultCache
from avionics.tools.guards import permitted


@pytest.fixture
def ran():
    return []


def build(ran, fails=(), guards=None, **options):
    """An executor of the one tool `ask(word)`, which fails as told and notes that it ran."""
    registry, faults = ToolRegistry(), list(fails)

    @registry.tool(**options)
    def ask(word: str, *, context: Context) -> dict[str, str]:
        """Ask."""
        ran.append(word)
        if faults:
            raise faults.pop(0)
        return {"said": f"{word} to {context.caller.id}"}

    return ToolExecutor(registry, guards)


def ask(executor, word="a", **circumstances):
    caller = Caller(circumstances.pop("caller", "ada"))
    return executor.run(ToolCall("ask", {"word": word}), Context(caller, **circumstances))


def test_the_same_call_of_the_same_caller_is_answered_once(ran):
    executor = build(ran, cache_seconds=3600)
    assert [ask(executor).data for _ in range(3)] == [{"said": "a to ada"}] * 3
    assert ran == ["a"]


@pytest.mark.parametrize("other", [{"word": "b"}, {"caller": "eve"}, {"thread_id": "t2"}, {"budget_tokens": 9}])
def test_another_call_is_not(ran, other):
    executor = build(ran, cache_seconds=3600)
    ask(executor)
    ask(executor, **other)
    assert len(ran) == 2


def test_a_tool_that_says_nothing_is_always_run(ran):
    executor = build(ran)
    ask(executor)
    ask(executor)
    assert len(ran) == 2


def test_guards_decide_before_a_kept_result_is_given(ran):
    executor = build(ran, guards=(permitted(grants={"word:ask"}),), cache_seconds=3600, permissions="word:ask")
    assert ask(executor).success
    refused = executor.run(ToolCall("ask", {"word": "a"}), Context(Caller("ada", permissions=())))
    assert refused.error_type == "permission_denied"


def test_failures_are_not_kept(ran):
    executor = build(ran, [RemoteError("down")], cache_seconds=3600)
    assert [ask(executor).success, ask(executor).success] == [False, True]


def test_what_is_kept_grows_old_and_is_bounded():
    now = [0.0]
    cache = ResultCache(lambda: now[0])
    success = ToolResult(Status.SUCCESS, data={})
    cache.put("a", success, 10)
    now[0] = 9.0
    assert cache.get("a") is success
    now[0] = 10.0
    assert cache.get("a") is None
    for number in range(MAX_RESULTS + 1):
        cache.put(number, success, 10)
    assert [cache.get(0), cache.get(1)] == [None, success]


def test_a_failed_run_is_repeated_and_every_attempt_told(ran):
    result = ask(build(ran, [RemoteError("down"), ValueError("bug")], retries=2))
    assert (result.success, len(ran)) == (True, 3)
    assert [each["outcome"] for each in result.data["attempt_history"]] == [
        "remote_error: down",
        "tool_error: ValueError: bug",
        "success",
    ]


def test_it_is_repeated_so_often_and_no_more(ran):
    result = ask(build(ran, [RemoteError("down")] * 9, retries=2))
    assert (result.error_type, len(ran)) == ("remote_error", 3)


def test_a_fault_of_the_caller_is_not_repeated(ran):
    executor = build(ran, [UsageError("no such word")] * 2, retries=2)
    assert ask(executor, word=3).error_type == "validation_error"
    assert ask(executor).error_type == "usage_error"
    assert ran == ["a"]


@pytest.mark.parametrize("option", [{"cache_seconds": 60}, {"retries": 1}])
@pytest.mark.parametrize("risk", ["medium", "high"])
def test_only_tools_of_low_risk_are_cached_or_retried(ran, option, risk):
    with pytest.raises(RegistrationError, match="cannot be used"):
        build(ran, risk=risk, **option)
