"""The guess what kind of question a text is, and questions that are read by it because no rule reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from avionics.tools.question_kinds import classifier
from avionics.tools.question_kinds.classifier import AskedKind, guess_kinds, rate_kinds
from avionics.tools.question_kinds.features import list_features
from avionics.tools.questions.reading import read_question

FILES = {
    "app/views.py": "from app.store import Store\n\n\nclass View:\n    def render_all(self, page):\n"
    "        return Store().load_page(page)\n",
    "app/store.py": "class Store:\n    def load_page(self, page):\n        return open_page(page)\n\n\n"
    "def open_page(page):\n    return page\n",
}


@pytest.fixture
def code(workspace):
    return workspace(FILES).code


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("who all is calling `frobnicate` nowadays", AskedKind.CALLS),
        ("between v1.2 and v1.3, what is new", AskedKind.CHANGED),
        ("is there a spec for `frobnicate`", AskedKind.TESTS),
        ("what must I edit once frobnicate_all needs one more argument", AskedKind.SIGNATURE),
        ("for what reason was frobnicate_all introduced", AskedKind.WHY),
        ("which env var turns the colours off", AskedKind.OPTION),
    ],
)
def test_the_words_of_a_question_tell_its_kind_whatever_it_is_about(text, kind):
    rates = guess_kinds(text)
    assert max(rates, key=rates.__getitem__) is kind


def test_a_text_without_known_words_is_of_no_kind_for_sure():
    assert max(guess_kinds("zzyzx qwfpg").values()) < 0.5


def test_things_of_code_are_features_without_their_names():
    found = list_features('does "too many" of --max-size in src/app.py since v1.2 reach Cart.add or POST /orders?')
    assert {"QUOTE", "FLAG", "PATH", "REVISION", "NAME", "ROUTE", "names 1"} <= set(found)
    assert not {"cart", "add", "app", "orders", "no ?"} & set(found)


def test_the_probabilities_of_all_kinds_add_up_to_one():
    rates = rate_kinds(["a", "b", "c"], {"": [1] * len(AskedKind), "a": list(range(len(AskedKind)))})
    assert sum(rates.values()) == pytest.approx(1)
    assert max(rates, key=rates.__getitem__) is list(AskedKind)[-1]


def test_every_feature_has_a_weight_for_every_kind():
    weights = json.loads(Path(classifier.__file__).with_name("weights.json").read_text("utf-8"))
    assert {len(row) for row in weights.values()} == {len(AskedKind)}
    assert "" in weights


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("I'd like to modify open_page, is there a spec for it", "tests", "open_page"),
        ("the signature of open_page is ugly. one more arg, what would I have to touch", "signature", "open_page"),
        ("list every call of open_page in the views", "usage", "open_page"),
        ("app/store.py - what's it for and where is it used", "map", ""),
        ("shop: app/store.dat: line 3: the page 'x' was refused by the store", "error", ""),
        ("somebody saves over REST. trace it: render_all to open_page", "path", ""),
        # A name that is not written as code may be meant by chance.
        ("list every call of the page in the views", "phrase", ""),
        # Two functions are no revisions.
        ("what is the difference between Store.load_page and View.render_all", "phrase", ""),
        # Nothing is told about a name that does not exist.
        ("I'd like to modify close_page, is there a spec for it", "phrase", ""),
        # Only what the rules do not read is guessed.
        ("how is View implemented", "flow", ""),
    ],
)
def test_what_no_rule_reads_is_read_by_its_kind_if_it_names_code(code, text, intent, subject):
    found = read_question(code, text)
    name = found.definition.name if found.definition and intent != "flow" else ""
    assert (found.intent.value, name) == (intent, subject)
