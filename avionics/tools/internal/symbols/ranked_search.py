"""Run a ranked search: symbols with the reasons for their match, or similar names if there is none."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.scopes.symbol_lookup import ALIKE, MISSPELT
from avionics.index.search.exact_mentions import MAX_NAME_LENGTH
from avionics.index.search.query import Query
from avionics.index.search.rank_fusion import EmbeddingCoverage, RankFusion
from avionics.index.search.ranking import rank_symbols
from avionics.model.enums import Certainty
from avionics.model.errors import MissingDependencyError, UsageError
from avionics.model.knowledge import RankedSymbol
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import NameItem, first_sentence, kind_word
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.secrets.secret_scan import mask_secrets
from avionics.workspace import Workspace

_MAX_UNKNOWN = 5
_MAX_CHARACTERS = 100
"""Of a signature or a sentence."""
_MAX_QUERY_CHARACTERS = 61
_MAX_NAME_TERMS = 4
"""A query of at most this many words may be a misspelt name."""


def quote_query(query: str) -> str:
    """Return a query as a headline shows it: on one line, shortened."""
    return repr(shorten(" ".join(query.split()), _MAX_QUERY_CHARACTERS))


class RankedItem(Struct, frozen=True):
    """A symbol that matches: its lines, how well it matches, and why."""

    file: str
    start_line: int
    end_line: int
    symbol: str
    score: float
    kind: str
    signature: str
    doc: str
    reasons: tuple[str, ...]
    word: str = ""

    OMITTED: ClassVar[frozenset[str]] = frozenset({"word"})

    @classmethod
    def of(cls, ranked: RankedSymbol) -> RankedItem:
        """Return the item of a ranked symbol."""
        return cls(
            ranked.file, ranked.start_line, ranked.end_line, ranked.symbol, ranked.score, ranked.kind,
            ranked.signature, ranked.doc, describe_reasons(ranked.reasons),
            kind_word(ranked.definition.symbol) if ranked.definition else ranked.kind,
        )  # fmt: skip

    def to_text(self) -> str:
        what = f"{self.word} {self.symbol}" if self.symbol else self.kind
        signature = f"  {shorten(self.signature, _MAX_CHARACTERS)}" if self.signature else ""
        why = f"  ({'; '.join(self.reasons)})" if self.reasons else ""
        doc = shorten(first_sentence(self.doc), _MAX_CHARACTERS)
        return f"{self.file}:{self.start_line}-{self.end_line} {what}{signature}{doc}{why}"


class RankedSearch(Struct, frozen=True):
    """The result of a ranked search.

    Attributes:
        symbols: The best matches, best first.
        coverage: How complete they are.
        near: Similar names, when nothing was found or a word of a short query is unknown.
        embeddings: The contribution of the embedder; None if none is configured.
    """

    symbols: tuple[RankedSymbol, ...]
    coverage: Coverage
    near: tuple[NameItem, ...]
    embeddings: EmbeddingCoverage | None = None

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def items(self) -> tuple[RankedItem, ...]:
        """Return the matches as entries of an answer."""
        return tuple(map(RankedItem.of, self.symbols))


def search_ranked(workspace: Workspace, query: Query, scope: str | None, limit: int) -> RankedSearch:
    """Return the symbols that a text is about, best first. Raise `UsageError` if the text has no words."""
    if query.is_empty:
        raise UsageError(
            "the query has no words to search for",
            hint="give a name, a phrase or an error message; grep_search finds numbers and punctuation",
        )
    code = workspace.code
    fusion = _get_fusion(workspace, code, query)
    reorder = fusion.reorder if isinstance(fusion, RankFusion) else None
    past = workspace.get_commit_words()
    ranking = rank_symbols(code, query, workspace.source.text, scope=scope, limit=limit, reorder=reorder, past=past)
    workspace.start_reading_commits()
    embeddings = fusion.likeness if isinstance(fusion, RankFusion) else fusion
    count = len(ranking.symbols)
    unknown = tuple(dict.fromkeys(ranking.unknown))[:_MAX_UNKNOWN]
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.NO_MATCH, subject=", ".join(unknown)),) if unknown else ()
    certainty = Certainty.EXACT
    if ranking.files_matched > ranking.files_read:
        certainty = Certainty.AT_LEAST
        reasons += (Reason(ReasonKind.FILES_RANKED, ranking.files_read, total=ranking.files_matched),)
    reasons += embeddings.reasons if embeddings else ()
    is_short = len(query.terms) <= _MAX_NAME_TERMS
    cutoff = MISSPELT if count else ALIKE
    near = _find_near(code, (*query.names, *unknown), cutoff) if not count or (unknown and is_short) else ()
    return RankedSearch(ranking.symbols, Coverage(ranking.found, count, certainty, reasons=reasons), near, embeddings)


def _get_fusion(workspace: Workspace, code: CodeIndex, query: Query) -> RankFusion | EmbeddingCoverage | None:
    """Return the ranking by embeddings, or why it is not available; None if no embedder is configured."""
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
    sent = None if settings.show_secrets else _mask_text
    return RankFusion(code, embedder, workspace.store.vectors, query.text, sent, seconds=seconds, place=place)


def _mask_text(text: str, file: str) -> str:
    """Return the text of a file without credentials, as it may leave the machine."""
    shown: dict[str, str] = mask_secrets({"path": file, "text": text})
    return shown["text"]


def _find_near(code: CodeIndex, words: tuple[str, ...], cutoff: float) -> tuple[NameItem, ...]:
    """Return the names of symbols that are similar to a word; `cutoff` is the minimum similarity, from 0 to 1."""
    found = [
        definition
        for word in words[:_MAX_UNKNOWN]
        if len(word) <= MAX_NAME_LENGTH
        for definition in code.names.find_similar(word, 3, cutoff=cutoff)
    ]
    return tuple(NameItem(name) for name in dict.fromkeys(each.symbol.qualname for each in found))
