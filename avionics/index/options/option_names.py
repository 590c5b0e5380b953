"""Compare and spell the names of options, which each place writes in its own way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Set

from avionics.index.options.declarations import get_own_name
from avionics.index.options.documentation import fold_option
from avionics.late_pattern import late_pattern

_SETTER = late_pattern(r"^_*(?:set|with|default|Default(?=[A-Z])|DEFAULT(?=_))(?=[A-Z_])")
"""What a setter, or a constant with the default, has before the name of the option."""


_MIN_PREFIXED, _MIN_PREFIXED_SHARE = 4, 0.3
"""How many environment variables, and which share of them, begin with a word that is the name of the program."""


def find_prefixes(names: Iterable[str]) -> frozenset[str]:
    """Return the words with which many environment variables begin, as `SHOP` of `SHOP_PORT` and `SHOP_HOST`."""
    prefixed = {each for each in names if "_" in each.strip("_")}
    counts = Counter(each.partition("_")[0] for each in prefixed)
    least = max(_MIN_PREFIXED, _MIN_PREFIXED_SHARE * len(prefixed))
    return frozenset(prefix for prefix, count in counts.items() if prefix and count >= least)


def identify_option(name: str, prefixes: Set[str] = frozenset()) -> str:
    """Return a key that is equal for all spellings of one option, with and without the names of its sections.

    Without one of the prefixes, an environment variable is spelled as the field or flag that it sets.
    """
    prefix, _, rest = name.partition("_") if prefixes else ("", "", "")
    folded = fold_option(strip_setter(get_own_name(rest if rest and prefix in prefixes else name)))
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
