"""Ranked search with an embedder that the user named: off by default, said when it took part, never in the way."""

from __future__ import annotations

import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from msgspec import structs

from avionics.index.search.query import read_query
from avionics.index.search.rank_fusion import RankFusion
from avionics.index.search.ranking import rank_symbols
from avionics.model import ConfigError, Secret
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.tools.answers.answer import to_result
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.internal.symbols.semantic_search import semantic_search
from avionics.tools.unified.analyze import analyze
from avionics.tools.unified.search_code import search_code
from avionics.workspace import Workspace

_SPEC = spec_from_file_location("embedding_servers", Path(__file__).parents[1] / "semantic" / "conftest.py")
assert _SPEC
assert _SPEC.loader
_SERVERS = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_SERVERS)
serve = _SERVERS.serve

KEY = "sk-planted-embeddings-key"
QUESTION = "give the customer of an order their money back"
MEANINGS = (("money back", "refund", "reimburse"), ("customer", "client"), ("order", "purchase"))
FILES = {
    "shop/orders.py": (
        "def list_orders(customer):\n    # each order of the customer, newest first\n    return customer.orders\n\n\n"
        "def show_order(order):\n    # the order of a customer as the customer gave it\n    return order.lines\n"
    ),
    "shop/claims.py": (
        "def reimburse(client, purchase):\n    # refund what the client paid: the customer gets all of it\n"
        "    return client.account.refund(purchase.price)\n"
    ),
    "shop/other.py": "".join(f"def order_{n}(customer):\n    # their customer\n    return {n}\n\n\n" for n in range(9)),
}


def embed(text: str) -> list[float]:
    """How often a text speaks of each meaning, in whichever words."""
    return [0.01 + sum(text.lower().count(word) for word in words) for words in MEANINGS]


def speak(request):
    """OpenAI's embeddings API over those meanings; money counts most."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return 401, {"error": {"message": f"Incorrect API key: {request.headers.get('authorization')}"}}
    vectors = [[9 * vector[0], *vector[1:]] for vector in map(embed, request.body["input"])]
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return 200, {"object": "list", "data": data, "model": request.body["model"]}


@pytest.fixture
def server(serve):
    return serve(speak)


@pytest.fixture
def shop(directory, settings, server):
    """Opens the shop with embeddings on: `shop(embeddings_key=…)` for other settings."""
    opened = []

    def make(root=None, **changes):
        named = {"embeddings": f"{server.url}/v1", "embeddings_key": Secret(KEY), **changes}
        opened.append(Workspace.open(root or directory(FILES), structs.replace(settings, **named)))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def order_of(answer) -> list[str]:
    return [item.symbol for item in answer.results]


def texts_of(server, start: int = 0) -> list[str]:
    return [text for request in server.requests[start:] for text in request.body["input"]]


def test_nothing_is_asked_and_nothing_said_by_default(shop, server):
    plain = search_code(shop(embeddings=""), QUESTION)
    assert server.requests == []
    assert Settings.from_environment({}).embeddings == ""
    assert "meaning" not in to_result(plain).text
    assert semantic_search(shop(embeddings=""), QUESTION).layers == ("words",)


def test_meaning_changes_the_order_and_the_answer_says_that_it_took_part(shop):
    plain, answer = search_code(shop(embeddings=""), QUESTION, limit=20), search_code(shop(), QUESTION, limit=20)
    assert order_of(answer).index("reimburse") < order_of(plain).index("reimburse")
    assert order_of(answer)[0] == order_of(plain)[0]
    used = Reason(ReasonKind.RANKED_BY_MEANING, 12, subject="text-embedding-3-small", total=12)
    assert answer.coverage.reasons[-1] == used
    assert describe_reason(used) in to_result(answer).text


def test_every_question_that_ranks_says_it(shop):
    opened = shop()
    found = semantic_search(opened, QUESTION)
    assert found.layers == ("words", "text-embedding-3-small")
    assert found.headline().endswith("ranked by words and embeddings (text-embedding-3-small)")
    assert ReasonKind.RANKED_BY_MEANING in {each.kind for each in analyze(opened, QUESTION).coverage.reasons}


def test_what_the_words_find_is_what_is_found(shop):
    plain, fused = search_code(shop(embeddings=""), QUESTION, limit=20), search_code(shop(), QUESTION, limit=20)
    assert sorted(order_of(plain)) == sorted(order_of(fused))
    assert (plain.coverage.found, plain.coverage.shown) == (fused.coverage.found, fused.coverage.shown)


@pytest.mark.parametrize("question", ["order_3", "`order_3` pays money back", "shop/other.py:17 pays money back"])
def test_what_the_question_names_stays_first(shop, directory, question):
    claims = "".join(f"def pay_{n}(client):\n    # pays, {'refunded ' * 3}\n    return {n}\n\n\n" for n in range(20))
    root = directory({**FILES, "shop/claims.py": claims})
    plain, fused = (search_code(shop(root, **more), question, limit=30) for more in ({"embeddings": ""}, {}))
    assert order_of(plain)[0] == order_of(fused)[0] == "order_3"
    assert fused.coverage.reasons[-1].kind is ReasonKind.RANKED_BY_MEANING


def test_an_endpoint_that_is_down_leaves_the_order_to_words_and_is_named(shop, server):
    plain = search_code(shop(embeddings=""), QUESTION)
    server.close()
    answer = search_code(shop(), QUESTION)
    assert order_of(answer) == order_of(plain)
    basis, failure = answer.coverage.reasons[len(plain.coverage.reasons) :]
    assert basis == Reason(ReasonKind.RANKED_BY_WORDS, subject="text-embedding-3-small")
    assert failure.subject.startswith("the embeddings server at ")
    assert to_result(answer).status is to_result(plain).status
    assert semantic_search(shop(), QUESTION).layers == ("words",)


def test_a_refused_key_is_never_shown(shop):
    answer = to_result(search_code(shop(embeddings_key=Secret("sk-planted-wrong-key")), QUESTION))
    assert "refused the credentials (401)" in answer.text
    assert "planted" not in f"{answer.text}{answer.data}{answer.message}"


def test_neither_the_key_nor_the_questions_settings_show_it(shop):
    opened = shop()
    answer = to_result(search_code(opened, QUESTION))
    assert "planted" not in f"{answer.text}{answer.data}{opened.settings}"


def test_credentials_in_the_code_are_not_sent(shop, server, directory):
    planted = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    search_code(shop(directory({"pay.py": f"def order_money(customer):\n    return '{planted}'\n"})), QUESTION)
    sent = "\n".join(texts_of(server))
    assert "def order_money" in sent
    assert planted not in sent


def test_a_second_question_embeds_only_itself(shop, server):
    opened = shop()
    search_code(opened, QUESTION)
    before = len(server.requests)
    search_code(opened, "customer order")
    assert texts_of(server, before) == ["customer order"]


def test_an_edit_costs_the_passages_it_touches(shop, server, directory):
    search_code(shop(), QUESTION)
    before = len(server.requests)
    root = directory(
        {"shop/orders.py": f"# moved down\n\n{FILES['shop/orders.py'].replace('order.lines', 'order.rows')}"}
    )
    search_code(shop(root), QUESTION)
    question, *edited = texts_of(server, before)
    assert question == QUESTION
    assert [text.split("\n")[0] for text in edited] == ["show_order"]


def test_another_worktree_has_the_vectors(shop, server, directory, tmp_path):
    search_code(shop(), QUESTION)
    before = len(server.requests)
    search_code(shop(shutil.copytree(directory({}), tmp_path / "other")), QUESTION)
    assert texts_of(server, before) == [QUESTION]


def test_another_model_does_not_take_the_first_ones_vectors(shop, server):
    search_code(shop(), QUESTION)
    before = len(server.requests)
    search_code(shop(embeddings_model="another"), QUESTION)
    assert len(texts_of(server, before)) == 13


def test_a_server_that_fails_in_the_middle_is_named_and_what_it_gave_is_used(shop, server):
    answered = server.answer
    server.answer = lambda request: answered(request) if len(server.requests) == 1 else (400, {"error": "too much"})
    plain = search_code(shop(embeddings=""), QUESTION)
    answer = search_code(shop(), QUESTION)
    assert answer.coverage.reasons[-1].subject.endswith("answered 400: too much")
    assert order_of(answer) == order_of(plain)


def test_bytes_of_no_encoding_are_embedded_too(shop, directory):
    root = directory({"odd.py": b"def order(customer):\n    return 'money back \xff\xfe'\n"})
    used = search_code(shop(root), QUESTION).coverage.reasons[-1]
    assert (used.kind, used.count, used.total) == (ReasonKind.RANKED_BY_MEANING, 1, 1)


def test_without_the_extra_the_answer_names_it(shop, monkeypatch):
    opened = shop(embeddings="sentences")
    plain = order_of(search_code(shop(embeddings=""), QUESTION))
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    answer = search_code(opened, QUESTION)
    assert order_of(answer) == plain
    assert "pip install 'avionics[sentences]'" in answer.coverage.reasons[-1].subject


class Counting:
    """An embedder of one's own."""

    name = "mine"

    def embed(self, texts):
        return tuple(tuple(embed(text)) for text in texts)


