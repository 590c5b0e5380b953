"""Plan the change of one file that connects or disconnects a client, so that it can be shown first.

A change is verified before it is offered: the file must parse before and after, and differ by the entry alone.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import attrs

from avionics.connect import files, jsonc, toml_text
from avionics.connect.clients import ENTRY, Client, Server, Syntax
from avionics.connect.records import EntryRecords, Record
from avionics.connect.text import Insertion, Text, cut, read_text
from avionics.model.errors import ConfigError

ReadT = TypeVar("ReadT")


class Target(Protocol):
    """What an edit is for: a client's list of servers, or a block of text."""

    @property
    def name(self) -> str:
        """Return its name on the command line."""

    @property
    def check(self) -> str:
        """Return what to do to see that it works."""


@attrs.frozen
class FileEdit:
    """One file before and after a change; None means no file, and equal bytes mean that there is nothing to do."""

    target: Target
    file: Path
    before: bytes | None
    after: bytes | None
    inserted: str = ""

    @classmethod
    def read(cls, target: Target, file: Path) -> FileEdit:
        """Return the edit that changes nothing, from which others are made.

        Raise `ConfigError` if it is not a regular file, or `SourceError` if it cannot be read.
        """
        before = files.read_configuration(file)
        return cls(target, file, before, before)

    @property
    def text(self) -> Text:
        """Return the file before the change as text. Raise `ConfigError` if it is not text."""
        return read_text(self.before or b"")

    @property
    def is_nothing(self) -> bool:
        """Return whether there is nothing to do."""
        return self.before == self.after

    def insert(self, insertion: Insertion) -> FileEdit:
        """Return the edit that inserts a text."""
        return attrs.evolve(self.rewrite(insertion.apply(self.text.content)), inserted=insertion.text)

    def rewrite(self, content: str) -> FileEdit:
        """Return the edit that gives the file another content."""
        return attrs.evolve(self, after=self.text.encode(content))

    def undo_insertion(self, records: EntryRecords) -> FileEdit | None:
        """Return the edit that removes exactly what was inserted; None if that is no longer in the file.

        A file that was created for it is removed with it.
        """
        record, content = records.get(self.file), self.text.content
        if record is None or content.count(record.inserted) != 1:
            return None
        left = content.replace(record.inserted, "")
        return attrs.evolve(self, after=None) if record.is_new and not left else self.rewrite(left)

    def refusal(self, reason: str, hint: str = "") -> ConfigError:
        """Return the error that explains why the file is not changed."""
        return ConfigError(f"{self.file} was not changed: {reason}", hint=hint)

    def to_diff(self) -> str:
        """Return the change as a unified diff."""
        old, new = (_lines(data) for data in (self.before, self.after))
        source, target = (str(self.file) if data is not None else "/dev/null" for data in (self.before, self.after))
        return "\n".join(line.removesuffix("\n") for line in difflib.unified_diff(old, new, source, target, n=1))


def plan_connection(client: Client, file: Path, server: Server) -> FileEdit:
    """Plan the change that connects a client.

    Raise `ConfigError`, which says why, if the file cannot be changed without harm; `SourceError` if it cannot be read.
    """
    found = FileEdit.read(client, file)
    configuration = _ClientFile(client, found)
    value = configuration.parse(found.text.content)
    keys = (*client.get_keys(value), ENTRY)
    entry = client.shape(server)
    if keys[-2] == "servers" and client.name == "opencode":
        entry.pop("enabled")
    present = _get_at(value, keys)
    if present == entry:
        return found
    if present is not None:
        raise found.refusal(f"it already has another {ENTRY!r}", f"remove it with `avionics disconnect {client.name}`")
    insertion = configuration.plan(keys, entry)
    if not configuration.says(insertion.apply(found.text.content), _with_entry(value, keys, entry), ()):
        raise found.refusal(f"it has no place for {'.'.join(keys)}", "add the entry by hand; see docs/clients.md")
    return found.insert(insertion)


def plan_disconnection(client: Client, file: Path, records: EntryRecords) -> FileEdit:
    """Plan the change that disconnects a client: remove what was added, even if the file has changed since.

    Raise `ConfigError`, which says why, if the entry cannot be removed without harm; `SourceError` if the file cannot
    be read.
    """
    found = FileEdit.read(client, file)
    if found.before is None:
        return found
    configuration = _ClientFile(client, found)
    value = configuration.parse(found.text.content)
    keys = (*client.get_keys(value), ENTRY)
    if _get_at(value, keys) is None:
        return found
    wanted = _without_entry(value, keys)
    undone = found.undo_insertion(records)
    if undone and configuration.says(read_text(undone.after or b"").content, wanted, keys[:-1]):
        return undone
    content = cut(found.text.content, configuration.find_spans(keys))
    if not configuration.says(content, wanted, keys[:-1]):
        raise found.refusal("the entry cannot be removed alone", f"remove {'.'.join(keys)} by hand")
    return found.rewrite(content)


