"""Tokenized files: the words of a file in order, chunk by chunk, from which it is cut for one query.

Two queries rarely meet the same files of a very large tree, so cutting them completely, as `chunks` does, would count
nearly all words in vain and keep the counts. A tokenized file is made in a fifth of the time and is about as large as
its text.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from bisect import bisect
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, groupby

from msgspec import Struct

from avionics.index.search.chunks import (
    FIELDS,
    WHOLE,
    WORD,
    Chunk,
    FileCut,
    Source,
    chunk_file,
    fields_of,
    find_owned_lines,
    list_owners,
    norm_of,
    plan_chunks,
    terms_of,
)
from avionics.model.facts import FileFacts

_MAX_BYTES = 150_000_000
"""The memory for tokenized files; it holds some 4,000 files of the Linux kernel."""

_MAX_WORDS = 0x110000
"""A file with more different words cannot be tokenized, because there are no more characters."""


class TokenizedFile(Struct, frozen=True, eq=False):
    """The words of a file.

    Attributes:
        passages: The chunks in order of appearance, the rest of the module last.
        words: Each word once.
        order: One character per word of the text, whose code is the word's index in `words`.
        starts: The positions in `order` where the runs of lines of one chunk begin.
        owners: The chunk of each of these.
        totals: The number of words of each chunk.
    """

    passages: tuple[Chunk, ...]
    words: str
    order: str
    starts: tuple[int, ...]
    owners: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def size(self) -> int:
        """Return the approximate number of bytes it takes."""
        return 2_000 + 200 * len(self.passages) + 80 * len(self.starts) + 2 * len(self.order) + 2 * len(self.words)

    def iter_owners(self, place: int) -> Iterator[int]:
        """Yield the chunk of each occurrence of a word."""
        letter = chr(place)
        at = self.order.find(letter)
        while at >= 0:
            yield self.owners[bisect(self.starts, at) - 1]
            at = self.order.find(letter, at + 1)


class Wordings:
    """Keeps the most recently used tokenized files, by content; safe for several threads."""

    def __init__(self, most_bytes: int = _MAX_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, TokenizedFile] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, source: Source) -> TokenizedFile | None:
        """Return the tokenized text; None if that is impossible."""
        content = f"{source.language}\n{source.text}".encode("utf-8", "surrogatepass")
        key = hashlib.blake2b(content, digest_size=16).digest()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        found = build_wording(source)
        if found is not None:
            with self._lock:
                if key not in self._kept:
                    self._kept[key] = found
                    self._bytes += found.size
                while self._bytes > self._most_bytes:
                    self._bytes -= self._kept.popitem(last=False)[1].size
        return found


@functools.cache
def get_wordings() -> Wordings:
    """Return the tokenized files of this process."""
    return Wordings()


class QueryCutter:
    """Cuts files for one query.

    Args:
        terms: Stems, and whole identifiers after `WHOLE`.
        wordings: The tokenized files.
    """

    def __init__(self, terms: Iterable[str], wordings: Wordings) -> None:
        self._terms = frozenset(terms)
        self._wordings = wordings
        needles = {needle for term in self._terms for needle in _needles_of(term) if needle}
        self._needles = tuple(each for each in needles if not any(other in each for other in needles - {each}))
        self._known: dict[str, tuple[str, ...]] = {}

    def cut(self, source: Source) -> FileCut:
        """Return the chunks of a file with the frequency of the query's terms, as `chunk_file` does."""
        # The one letter whose lower-case form differs at the end of a word, and the one whose lower-case form has two
        # characters.
        is_odd = "\u03a3" in source.text or "\u0130" in source.text
        wording = None if is_odd else self._wordings.get(source)
        if wording is None:
            return chunk_file(source)
        counts = self._count(wording)
        named = self._list_named(source.facts, wording.passages)
        postings: defaultdict[str, list[float]] = defaultdict(list)
        for number in sorted(counts.keys() | named):
            norm = norm_of(wording.totals[number])
            found = {term: count / norm for term, count in counts[number].items()} if number in counts else {}
            if number in named:
                for field, stems in fields_of(source.facts, wording.passages[number]).items():
                    for term in stems:
                        if term in self._terms:
                            found[term] = found.get(term, 0.0) + FIELDS[field]
            for term, frequency in found.items():
                postings[term] += (number, frequency)
        return FileCut(wording.passages, {term: tuple(frequencies) for term, frequencies in postings.items()})

    def _count(self, wording: TokenizedFile) -> dict[int, defaultdict[str, int]]:
        """Return chunk → term → its frequency."""
        counts: defaultdict[int, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        words = wording.words
        for place, at in self._iter_lines(words.lower()):
            end = words.find("\n", at)
            word = words[words.rfind("\n", 0, at) + 1 : end if end >= 0 else None]
            terms = self._known.get(word)
            if terms is None:
                terms = self._known[word] = tuple([term for term in terms_of(word) if term in self._terms])
            for number in wording.iter_owners(place) if terms else ():
                for term in terms:
                    counts[number][term] += 1
        return counts

    def _list_named(self, facts: FileFacts, passages: tuple[Chunk, ...]) -> set[int]:
        """Return the chunks whose name, container or documentation may contain a term."""
        own = (facts.symbols[passage.symbol] for passage in passages if passage.symbol >= 0)
        said = [f"{each.name} {each.qualname} {each.doc}".replace("\n", " ") for each in own]
        return {number for number, _ in self._iter_lines("\n".join(said).lower())}

    def _iter_lines(self, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield the number of each line that may contain a term, and the position where it may."""
        places: list[int] = []
        for needle in self._needles:
            at = lowered.find(needle)
            while at >= 0:
                places.append(at)
                end = lowered.find("\n", at)
                at = lowered.find(needle, end) if end >= 0 else -1
        places.sort()
        line, before, last = 0, 0, -1
        for at in places:
            line += lowered.count("\n", before, at)
            before = at
            if line != last:
                yield line, at
                last = line


def build_wording(source: Source) -> TokenizedFile | None:
    """Return the words of a file in order; None if there are too many."""
    lines, facts = source.text.split("\n"), source.facts
    passages = plan_chunks(facts)
    owned = [(number, len(list(run))) for number, run in groupby(list_owners(lines, find_owned_lines(facts, passages)))]
    ends = accumulate(length for _, length in owned)
    runs = [
        (number, WORD.findall("\n".join(lines[end - length : end])))
        for (number, length), end in zip(owned, ends, strict=True)
    ]
    words = dict.fromkeys(chain.from_iterable(found for _, found in runs))
    if len(words) > _MAX_WORDS:
        return None
    letters = dict(zip(words, map(chr, range(len(words))), strict=True))
    totals = [0] * len(passages)
    for number, found in runs:
        totals[number] += len(found)
    return TokenizedFile(
        passages,
        "\n".join(words),
        "".join(map(letters.__getitem__, chain.from_iterable(found for _, found in runs))),
        tuple(accumulate((len(found) for _, found in runs[:-1]), initial=0)),
        tuple(number for number, _ in runs),
        tuple(totals),
    )


def _needles_of(term: str) -> tuple[str, ...]:
    """Return lower-case texts, one of which every word with the term contains."""
    if term.startswith(WHOLE):
        return (term.removeprefix(WHOLE),)
    if term.endswith("i") and len(term) > 3:
        return (term[:-1],)
    return (term, f"{term[:-1]}ies") if term.endswith("y") else (term,)