def test_what_was_not_embedded_in_time_is_counted(workspace):
    opened = workspace({"many.py": "\n".join(f"def order_{n}(customer):\n    pass\n" for n in range(60))})
    asked = read_query(QUESTION)

    def ask(seconds):
        fusion = RankFusion(opened.code, Counting(), opened.store.vectors, QUESTION, seconds=seconds)
        return rank_symbols(opened.code, asked, opened.source.text, reorder=fusion.reorder), fusion.likeness

    plain = rank_symbols(opened.code, asked, opened.source.text)
    late, likeness = ask(-1.0)
    assert late == plain
    assert likeness.reasons == (
        Reason(ReasonKind.RANKED_BY_WORDS, subject="mine"),
        Reason(ReasonKind.PASSAGES_NOT_COMPARED, 60, subject="-1"),
    )
    _, likeness = ask(60.0)
    assert likeness.reasons == (Reason(ReasonKind.RANKED_BY_MEANING, 60, subject="mine", total=60),)
    _, likeness = ask(-1.0)
    assert (likeness.compared, likeness.gap) == (60, None)


def test_the_environment_names_the_embedder():
    given = {"AVIONICS_EMBEDDINGS": "http://127.0.0.1:1/v1", "AVIONICS_EMBEDDINGS_MODEL": "m",
             "AVIONICS_EMBEDDINGS_KEY": KEY}  # fmt: skip
    found = Settings.from_environment(given)
    assert (found.embeddings, found.embeddings_model, found.embeddings_key) == (
        given["AVIONICS_EMBEDDINGS"],
        "m",
        Secret(KEY),
    )
    assert KEY not in repr(found)
    with pytest.raises(ConfigError, match="sentences or a URL"):
        Settings.from_environment({"AVIONICS_EMBEDDINGS": "minilm"})
