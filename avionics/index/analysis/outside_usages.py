"""Find the usages of names defined outside the workspace: classes, functions and modules of libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.facts.time_budget import TimeBudget
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import (
    BUILTIN,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    SuperType,
    Type,
    UnknownType,
)
from avionics.index.modules.declared_dependencies import FIXTURE
from avionics.index.references.ledger import LedgerBuilder, WordRecords
from avionics.index.scopes.symbol_lookup import SymbolQuery, is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, Certainty, Evidence, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Import, Reference
from avionics.model.knowledge import Definition, UnresolvedUse, Usage, UsageReport
from avionics.model.naming import as_written, called
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.engine.expressions import value_of
from avionics.syntax.registry import require_spec

_RECEIVER_UNKNOWN = Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)
_NOT_DECLARED = Reason(ReasonKind.NOT_DECLARED)
_OUTSIDE = Reason(ReasonKind.DEFINED_OUTSIDE)
_MAX_FILES = 50
"""The maximum number of files whose imports are read before a name counts as unknown to libraries."""
_BATCH_FILES = 16
"""Files that are read together; an answer that runs out of time keeps the results of the batches before."""
_SEPARATOR = late_pattern(r"[./]")
_PACKAGE = late_pattern(r"(?:@[\w-]+/|\w)[^:]*\Z")
"""The name of a package; an alias such as `@/parts`, and `virtual:parts` of a bundler, are none."""


class OutsideUsages(Struct, frozen=True):
    """The usages of something outside the workspace.

    Attributes:
        name: Its dotted name as the imports give it.
        declared: What a stub of the standard library declares it to be.
    """

    name: str
    report: UsageReport
    declared: Definition | None


class OutsideModule(Struct, frozen=True):
    """A module that is imported from a package outside the workspace.

    Attributes:
        system: The module system of the importing language.
        package: The package that most likely provides it.
        module: The module as written.
    """

    system: str
    package: str
    module: str


def find_outside_usages(code: CodeIndex, asked: str) -> tuple[OutsideUsages, ...]:
    """Return the outside definitions that a name may refer to, with their usages; most used in product code first.

    Places whose meaning is unknown are possible usages of each. Return () if no reference provably means the name,
    unless time ran out before all were examined; the report then says so. The name is `Validator`, a longer end of the
    dotted name (`validation.Validator`), or the name that files import its module under: `np.array`, `yaml.Marshal` for
    `gopkg.in/yaml.v3`.
    """
    query = SymbolQuery.read(asked)
    suffix = _SEPARATOR.split(f"{query.qualifier}.{query.last}".strip("."))
    finder = _Finder(code, suffix[-1], suffix[-2] if len(suffix) > 1 else "")
    found = finder.find()
    by_path = {name: uses for name, uses in found.items() if _SEPARATOR.split(name)[-len(suffix) :] == suffix}
    found = by_path or {name: uses for name, uses in found.items() if finder.is_called(name, uses, suffix)}
    is_of_class = bool(query.qualifier) and any(is_class(each.kind) for each in code.find_definitions(query.qualifier))
    if not found and finder.was_cut and not is_of_class:
        found = {asked: []}
    in_product = {name: sum(role_of(use.file) is FileRole.PRODUCT for use in uses) for name, uses in found.items()}
    ranked = sorted(found, key=lambda name: (-in_product[name], -len(found[name]), name))
    return tuple(OutsideUsages(name, finder.build_report(found[name]), finder.declared.get(name)) for name in ranked)


def group_outside_imports(code: CodeIndex, within: str | None) -> dict[OutsideModule, tuple[tuple[str, int], ...]]:
    """Return the modules from outside that files, or those within a path, import, with the places of their imports."""
    places_by_module: dict[OutsideModule, dict[tuple[str, int], None]] = defaultdict(dict)
    known: dict[tuple[str, str, str], OutsideModule | None] = {}
    files = [
        file
        for file in code.files
        if is_within(file, within) and role_of(file) < FileRole.GENERATED and not FIXTURE.search(file)
    ]
    code.load_facts(files)
    for file in files:
        facts, directory = code.facts(file), file.rpartition("/")[0]
        for each in facts.imports if facts.language else ():
            key = directory, facts.language, each.module
            if each.module and not each.level and key not in known:
                known[key] = _get_outside_module(code, each, file)
            outside = None if each.level else known.get(key)
            if outside is not None:
                places_by_module[outside][file, each.line] = None
    return {module: tuple(places) for module, places in places_by_module.items()}


def _get_outside_module(code: CodeIndex, imported: Import, file: str) -> OutsideModule | None:
    """Return the module that an import takes from a package outside the workspace; None if it takes none."""
    spec = require_spec(code.facts(file).language)
    package = spec.distribution(imported.module) if spec.distribution is not None else ""
    is_outside = _PACKAGE.match(package) and isinstance(code.modules.find(imported, file), External)
    return OutsideModule(spec.module_system, package, imported.module) if is_outside else None


def find_same_outside(code: CodeIndex, file: str, reference: Reference) -> tuple[Usage, ...]:
    """Return the proven usages of a reference's target outside the workspace; () if it is inside."""
    imports = code.facts(file).imports
    imported = next((each for each in imports if each.alias == reference.name and reference.receiver is None), None)
    name = reference.name if imported is None else imported.name or _SEPARATOR.split(imported.module)[-1]
    finder = _Finder(code, as_written(name))
    meant = [each for each in finder.iter_meanings(file, reference) if each]
    found = finder.find() if meant else {}
    usages = (usage for each in meant for usage in found.get(each, ()))
    return tuple({each.place: each for each in usages}.values())


