"""No secret that a call carries is found anywhere it may be read."""

from __future__ import annotations

import asyncio
import json
import logging
from urllib.parse import quote

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model import Caller, Coverage, Secret, SourceError, Status, ToolCall, ToolContext, ToolResult, complete
from avionics.settings import Settings
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.catalog import ToolDefinition
from avionics.tools.execution.overflow_store import Offload
from avionics.tools.executor import Guard, Refusal, ToolExecutor
from avionics.tools.observers.audit import JsonLinesSink, MemorySink, audited, observed
from avionics.tools.registry import ToolRegistry
from avionics.tools.secrets.redaction import Redactor, build_scrub, read_name

SECRETS = (
    "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "hunter2!",
    'quo"ted\\pass',
    "pä$$wörd\nline two",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----",
)


@pytest.mark.parametrize(
    "name",
    ["api_key", "apiKey", "API-KEY", "x-api-key", "OPENAI_API_KEY", "password", "db_password", "Authorization", "token",
     "accessToken", "client_secret", "privateKey", "credentials", "Set-Cookie", "passwd", "refresh_token"],
)  # fmt: skip
def test_names_of_secrets_are_known_in_every_spelling(name):
    assert read_name(name)[0]
    assert Redactor().redact({name: "abc"}) == {name: "***"}


@pytest.mark.parametrize(
    "name", ["key", "keyboard", "author", "secretary", "tokenizer", "max_tokens", "path", "passing"]
)
def test_names_that_only_look_like_it_are_left_alone(name):
    assert Redactor().redact({name: "abc"}) == {name: "abc"}


def test_redaction_goes_all_the_way_down_and_leaves_the_rest():
    given_ = {
        "servers": [{"url": "postgres://ada:hunter2!@db/x", "auth": {"user": "ada", "pin": 1234}}, ("a", None)],
        "password": 123456,
        "max_token": 5,
        "note": "login with password=hunter2! or Bearer abcdefghijklmnop123",
    }
    assert Redactor().redact(given_) == {
        "servers": [{"url": "postgres://ada:***@db/x", "auth": "***"}, ["a", None]],
        "password": "***",
        "max_token": 5,
        "note": "login with password=*** or Bearer ***",
    }


def test_what_was_seen_under_a_secrets_name_is_hidden_everywhere():
    assert Redactor().redact({"token": "abcd1234", "note": "it is abcd1234", "abcd1234": 1}) == {
        "token": "***",
        "note": "it is ***",
        "***": 1,
    }


def test_a_product_names_its_own_secrets():
    redactor = Redactor(known=[Secret("s3cr3t-value"), "other-value"], names=["Badge"])
    assert redactor.redact({"badge": 7, "x": ["s3cr3t-value", "an other-value too"]}) == {
        "badge": "***",
        "x": ["***", "an *** too"],
    }
    assert "s3cr3t" not in repr(redactor)


def test_a_short_value_is_hidden_under_its_name_only():
    assert Redactor().redact({"password": "abc", "note": "abc"}) == {"password": "***", "note": "abc"}


@given(st.sampled_from(SECRETS), st.text(max_size=20), st.text(max_size=20))
def test_a_secret_is_found_in_every_spelling_text_may_give_it(secret, before, after):
    from urllib.parse import quote

    scrub = build_scrub([secret])
    for form in (
        secret,
        repr(secret),
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
        quote(secret, safe=""),
    ):
        assert form.strip("'\"") not in scrub(f"{before}{form}{after}")


def test_a_quotation_that_was_cut_gives_nothing_away():
    secret = SECRETS[0]
    assert build_scrub([secret])(f"got string '{secret[:39]}…'") == "got string '***…'"


def test_nothing_is_touched_where_there_is_no_secret():
    assert Redactor().get_scrub({"symbol": "token: str", "limit": 3}) is None


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_redaction_keeps_plain_data_plain_and_is_done_once(value):
    once = Redactor().redact(value)
    json.dumps(once)
    assert Redactor().redact(once) == once


