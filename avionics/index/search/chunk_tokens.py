"""Wordings: a file's words in order, passage after passage, from which its cut for one query is taken.

Few of a very large tree's files are met by two queries, so that to cut them whole, as `passages` does, counts nearly
all words for nothing, and keeps the counts. A wording is made in a fifth of the time and is about as large as the text.

Knows: texts, outlines, terms.
Does not know: what terms weigh, other files.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from bisect import bisect
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, groupby

import attrs

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
"""What is kept of all wordings: of the Linux kernel's files some 4,000."""

_MAX_WORDS = 0x110000
"""A file of more different words has no wording: there are no more characters."""


@attrs.frozen(eq=False)
class TokenizedFile:
    """The words of a file.

    Attributes:
        passages: In order of appearance, the rest of the module last.
        words: Each word once.
        order: A character for each word of the text: the one whose number is the word's place among `words`.
        starts: Where in `order` each run of lines begins that belong to one passage.
        owners: Which passage each of them belongs to.
        totals: How many words each passage has.
    """

    passages: tuple[Chunk, ...]
    words: str
    order: str
    starts: tuple[int, ...]
    owners: tuple[int, ...]
    totals: tuple[int, ...]

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return 2_000 + 200 * len(self.passages) + 80 * len(self.starts) + 2 * len(self.order) + 2 * len(self.words)

    def iter_owners(self, place: int) -> Iterator[int]:
        """The passages in which a word stands, as often as it does."""
        letter = chr(place)
        at = self.order.find(letter)
        while at >= 0:
            yield self.owners[bisect(self.starts, at) - 1]
            at = self.order.find(letter, at + 1)


class Wordings:
    """Keeps the wordings used last, by content; safe for several threads."""

    def __init__(self, most_bytes: int = _MAX_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, TokenizedFile] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, source: Source) -> TokenizedFile | None:
        """The wording of a text; None where it cannot have one."""
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
    """Those that this process keeps."""
    return Wordings()


class QueryCutter:
    """Cuts files for one query.

    Args:
        terms: Stems, and whole identifiers behind `WHOLE`.
        wordings: Where wordings are kept.
    """

    def __init__(self, terms: Iterable[str], wordings: Wordings) -> None:
        self._terms = frozenset(terms)
        self._wordings = wordings
        needles = {needle for term in self._terms for needle in _needles_of(term) if needle}
        self._needles = tuple(each for each in needles if not any(other in each for other in needles - {each}))
        self._known: dict[str, tuple[str, ...]] = {}

    def cut(self, source: Source) -> FileCut:
        """The passages of a file, and how frequent the query's terms are in them: what `chunk_file` says of those."""
        # The one letter whose small one is another at the end of a word, and the one whose small one is two.
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
        """Chunk → term → how often it stands there."""
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
        """The passages whose name, container or documentation may have a term."""
        own = (facts.symbols[passage.symbol] for passage in passages if passage.symbol >= 0)
        said = [f"{each.name} {each.qualname} {each.doc}".replace("\n", " ") for each in own]
        return {number for number, _ in self._iter_lines("\n".join(said).lower())}

    def _iter_lines(self, lowered: str) -> Iterator[tuple[int, int]]:
        """The number of each line that holds what a word with a term holds, and a place where it does."""
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
    """The words of a file in order; None where they are too many."""
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
    """What any word that has the term holds, in lower case: one of these."""
    if term.startswith(WHOLE):
        return (term.removeprefix(WHOLE),)
    if term.endswith("i") and len(term) > 3:
        return (term[:-1],)
    return (term, f"{term[:-1]}ies") if term.endswith("y") else (term,)
