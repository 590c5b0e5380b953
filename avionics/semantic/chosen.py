"""The embedder that the settings select for searching code, if any."""

from __future__ import annotations

from avionics.model.seams import EmbedderProtocol
from avionics.semantic.embeddings import OpenAiEmbedder
from avionics.semantic.http import shared_http_client
from avionics.semantic.sentences import SentenceEmbedder
from avionics.settings import SENTENCES, EndpointSettings, Settings

_ATTEMPTS = 2


def get_embedder(settings: Settings) -> EmbedderProtocol | None:
    """Return the embedder that `AVIONICS_EMBEDDINGS` selects: the sentence model, or the server at a URL.

    Raise `MissingDependencyError` if a package it needs is not installed.
    """
    if not settings.embeddings:
        return None
    if settings.embeddings == SENTENCES:
        return SentenceEmbedder()
    endpoint = EndpointSettings(
        embeddings_api_url=settings.embeddings,
        embeddings_model=settings.embeddings_model,
        http_timeout_seconds=settings.embedding_seconds,
        http_deadline_seconds=settings.embedding_seconds,
        http_attempts=_ATTEMPTS,
    )
    return OpenAiEmbedder(shared_http_client(endpoint), endpoint, settings.embeddings_key)
