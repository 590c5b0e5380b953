"""Read a contract from TOML, and name every fault with its key and the fix.

The contract is the table `contract` of `avionics.toml`, or `tool.avionics.contract` of `pyproject.toml`.
"""

from __future__ import annotations

import datetime as dt
import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import partial
from typing import Any, NoReturn, TypeVar

import attrs

from avionics.index.contract.patterns import MAX_WILDCARDS, FilePattern, FilePatterns
from avionics.index.contract.rules import (
    KEYS,
    RULES,
    Contract,
    ContractException,
    ContractRule,
    CountedImports,
    CycleLevel,
    LimitsRule,
    PackagesRule,
    RuleSeverity,
)
from avionics.model.errors import ConfigError

_TABLES = {"avionics.toml": ("contract",), "pyproject.toml": ("tool", "avionics", "contract")}
_KEYS = ("rules", "exceptions", "parts", "ignore")
_ValueT = TypeVar("_ValueT")
_RuleT = TypeVar("_RuleT", bound=ContractRule | ContractException)


class _FaultError(Exception):
    """An invalid value: the problem and the fix."""


def has_contract(path: str, text: str) -> bool:
    """Return whether a file contains a contract, valid or not."""
    return _get_table(path, _parse(path, text)) is not None


def read_contract(path: str, text: str) -> Contract:
    """Return the contract of a file.

    Raise `ConfigError` if the file is not TOML, or has no contract or an invalid one; the message lists every fault.
    """
    table = _get_table(path, _parse(path, text))
    name = ".".join(_table_of(path))
    if table is None:
        raise ConfigError(
            f"{path} has no table [{name}]", hint="`avionics contract propose` writes one that describes today"
        )
    reader = _Reader(name)
    contract = reader.read(path, table)
    if reader.faults:
        raise ConfigError(f"{path} is not a valid contract: {'; '.join(reader.faults)}", hint="see docs/contract.md")
    return contract