def apply_change(change: FileEdit, records: EntryRecords) -> None:
    """Make the change, after saving the data needed to undo it.

    Raise `ConfigError` if the file is read-only or has changed in the meantime, or `SourceError` if it cannot be
    written; nothing is changed then.
    """
    if change.is_nothing:
        return
    files.require_writable(change.file)
    if change.inserted:
        record = Record(change.inserted, change.before is None)
        records.put(change.file, record, change.before)
        made = files.replace_configuration(change.file, change.before, change.after)
        if made:
            records.put(change.file, attrs.evolve(record, directories=tuple(map(str, made))), change.before)
        return
    kept = records.get(change.file)
    files.replace_configuration(change.file, change.before, change.after)
    if change.after is None and kept:
        files.remove_empty(tuple(map(Path, kept.directories)))
    records.remove(change.file)


def get_entry(client: Client, file: Path) -> Mapping[str, Any] | None:
    """Return the entry in a file; None if there is none.

    Raise `ConfigError` if the file cannot be parsed, or `SourceError` if the file cannot be read.
    """
    found = FileEdit.read(client, file)
    if found.before is None:
        return None
    value = _ClientFile(client, found).parse(found.text.content)
    entry = _get_at(value, (*client.get_keys(value), ENTRY))
    return entry if isinstance(entry, Mapping) else None


def build_snippet(client: Client, server: Server) -> str:
    """Return the entry alone, as a new file would contain it."""
    keys, entry = (*client.keys, ENTRY), client.shape(server)
    if client.syntax is Syntax.TOML:
        return toml_text.plan_table("", keys, entry, "\n").text
    return json.dumps(jsonc.nest(keys, entry), indent=2, ensure_ascii=False) + "\n"


@attrs.frozen
class _ClientFile:
    """A file in its syntax; errors name it."""

    client: Client
    file: FileEdit

    def parse(self, content: str) -> Mapping[str, Any]:
        """Parse the file."""
        if self.client.syntax is Syntax.TOML:
            return self._named(lambda: toml_text.read_table(content))
        value: Mapping[str, Any] = self._named(lambda: self._document(content).value)
        return value

    def plan(self, keys: tuple[str, ...], entry: Mapping[str, Any]) -> Insertion:
        """Return where to insert the entry."""
        text = self.file.text
        if self.client.syntax is Syntax.TOML:
            return toml_text.plan_table(text.content, keys, entry, text.newline)
        return self._named(lambda: jsonc.plan_member(self._document(text.content), keys, entry, text.newline))

    def find_spans(self, keys: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
        """Return the spans to cut to remove the entry."""
        content = self.file.text.content
        if self.client.syntax is Syntax.TOML:
            return toml_text.find_table_spans(content, keys)
        return self._named(lambda: jsonc.find_member_spans(self._document(content), keys))

    def says(self, content: str, wanted: Mapping[str, Any], holders: tuple[str, ...]) -> bool:
        """Return whether the file has the wanted contents; objects that only contained the entry may be missing."""
        try:
            parsed = self.parse(content)
        except ConfigError:
            return False
        return parsed in (wanted, *_iter_pruned(wanted, holders))

    def _document(self, content: str) -> jsonc.Document:
        return jsonc.read_document(content, comments=self.client.syntax is Syntax.JSONC)

    def _named(self, read: Callable[[], ReadT]) -> ReadT:
        """Return the result of reading; errors name the file."""
        try:
            return read()
        except ConfigError as error:
            fault = f"it is not {self.client.syntax.value}: {error}" if error.hint == "" else str(error)
            raise self.file.refusal(
                fault, error.hint or f"{self.client.title} cannot read it either; correct it first"
            ) from None


def _get_at(value: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _with_entry(value: Any, keys: tuple[str, ...], entry: Mapping[str, Any]) -> Any:
    if not keys:
        return entry
    value = value if isinstance(value, Mapping) else {}
    return {**value, keys[0]: _with_entry(value.get(keys[0]), keys[1:], entry)}


def _without_entry(value: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    if len(keys) == 1:
        return {key: each for key, each in value.items() if key != keys[0]}
    return {**value, keys[0]: _without_entry(value[keys[0]], keys[1:])}


def _iter_pruned(value: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the value without the objects around the entry, from the innermost on, as far as they are empty."""
    while keys and _get_at(value, keys) == {}:
        value = _without_entry(value, keys)
        yield dict(value)
        keys = keys[:-1]


def _lines(data: bytes | None) -> list[str]:
    """Return lines for a diff; a missing newline at the end is marked."""
    content = read_text(data).content if data else ""
    lines = [line.removesuffix("\r") + "\n" for line in content.split("\n")]
    if lines[-1] == "\n":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\\ No newline at end of file\n"]
