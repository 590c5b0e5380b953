from __future__ import annotations

import pytest

from avionics.tools.answer import to_result
from avionics.tools.unified.search_code import search_code
from protocols.errors import UsageError

FILES = {
    "mail/send.py": 'def send_mail(to, body):\n    """Deliver a message by SMTP."""\n'
    "    return connect().send(to, body)\n\n\n"
    "def connect():\n    return None\n",
    "mail/queue.py": "class Queue:\n    def push(self, message):\n        self.items.append(message)\n",
}


def test_results_are_in_rank_order_with_exact_lines_and_reasons(workspace):
    result = to_result(search_code(workspace(FILES), "deliver a message by SMTP", limit=1))
    (found,) = result.data["results"]
    score = found.pop("score")
    assert found == {
        "file": "mail/send.py",
        "start_line": 1,
        "end_line": 3,
        "symbol": "send_mail",
        "kind": "function",
        "signature": "def send_mail(to, body)",
        "doc": "Deliver a message by SMTP.",
        "reasons": ["doc"],
    }
    assert score > 1
    assert result.data["citations"] == ["mail/send.py:1"]
    assert result.text.splitlines()[2] == (
        "mail/send.py:1-3 function send_mail  def send_mail(to, body) — Deliver a message by SMTP  (doc)"
    )
    assert result.data["coverage"]["found"] == 2


@pytest.mark.parametrize("query", ["", "  ", "?!", "what is this"])
def test_a_query_without_words_is_refused(workspace, query):
    with pytest.raises(UsageError, match="no words"):
        search_code(workspace(FILES), query)


def test_a_misspelt_name_gives_nothing_but_the_names_like_it(workspace):
    answer = search_code(workspace(FILES), "sned_mial")
    assert (answer.results, answer.coverage.status.value) == ((), "not_found")
    answer = search_code(workspace(FILES), "conect")
    assert [item.name for item in answer.near] == ["connect"]
    assert answer.coverage.because == ("nowhere in this code: conect",)


def test_a_path_scopes_the_search_and_a_wrong_one_is_refused(workspace):
    opened = workspace(FILES)
    assert {item.file for item in search_code(opened, "message", path="mail/queue.py").results} == {"mail/queue.py"}
    with pytest.raises(UsageError, match="mali"):
        search_code(opened, "message", path="mali")


def test_an_edit_is_seen_at_once(workspace):
    opened = workspace(FILES)
    search_code(opened, "message")
    workspace({"mail/fresh.py": "def flush_outbox():\n    pass\n"}, root=opened.root)
    assert search_code(opened, "flush the outbox").results[0].symbol == "flush_outbox"
