"""Redaction: remove secrets from records and results.

A secret is recognized by its name (`api_key`, `Authorization`), by its value after it occurred under such a name or was
passed to the redactor, or by the text around it: `https://user:…@host`, `Bearer …`; in records also `password=…`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, TypeAlias
from urllib.parse import quote, quote_plus

from avionics.late_pattern import late_pattern
from avionics.model.mappings import group_pairs
from avionics.model.naming import count_shared
from avionics.model.records import evolve, get_fields
from avionics.model.results import to_plain
from avionics.model.secret import HIDDEN, Secret

Scrub: TypeAlias = Callable[[Any], Any]
"""Removes known secrets from a value, keeping its structure."""

MIN_SECRET_CHARACTERS: Final = 4
"""A shorter value is hidden under its name only; removing it everywhere would make text unreadable."""

MIN_UNWORDLY_CHARACTERS: Final = 12
"""A shorter value of letters alone may be a word; removing it everywhere would damage other text."""

MAX_HEAD_CHARACTERS: Final = 32
"""The number of leading characters of a longer secret that identify it, because messages truncate what they quote."""

MAX_REMEMBERED_NAMES: Final = 32
"""An object with more names is someone's data and unlikely to recur."""

MAX_DEPTH: Final = 64
"""Deeper values are hidden as a whole, because no genuine argument nests so far and Python's stack is finite."""

_WORDS: Final = frozenset(
    {
        *("auth", "authorization", "bearer", "jwt", "token", "cookie", "cookies", "secret", "secrets"),
        *("credential", "credentials", "passcode", "passphrase", "passwd", "password", "passwords", "pwd"),
        *("apikey", "accesskey", "privatekey", "secretkey"),
    }
)
_PAIRS: Final = frozenset(
    {"access key", "api key", "api keys", "auth tokens", "encryption key", "private key", "set cookie", "signing key"}
)
_COUNTED: Final = frozenset({"token", "auth", "cookies"})
"""Numbers and booleans under these names are settings: `max_token: 5`, `auth: true`."""

_NEVER_TEXT: Final = frozenset({type(None), bool, int, float})
"""Types of plain values that contain no text, so that only their name can show that they are secrets."""
_PLAIN: Final = _NEVER_TEXT | {str, list, dict}