def is_outside_name(code: CodeIndex, name: str) -> bool:
    """Return whether only a library defines a name: by the imports, or as a member that a class inherits."""
    return is_imported_from_outside(code, name) or is_inherited_from_outside(code, name)


def is_imported_from_outside(code: CodeIndex, name: str) -> bool:
    """Return whether files import a name, or the first part of it, from outside the workspace: `http.Handler`."""
    query = SymbolQuery.read(name)
    dotted = f"{query.qualifier}.{query.last}".strip(".")
    root = dotted.partition(".")[0]
    if any(each.kind is not SymbolKind.METHOD for each in code.find_definitions(root)):
        return False
    files = sorted({*code.files_with_word(root)} & {*code.files_with_word(query.last)})[:_MAX_FILES]
    code.load_facts(files)
    scopes = code.resolver.scopes
    for file in files:
        for each in code.facts(file).imports:
            is_whole = not each.level and f"{each.module}.{each.name}".strip(".") == dotted
            targets = scopes.find_imported(file, each) if each.alias == root or is_whole else ()
            if targets and all(isinstance(target, External) or target.file.startswith(STUBS) for target in targets):
                return True
    return False


def is_inherited_from_outside(code: CodeIndex, name: str) -> bool:
    """Return whether a dotted name is a member that a class of the workspace can only have from a base outside."""
    holder, dot, member = name.rpartition(".")
    members = code.resolver.inference.members
    classes = (each for each in code.find_definitions(holder) if is_class(each.kind)) if dot else ()
    types = [ClassType.of(each) for each in classes]
    if not any(members.lineage(each).externals for each in types):
        return False
    get_member = code.resolver.inference.get_member
    return not any(get_member(each, name) for each in types for name in (member, called(member)))


