"""Explain why a search candidate matches."""

from __future__ import annotations

from avionics.index.search.candidates import Candidate, stems_of_path
from avionics.index.search.chunks import fields_of
from avionics.index.search.features import FeatureExtractor
from avionics.index.search.query import Query, stem
from avionics.model.facts import FileFacts
from avionics.model.naming import split_name
from avionics.model.reasons import Reason, ReasonKind

_MAX_WORDS = 3
_MAX_PHRASE_LENGTH = 60


def find_reasons(
    facts: FileFacts, query: Query, candidate: Candidate, evidence: FeatureExtractor
) -> tuple[Reason, ...]:
    """Return why a candidate matches.

    The reasons are what the query names or quotes, the fields that contain one of its words, the weightiest words that
    are only in the body, and the better match that calls it.
    """
    found = list(map(Reason, dict.fromkeys(evidence.named_as(candidate))))
    message = evidence.messages.get(candidate.key)
    if message:
        found.append(Reason(ReasonKind.QUOTED_TEXT, subject=message.text[:_MAX_PHRASE_LENGTH]))
    explained: set[str] = set()
    fields = {**fields_of(facts, candidate.chunk), "path": stems_of_path(candidate.file)}
    for field, stems in fields.items():
        shared = candidate.shares.keys() & set(stems)
        if shared:
            found.append(Reason(ReasonKind.FIELD_MATCH, subject=field))
            explained |= shared
    rest = sorted(candidate.shares.keys() - explained, key=lambda term: (-candidate.shares[term], term))
    words = list(dict.fromkeys(_spelling(query, term, candidate) for term in rest if term in query.spelling))
    if words:
        found.append(Reason(ReasonKind.BODY_MATCH, subject=", ".join(words[:_MAX_WORDS])))
    caller = evidence.name_caller(candidate)
    if caller:
        found.append(Reason(ReasonKind.CALLED_BY_MATCH, subject=caller))
    return tuple(found)


def _spelling(query: Query, term: str, candidate: Candidate) -> str:
    """Return the query's word for a stem; only the matching part of it if no whole name matches."""
    word = query.spelling[term]
    return word if candidate.whole else next((part for part in split_name(word) if stem(part) == term), word)
