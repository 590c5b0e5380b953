"""The embedder without a model finds by words, the same everywhere."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from avionics.model import EmbedderProtocol, VectorRecord
from avionics.semantic.lexical import DIMENSION, LexicalEmbedder
from avionics.semantic.local import MemoryVectorStore

PASSAGES = {
    "auth": "Users log in with a password or a single sign-on token. Failed logins lock the account for ten minutes.",
    "bill": "Invoices are sent on the first of the month. Refunds take five working days to reach the card.",
    "ship": "Parcels leave the warehouse within a day. Tracking numbers are mailed when the courier collects.",
    "limits": "Every request carries an api key in the header. Rate limits are 100 requests a minute; retry later.",
    "privacy": "We delete personal data thirty days after it was given back.",
    "words": "How do I do the thing that you want to do with the work of the others? It is what it is.",
}


@pytest.fixture(scope="module")
def ask():
    embedder, store = LexicalEmbedder(), MemoryVectorStore()
    vectors = embedder.embed(list(PASSAGES.values()))
    store.upsert("n", [VectorRecord(name, vector) for name, vector in zip(PASSAGES, vectors, strict=True)])

    def nearest(query: str) -> str:
        return store.find_nearest("n", embedder.embed([query])[0], 1)[0].id

    return nearest


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("how do I reset my password", "auth"),
        ("when will I get my refund?", "bill"),
        ("tracking a parcel", "ship"),
        ("how many requests can I make per minute", "limits"),
        ("requestLimits", "limits"),
        ("deleting personal data", "privacy"),
    ],
)
def test_a_passage_is_found_by_its_words_and_parts_of_them(ask, query, passage):
    assert ask(query) == passage


def test_every_vector_has_length_one_and_a_text_without_words_is_all_zeros():
    full, empty = LexicalEmbedder().embed(["some text", " …\n"])
    assert (len(full), len(empty)) == (DIMENSION, DIMENSION)
    assert math.hypot(*full) == pytest.approx(1.0)
    assert not any(empty)


def test_it_is_an_embedder_that_says_which():
    assert isinstance(LexicalEmbedder(), EmbedderProtocol)
    assert LexicalEmbedder().name == "lexical-2048"


def test_the_same_text_gives_the_same_vector_in_another_process():
    code = (
        "from avionics.semantic.lexical import LexicalEmbedder\n"
        "(vector,) = LexicalEmbedder().embed(['Grüße from the Café, twice twice'])\n"
        "print([(place, round(value, 9)) for place, value in enumerate(vector) if value])"
    )
    (vector,) = LexicalEmbedder().embed(["Grüße from the Café, twice twice"])
    here = [(place, round(value, 9)) for place, value in enumerate(vector) if value]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert done.stdout.strip() == str(here)
