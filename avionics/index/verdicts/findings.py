"""Findings: the breaks of a change as values. Their English is written in `avionics.tools.answers.findings`."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from avionics.model.knowledge import Definition


class Severity(str, Enum):
    """The severity of a finding, in the order of a listing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Proof(str, Enum):
    """Whether a finding is proven: the index resolves both the changed definition and its use."""

    CERTAIN = "certain"
    POSSIBLE = "possible"


class Rule(str, Enum):
    """The rules, in the order of a listing within one severity. Rule ids are never renamed."""

    SYNTAX_ERROR = "syntax-error"
    MISSING_IMPORT = "missing-import"
    UNDEFINED_NAME = "undefined-name"
    MISSING_MEMBER = "missing-member"
    CALL_MISMATCH = "call-mismatch"
    MISSING_CASE = "missing-case"
    MISSING_IMPLEMENTATION = "missing-implementation"
    OVERRIDE_MISMATCH = "override-mismatch"
    DUPLICATE_DEFINITION = "duplicate-definition"
    CONTRACT_VIOLATION = "contract-violation"
    STALE_MENTION = "stale-mention"
    IMPORT_CYCLE = "import-cycle"
    LEFT_UNUSED = "left-unused"

    @property
    def severity(self) -> Severity:
        """Return the severity of proven findings of the rule."""
        if self in {Rule.IMPORT_CYCLE, Rule.LEFT_UNUSED}:
            return Severity.INFO
        return Severity.WARNING if self is Rule.STALE_MENTION else Severity.ERROR


class Cause(str, Enum):
    """Why a place is broken; it determines the meaning of a finding's `subject` and `detail`."""

    NAME_REMOVED = "name_removed"
    NAME_MOVED = "name_moved"
    NAME_RENAMED = "name_renamed"
    NAME_HIDDEN = "name_hidden"
    MODULE_REMOVED = "module_removed"
    MODULE_MOVED = "module_moved"
    NEVER_DEFINED = "never_defined"
    MACRO_TEXT = "macro_text"
    ARGUMENT_MISSING = "argument_missing"
    FIELD_MISSING = "field_missing"
    ARGUMENT_SURPLUS = "argument_surplus"
    ARGUMENT_TYPE = "argument_type"
    KEYWORD_UNKNOWN = "keyword_unknown"
    OVERLOAD_REMOVED = "overload_removed"
    CASE_MISSING = "case_missing"
    NOT_IMPLEMENTED = "not_implemented"
    OVERRIDES_NOTHING = "overrides_nothing"
    ASKED_BY_NONE = "asked_by_none"
    DECLARED_OTHERWISE = "declared_otherwise"
    DEFINED_TWICE = "defined_twice"
    NOT_PARSED = "not_parsed"
    CONTRACT_BROKEN = "contract_broken"
    NAMED_AFTER_REMOVAL = "named_after_removal"
    NAMED_AFTER_RENAME = "named_after_rename"
    CYCLE_CLOSED = "cycle_closed"
    LAST_USE_REMOVED = "last_use_removed"


class Site(Struct, frozen=True, order=True):
    """A location in a finding; `is_before` marks one in the version before the change."""

    file: str
    line: int
    column: int = 0
    is_before: bool = False

    @classmethod
    def of(cls, definition: Definition, *, is_before: bool = False) -> Site:
        """Return the location of a definition."""
        return cls(definition.file, definition.line, definition.symbol.column, is_before)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class ChangeFinding(Struct, frozen=True):
    """One consequence of a change.

    Attributes:
        subject: The name of the symbol, module or parameter, as qualified as it is known.
        change: The place that was changed; None if it is the broken place itself.
        broken: Every broken place, in order of files and lines.
        detail: A second name: the new name or module of the subject, or a parameter; "" if there is none.
        holder: The module, class or function that the subject belongs to; "" if there is none.
        proof: Whether the finding is proven.
        proven_severity: The severity of the finding if it is proven; None for that of its rule.
    """

    rule: Rule
    cause: Cause
    subject: str
    change: Site | None
    broken: tuple[Site, ...]
    detail: str = ""
    holder: str = ""
    proof: Proof = Proof.CERTAIN
    proven_severity: Severity | None = None

    @property
    def severity(self) -> Severity:
        """Return the severity; a finding that is not proven is only a warning."""
        if self.proof is Proof.POSSIBLE:
            return Severity.WARNING
        return self.proven_severity or self.rule.severity

    @property
    def key(self) -> str:
        """Return a key that identifies the finding across edits elsewhere; it contains no line numbers."""
        files = ",".join(sorted({site.file for site in self.broken}))
        return f"{self.rule.value}|{self.holder}|{self.subject}|{self.detail}|{files}"


class OutsideFile(Struct, frozen=True):
    """A file that the verdict does not cover.

    Attributes:
        why: "parsed_in_part" or "unsupported" for a changed file; "not_in_time"; "not_parsed" for a file with a name of
            a definition that is gone or takes other arguments, in code that could not be parsed.
    """

    file: str
    why: str


class CutSearch(Struct, frozen=True):
    """A name that was searched in `searched` of the `total` files that mention it."""

    name: str
    searched: int
    total: int


class ChangeVerdict(Struct, frozen=True):
    """All findings of a change.

    Attributes:
        findings: The findings, most severe first.
        cut: The names that were not searched in all files.
        names: The names of definitions that were removed or take other arguments, which files outside the index may
            use.
    """

    findings: tuple[ChangeFinding, ...]
    outside: tuple[OutsideFile, ...] = ()
    cut: tuple[CutSearch, ...] = ()
    names: frozenset[str] = frozenset()
