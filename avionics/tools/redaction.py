"""Redaction: secrets taken out of whatever is written down or given back.

A secret is known by the name it stands under (`api_key`, `Authorization`), by its value once it was seen under such a name or
named to the redactor, or by the shape of the text around it (`https://user:…@host`, `Bearer …`; in records `password=…` too).

Knows: what secrets are called, and how they look in text.
Does not know: tools, calls, or where anything is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

import attrs

from protocols.results import to_plain
from protocols.secret import HIDDEN, Secret

Scrub: TypeAlias = Callable[[Any], Any]
"""Takes known secrets out of a value, keeping its shape."""

MIN_SECRET_CHARACTERS: Final = 4
"""A shorter value is hidden under its name only: taken out of all text it would make that unreadable."""

MAX_HEAD_CHARACTERS: Final = 32
"""So much of a longer secret gives it away: messages cut what they quote."""

MAX_DEPTH: Final = 64
"""What lies deeper is hidden whole: no honest argument nests so far, and the interpreter's stack is finite."""

_WORDS: Final = frozenset(
    "auth authorization bearer cookie cookies credential credentials jwt passcode passphrase passwd password passwords"
    " pwd secret secrets token apikey accesskey privatekey secretkey".split()
)
_PAIRS: Final = frozenset(
    {"access key", "api key", "api keys", "auth tokens", "encryption key", "private key", "set cookie", "signing key"}
)
_COUNTED: Final = frozenset({"token", "auth"})
"""Under these names numbers and truth values are settings: `max_token: 5`, `auth: true`."""

