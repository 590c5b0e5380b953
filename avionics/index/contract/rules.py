"""The rules that a contract can have, as values.

The fields of a rule are the keys of its table; `reader` fills them. Fields without a default are required.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

import attrs

from avionics.index.architecture.dependencies import ImportKind
from avionics.index.contract.patterns import FilePatterns


class RuleType(str, Enum):
    """The type of a rule, as written in `type`."""

    LAYERS = "layers"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    INDEPENDENT = "independent"
    PUBLIC = "public"
    PACKAGES = "packages"
    OWNERS = "owners"
    CYCLES = "cycles"
    LIMITS = "limits"


class CountedImports(str, Enum):
    """Which imports a rule considers."""

    ALL = "all"
    RUNTIME = "runtime"
    """All but those that only type checkers follow."""
    LOAD = "load"
    """Those that take effect when a file is loaded."""

    def counts(self, kind: ImportKind) -> bool:
        """Return whether a rule considers imports of a kind."""
        return kind <= {CountedImports.ALL: 2, CountedImports.RUNTIME: 1, CountedImports.LOAD: 0}[self]


class CycleLevel(str, Enum):
    """The nodes between which cycles are searched."""

    GROUPS = "groups"
    """The groups of the rule."""
    DIRECTORIES = "directories"
    """The directories within each group."""
    FILES = "files"
    """The files within each group."""


class RuleSeverity(str, Enum):
    """Whether a violation breaks the contract."""

    ERROR = "error"
    WARNING = "warning"


KEYS = {"sources": "from", "targets": "to"}
"""Field → its key in TOML, where they differ: `from` is a keyword of Python."""


@attrs.frozen(kw_only=True)
class ContractRule:
    """What every rule has.

    Attributes:
        name: The name that violations are reported with; no two rules share one.
        severity: Whether a violation breaks the contract.
        imports: Which imports count.
    """

    type: ClassVar[RuleType]

    name: str
    description: str = ""
    severity: RuleSeverity = RuleSeverity.ERROR
    imports: CountedImports = CountedImports.ALL


@attrs.frozen(kw_only=True)
class LayersRule(ContractRule):
    """Layers, top first: each may import those below it, never one above.

    Attributes:
        layers: The groups of each layer.
        independent: Whether the groups of one layer must not import one another.
        indirect: Whether a chain of imports through files in no layer counts.
        adjacent: Whether a layer may import only the next one below.
        complete: Files that have to be in one of the layers.
    """

    type = RuleType.LAYERS
    layers: tuple[FilePatterns, ...]
    independent: bool = True
    indirect: bool = True
    adjacent: bool = False
    complete: FilePatterns = ()


@attrs.frozen(kw_only=True)
class ForbiddenRule(ContractRule):
    """A rule that files must not import others, or if `indirect` not through a chain of imports either."""

    type = RuleType.FORBIDDEN
    sources: FilePatterns
    targets: FilePatterns
    indirect: bool = False


@attrs.frozen(kw_only=True)
class RequiredRule(ContractRule):
    """A rule that each of some files must import one of others, if `indirect` perhaps through others."""

    type = RuleType.REQUIRED
    sources: FilePatterns
    targets: FilePatterns
    indirect: bool = False


@attrs.frozen(kw_only=True)
class IndependentRule(ContractRule):
    """Siblings that must not import one another.

    Attributes:
        siblings: The groups; each match of a wildcard is one.
        indirect: Whether a chain of imports through files of no sibling counts.
    """

    type = RuleType.INDEPENDENT
    siblings: FilePatterns
    indirect: bool = True


@attrs.frozen(kw_only=True)
class PublicRule(ContractRule):
    """The public surface of a package: only it may be imported from outside.

    Attributes:
        package: The files of the package.
        surface: What may be imported: patterns of whole files, or `file:name`, `module:name`, `module:*`.
        exempt: Files outside the package that may import anything of it, such as its tests.
    """

    type = RuleType.PUBLIC
    package: FilePatterns
    surface: tuple[str, ...]
    exempt: FilePatterns = ()


@attrs.frozen(kw_only=True)
class PackagesRule(ContractRule):
    """The packages from outside the workspace that files may import.

    Attributes:
        allow: The packages they may import besides the standard library; None allows all.
        deny: Packages, or modules of the standard library too, that they must not import.
    """

    type = RuleType.PACKAGES
    files: FilePatterns
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class OwnersRule(ContractRule):
    """Packages or modules from outside the workspace that only some files may import.

    Attributes:
        owners: Package or module → the files that may import it.
        files: The files that the rule considers.
        listed: Whether every package but the standard library has to have owners.
    """

    type = RuleType.OWNERS
    owners: Mapping[str, FilePatterns]
    files: FilePatterns
    listed: bool = False


@attrs.frozen(kw_only=True)
class CyclesRule(ContractRule):
    """Groups of files among which there must be no import cycle.

    Attributes:
        among: The groups; each match of a wildcard is one.
        level: The kind of groups: files or directories.
    """

    type = RuleType.CYCLES
    among: FilePatterns
    level: CycleLevel = CycleLevel.GROUPS


@attrs.frozen(kw_only=True)
class LimitsRule(ContractRule):
    """A rule about the size of files and directories, and the number of their dependents.

    Attributes:
        max_lines: Lines of a file; None means no limit.
        max_files: Files directly in a directory.
        max_fan_in: Files that import a file.
        max_fan_out: Files that a file imports.
    """

    type = RuleType.LIMITS
    files: FilePatterns
    max_lines: int | None = None
    max_files: int | None = None
    max_fan_in: int | None = None
    max_fan_out: int | None = None


RULES: tuple[type[ContractRule], ...] = (
    LayersRule, ForbiddenRule, RequiredRule, IndependentRule, PublicRule, PackagesRule, OwnersRule, CyclesRule,
    LimitsRule,
)  # fmt: skip


@attrs.frozen(kw_only=True)
class ContractException:
    """Imports that rules ignore for a while.

    Attributes:
        sources: The files that import.
        targets: What they import; () for anything.
        rules: The rules that ignore them; () for all.
        until: The last day on which it applies; None for no end.
    """

    sources: FilePatterns
    targets: FilePatterns = ()
    reason: str
    rules: tuple[str, ...] = ()
    until: dt.date | None = None

    def applies_to(self, rule: ContractRule) -> bool:
        """Return whether a rule leaves the imports alone."""
        return not self.rules or rule.name in self.rules

    def is_expired(self, today: dt.date) -> bool:
        """Return whether its last day is over."""
        return self.until is not None and self.until < today


@attrs.frozen
class Contract:
    """A contract: the file it was read from, its rules, and the files that no rule considers."""

    path: str
    rules: tuple[ContractRule, ...]
    exceptions: tuple[ContractException, ...] = ()
    parts: Mapping[str, FilePatterns] = attrs.field(factory=dict)
    ignore: FilePatterns = ()
