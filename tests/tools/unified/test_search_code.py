from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import to_result
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.unified.search_code import search_code

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
        "reasons": ['text "a message by SMTP"', "doc"],
    }
    assert score > 1
    assert result.data["citations"] == ["mail/send.py:1"]
    assert result.text.splitlines()[2] == (
        "mail/send.py:1-3 function send_mail  def send_mail(to, body) — Deliver a message by SMTP"
        '  (text "a message by SMTP"; doc)'
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
    assert answer.coverage.reasons == (Reason(ReasonKind.NO_MATCH, subject="conect"),)


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


SHOP = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return sum(self.items)\n\n"
    '    def checkout(self):\n        if not self.items:\n            raise ValueError("the cart is empty")\n'
    "        return charge(self.total())\n",
    "shop/pay.py": "def charge(amount):\n    return post(amount)\n\n\ndef total(rows):\n    return len(rows)\n",
    "web/routes.py": "@app.route('/orders/<id>')\ndef show_order(id):\n    return find(id)\n\n\n"
    "def main(parser):\n    parser.add_argument('--dry-run')\n    return CONFIG['mail.smtp_host']\n",
}


@pytest.mark.parametrize(
    ("query", "symbol", "reason"),
    [
        ("checkout", "Cart.checkout", "named"),
        ("Cart.total", "Cart.total", "named"),
        ("shop/pay.py:2", "charge", "place named"),
        ('It says "the cart is empty" and stops', "Cart.checkout", 'text "the cart is empty"'),
        ("ValueError: the cart is empty", "Cart.checkout", 'text "the cart is empty"'),
        ('File "/srv/shop/cart.py", line 3, in total\nTypeError: bad operand', "Cart.total", "traceback"),
        ("GET /orders/12 answers 404", "show_order", "name"),
        ("the --dry-run flag is ignored", "main", "body: dry, run"),
        ("mail.smtp_host is not read", "main", "body: smtp_host, mail"),
    ],
)
def test_every_way_of_naming_code_leads_to_it_and_says_how(workspace, query, symbol, reason):
    best = search_code(workspace(SHOP), query).results[0]
    assert best.symbol == symbol
    assert reason in best.reasons


def test_what_a_better_match_calls_says_so(workspace):
    results = search_code(workspace(SHOP), "checkout of an empty cart charges").results
    caller = describe_reason(Reason(ReasonKind.CALLED_BY_MATCH, subject="Cart.checkout"))
    assert caller in {item.symbol: item.reasons for item in results}["charge"]


@pytest.mark.parametrize("query", ["x" * 30_000, "qwxz zxwq vvvq"])
def test_an_absurd_query_finds_nothing_and_says_so(workspace, query):
    answer = search_code(workspace(SHOP), query)
    assert (answer.results, answer.coverage.status.value) == ((), "not_found")


@pytest.mark.parametrize("query", ["\x00\x01 \ud800", "🦉 🦉", "{}[]();:" * 400])
def test_a_query_of_signs_alone_is_refused(workspace, query):
    with pytest.raises(UsageError, match="no words"):
        search_code(workspace(SHOP), query)
