"""Whatever state a message is in, its sender gets an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.mcp.protocol.messages import ErrorReply, get_id, iter_messages, read_message, refuse_long

DEEP = "[" * 100_000 + "]" * 100_000
CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s}}'


def refusal(data: bytes) -> tuple:
    message = read_message(data)
    assert isinstance(message, ErrorReply), message
    return message.id, message.code


def test_a_good_message_is_read_as_it_is():
    message = read_message((CALL % (7, '"locate"')).encode())
    assert json.loads(message.to_bytes()) == json.loads(CALL % (7, '"locate"'))


def test_lone_surrogates_become_question_marks():
    assert read_message((CALL % (7, r'"a\ud800b"')).encode()).params == {"name": "a?b"}


def test_bytes_that_are_not_utf8_become_replacement_characters():
    assert read_message((CALL % (7, '"X"')).encode().replace(b"X", b"\xff")).params == {"name": "\ufffd"}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("{", (None, -32700)),
        ("", (None, -32700)),
        ('{"jsonrpc":"2.0","id":7,"method":', (7, -32700)),
        ('{"jsonrpc":"2.0","method":"x","params":{"id":1},"id":"seven",', ("seven", -32700)),
        (CALL % (7, DEEP), (7, -32700)),
        (CALL % (7, "[" * 300 + "]" * 300), (7, -32600)),
        (CALL % (7, "9" * 5_000), (7, -32700)),
        (f'{{"method":"x","params":{DEEP},"jsonrpc":"2.0","id":"last"}}', ("last", -32700)),
        ('{"jsonrpc":"2.0","id":7}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":7,"method":5}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":[1]}', (7, -32600)),
        ('{"jsonrpc":"1.0","id":7,"method":"x"}', (7, -32600)),
        ('{"jsonrpc":"2.0","id":null,"method":"x"}', (None, -32600)),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', (1.5, -32600)),
        ('{"jsonrpc":"2.0","id":true,"method":"x"}', (None, -32600)),
        (CALL % (r'"\ud800"', '"x"'), ("\ud800", -32600)),
        ('"text"', (None, -32600)),
        ("17", (None, -32600)),
    ],
)
def test_a_message_that_cannot_be_served_is_refused_under_its_id(text, answer):
    assert refusal(text.encode()) == answer


def test_an_id_that_no_utf8_can_carry_goes_back_as_it_came():
    answer = read_message((CALL % (r'"\ud800"', '"x"')).encode()).to_bytes()
    assert b'"id": "\\ud800"' in answer


def test_the_members_of_a_batch_are_messages_of_their_own():
    one, two = '{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":2}'
    first, second = iter_messages(f"[{one},{two}]".encode())
    assert (first.id, second.id, second.code) == (1, 2, -32600)


def test_an_empty_or_broken_batch_is_refused():
    assert [message.code for text in (b"[]", b"[1") for message in iter_messages(text)] == [-32700, -32700]


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc":"2.0","id":7,"method":"x","params":{"text":"%s"}}',
        '{"method":"x","params":{"text":"%s"},"jsonrpc":"2.0","id":7}',
        '{"method":"x","params":{"text":"%s","id":8},"jsonrpc":"2.0","id":7}',
    ],
)
def test_a_message_that_is_too_long_is_refused_under_its_id(text):
    data = (text % r"\"id\":9} {[ ").encode()
    long = (text % (r"\"id\":9} {[ " * 10_000)).encode()
    assert refuse_long(data, 10).id == 7
    assert refuse_long(long[:20_000] + long[-20_000:], 10).id == 7


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data):
    get_id(data)
    for message in iter_messages(data):
        if isinstance(message, ErrorReply):
            json.loads(message.to_bytes())
