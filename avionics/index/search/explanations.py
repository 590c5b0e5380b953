"""Reasons: in a few words, why a candidate matched.

Knows: candidates and the evidence for them.
Does not know: how anything is weighed or shown.
"""

from __future__ import annotations

from avionics.index.search.candidates import Candidate, stems_of_path
from avionics.index.search.chunks import fields_of
from avionics.index.search.features import FeatureExtractor
from avionics.index.search.query import Query, stem
from avionics.model.facts import FileFacts
from avionics.model.naming import split_name

_MAX_WORDS = 3
_MAX_PHRASE_LENGTH = 60


def find_reasons(facts: FileFacts, query: Query, candidate: Candidate, evidence: FeatureExtractor) -> tuple[str, ...]:
    """Why it matched.

    What is named or quoted, the fields that have a word, the weightiest words found only in the body, and the better
    match that calls its name.
    """
    found = dict.fromkeys(evidence.named_as(candidate))
    message = evidence.messages.get(candidate.key)
    if message:
        found[f'text "{message.text[:_MAX_PHRASE_LENGTH]}"'] = None
    told: set[str] = set()
    fields = {**fields_of(facts, candidate.passage), "path": stems_of_path(candidate.file)}
    for field, stems in fields.items():
        shared = candidate.shares.keys() & set(stems)
        if shared:
            found[field] = None
            told |= shared
    rest = sorted(candidate.shares.keys() - told, key=lambda term: (-candidate.shares[term], term))
    words = list(dict.fromkeys(_told(query, term, candidate) for term in rest if term in query.spelling))
    if words:
        found[f"body: {', '.join(words[:_MAX_WORDS])}"] = None
    caller = evidence.name_caller(candidate)
    if caller:
        found[f"its name is called in {caller}"] = None
    return tuple(found)


def _told(query: Query, term: str, candidate: Candidate) -> str:
    """The word of the text a stem comes from; its part alone where the candidate has no name of the text whole."""
    word = query.spelling[term]
    return word if candidate.whole else next((part for part in split_name(word) if stem(part) == term), word)
