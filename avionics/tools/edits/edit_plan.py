"""The common parts of planned changes: their contents, and how edits are collected and tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from avionics.index.verdicts.findings import ChangeFinding
from avionics.model.knowledge import Definition, Ledger
from avionics.source.read import decode, encode
from avionics.tools.answers.findings import describe_finding
from avionics.tools.edits.text_edits import TextEdit, apply_edits
from avionics.tools.edits.uses import CodeView


class EditRefusedError(Exception):
    """A change cannot be planned; the message says why, in words for the user."""


class EditPlan(Struct, frozen=True, kw_only=True):
    """A planned change.

    Attributes:
        name: The name of the changed definition.
        open: The places that must, or may have to, be edited by hand: file, line and reason. A plan with any is
            incomplete.
        reasons: Why there may be places that cannot be listed. A plan with any is incomplete.
        ledger: Every mention of the name, by class; None for a name without a definition.
    """

    name: str
    open: tuple[tuple[str, int, str], ...] = ()
    reasons: tuple[str, ...] = ()
    ledger: Ledger | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the edits are all that is to be done."""
        return not self.open and not self.reasons


class PlannedEdits:
    """The edits of one change, and what is left to do by hand."""

    def __init__(self, view: CodeView, definition: Definition) -> None:
        self._view = view
        self._code = view.code
        self._definition = definition
        self._edits: defaultdict[str, list[TextEdit]] = defaultdict(list)
        self._open: list[tuple[str, int, str]] = []

    def _read_content(self, file: str) -> bytes:
        """Return the bytes of a file."""
        return encode(self._view.text(file).content)

    def _get_byte_offset(self, file: str, line: int, column: int = 0) -> int:
        """Return the offset in bytes of a line and column."""
        text = self._view.text(file)
        return len(encode(text.content[: text.offset_of(line, column)]))

    def _replace(self, file: str, start: int, end: int, text: str) -> None:
        """Add an edit that replaces some bytes of a file with a text."""
        self._edits[file].append(TextEdit(start, end, (encode(text),)))

    def _apply(self) -> Mapping[str, str]:
        """Return the texts of the edited files."""
        return {file: decode(apply_edits(self._read_content(file), edits)) for file, edits in self._edits.items()}

    def _note_broken(self, findings: Iterable[ChangeFinding]) -> None:
        """Record what the edits break at places other than the open ones."""
        known = {(file, line) for file, line, _ in self._open}
        for finding in findings:
            for site in finding.broken:
                if (site.file, site.line) not in known:
                    self._open.append((site.file, site.line, f"breaks: {describe_finding(finding)}"))