class _Reader:
    """Reads tables, and gathers the faults it finds on the way."""

    def __init__(self, name: str) -> None:
        self.faults: list[str] = []
        self._name = name
        self._parts: list[str] = []

    def read(self, path: str, table: object) -> Contract:
        """Return the contract of a table, as far as it could be read."""
        if not isinstance(table, dict):
            self.faults.append(f"{self._name} is not a table")
            return Contract(path, ())
        self._reject_unknown(self._name, table, _KEYS)
        parts = self._read_parts(table.get("parts", {}))
        ignore: FilePatterns = self._read(f"{self._name}.ignore", table.get("ignore", []), self._patterns, ())
        rules = [
            rule
            for place, entry in self._iter_tables(f"{self._name}.rules", table.get("rules", []))
            if (rule := self._read_rule(place, entry)) is not None
        ]
        names = [rule.name for rule in rules]
        self.faults += [
            f"{self._name}.rules: two rules are called {name!r}; rename one"
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        ]
        exceptions = [
            exception
            for place, entry in self._iter_tables(f"{self._name}.exceptions", table.get("exceptions", []))
            if (exception := self._build(ContractException, place, entry)) is not None
        ]
        for position, exception in enumerate(exceptions):
            for name in exception.rules:
                if name not in names:
                    self.faults.append(f"{self._name}.exceptions[{position}].rules: {_suggest('rule', name, names)}")
        return Contract(path, tuple(rules), tuple(exceptions), parts, ignore)

    def _read_parts(self, value: object) -> Mapping[str, FilePatterns]:
        """Return the named parts; a part may only refer to earlier ones, so there are no cycles."""
        if not isinstance(value, dict):
            self.faults.append(f"{self._name}.parts: expected a table: name = patterns")
            return {}
        found: dict[str, FilePatterns] = {}
        for name, patterns in value.items():
            found[name] = self._read(f"{self._name}.parts.{name}", patterns, self._patterns, ())
            self._parts.append(name)
        return found

    def _iter_tables(self, place: str, value: object) -> Iterable[tuple[str, dict[str, Any]]]:
        if not isinstance(value, list) or any(not isinstance(entry, dict) for entry in value):
            self.faults.append(f"{place}: write each as a table [[{place}]]")
            return
        for at, entry in enumerate(value):
            yield f"{place}[{at}]", entry

    def _read_rule(self, place: str, table: dict[str, Any]) -> ContractRule | None:
        words = [each.type.value for each in RULES]
        word = table.get("type")
        name = table.get("name")
        place = f"{place} ({name!r})" if isinstance(name, str) else place
        if not isinstance(word, str) or word not in words:
            self.faults.append(
                f"{place}.type: {'missing' if word is None else _suggest('type', str(word), words)}; "
                f"types: {', '.join(words)}"
            )
            return None
        rule = self._build(RULES[words.index(word)], place, {k: v for k, v in table.items() if k != "type"})
        if isinstance(rule, PackagesRule) and rule.allow is None and not rule.deny:
            self.faults.append(f"{place}: give `allow` or `deny`")
        if isinstance(rule, LimitsRule) and not any(
            getattr(rule, name) is not None for name in ("max_lines", "max_files", "max_fan_in", "max_fan_out")
        ):
            self.faults.append(f"{place}: give one of max_lines, max_files, max_fan_in, max_fan_out")
        return rule

    def _build(self, kind: type[_RuleT], place: str, table: dict[str, Any]) -> _RuleT | None:
        """Return a value of a class with the keys of its fields; None if a required one is missing."""
        fields = {KEYS.get(field.name, field.name): field for field in attrs.fields(kind)}
        self._reject_unknown(place, table, fields)
        values: dict[str, Any] = {}
        is_complete = True
        for name, field in fields.items():
            if name not in table:
                if field.default is attrs.NOTHING:
                    self.faults.append(f"{place}.{name} is missing")
                    is_complete = False
                continue
            kind_of_field = str(field.type)
            choices = _CHOICES.get(kind_of_field)
            read = partial(_choose, choices) if choices else getattr(self, _READERS[kind_of_field])
            before = len(self.faults)
            value = self._read(f"{place}.{name}", table[name], read, None)
            if len(self.faults) > before:
                is_complete = is_complete and field.default is not attrs.NOTHING
            else:
                values[field.name] = value
        return kind(**values) if is_complete else None

    def _reject_unknown(self, place: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        names = list(known)
        self.faults += [
            f"{place}: {_suggest('key', each, names)}; keys: {', '.join(names)}" for each in table if each not in names
        ]

    def _read(self, place: str, value: object, read: Callable[[object], _ValueT], default: _ValueT) -> _ValueT:
        try:
            return read(value)
        except _FaultError as fault:
            self.faults.append(f"{place}: {fault}")
            return default

    def _patterns(self, value: object) -> FilePatterns:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or any(not isinstance(each, str) or not each.strip() for each in texts):
            _fail(f"expected a pattern or a list of patterns, not {value!r}")
        patterns = tuple(map(FilePattern.parse, texts))
        for pattern in patterns:
            if pattern.part and pattern.part not in self._parts:
                _fail(f"{_suggest('part', pattern.part, self._parts)}; declare it above, under [{self._name}.parts]")
            if not pattern.body:
                _fail(f"{pattern.text!r} is not a pattern")
            if pattern.wildcards > MAX_WILDCARDS:
                _fail(f"{pattern.text!r} has {pattern.wildcards} wildcards; at most {MAX_WILDCARDS} are allowed")
        return patterns

    def _layers(self, value: object) -> tuple[FilePatterns, ...]:
        if not isinstance(value, list) or len(value) < 2:
            _fail("expected a list of at least two layers, top first; a layer is a pattern or a list of patterns")
        return tuple(map(self._patterns, value))

    def _named_patterns(self, value: object) -> Mapping[str, FilePatterns]:
        if not isinstance(value, dict):
            _fail("expected a table: name = patterns")
        return {name: self._patterns(each) for name, each in value.items()}

    def _text(self, value: object) -> str:
        return value if isinstance(value, str) and value.strip() else _fail(f"expected a string, not {value!r}")

    def _texts(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or any(not isinstance(each, str) for each in value):
            _fail(f"expected a list of strings, not {value!r}")
        return tuple(value)

    def _flag(self, value: object) -> bool:
        return value if isinstance(value, bool) else _fail(f"expected true or false, not {value!r}")

    def _count(self, value: object) -> int:
        is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return value if is_count and isinstance(value, int) else _fail(f"expected a number from 0 on, not {value!r}")

    def _date(self, value: object) -> dt.date:
        if isinstance(value, dt.datetime) or not isinstance(value, dt.date):
            _fail(f"expected a date such as 2026-12-31 without quotes, not {value!r}")
        return value


_READERS = {
    "str": "_text",
    "bool": "_flag",
    "int | None": "_count",
    "FilePatterns": "_patterns",
    "tuple[FilePatterns, ...]": "_layers",
    "Mapping[str, FilePatterns]": "_named_patterns",
    "tuple[str, ...]": "_texts",
    "tuple[str, ...] | None": "_texts",
    "dt.date | None": "_date",
}
"""The annotation of a field → the method that reads it."""

_CHOICES: dict[str, type[Enum]] = {each.__name__: each for each in (CountedImports, RuleSeverity, CycleLevel)}
"""The annotation of a field → the enum that lists its values."""


def _parse(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {error}", hint="see https://toml.io") from error


def _table_of(path: str) -> tuple[str, ...]:
    return _TABLES.get(path.rpartition("/")[2], ("contract",))


def _get_table(path: str, document: object) -> object | None:
    for name in _table_of(path):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _choose(choices: type[Enum], value: object) -> Enum:
    known = [each.value for each in choices]
    if not isinstance(value, str) or value not in known:
        _fail(f"{_suggest('value', str(value), known)}; values: {', '.join(known)}")
    return choices(value)


def _suggest(what: str, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"unknown {what} {name!r}" + (f", did you mean {near[0]!r}?" if near else "")


def _fail(message: str) -> NoReturn:
    raise _FaultError(message)