_SPLIT = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAMES = (
    r"password|passwd|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credential"
)
_IN_TEXT = late_pattern(
    r"(?P<url>://[^/\s:@]{0,200}:)[^/\s@]+(?=@)"
    r"|(?P<scheme>\b(?:bearer|basic)\s+)[\w.~+/=-]{16,}"
    rf"|(?P<name>(?<![\w-])[\w-]*(?:{_NAMES})s?[\"']?\s*(?:[=:]|\s(?=-)|=>)\s*[\"']?)(?!(?:bearer|basic)\b)[^\s\"',;&}})\]]+"
    rf"|(?P<option>(?<![\w-])--?[\w-]*(?:{_NAMES})\s+)[^\s-]\S*",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def read_name(name: str) -> tuple[bool, bool]:
    """Return whether a value under the name is a secret, and whether it is one even as a number."""
    words = [word.lower() for word in _SPLIT.findall(name)]
    pairs = {f"{first} {second}" for first, second in pairwise(words)}
    found = _WORDS.intersection(words) | (_PAIRS & pairs)
    return bool(found), bool(found - _COUNTED)


@lru_cache(maxsize=1024)
def are_harmless(names: tuple[object, ...]) -> bool:
    """Return whether no name of an object indicates a secret; cached, as calls repeat the same names."""
    return all(type(name) is str and name.isidentifier() and not read_name(name)[0] for name in names)


class Redactor:
    """Finds and removes secrets: known values, and those of further names, compared without case."""

    def __init__(self, known: Iterable[str | Secret] = (), names: Iterable[str] = ()) -> None:
        self.known = tuple(each.reveal() if isinstance(each, Secret) else each for each in known)
        self.names = frozenset(name.lower() for name in names)

    def redact(self, value: Any) -> Any:
        """Return the value as plain data for a record, without secrets by name, value or surrounding text."""
        if not self.known and self._is_harmless(value):
            return dict(value)
        plain = self._without_named(value, 0)
        if plain == value and not self.known:
            return plain
        scrub = self.get_scrub(value)
        return scrub(plain) if scrub else plain

    def redact_text(self, text: str) -> str:
        """Redact text for a record."""
        scrub = self.get_scrub(None)
        return _without_shaped(scrub(text) if scrub else text)

    def get_scrub(self, *seen: Any) -> Scrub | None:
        """Return the function that removes known secrets and those in the values seen. None if there are none."""
        secrets = list(self.known)
        for value in seen:
            if not self._is_harmless(value):
                self._collect(value, 0, secrets)
        return build_scrub(secrets) if secrets else None

    def _is_harmless(self, value: Any) -> bool:
        """Return whether names and texts alone show that there is no secret, as in most calls."""
        if self.names or type(value) is not dict or len(value) > MAX_REMEMBERED_NAMES or not are_harmless(tuple(value)):
            return False
        for item in value.values():
            kind = type(item)
            if kind is str:
                if ":" in item or "=" in item or " " in item or not item.isprintable():
                    return False
            elif kind not in _NEVER_TEXT:
                return False
        return True

    def _is_secret(self, name: Any, value: Any) -> bool:
        """Return whether the value under that name is a secret."""
        if not isinstance(name, str):
            return False
        named, also_numbers = read_name(name)
        if self.names and name.lower() in self.names:
            also_numbers = True
        elif not named:
            return False
        return value is not None and value != "" and (also_numbers or not isinstance(value, (bool, int, float)))

    def _collect(self, value: Any, depth: int, secrets: list[str]) -> None:
        """Collect every secret of the value that is identified by its name or with certainty by its text."""
        kind = type(value)
        if kind is str:
            if "://" in value or "earer" in value or "asic" in value:
                secrets.extend(_iter_sure(value))
        elif kind in _NEVER_TEXT or depth > MAX_DEPTH:
            return
        elif isinstance(value, (dict, Mapping)):
            for name, item in value.items():
                if self._is_secret(name, item):
                    secrets.extend(leaf for leaf in _iter_leaves(item, depth) if not _is_word(leaf))
                elif type(item) not in _NEVER_TEXT:
                    self._collect(item, depth + 1, secrets)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self._collect(item, depth + 1, secrets)

    def _without_named(self, value: Any, depth: int) -> Any:
        """Return the value as plain data without secrets by name or text."""
        kind = type(value)
        if kind is str:
            return _without_shaped(value)
        if kind in _NEVER_TEXT:
            return value
        if depth > MAX_DEPTH:
            return HIDDEN
        if isinstance(value, (dict, Mapping)):
            redacted: dict[str, Any] = {}
            for name, item in value.items():
                key = name if type(name) is str and name.isidentifier() else _without_shaped(str(name))
                if self._is_secret(name, item):
                    redacted[key] = HIDDEN
                elif type(item) in _NEVER_TEXT:
                    redacted[key] = item
                else:
                    redacted[key] = self._without_named(item, depth + 1)
            return redacted
        if isinstance(value, (list, tuple)):
            return [self._without_named(item, depth + 1) for item in value]
        try:
            plain = to_plain(value)
        except (TypeError, ValueError):
            return HIDDEN
        return self._without_named(plain, depth + 1) if type(plain) in _PLAIN else HIDDEN


def _is_word(text: str) -> bool:
    """Return whether a value could be an ordinary word, such as `function`: it is kept where it stands alone."""
    return len(text) < MIN_UNWORDLY_CHARACTERS and text.isalpha() and text[1:].islower()


def build_scrub(secrets: Iterable[str]) -> Scrub | None:
    """Return the function that removes these secrets in every notation; None if all are too short."""
    forms = {form for secret in secrets if len(secret) >= MIN_SECRET_CHARACTERS for form in _iter_forms(secret)}
    if not forms:
        return None
    by_head = group_pairs((form[:MAX_HEAD_CHARACTERS], form) for form in forms)
    find = re.compile("|".join(map(re.escape, sorted(by_head, key=len, reverse=True))))

    def scrub(value: Any) -> Any:
        if isinstance(value, str) and type(value) is str:
            return "".join(_iter_scrubbed(value, find, by_head))
        return _map_text(value, scrub)

    return scrub


def _map_text(value: Any, scrub: Scrub) -> Any:
    """Return the value with every text in it scrubbed; values without text are returned as they are."""
    if isinstance(value, Mapping):
        scrubbed = {scrub(name): scrub(item) for name, item in value.items()}
        # Redacting keys could make two of them equal and lose an item. A key is rarely a secret, and its value is
        # redacted.
        return scrubbed if len(scrubbed) == len(value) else {name: scrub(item) for name, item in value.items()}
    if isinstance(value, list):
        return [scrub(item) for item in value]
    if isinstance(value, tuple):
        return tuple(scrub(item) for item in value)
    fields = get_fields(type(value))
    if fields is not None:
        old = {parameter: getattr(value, name) for name, parameter in fields.items()}
        changed = {parameter: scrub(item) for parameter, item in old.items()}
        return value if changed == old else evolve(value, changed)
    if value is None or isinstance(value, (bool, str)):
        return value
    plain = to_plain(value)
    written = str(plain)
    if scrub(written) == written:
        return value
    return scrub(plain) if isinstance(plain, (list, dict)) else scrub(written)


def _iter_scrubbed(text: str, find: re.Pattern[str], by_head: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the text in pieces; a secret extends as far as the text matches it."""
    end = 0
    while match := find.search(text, end):
        yield text[end : match.start()]
        yield HIDDEN
        found = text[match.start() :]
        end = match.start() + max(count_shared(form, found) for form in by_head[match[0]])
    yield text[end:]


def _iter_forms(secret: str) -> Iterator[str]:
    """Yield the secret itself, quoted as in Python and JSON, and as in a URL."""
    import json

    yield secret
    yield repr(secret)[1:-1]
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    encodable = secret.encode("utf-8", "surrogatepass")
    yield quote(encodable, safe="")
    yield quote_plus(encodable)


def _iter_leaves(value: Any, depth: int) -> Iterator[str]:
    """Yield every text and number of a value that is secret as a whole."""
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


def _iter_sure(text: str) -> Iterator[str]:
    """Yield the certain secrets of a text; `token: x` may be code that a question is about."""
    for match in _IN_TEXT.finditer(text):
        if match["url"] or match["scheme"]:
            yield match[0][len(_get_prefix(match)) :]


def _without_shaped(text: str) -> str:
    """Return the text without secrets that are recognizable by their form."""
    if ":" in text or "=" in text or " " in text:
        return _IN_TEXT.sub(lambda match: f"{_get_prefix(match)}{HIDDEN}", text)
    return text


def _get_prefix(match: re.Match[str]) -> str:
    """Return the part before the secret."""
    return next(group for group in match.groups() if group is not None)
