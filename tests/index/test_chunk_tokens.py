"""A cut for one query says of the query's terms what the whole cut says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from avionics.index.search.chunk_tokens import QueryCutter, TokenCache, tokenize_file
from avionics.index.search.chunks import WHOLE, Source, chunk_file
from avionics.index.search.query import read_query, spellings_of, stem, stems_of
from avionics.syntax.extract import extract_facts
from avionics.workspace import Workspace

PIECES = [
    "copy", "copies", "Copied", "tries", "pies", "py", "cachedEntry", "cached_entries", "CACHE", "stopped", "_x1", "9a",
    "größe", "Σας", "ΑΣ", "İx", "K", " ", "\n", "  # ", "\n\ndef ", "\n    def ", "class ", "(): pass\n", '"""', ".",
]  # fmt: skip
TERMS = [
    "copi", "tri", "try", "py", "pi", "cach", "entri", "stop", "größ", "αs", "k", "x", "def", "pass",
    WHOLE + "cached_entries", WHOLE + "cachedentry", WHOLE + "copied", WHOLE + "x1", WHOLE,
]  # fmt: skip
ROOT = Path(__file__).parents[2]


def source_of(text: str, language: str) -> Source:
    return Source(text, language, extract_facts(text.encode("utf-8", "surrogateescape"), language))


def require_same(source: Source, terms: list[str], wordings: TokenCache) -> None:
    sparse, whole = QueryCutter(terms, wordings).cut(source), chunk_file(source)
    assert sparse.chunks == whole.chunks
    for term in terms:
        assert sparse.postings.get(term, ()) == whole.postings.get(term, ()), term


@settings(max_examples=150)
@example(["copies", " ", "tries", "\n", "pies"], ["copi", "try", "py"])
@example(["class ", "İx", "(): pass\n", "copy"], ["copi", "x"])
@example(["Σας", " ", "ΑΣ"], ["αs"])
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.lists(st.sampled_from(TERMS[:-1]), unique=True, min_size=1))
def test_generated_texts_are_cut_alike(pieces: list[str], terms: list[str]) -> None:
    require_same(source_of("".join(pieces), "python"), terms, TokenCache())


@pytest.mark.parametrize("path", ["avionics/index/search/ranking.py", "tests/index/test_query.py", "docs/search.md"])
def test_real_files_are_cut_alike_and_from_what_is_kept_too(path: str) -> None:
    text = (ROOT / path).read_text()
    source, wordings = source_of(text, "python" if path.endswith(".py") else "markdown"), TokenCache()
    words = text.split()
    for start in range(0, len(words), max(1, len(words) // 25)):
        query = read_query(" ".join(words[start : start + 12]))
        require_same(source, [*query.terms, *(WHOLE + name for name in query.identifiers)], wordings)


@given(st.text(st.sampled_from("abcdeginrstuvy"), min_size=2, max_size=12))
def test_a_word_holds_what_its_stem_is_looked_for_by(word: str) -> None:
    require_same(source_of(f"{word} = 1\n", "python"), list(stems_of(word)) or [stem(word)], TokenCache())
    assert all(stem(each) for each in spellings_of(stem(word)))


def test_an_empty_term_is_nowhere() -> None:
    assert QueryCutter([WHOLE], TokenCache()).cut(source_of("a = 1\n", "python")).postings == {}


def test_the_wordings_used_last_are_kept() -> None:
    sources = [source_of(f"def f{number}(): pass\n" * 50, "python") for number in range(9)]
    size = tokenize_file(sources[0]).size
    wordings = TokenCache(max_bytes=3 * size)
    first = wordings.get(sources[0])
    for source in sources[1:]:
        assert wordings.get(sources[0]) is first
        wordings.get(source)
    last = wordings.get(sources[8])
    assert wordings.get(sources[8]) is last
    for source in sources[1:5]:
        wordings.get(source)
    assert wordings.get(sources[0]) is not first


def test_files_cut_for_a_query_are_ranked_as_files_cut_completely(workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {path.name: path.read_text() for path in (ROOT / "avionics" / "source").glob("*.py")}
    opened: Workspace = workspace(files)
    questions = ["lines that match a pattern", "walk the tree and ignore links", "RipgrepEngine start process", "mtime"]
    plain = [search(opened, question) for question in questions]
    monkeypatch.setattr(QueryCutter, "cut", lambda _, source: chunk_file(source))
    assert [search(opened, question) for question in questions] == plain


def search(opened: Workspace, question: str) -> object:
    from avionics.index.search.ranking import rank_symbols

    return rank_symbols(opened.code, read_query(question), opened.source.text)