def test_what_nests_deeper_than_anything_honest_is_hidden():
    deep = current = {}
    for _ in range(5_000):
        current["x"] = {}
        current = current["x"]
    current["password"] = "hunter2!"
    assert "hunter2!" not in str(Redactor().redact(deep))
    assert Redactor().get_scrub(deep) is None


@attrs.frozen
class Answer:
    coverage: Coverage
    places: tuple[PlaceItem, ...] = part("Places")
    note: str = ""

    def headline(self) -> str:
        return f"found {self.note}"


class Odd:
    def __init__(self, text):
        self._text = text

    def __str__(self):
        return self._text


def behaviours(secret):
    """Everything a tool may do with a secret it was given."""

    async def echo(**arguments):
        return {"status": "success", "data": {"got": [arguments, secret], secret: Odd(f"<{secret}>")}}

    async def answer(**arguments):
        items = tuple(PlaceItem(f"{secret}.py", line, f"key = {secret}") for line in range(1, 300))
        return Answer(complete(len(items)), items, secret)

    async def whole(**arguments):
        return ToolResult(Status.SUCCESS, {"x": secret}, message=secret, text=f"text {secret}")

    async def error(**arguments):
        return {"status": "error", "error": f"bad {secret}", "hint": f"use {secret}"}

    async def wrong_status(**arguments):
        return {"status": secret}

    async def long(**arguments):
        return {"text": "x" * 24_000 + secret * 200}

    async def bug(**arguments):
        try:
            raise ValueError(secret)
        except ValueError as fault:
            raise KeyError(secret) from fault

    def threaded(**arguments):
        raise RuntimeError(f"in a thread: {secret}")

    async def deliberate(**arguments):
        raise SourceError(f"cannot read {secret}", hint=f"not with {secret}")

    async def leave(**arguments):
        raise SystemExit(secret)

    return (echo, answer, whole, error, wrong_status, long, bug, threaded, deliberate, leave)


def everything_written(secret, arguments, *, known=(), tmp_path, caplog):
    """All that can be read after such calls: results, records, files, logs."""
    memory, file = MemorySink(), JsonLinesSink(tmp_path / "audit.jsonl")
    redactor = Redactor(known=known)

    def faulty_observer(observation):
        raise OSError(f"cannot write {observation.call.arguments} {secret}")

    def guard(step):
        if step.tool.name == "refused":
            return Refusal("rejected", f"no {secret}", f"nor {secret}")
        if step.tool.name == "faulty":
            raise LookupError(f"policy for {dict(step.arguments)} {secret}")
        return step

    registry, offload = ToolRegistry(), Offload(ask="get_rest {handle}")
    functions = {function.__name__: function for function in behaviours(secret)}
    for name in (*functions, "refused", "faulty", "strict"):
        schemas = {"strict": {"note": "string", "password": "integer?"}}.get(
            name, {"note": "any?", "password": "any?", "headers": "object?"}
        )
        registry.register_tool(ToolDefinition(name, functions.get(name, functions["echo"]), schemas, "Act"))
    executor = ToolExecutor(
        registry,
        [Guard(guard)],
        [
            audited(memory, redactor=redactor),
            audited(file, redactor=redactor),
            observed(memory, redactor),
            faulty_observer,
        ],
        Settings(),
        redactor=redactor,
        offload=offload,
    )
    results = []
    with caplog.at_level(logging.DEBUG):
        for name in registry.get_tool_names():
            result = executor.run(ToolCall(name, arguments, "c"), ToolContext(Caller("ada")))
            results.append(result)
            while result.rest:
                result = executor.get_rest(result.rest, ToolContext(Caller("ada")))
                results.append(result)
    assert {result.status.value for result in results} >= {"success", "partial", "error"}
    written = [json.dumps(result.to_dict(), ensure_ascii=False) + result.text + repr(result) for result in results]
    written += [
        json.dumps(memory.records, ensure_ascii=False, default=str),
        (tmp_path / "audit.jsonl").read_text("utf-8"),
    ]
    written += [caplog.text, *(str(record.__dict__) for record in caplog.records)]
    return "\n".join(written)


