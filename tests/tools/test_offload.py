"""What a budget cuts is kept, in rank order, for whoever was given the answer."""

from __future__ import annotations

import attrs
import pytest
from msgspec import structs

from avionics.model import Caller, Coverage, Status, ToolCall, ToolContext, UsageError, complete
from avionics.settings import Settings
from avionics.tools.answers.answer import estimate_tokens, part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.catalog import ToolDefinition
from avionics.tools.execution.overflow_store import MIN_PART_TOKENS, Offload, Owner
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry

ADA = ToolContext(Caller("ada"), thread_id="t", budget_tokens=300)


@attrs.frozen
class Places:
    coverage: Coverage
    places: tuple[PlaceItem, ...] = part("Places", counts=True)
    others: tuple[PlaceItem, ...] = part("Others")

    def headline(self) -> str:
        return f"{self.coverage.found} places"


def items(count, width=40, room="src"):
    return tuple(PlaceItem(f"{room}/file_{n}.py", n, "x" * width) for n in range(1, count + 1))


def executor_of(value, offload):
    async def act():
        return value

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", act, {}, "Act"))
    return ToolExecutor(registry, settings=Settings(), offload=offload)


def ask_all(executor, context=ADA):
    """The answer and its rests, in order."""
    results = [executor.run(ToolCall("act"), context)]
    while results[-1].rest:
        assert len(results) < 100
        results.append(executor.get_rest(results[-1].rest, context))
    return results


def test_the_rest_of_an_answer_comes_in_rank_order_until_nothing_is_left():
    answer = Places(complete(60), items(60), items(20, room="lib"))
    results = ask_all(executor_of(answer, Offload()))
    assert len(results) > 3
    assert [place["file"] for each in results for place in each.data["places"]] == [
        f"src/file_{n}.py" for n in range(1, 61)
    ]
    assert len([place for each in results for place in each.data["others"]]) == 20
    assert all(estimate_tokens(each.text) <= 300 for each in results)
    assert [each.status for each in results[:-1]] == [Status.PARTIAL] * (len(results) - 1)
    assert all(each.data["coverage"]["found"] == 60 for each in results)


def test_a_reader_who_can_ask_is_told_how_and_another_is_not():
    answer = Places(complete(60), items(60))
    told = executor_of(answer, Offload(ask='ask get_rest with handle="{handle}"')).run(ToolCall("act"), ADA)
    assert told.text.endswith(f'next: ask get_rest with handle="{told.rest}"')
    assert told.data["coverage"]["next"] == f'ask get_rest with handle="{told.rest}"'
    silent = executor_of(answer, Offload()).run(ToolCall("act"), ADA)
    assert silent.rest
    assert silent.text.endswith("next: the same call with budget=1100 for the rest")
    assert silent.rest not in silent.text


def test_an_executor_that_keeps_nothing_gives_no_handle():
    executor = executor_of(Places(complete(60), items(60)), None)
    assert executor.run(ToolCall("act"), ADA).rest == ""
    with pytest.raises(UsageError, match="does not store"):
        executor.get_rest("x")


def test_an_answer_that_fits_keeps_nothing():
    result = executor_of(Places(complete(2), items(2)), Offload(ask="{handle}")).run(ToolCall("act"), ADA)
    assert (result.status, result.rest) == (Status.SUCCESS, "")


def test_the_rest_of_plain_data_goes_on_as_text():
    words = [f"word{n}" for n in range(1_000)]
    results = ask_all(executor_of({"words": words}, Offload(ask="ask {handle}")))
    assert results[0].data == {"words": words}
    shown = "".join(each.text.partition("\n[cut to about")[0] for each in results)
    assert shown == '{"words": [' + ", ".join(f'"{word}"' for word in words) + "]}"
    assert all(estimate_tokens(each.text) <= 300 for each in results)
    assert results[0].text.endswith(f"\n[cut to about 300 tokens]\nnext: ask {results[0].rest}")


def test_an_item_longer_than_a_part_goes_on_as_text():
    answer = Places(complete(2), items(2, width=3_000))
    results = ask_all(executor_of(answer, Offload()))
    assert len(results) > 5
    assert "".join(each.text for each in results).count("x") > 5_900


def test_the_same_handle_gives_the_same_part_again():
    executor = executor_of(Places(complete(60), items(60)), Offload())
    handle = executor.run(ToolCall("act"), ADA).rest
    first, second = executor.get_rest(handle, ADA), executor.get_rest(handle, ADA)
    assert first.data["places"] == second.data["places"]


def test_a_larger_budget_or_none_gives_a_larger_part():
    executor = executor_of(Places(complete(200), items(200)), Offload())
    handle = executor.run(ToolCall("act"), ADA).rest
    sizes = [
        len(executor.get_rest(handle, structs.replace(ADA, budget_tokens=each)).data["places"])
        for each in (300, 900, 0)
    ]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 150


@pytest.mark.parametrize(
    "other", [ToolContext(Caller("eve"), thread_id="t"), ToolContext(Caller("ada"), thread_id="u")]
)
def test_a_handle_is_good_only_for_whoever_was_given_the_answer(other):
    executor = executor_of(Places(complete(60), items(60)), Offload())
    handle = executor.run(ToolCall("act"), ADA).rest
    assert (
        executor.get_rest(handle, other).to_dict()
        == executor.get_rest("guessed", ADA).to_dict()
        == {
            "status": "error",
            "error": "unknown or expired handle",
            "error_type": "usage_error",
            "hint": "ask the question again",
            "execution_time_ms": 0,
        }
    )


def test_only_so_much_is_kept_and_the_newest_of_it():
    owner, few, small = Owner("ada", "t"), Offload(max_rests=2), Offload(max_tokens=50)
    handles = [few.keep("x" * 100, owner).handle for _ in range(4)]
    assert [few.get_rest(handle, owner, 0).status.value for handle in handles] == [
        "error",
        "error",
        "success",
        "success",
    ]
    handles = [small.keep("x" * 100, owner).handle for _ in range(4)]
    assert [small.get_rest(handle, owner, 0).status.value for handle in handles] == [
        "error",
        "error",
        "success",
        "success",
    ]
    assert small.keep("x" * 1_000, owner).handle == ""


def test_even_the_smallest_budget_makes_headway():
    context = structs.replace(ADA, budget_tokens=1)
    results = ask_all(executor_of({"words": "x" * 2_000}, Offload(ask="ask {handle}")), context)
    assert all(estimate_tokens(each.text) <= MIN_PART_TOKENS for each in results[1:])
    assert sum(each.text.count("x") for each in results) >= 2_000


def test_the_rest_is_looked_up_in_the_files_as_they_are_when_it_is_asked_for(workspace):
    source = "\n".join(f"name_{n} = {n}" for n in range(1, 401))
    opened = workspace({"many.py": source})
    executor = ToolExecutor(settings=Settings(), offload=Offload())
    context = ToolContext(Caller("ada"), opened, budget_tokens=300)
    first = executor.run(ToolCall("get_file_symbols", {"path": "many.py"}), context)
    assert first.rest
    assert "citations" in executor.get_rest(first.rest, context).data
    (opened.source.root / "many.py").write_text("gone = 1\n")
    again = executor.get_rest(first.rest, context)
    assert again.status is Status.PARTIAL
    assert "changed while the answer was made" in again.text
    assert again.data["citations"] == []
