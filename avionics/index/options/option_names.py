"""Compare and spell the names of options, which each place writes in its own way, and the words about them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from avionics.index.options.documentation import fold_option
from avionics.index.search.query import stems_of
from avionics.late_pattern import late_pattern

_SETTER = late_pattern(r"^_*(?:set|with|default|Default(?=[A-Z])|DEFAULT(?=_))(?=[A-Z_])")
"""What a setter, or a constant with the default, has before the name of the option."""
_WORD = late_pattern(r"[^\W\d]\w*")
_SECURE = late_pattern(r"\bhttps\b", re.IGNORECASE)
_MIN_FOLDED, _KEPT = 7, 6
"""Longer stems are alike if they begin alike: `conversion`, `converted`."""


def identify_option(name: str) -> str:
    """Return a key that is equal for all spellings of one option, with and without the names of its sections."""
    folded = fold_option(strip_setter(get_own_name(name)))
    return folded.removeprefix("default") or folded


def strip_setter(name: str) -> str:
    """Return the name of an option without what a setter has before it."""
    return _SETTER.sub("", name)


def spell_option(name: str) -> tuple[str, ...]:
    """Return the names that code may have for an option: as written, with underscores, in camel case."""
    bare = strip_setter(name.lstrip("-"))
    words = [each for part in re.split(r"[\W_]+", bare) for each in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", part)]
    lower = [each.lower() for each in words]
    camel = "".join((lower[0], *(each.capitalize() for each in lower[1:]))) if lower else ""
    spelled = (
        name.lstrip("-"),
        "-".join(lower),
        "_".join(lower),
        camel,
        camel[:1].upper() + camel[1:],
        "_".join(lower).upper(),
    )
    own = get_own_name(name)
    return tuple(
        dict.fromkeys((*(each for each in spelled if len(each) > 2), *(spell_option(own) if own != name else ())))
    )


def get_own_name(name: str) -> str:
    """Return the last part of a dotted name if it has several words, and so means the same alone; else the name."""
    last = name.rpartition(".")[2]
    return last if re.search(r"[a-z\d](?:[_-][a-z]|[A-Z])", last) else name


def read_stems(text: str) -> frozenset[str]:
    """Return the stems of the words and of the parts of names in a text, cut as `cut_stems` does."""
    words = set(_WORD.findall(_SECURE.sub("tls", text)))
    return frozenset[str]().union(*map(_read_word, words))


@functools.lru_cache(maxsize=20_000)
def _read_word(word: str) -> frozenset[str]:
    return cut_stems((*stems_of(word.lower()), *stems_of(word)))


def cut_stems(stemmed: Iterable[str]) -> frozenset[str]:
    """Return stems with a mark in place of the endings of long ones, which differ between words of one family."""
    return frozenset(f"{each[:_KEPT]}…" if len(each) >= _MIN_FOLDED else each for each in stemmed)
