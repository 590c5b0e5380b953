"""Tokenized files: the words of a file in order, chunk by chunk, from which it is cut for one query.

Cutting a file completely, as `chunks` does, counts nearly all words for nothing. A tokenized file is made in a fifth of
the time and is about as large as its text, so that many can be kept.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, groupby

from msgspec import Struct

from avionics.bounded_cache import BoundedCache
from avionics.index.search.chunks import (
    FIELDS,
    WHOLE,
    Chunk,
    FileCut,
    Source,
    chunk_file,
    fields_of,
    find_owned_lines,
    list_owners,
    list_words,
    norm_of,
    plan_chunks,
    terms_of,
)

_MAX_BYTES = 20_000_000
"""The memory for tokenized files; it holds some 1,000 files of ordinary size."""

_MAX_WORDS = 0x110000
"""A file with more different words cannot be tokenized, because there are no more characters."""


class TokenizedFile(Struct, frozen=True, eq=False):
    """The words of a file.

    Attributes:
        chunks: The chunks in order of appearance, the rest of the module last.
        words: Each word once, one a line.
        headings: The name, the qualified name and the documentation of each chunk's symbol, one a line, in lower case.
        order: One character per word of the text, whose code is the word's index in `words`.
        starts: The positions in `order` where the runs of lines of one chunk begin.
        owners: The number of the chunk of each of these.
        totals: The number of words of each chunk.
    """

    chunks: tuple[Chunk, ...]
    words: str
    headings: str
    order: str
    starts: tuple[int, ...]
    owners: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def size(self) -> int:
        """Return the approximate number of bytes it takes: its texts, and what it has for each chunk and each run."""
        texts = sum(map(sys.getsizeof, (self.words, self.headings, self.order)))
        return texts + 150 * len(self.chunks) + 50 * len(self.starts)

    def list_chunks(self, place: int) -> list[int]:
        """Return the number of the chunk of each occurrence of a word, given its index in `words`."""
        letter, order, starts, owners = chr(place), self.order, self.starts, self.owners
        found = []
        at = order.find(letter)
        while at >= 0:
            found.append(owners[bisect(starts, at) - 1])
            at = order.find(letter, at + 1)
        return found


class TokenCache:
    """Keeps the most recently used tokenized files, by content; safe for several threads."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._kept: BoundedCache[bytes, TokenizedFile] = BoundedCache(max_bytes, lambda tokens: tokens.size)

    def get(self, source: Source) -> TokenizedFile | None:
        """Return the tokenized text; None if that is impossible."""
        content = f"{source.language}\n{source.text}".encode("utf-8", "surrogatepass")
        key = hashlib.blake2b(content, digest_size=16).digest()
        found = self._kept.get(key)
        if found is None:
            found = tokenize_file(source)
            if found is not None:
                self._kept.put(key, found)
        return found


@functools.cache
def get_token_cache() -> TokenCache:
    """Return the tokenized files of this process."""
    return TokenCache()


class QueryCutter:
    """Cuts files for one query, whose terms are stems, and whole identifiers after `WHOLE`."""

    def __init__(self, terms: Iterable[str], cache: TokenCache) -> None:
        self._terms = frozenset(terms)
        self._cache = cache
        needles = {needle for term in self._terms for needle in _needles_of(term) if needle}
        needles = {_fold(needle) for needle in needles}
        self._needles = tuple(each for each in needles if not any(other in each for other in needles - {each}))
        self._known: dict[str, tuple[str, ...]] = {}

    def cut(self, source: Source) -> FileCut:
        """Return the chunks of a file with the frequency of the query's terms, as `chunk_file` does."""
        tokens = self._cache.get(source)
        if tokens is None:
            return chunk_file(source)
        frequencies = self._count(tokens)
        for number in set(self._iter_lines(tokens.headings)):
            for field, stems in fields_of(source.facts, tokens.chunks[number]).items():
                for term in () if self._terms.isdisjoint(stems) else stems:
                    if term in self._terms:
                        found = frequencies[term]
                        found[number] = found.get(number, 0.0) + FIELDS[field]
        postings = {term: tuple(chain.from_iterable(sorted(found.items()))) for term, found in frequencies.items()}
        return FileCut(tokens.chunks, postings)

    def _count(self, tokens: TokenizedFile) -> defaultdict[str, dict[int, float]]:
        """Return term → chunk → its frequency in the body."""
        counts: defaultdict[str, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
        words = tokens.words.split("\n")
        for place in self._iter_lines(_fold(tokens.words)):
            word = words[place]
            terms = self._known.get(word)
            if terms is None:
                terms = self._known[word] = tuple([term for term in terms_of(word) if term in self._terms])
            owners = tokens.list_chunks(place) if terms else []
            for term in terms:
                found = counts[term]
                for number in owners:
                    found[number] += 1
        frequencies: defaultdict[str, dict[int, float]] = defaultdict(dict)
        for term, found in counts.items():
            frequencies[term] = {number: count / norm_of(tokens.totals[number]) for number, count in found.items()}
        return frequencies

    def _iter_lines(self, folded: str) -> Iterator[int]:
        """Yield the number of each line that may contain a term."""
        places: list[int] = []
        for needle in self._needles:
            at = folded.find(needle)
            while at >= 0:
                places.append(at)
                end = folded.find("\n", at)
                at = folded.find(needle, end) if end >= 0 else -1
        places.sort()
        line, before, last = 0, 0, -1
        for at in places:
            line += folded.count("\n", before, at)
            before = at
            if line != last:
                yield line
                last = line


def tokenize_file(source: Source) -> TokenizedFile | None:
    """Return the words of a file in order; None if there are too many."""
    lines, facts = source.text.split("\n"), source.facts
    chunks = plan_chunks(facts)
    owned = [(number, len(list(run))) for number, run in groupby(list_owners(lines, find_owned_lines(facts, chunks)))]
    ends = accumulate(length for _, length in owned)
    runs = [
        (number, list_words("\n".join(lines[end - length : end])))
        for (number, length), end in zip(owned, ends, strict=True)
    ]
    words = dict.fromkeys(chain.from_iterable(found for _, found in runs))
    if len(words) > _MAX_WORDS:
        return None
    letters = dict(zip(words, map(chr, range(len(words))), strict=True))
    totals = [0] * len(chunks)
    for number, found in runs:
        totals[number] += len(found)
    own = (facts.symbols[chunk.symbol] for chunk in chunks if chunk.symbol >= 0)
    headers = [f"{each.name} {each.qualname} {each.doc}".replace("\n", " ") for each in own]
    return TokenizedFile(
        chunks,
        "\n".join(words),
        _fold("\n".join(headers)),
        "".join(map(letters.__getitem__, chain.from_iterable(found for _, found in runs))),
        tuple(accumulate((len(found) for _, found in runs[:-1]), initial=0)),
        tuple(number for number, _ in runs),
        tuple(totals),
    )


def _fold(text: str) -> str:
    """Return a text in lower case, with one form of the letter whose lower-case form differs at the end of a word."""
    return text.lower().replace("\u03c2", "\u03c3")


def _needles_of(term: str) -> tuple[str, ...]:
    """Return lower-case texts, one of which every word with the term contains."""
    if term.startswith(WHOLE):
        return (term.removeprefix(WHOLE),)
    if term.endswith("i") and len(term) > 3:
        return (term[:-1],)
    return (term, f"{term[:-1]}ies") if term.endswith("y") else (term,)