def traces_of(secret, written):
    """The spellings of a secret, or the first half of it, that stand in what was written."""
    forms = {secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    forms |= {form[: max(len(form) // 2, 8)] for form in forms if len(form) >= 40}
    return [form for form in forms if form in written]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "plant",
    [
        lambda secret: {"password": secret, "note": "x"},
        lambda secret: {"headers": {"nested": [{"Authorization": secret}]}, "note": "x"},
        lambda secret: {"note": [{"env": {"DB_PASSWORD": secret}}, {"apiKey": [secret]}]},
        lambda secret: {"note": {"credentials": {"user": "ada", "any": {"depth": secret}}}, "password": "other-one"},
        lambda secret: {"note": f"https://ada:{quote(secret, safe='')}@host/x", "password": secret},
    ],
    ids=["under its name", "in headers", "in lists", "below a telling name", "in a URL"],
)
def test_no_secret_of_the_arguments_is_found_in_any_log_record_result_or_exception(secret, plant, tmp_path, caplog):
    written = everything_written(secret, plant(secret), tmp_path=tmp_path, caplog=caplog)
    assert traces_of(secret, written) == []
    assert "***" in written


def test_no_secret_of_the_configuration_is_found_either(tmp_path, caplog):
    secret = SECRETS[0]
    written = everything_written(secret, {"note": "x"}, known=[Secret(secret)], tmp_path=tmp_path, caplog=caplog)
    assert traces_of(secret, written) == []


def test_a_secret_that_a_transform_adds_is_kept_back_too(caplog):
    from avionics.tools.guards import transformed

    async def echo(note, password=""):
        return {"password_was": password}

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("echo", echo, {"note": "string", "password": "string?"}, "Act"))
    guard = transformed(lambda tool, args, user, context: {**args, "password": "only-the-server-knows"})
    result = ToolExecutor(registry, [guard], settings=Settings()).run(ToolCall("echo", {"note": "x"}))
    assert result.data == {"password_was": "***"}


def test_a_tool_is_given_its_secrets_untouched():
    seen = []

    async def act(password):
        seen.append(password)

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", act, {"password": "string"}, "Act"))
    asyncio.run(ToolExecutor(registry, settings=Settings()).execute(ToolCall("act", {"password": "hunter2!"})))
    assert seen == ["hunter2!"]


def test_questions_about_code_that_speaks_of_secrets_are_answered_whole():
    async def grep(pattern):
        return {"lines": ["token: str = ''", "password = Secret(value)", "api_key=api_key"], "pattern": pattern}

    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("grep", grep, {"pattern": "string"}, "Search"))
    result = ToolExecutor(registry, settings=Settings()).run(ToolCall("grep", {"pattern": "password = Secret"}))
    assert result.data == {
        "lines": ["token: str = ''", "password = Secret(value)", "api_key=api_key"],
        "pattern": "password = Secret",
    }


@pytest.mark.parametrize("word", ["function", "Bearer", "abcd"])
def test_a_secret_that_is_a_word_rewrites_no_other_text(word):
    scrub = Redactor().get_scrub({"token": word})
    text = {"text": f"def a {word}(): pass", word: 1}
    assert (scrub(text) if scrub else text) == text
    assert Redactor().redact({"token": word, "text": word}) == {"token": "***", "text": word}


def test_keys_that_would_become_one_are_kept():
    scrub = Redactor(known=("s3cret-a", "s3cret-b")).get_scrub()
    assert scrub({"s3cret-a": 1, "s3cret-b": "s3cret-a"}) == {"s3cret-a": 1, "s3cret-b": "***"}
