"""Find the commits whose messages contain most words of a text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from avionics.history.commits import Commit
from avionics.index.search.query import stem, text_stems
from avionics.late_pattern import late_pattern

_BODY_WEIGHT = 0.4
"""The weight of a word that only the body of a message has."""
_MANY, _MIN_WHOLE, _WHOLE_WEIGHT = 4, 0.65, 0.6
"""A message with so many words of the text, and so much of their weight, counts at least this part of that, although
only its body has them."""
_MAX_BODY = 2_000
_MIN_SHARE, _MIN_WORDS = 0.4, 2
_RARE_SHARE, _MIN_RARE = 0.01, 4
"""A word is rare in at most this share of the subjects, or in at most this number of them."""
_MIN_ALONE = 0.5
"""A message with only one word of the text is listed if the word is rare and has this share of the weight of all."""
_SYNONYMS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "remove drop delete replace", "add introduce", "fix resolve correct repair", "package dependency library deps",
        "require mandatory", "slow performance perf", "reject refuse forbid prohibit", "crash panic",
    )
)  # fmt: skip
"""Words with one meaning, of which a message and a question about it may use different ones."""
_SYNONYM_WEIGHT = 0.8
_UNKNOWN_WEIGHT = 0.5
"""The factor for a word of the text that no message has, so that it distinguishes none."""
_FLAG = late_pattern(r"(?<![\w-])--[a-z][\w-]*\w")
_NUMBER = late_pattern(r"(?<![\w.#])\d{2,5}(?![\w.])")
_CLOSE_SHARE = 0.7
"""A commit whose score is below this share of the best one's is left out."""


def find_matching_commits(
    commits: Sequence[Commit], text: str, known: Collection[str], *, is_oldest_first: bool
) -> tuple[Commit, ...]:
    """Return the commits whose messages contain most of a text, best first; () if none contains enough of it.

    The rarer a word is in messages, the more it counts. Two words of the text may be joined in a message. If no message
    has two of the words, return those with the rarest word, if it is rare enough. The commits are given newest first.
    Messages need not have the `known` stems, such as those of the name that the text is about, but they count.
    """
    if is_oldest_first:
        commits = commits[::-1]
    every = list(dict.fromkeys(_split_words(text)))
    wanted = [each for each in every if each not in known]
    if len(wanted) < _MIN_WORDS:
        return _find_by_one_word(commits, wanted[0]) if wanted else ()
    joined = {"".join(pair): pair for pair in pairwise(wanted)}
    found = {each: _weigh_stems(each, every, joined) for each in commits if each.oid}
    counts = Counter(each for stems in found.values() for each in stems)
    stems_by_commit = {commit: stems for commit, stems in found.items() if not stems.keys() <= set(known)}
    rarity = {each: math.log(1 + len(found) / (1 + counts[each])) for each in every}
    total = sum(rarity[each] * (1.0 if counts[each] else _UNKNOWN_WEIGHT) for each in wanted)
    shares = {commit: _weigh_share(stems, rarity, total) for commit, stems in stems_by_commit.items()}
    # One word that few messages have tells more than several common ones.
    scores = {
        commit: share
        for commit, share in shares.items()
        if len(stems := stems_by_commit[commit]) >= _MIN_WORDS
        or (share >= _MIN_ALONE and all(counts[each] <= _MIN_RARE for each in stems))
    }
    if not scores:
        rarest = min((each for each in wanted if counts[each]), key=lambda each: counts[each], default=None)
        return _find_by_one_word(commits, rarest) if rarest else ()
    best = max(scores.values())
    matching = [each for each, score in scores.items() if score >= max(_MIN_SHARE, _CLOSE_SHARE * best)]
    return tuple(sorted(matching, key=lambda each: -scores[each]))


def _weigh_share(stems: Mapping[str, float], rarity: Mapping[str, float], total: float) -> float:
    """Return the share of the words that a message has, in its body less than in its subject, unless it has most."""
    share = sum(weight * rarity[each] for each, weight in stems.items()) / total
    whole = sum(rarity[each] for each in stems) / total
    return max(share, _WHOLE_WEIGHT * whole) if len(stems) >= _MANY and whole >= _MIN_WHOLE else share


def find_shared(commit: Commit, text: str) -> tuple[str, ...]:
    """Return the stems of a text that a message has, () if it has most of them."""
    wanted = list(dict.fromkeys(_split_words(text)))
    shared = _weigh_stems(commit, wanted, {})
    return () if 2 * len(shared) >= len(wanted) else tuple(each for each in wanted if each in shared)


def _split_words(text: str) -> tuple[str, ...]:
    """Return the stems of a text, its numbers of several digits, as `405`, and its options, as `--force`."""
    return (*text_stems(text), *_NUMBER.findall(text), *_FLAG.findall(text))


def _find_by_one_word(commits: Sequence[Commit], wanted: str) -> tuple[Commit, ...]:
    """Return the commits with a rare word in their subject; () for a common word."""
    found = tuple(each for each in commits if each.oid and wanted in _split_words(each.subject))
    return found if len(found) <= max(_MIN_RARE, _RARE_SHARE * len(commits)) else ()


def _weigh_stems(commit: Commit, wanted: Iterable[str], joined: dict[str, tuple[str, str]]) -> dict[str, float]:
    """Return the wanted stems that a message has, each with its weight."""
    found: dict[str, float] = {}
    for text, weight in ((commit.subject, 1.0), (commit.body[:_MAX_BODY], _BODY_WEIGHT)):
        folded = text.lower()
        if not any(each[:4] in folded for each in wanted):
            continue
        stems = {*_split_words(text)}
        stems.update(each for both in stems & joined.keys() for each in joined[both])
        for each in wanted:
            if each in stems:
                found.setdefault(each, weight)
            elif any(each in alike and not alike.isdisjoint(stems) for alike in _SYNONYMS):
                found.setdefault(each, _SYNONYM_WEIGHT * weight)
    return found