class _Finder:
    """Resolves the references to a name in every file that mentions it.

    The holder is the class that is asked about, which may have the name from a base outside the workspace.
    """

    def __init__(self, code: CodeIndex, name: str, holder: str = "") -> None:
        self._code = code
        self._holder = holder
        self._source = code.source
        self._name = name
        # A name that no file declares comes from a header of a library, in languages that include headers.
        self._is_undeclared = not code.find_definitions(name)
        self._files = code.files_with_word(name)
        self._budget = TimeBudget("", len(code.files), self._source.seconds_left(), _BATCH_FILES)
        self._unresolved: list[UnresolvedUse] = []
        self.declared: dict[str, Definition] = {}

    def find(self) -> dict[str, list[Usage]]:
        """Return dotted name → usages that are proven to refer to it."""
        usages_by_name: defaultdict[str, list[Usage]] = defaultdict(list)
        using, enclosing = self._source.files_using(self._name, self._files), self._code.graph.enclosing
        for file in self._budget.iter_files(using, self._source.load_uses):
            for reference in self._iter_references(file):
                meanings = dict.fromkeys(self.iter_meanings(file, reference))
                place = (file, reference.line, reference.column)
                if None in meanings:
                    reason = _NOT_DECLARED if reference.receiver is None else _RECEIVER_UNKNOWN
                    self._unresolved.append(UnresolvedUse(*place, reason))
                    continue
                usage = Usage(*place, reference.kind, Evidence.IMPORT, enclosing)
                for name in filter(None, meanings):
                    usages_by_name[name].append(usage)
            for each in self._source.facts(file).imports:
                if not each.name and not each.level and _SEPARATOR.split(each.module)[-1] == self._name:
                    place = (file, each.line, each.column)
                    usages_by_name[each.module].append(Usage(*place, ReferenceKind.IMPORT, Evidence.IMPORT, enclosing))
        return usages_by_name

    def is_called(self, name: str, uses: list[Usage], suffix: list[str]) -> bool:
        """Return whether files that use a dotted name import its module under the first part of the suffix."""
        module, _, last = name.rpartition(".")
        imports = (each for file in {use.file for use in uses} for each in self._source.facts(file).imports)
        return suffix == [suffix[0], last] and any(
            each.alias == suffix[0] and not each.level and f"{each.module}.{each.name}".strip(".") == module
            for each in imports
        )

    @property
    def was_cut(self) -> bool:
        """Return whether files that mention the name were not examined."""
        return any(map(self._budget.is_skipped, self._files))

    def build_report(self, usages: list[Usage]) -> UsageReport:
        """Return the report of some usages; it is never complete, because libraries may use other names."""
        left = {file for file in self._files if self._budget.is_skipped(file)}
        scopes = self._code.resolver.scopes
        builder = LedgerBuilder(self._source, WordRecords(self._source, scopes), scopes, (), usages, self._unresolved)
        ledger = builder.build({self._name: self._files}, self._budget.settled, left)
        reasons = (_OUTSIDE, *self._budget.list_reasons())
        unresolved = tuple(self._unresolved)
        return UsageReport((), tuple(usages), unresolved, Certainty.AT_LEAST, reasons, ledger)

    def _iter_references(self, file: str) -> Iterator[Reference]:
        """Yield the references to the name in a file, and to the names that the file imports it under."""
        references = self._source.uses(file).references
        yield from references.get(self._name, ())
        if self._code.spec(file).separate_functions:
            yield from references.get(called(self._name), ())
        imports = self._source.facts(file).imports
        aliases = {each.alias for each in imports if (each.name or _SEPARATOR.split(each.module)[-1]) == self._name}
        for alias in sorted(aliases - {"", self._name}):
            yield from references.get(alias, ())

    def iter_meanings(self, file: str, reference: Reference) -> Iterator[str | None]:
        """Yield the dotted names of a reference's types: "" for those of the workspace, None for unknown ones."""
        inference, imports = self._code.resolver.inference, self._source.facts(file).imports
        owner, inherited = "", tuple[str, ...]()
        if reference.is_import:
            kinds = inference.of_targets(inference.scopes.find_imported(file, imports[reference.index]))
        elif reference.receiver is None:
            if self._is_defined_inside(file, reference):
                yield ""
                return
            kinds = inference.infer_name(reference.name, file, reference.scope)
        else:
            owners = inference.infer(reference.receiver, file, reference.scope, reference.line)
            owner = owners[0].text if len(owners) == 1 and isinstance(owners[0], External) else ""
            kinds = inference.infer(value_of(reference), file, reference.scope, reference.line)
            inherited = tuple(dict.fromkeys(each for kind in owners for each in self._iter_member_names(kind)))
        # A declaration in a stub is named as the file imports it, or with the module before the dot.
        imported = (each for each in imports if reference.receiver is None and each.alias == reference.name)
        written_name = next((f"{each.module}.{each.name}" for each in imported if each.name and not each.level), "")
        written_name = f"{owner}.{self._name}" if owner else written_name
        yield from inherited
        is_included = self._is_undeclared and reference.receiver is None and inference.scopes.spec(file).linkage
        if not kinds:
            yield self._name if is_included else None
        for kind in kinds:
            is_unknown = isinstance(kind, UnknownType) and not owner and not inherited
            outside_name = None if is_unknown else self._name_outside(kind, written_name)
            yield self._name if outside_name is None and is_included else outside_name

    def _is_defined_inside(self, file: str, reference: Reference) -> bool:
        """Return whether a bare name is defined in the workspace, even if its value comes from a library."""
        scopes = self._code.resolver.scopes
        variable = scopes.get_variable(file, reference.scope, reference.name)
        bindings = scopes.bindings(variable) if variable is not None and not variable.file.startswith(STUBS) else ()
        return bool(bindings) and all(each.kind is not BindingKind.IMPORT for each in bindings)

    def _iter_member_names(self, owner: Type) -> Iterator[str]:
        """Yield the dotted names that the member may have: of the only outside base, or of the class asked about."""
        cls = owner.of if isinstance(owner, (InstanceType, SuperType)) else owner
        inference = self._code.resolver.inference
        if not isinstance(cls, ClassType) or cls.file.startswith(STUBS) or inference.get_member(cls, self._name):
            return
        lineage = inference.members.lineage(cls)
        # Names of declarations in stubs do not include a module.
        bases = [each for each in lineage.externals if "." in each]
        if len(bases) == 1 and not lineage.is_open:
            yield f"{bases[0]}.{self._name}"
        for each in lineage.classes if self._holder else ():
            symbol = inference.scopes.get_class_symbol(each)
            if symbol is not None and symbol.name == self._holder and self._source.has_file(each.file):
                yield f"{symbol.qualname}.{self._name}"

    def _name_outside(self, kind: Type, written: str) -> str:
        """Return the dotted name of an outside type; "" for a type of the workspace."""
        if isinstance(kind, External):
            return _strip_calls(written or kind.name)
        if isinstance(kind, (ClassType, FunctionType)) and kind.file.startswith(STUBS):
            symbol = self._source.facts(kind.file).symbols[kind.symbol]
            name = _strip_calls(written or self._code.resolver.scopes.name_outside(kind.file, symbol.qualname))
            self.declared.setdefault(name, Definition(kind.file, symbol, kind.symbol))
            return name
        return ""


def _strip_calls(name: str) -> str:
    """Return a name without call parentheses: the result of calling a class is an instance of it."""
    return name.removeprefix(BUILTIN).replace("()", "")
