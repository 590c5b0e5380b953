"""Ranked search, as several tools use it: symbols with the reasons why they match, and similar names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.index.scopes.symbol_lookup import ALIKE, MISSPELT
from avionics.index.search.exact_mentions import MAX_NAME_LENGTH
from avionics.index.search.query import read_query
from avionics.index.search.rank_fusion import EmbeddingCoverage, RankFusion
from avionics.index.search.ranking import rank_symbols
from avionics.model.enums import Certainty
from avionics.model.errors import MissingDependencyError, UsageError
from avionics.model.knowledge import RankedSymbol
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import NameItem, first_sentence
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.resolution.subject_resolver import require_scope
from avionics.tools.secrets.secret_scan import mask_secrets

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_MAX_UNKNOWN = 5
_MAX_CHARACTERS = 100
"""The length of a signature or sentence in a result line."""
_MAX_OF_QUERY = 61
_SHORT_TERMS = 4
"""A query of at most this many words may be a misspelled name."""


def quote_query(query: str) -> str:
    """Return a query as a headline quotes it: on one line, cut when it is long."""
    return repr(shorten(" ".join(query.split()), _MAX_OF_QUERY))


@attrs.frozen
class RankedItem:
    """A symbol that matches: its lines, score and reasons."""

    file: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    kind: str
    signature: str
    doc: str
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, ranked: RankedSymbol) -> RankedItem:
        """Return the item of a ranked symbol."""
        return cls(
            ranked.file,
            ranked.start_line,
            ranked.end_line,
            ranked.symbol,
            ranked.score,
            ranked.kind,
            ranked.signature,
            ranked.doc,
            describe_reasons(ranked.reasons),
        )

    def to_text(self) -> str:
        """Return one line."""
        what = f"{self.kind} {self.symbol}" if self.symbol else self.kind
        signature = f"  {shorten(self.signature, _MAX_CHARACTERS)}" if self.signature else ""
        why = f"  ({'; '.join(self.reasons)})" if self.reasons else ""
        doc = shorten(first_sentence(self.doc), _MAX_CHARACTERS)
        return f"{self.file}:{self.start_line}-{self.end_line} {what}{signature}{doc}{why}"


@attrs.frozen
class RankedSearch:
    """The result of a search.

    Attributes:
        items: The best, best first.
        coverage: How complete they are.
        near: Similar names, when nothing was found or a short query has an unknown word.
        likeness: How far passages were compared by meaning; None where no embedder is configured.
    """

    items: tuple[RankedItem, ...]
    coverage: Coverage
    near: tuple[NameItem, ...]
    likeness: EmbeddingCoverage | None = None

    def __len__(self) -> int:
        return len(self.items)


def search_ranked(workspace: Workspace, text: str, scope: str | None, limit: int) -> RankedSearch:
    """Search the symbols that a text is about, best first.

    Raises:
        UsageError: The text has no words to search for, or the scope does not exist.
    """
    query = read_query(text)
    if query.is_empty:
        raise UsageError("there are no words to search for", hint="give a name, a phrase, an error message or an issue")
    code = workspace.code
    fusion = _get_fusion(workspace, code, text)
    within = require_scope(workspace, scope)
    reorder = fusion.reorder if isinstance(fusion, RankFusion) else None
    ranking = rank_symbols(code, query, workspace.source.text, scope=within, limit=limit, reorder=reorder)
    likeness = fusion.likeness if isinstance(fusion, RankFusion) else fusion
    items = tuple(map(RankedItem.of, ranking.symbols))
    unknown = ranking.unknown[:_MAX_UNKNOWN]
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.NO_MATCH, subject=", ".join(unknown)),) if unknown else ()
    certainty = Certainty.EXACT
    if ranking.files_matched > ranking.files_read:
        certainty = Certainty.AT_LEAST
        reasons += (Reason(ReasonKind.FILES_RANKED, ranking.files_read, total=ranking.files_matched),)
    reasons += likeness.reasons if likeness else ()
    is_short = len(query.terms) <= _SHORT_TERMS
    alike = MISSPELT if items else ALIKE
    near = _near(workspace, (*query.names, *unknown), alike) if not items or (unknown and is_short) else ()
    return RankedSearch(items, Coverage(ranking.found, len(items), certainty, reasons=reasons), near, likeness)


def _get_fusion(workspace: Workspace, code: CodeIndex, text: str) -> RankFusion | EmbeddingCoverage | None:
    """Return the reranker by meaning, or why there is none; None where no embedder is configured."""
    settings = workspace.settings
    if not settings.embeddings:
        return None
    from avionics.semantic.chosen import get_embedder

    try:
        embedder = get_embedder(settings)
    except MissingDependencyError as error:
        gap = Reason(ReasonKind.STEP_FAILED, subject=f"{error}: {error.hint}")
        return EmbeddingCoverage(settings.embeddings, gap=gap)
    assert embedder is not None
    seconds, place = settings.embedding_seconds, settings.embeddings
    sent = None if settings.show_secrets else _without_secrets
    return RankFusion(code, embedder, workspace.store.vectors, text, sent, seconds=seconds, place=place)


def _without_secrets(text: str, file: str) -> str:
    """Return text of a file without secrets, as it may be sent to another machine."""
    shown: dict[str, str] = mask_secrets({"path": file, "text": text})
    return shown["text"]


def _near(workspace: Workspace, words: tuple[str, ...], alike: float) -> tuple[NameItem, ...]:
    """Return names in the code that are similar to some words."""
    names = workspace.code.names
    found = [
        definition
        for word in words[:_MAX_UNKNOWN]
        if len(word) <= MAX_NAME_LENGTH
        for definition in names.find_similar(word, 3, cutoff=alike)
    ]
    return tuple(NameItem(name) for name in dict.fromkeys(each.symbol.qualname for each in found))
