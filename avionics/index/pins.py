"""Pins: what a text names outright — traceback frames, places, paths, names — as symbols of this code.

Knows: definitions and files by name and by the end of their path.
Does not know: scores of anything else.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.names import is_within
from avionics.index.places import Standing, standing_of
from avionics.index.query import Frame, Query

_FRAME = 1.5
_FRAME_DECAY = 0.7
"""What each frame further out is worth: the fault is mostly near the innermost of this code's own frames."""
_NAMED = 0.6
_SHORT_WORDS = 4
"""In so few words a name is what the text is about; in an issue it may stand for anything."""
_MOST_NAMES = 12
_MOST_DEFINITIONS = 6
"""A name with more definitions says too little about which is meant."""

PinKey = tuple[str, int]
"""A file, and the index of a symbol in its outline (-1 for the file itself)."""


@attrs.frozen
class Pin:
    """How much higher a symbol goes, and why."""

    bonus: float
    reason: str


def read_pins(code: CodeIndex, query: Query, scope: str | None = None) -> dict[PinKey, Pin]:
    """The symbols and files a query names outright."""
    pins: dict[PinKey, Pin] = {}
    for key, pin in (*_pin_frames(code, query.frames), *_pin_names(code, query), *_pin_paths(code, query.paths)):
        known = pins.get(key)
        if is_within(key[0], scope) and (known is None or known.bonus < pin.bonus):
            pins[key] = pin
    return pins


def find_files_ending(files: Iterable[str], path: str) -> tuple[str, ...]:
    """The files whose path shares the longest end with one written elsewhere; at least the name, nearest root first.

    Nothing when files of that name are many and no directory tells them apart.
    """
    wanted = path.replace("\\", "/").strip("/").split("/")
    best: list[str] = []
    longest = 0
    for file in files:
        parts = file.split("/")
        if parts[-1] != wanted[-1]:
            continue
        shared = _shared_end(parts, wanted)
        if shared > longest:
            best, longest = [], shared
        if shared == longest:
            best.append(file)
    if longest == 1 and len(best) > 3:
        return ()
    return tuple(sorted(best, key=lambda file: (standing_of(file), file.count("/"), file)))


def _pin_frames(code: CodeIndex, frames: tuple[Frame, ...]) -> list[tuple[PinKey, Pin]]:
    found: list[tuple[PinKey, Pin]] = []
    bonus = _FRAME
    for frame in frames:
        for file in find_files_ending(code.files, frame.path)[:1]:
            reason = "traceback" if frame.function else "place named"
            found.append(((file, _symbol_at(code, file, frame)), Pin(bonus, reason)))
            bonus *= _FRAME_DECAY
    return found


def _symbol_at(code: CodeIndex, file: str, frame: Frame) -> int:
    """The function of that name nearest the line (lines move between versions), else the innermost around it."""
    symbols = code.facts(file).symbols
    name = frame.function.rpartition(".")[2]
    named = [index for index, symbol in enumerate(symbols) if name and symbol.name == name]
    if named:
        return min(named, key=lambda index: abs(symbols[index].line - frame.line))
    around = code.graph.enclosing(file, frame.line)
    return around.index if around else -1


def _pin_names(code: CodeIndex, query: Query) -> list[tuple[PinKey, Pin]]:
    """Definitions of the names written as code; a query of one word is a name."""
    found: list[tuple[PinKey, Pin]] = []
    is_one_word = len(query.text.split()) == 1
    stress = 3 if is_one_word else 2 if len(query.text.split()) <= _SHORT_WORDS else 1
    for name in (query.text,) if is_one_word else query.names[:_MOST_NAMES]:
        definitions = code.find_definitions(name)
        product = [d for d in definitions if standing_of(d.file) <= Standing.ASIDE] or list(definitions)
        if len(product) <= _MOST_DEFINITIONS or is_one_word:
            bonus = _NAMED * stress
            found += [((d.file, d.index), Pin(bonus / len(product) ** 0.5, "named")) for d in product]
    return found


def _pin_paths(code: CodeIndex, paths: tuple[str, ...]) -> list[tuple[PinKey, Pin]]:
    return [
        ((file, -1), Pin(_NAMED, "path named")) for path in paths for file in find_files_ending(code.files, path)[:1]
    ]


def _shared_end(parts: list[str], wanted: list[str]) -> int:
    shared = 0
    for own, asked in zip(reversed(parts), reversed(wanted), strict=False):
        if own != asked:
            break
        shared += 1
    return shared