_SPLIT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES = r"password|passwd|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credential"
_IN_TEXT = re.compile(
    r"(?P<url>://[^/\s:@]*:)[^/\s@]+(?=@)"
    r"|(?P<scheme>\b(?:bearer|basic)\s+)[\w.~+/=-]{16,}"
    rf"|(?P<name>[\w-]*(?:{_NAMES})s?[\"']?\s*(?:[=:]|\s(?=-)|=>)\s*[\"']?)(?!(?:bearer|basic)\b)[^\s\"',;&}})\]]+"
    rf"|(?P<option>--?[\w-]*(?:{_NAMES})\s+)[^\s-]\S*",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def read_name(name: str) -> tuple[bool, bool]:
    """Whether what stands under the name is a secret, and whether it is one even as a number."""
    words = [word.lower() for word in _SPLIT.findall(name)]
    found = {word for word in words if word in _WORDS} | {
        pair for pair in map(" ".join, zip(words, words[1:], strict=False)) if pair in _PAIRS
    }
    return bool(found), bool(found - _COUNTED)


@attrs.frozen
class Redactor:
    """Finds secrets and takes them out.

    Attributes:
        known: Values that are secret wherever they turn up.
        names: Names that hold secrets besides the usual ones, compared without case.
    """

    known: tuple[str, ...] = attrs.field(default=(), converter=lambda given: tuple(_reveal(given)), repr=False)
    names: frozenset[str] = attrs.field(
        default=frozenset(), converter=lambda given: frozenset(name.lower() for name in given)
    )

    def redact(self, value: Any) -> Any:
        """The value as plain data for a record: no secret by name, by value or by the shape of its text."""
        plain = self._without_named(value, 0)
        scrub = self.get_scrub(value)
        return scrub(plain) if scrub else plain

    def redact_text(self, text: str) -> str:
        """Text for a record."""
        scrub = self.get_scrub(None)
        return _without_shaped(scrub(text) if scrub else text)

    def get_scrub(self, *seen: Any) -> Scrub | None:
        """What takes the known secrets, and those that stand in the values seen, out of a value; None if there are none."""
        secrets = set(self.known)
        for value in seen:
            if isinstance(value, (Mapping, list, tuple)):
                secrets.update(self._iter_secrets(value, 0))
        return build_scrub(secrets) if secrets else None

    def _is_secret(self, name: Any, value: Any) -> bool:
        """Whether the value under that name is a secret."""
        if type(name) is not str or value is None or value == "":
            return False
        named, also_numbers = read_name(name)
        if name.lower() in self.names:
            return True
        return also_numbers or (named and not isinstance(value, (bool, int, float)))

    def _iter_secrets(self, value: Any, depth: int) -> Iterator[str]:
        """Every secret that stands under its name or in a text of the value."""
        if isinstance(value, str):
            yield from _iter_shaped(value)
        elif depth > MAX_DEPTH:
            return
        elif isinstance(value, Mapping):
            for name, item in value.items():
                if type(item) is int or item is None:
                    if self._is_secret(name, item):
                        yield str(item)
                elif self._is_secret(name, item):
                    yield from _iter_leaves(item, depth)
                else:
                    yield from self._iter_secrets(item, depth + 1)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from self._iter_secrets(item, depth + 1)

    def _without_named(self, value: Any, depth: int) -> Any:
        """The value as plain data, with what stands under a secret's name or looks like one hidden."""
        if isinstance(value, str):
            return _without_shaped(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if depth > MAX_DEPTH:
            return HIDDEN
        if isinstance(value, Mapping):
            return {
                _without_shaped(str(name)): HIDDEN if self._is_secret(name, item) else self._without_named(item, depth + 1)
                for name, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._without_named(item, depth + 1) for item in value]
        return self._without_named(to_plain(value), depth + 1)


def build_scrub(secrets: Iterable[str]) -> Scrub | None:
    """What takes these secrets out of a value, in every spelling text may give them; None if all are too short."""
    forms = {form for secret in secrets if len(secret) >= MIN_SECRET_CHARACTERS for form in _iter_forms(secret)}
    if not forms:
        return None
    longest_first = sorted(forms, key=len, reverse=True)
    find = re.compile("|".join(_pattern_of(form) for form in longest_first))

    def scrub(value: Any) -> Any:
        if isinstance(value, str) and type(value) is str:
            return find.sub(HIDDEN, value)
        return _map_text(value, scrub)

    return scrub


def _map_text(value: Any, scrub: Scrub) -> Any:
    """The value with every text in it scrubbed; what is no text and holds none stays itself."""
    if isinstance(value, Mapping):
        return {scrub(name): scrub(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [scrub(item) for item in value] if isinstance(value, list) else tuple(scrub(item) for item in value)
    if attrs.has(type(value)):
        old = {each.alias: getattr(value, each.name) for each in attrs.fields(type(value)) if each.init}
        changed = {name: scrub(item) for name, item in old.items()}
        return value if changed == old else attrs.evolve(value, **changed)
    if value is None or isinstance(value, (bool, str)):
        return value
    plain = to_plain(value)
    written = str(plain)
    return value if scrub(written) == written else scrub(plain if isinstance(plain, (list, dict)) else written)


def _pattern_of(form: str) -> str:
    """The form whole, or from its head on as far as the text goes along with it."""
    head, rest = form[:MAX_HEAD_CHARACTERS], form[MAX_HEAD_CHARACTERS:]
    if not rest:
        return re.escape(head)
    steps = sorted({len(rest), *(1 << power for power in range(len(rest).bit_length()))} - {0}, reverse=True)
    tails = "|".join(re.escape(rest[:length]) for length in steps if length <= len(rest))
    return f"{re.escape(head)}(?:{tails})?"


def _iter_forms(secret: str) -> Iterator[str]:
    """The secret as itself, in Python's and JSON's quotes, and in a URL."""
    import json
    from urllib.parse import quote, quote_plus

    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    encodable = secret.encode("utf-8", "surrogatepass")
    yield quote(encodable, safe="")
    yield quote_plus(encodable)


def _iter_leaves(value: Any, depth: int) -> Iterator[str]:
    """Every text and number in a value that is secret as a whole."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        if depth <= MAX_DEPTH:
            for item in value:
                yield from _iter_leaves(item, depth + 1)
    elif isinstance(value, Secret):
        yield value.reveal()
    elif isinstance(value, str) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        yield str(value)


def _reveal(given: Iterable[str | Secret]) -> Iterator[str]:
    """The values of secrets, in the clear."""
    return (secret.reveal() if isinstance(secret, Secret) else secret for secret in given)


def _has_shape(text: str) -> bool:
    """Whether a text may hold a secret by its shape: a quick look, which most texts do not pass."""
    return len(text) >= MIN_SECRET_CHARACTERS and (":" in text or "=" in text or " " in text)


def _iter_shaped(text: str) -> Iterator[str]:
    """The secrets that surely stand in a text; `token: x` may as well be code that a question is about."""
    if _has_shape(text):
        for match in _IN_TEXT.finditer(text):
            if match["url"] or match["scheme"]:
                yield match[0][len(_kept(match)) :]


def _without_shaped(text: str) -> str:
    """The text with such secrets hidden."""
    return _IN_TEXT.sub(lambda match: f"{_kept(match)}{HIDDEN}", text) if _has_shape(text) else text


def _kept(match: re.Match[str]) -> str:
    """What stands before the secret and may stay."""
    return next(group for group in match.groups() if group is not None)
