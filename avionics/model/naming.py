"""Split and compare names, and count things in English."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from itertools import chain, count

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+")


def split_name(name: str) -> tuple[str, ...]:
    """Return the parts of a name in lower case, at least two letters each; then the whole name if it has several parts.

    >>> split_name("HTTPServerError")
    ('http', 'server', 'error', 'httpservererror')
    """
    parts = tuple([part.lower() for part in _PART.findall(name) if len(part) > 1])
    if len(parts) > 1:
        return (*parts, name.strip("_").lower())
    return parts


def fold_name(name: str) -> str:
    """Return the name without case and underscores, so that `URL_for` and `urlFor` are equal."""
    return name.replace("_", "").lower()


def last_part(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


_MAX_PARAMETERS, _ARITY_LENGTH = 9, len("{1}")
_CALLED, _TAGGED, _SPACE = "()", "struct ", "\\"


def called(name: str) -> str:
    """Return the name of a function in languages with a separate namespace for functions (Java, PHP).

    Names that begin with two underscores belong to the stubs and stay as they are.

    >>> called("size")
    'size()'
    """
    return name if name.startswith("__") else f"{name}{_CALLED}"


def tagged(name: str) -> str:
    """Return the name of a type in languages with a separate namespace for tags (C).

    >>> tagged("stat")
    'struct stat'
    """
    return f"{_TAGGED}{name}"


def as_namespace(name: str) -> str:
    r"""Return the name of a namespace in languages where a class may have the same name (PHP); "" is the global one.

    >>> as_namespace("Models")
    'Models\\\\'
    """
    return f"{name}{_SPACE}"


def is_namespace(name: str) -> bool:
    """Return whether `as_namespace` made a name."""
    return name.endswith(_SPACE)


def generic(name: str, parameters: int) -> str:
    """Return the name of a type with some type parameters in languages where their number tells types apart (C#).

    >>> generic("Task", 1)
    'Task{1}'
    """
    return f"{name}{{{min(parameters, _MAX_PARAMETERS)}}}" if parameters else name


def list_generic(name: str) -> tuple[str, ...]:
    """Return the names that `generic` gives a type with one type parameter, with two, and so on."""
    return tuple(generic(name, parameters) for parameters in range(1, _MAX_PARAMETERS + 1))


def join_outside(*names: str) -> str:
    """Return the dotted name of something outside the workspace, whose namespaces and types need no mark."""
    return ".".join(_without_arity(name.removesuffix(_SPACE)) for name in names)


def as_written(name: str) -> str:
    """Undo `called`, `tagged`, `as_namespace` and `generic`: return the name as it is in the text."""
    return _without_arity(name.removesuffix(_CALLED).removesuffix(_SPACE)).removeprefix(_TAGGED)


def _without_arity(name: str) -> str:
    return name[:-_ARITY_LENGTH] if name.endswith("}") and name[-_ARITY_LENGTH:][:1] == "{" else name


def count_shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items two sequences, or characters two texts, have in common at the start."""
    differing = (at for at, (mine, yours) in enumerate(zip(one, other, strict=False)) if mine != yours)
    return next(differing, min(len(one), len(other)))


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known name, or the known names if none is similar."""
    from difflib import get_close_matches

    names = tuple(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"known: {', '.join(names) or 'none'}"


def did_you_mean(near: Iterable[str], otherwise: str = "") -> str:
    """Return the question whether one of some similar names is meant; another hint if there are none."""
    names = tuple(near)
    return f"did you mean {' or '.join(names)}?" if names else otherwise


def list_first(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, separated by commas, and `…` if there are more."""
    return ", ".join((*names[:most], "…") if len(names) > most else names)


def number_name(wanted: str, taken: Container[str], mark: str = "_") -> str:
    """Return the name, if it is taken with the first number from 2 that makes it another one: `cart_2`."""
    numbered = (f"{wanted}{mark}{number}" for number in count(2))
    return next(name for name in chain((wanted,), numbered) if name not in taken)


def plural(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`, `3 matches`, `1,200 entries`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{count:,} {noun}es"
    return f"{count:,} {noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{count:,} {noun}s"


def agree(count: int, noun: str, one: str, many: str) -> str:
    """Return the count with words that agree with it, such as a verb: `1 file is`, `2 files are`."""
    return f"{plural(count, noun)} {one if count == 1 else many}"
