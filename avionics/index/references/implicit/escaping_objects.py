"""Find whether code outside the workspace may receive an object of a class, and so call any member of it.

It may if a file that imports such code creates an object or passes the class on, if a method there passes `self` on, or
if the object is in a field of an object that such code receives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.cached_method import cached_method, uncut_method
from avionics.index.model.values import ClassType
from avionics.index.references.class_hierarchy import ClassHierarchy
from avionics.index.references.import_graph import ImportEdges
from avionics.index.references.reference_resolver import Resolver
from avionics.late_pattern import NEVER
from avionics.model.enums import ReferenceKind, SymbolKind, is_class
from avionics.model.facts import line_of
from avionics.model.knowledge import Definition, Usage, UsageReport
from avionics.model.naming import fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.registry import conventions_of

_COMPARING = re.compile(r"\b(?:isinstance|issubclass|instanceof|except|is|in|super)\b")
"""The text before a class in a test of an object's type."""
_ENDING = re.compile(r"\Z|[,)\]};:]|(?:if|else|or|and|for)\b|\|\||&&")
"""The text after a class that is passed on or stored, also by a conditional expression."""
_TYPE_ARGUMENT = re.compile(r"(?<!new )\b\w++<[\w\s,.?\[\]<>]{0,200}\Z")
_OF_CALL = re.compile(r"[\w\s,.?\[\]<>]{0,200}?>\s*\(")
"""The texts before and after a type argument of a call."""
_MEMBER = re.compile(r"\s*+\??(?:\.|\Z)")
"""The text after an object whose member is accessed, also on the next line."""
_CALLEE, _MAX_CALLEE = re.compile(r"(?<!\w)\w++\Z"), 80
_KEEPING = frozenset({"add", "append", "discard", "extend", "index", "insert", "pop", "push", "put", "remove"})
"""Methods of containers, which call no members of the objects they take."""

_MAX_SEEING = 500
"""The maximum number of files followed from one to its importers; beyond it, objects count as passed outside."""
_Step = tuple["Reason | None", tuple[ClassType, ...]]


class EscapingObjects:
    """Decides for the classes of one snapshot whether their objects reach code outside."""

    def __init__(
        self,
        resolver: Resolver,
        classes: ClassHierarchy,
        edges: ImportEdges,
        find_usages: Callable[[Definition], UsageReport],
    ) -> None:
        self._source = resolver.scopes.source
        self._resolver = resolver
        self._classes = classes
        self._edges = edges
        self._find_usages = find_usages

    def get_reason(self, owner: ClassType) -> Reason | None:
        """Return a place where outside code may receive an object of a class, the most direct one first, or None."""
        seen, following = {owner}, [owner]
        for each in following:
            reason, holders = self._read_step(each)
            if reason is not None:
                return reason
            following += (holder for holder in holders if holder not in seen)
            seen.update(holders)
        return None

    @uncut_method
    def _read_step(self, owner: ClassType) -> _Step:
        """Return where objects of a class itself escape, and the classes whose objects contain them."""
        symbol = self._source.facts(owner.file).symbols[owner.symbol]
        own = self._resolver.scopes.get_class_definition(owner)
        subclasses = self._classes.descendants(own) if own is not None else ()
        holders: dict[ClassType, None] = {}
        # A subclass may combine the class with others that pass their objects on.
        members, below = self._resolver.inference.members, (ClassType.of(each) for each in subclasses)
        around = dict.fromkeys(each for of in (owner, *below) for each in members.lineage(of).classes)
        place = next(chain.from_iterable(map(self._iter_handing, around)), None)
        if place is not None:
            return Reason(ReasonKind.ESCAPING_INSTANCE, place=place[:2]), ()
        for each in (Definition(owner.file, symbol, owner.symbol), *subclasses):
            for usage in self._find_usages(each).usages:
                if self.may_leave(usage.file) and self._is_passed(usage, owner, each.name):
                    return Reason(ReasonKind.ESCAPING_INSTANCE, place=(usage.file, usage.line)), ()
                if usage.role is ReferenceKind.ANNOTATE and usage.enclosing is not None:
                    holders.update(dict.fromkeys(self._iter_holders(usage.enclosing)))
        return None, tuple(holders)

    def get_passing(self, definition: Definition) -> tuple[str, int] | None:
        """Return the first place that passes on a namespace around a definition as an object; None if there is none."""
        space = self._source.get_parent(definition)
        is_value = self._resolver.scopes.spec(definition.file).module_values
        while space is not None and space.kind is SymbolKind.MODULE and is_value:
            for usage in self._find_usages(space).usages:
                behind = self._source.read_line(usage.file, usage.line)[usage.column + len(space.name) :]
                if usage.role is ReferenceKind.READ and not _MEMBER.match(behind):
                    return usage.file, usage.line
            space = self._source.get_parent(space)
        return None

    def get_dispatched(self, owner: ClassType) -> Reason | None:
        """Return a place where an object passes itself alone to a function of a library, which may call any member."""
        for of in self._resolver.inference.members.lineage(owner).classes:
            for file, line, callee in self._iter_handing(of):
                if (
                    callee[:1].islower()
                    and callee not in _KEEPING
                    and not self._source.files_defining(fold_name(callee))
                ):
                    return Reason(ReasonKind.ESCAPING_INSTANCE, place=(file, line))
        return None

    def _iter_handing(self, of: ClassType) -> Iterator[tuple[str, int, str]]:
        """Yield the places where code of a class passes `self` on, and the function if that is its only argument."""
        handing = conventions_of(of.file).implicit.handing_out
        symbol = self._resolver.scopes.get_class_symbol(of)
        if symbol is None or handing is NEVER or of.file.startswith(STUBS) or not self.may_leave(of.file):
            return
        first, last = symbol.span.start_line, symbol.span.end_line
        text = "\n".join(self._source.read_lines(of.file)[first - 1 : last])
        for each in handing.finditer(text):
            callee = _CALLEE.search(text, max(0, each.start() - _MAX_CALLEE), each.start())
            is_alone = callee is not None and each[0].startswith("(") and text.startswith(")", each.end())
            if each["kept"] is None:
                yield of.file, first - 1 + line_of(text, each.end()), callee[0] if callee and is_alone else ""

    @cached_method
    def may_leave(self, file: str) -> bool:
        """Return whether objects of a file may be passed to code outside, there or in a file that sees it."""
        following, seen = [file], {file}
        for each in following:
            if self._reaches_outside(each) or len(following) > _MAX_SEEING:
                break
            beside = [other for other in dict.fromkeys(self._iter_seeing(each)) if other not in seen]
            following += beside
            seen.update(beside)
        else:
            following = []
        return bool(following)

    def _iter_seeing(self, file: str) -> Iterator[str]:
        """Yield the files that import a file, and those of its package if their types need not name interfaces."""
        modules = self._resolver.scopes.modules
        yield from (link.file for link in self._edges.importers(file))
        if self._resolver.scopes.spec(file).structural_interfaces:
            packages = (each for each in modules.ambient(file) if not each.file)
            yield from (beside for package in islice(packages, 1) for beside in modules.files_of(package, ""))

    @cached_method
    def _reaches_outside(self, file: str) -> bool:
        """Return whether a file may pass objects to code outside: it imports some, or a base of its classes does."""
        members, symbols = self._resolver.inference.members, self._source.facts(file).symbols
        classes = (ClassType(file, at) for at, each in enumerate(symbols) if is_class(each.kind) and each.bases)
        is_importing = any(edge.is_outside for edge in self._edges.of(file)) or self._names_library(file)
        return is_importing or any(members.lineage(each).externals for each in classes)

    def _names_library(self, file: str) -> bool:
        """Return whether a file of Ruby uses an unbound constant, which may be one of a library without an import."""
        core = conventions_of(file).implicit.core_names
        for name, references in self._source.uses(file).references.items() if core is not NEVER else ():
            if not name[:1].isupper() or core.fullmatch(name):
                continue
            bare = (each for each in references if each.receiver is None)
            if any(not self._resolver.scopes.find_targets(file, each.scope, name) for each in bare):
                return True
        return False

    def _iter_holders(self, around: Definition) -> Iterator[ClassType]:
        """Yield the class of a field, or the given definition itself if it is a class, whose header has the field."""
        symbols = self._source.facts(around.file).symbols
        at = around.symbol.parent if around.kind in {SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY} else around.index
        if at >= 0 and is_class(symbols[at].kind):
            yield ClassType(around.file, at)

    def _is_passed(self, usage: Usage, owner: ClassType, name: str) -> bool:
        """Return whether a use of a class makes an object, or passes the class to code that may make one."""
        return (
            self._is_making(usage, owner)
            or self._is_passing(usage, name)
            or self._is_template_argument(usage)
            or self._is_named_for_library(usage, name)
        )

    def _is_named_for_library(self, usage: Usage, name: str) -> bool:
        """Return whether a class is passed to code that makes objects of it: `read(text, C.class)`, `Read<C>(text)`."""
        if self._resolver.scopes.spec(usage.file).separate_types:
            return False  # Types do not exist at run time.
        line = self._source.read_line(usage.file, usage.line)
        before, after = line[: usage.column], line[usage.column + len(name) :]
        if after.startswith((".class", "::class")) or before.endswith("typeof("):
            return True
        return _TYPE_ARGUMENT.search(before) is not None and _OF_CALL.match(after) is not None

    def _is_making(self, usage: Usage, owner: ClassType) -> bool:
        """Return whether a use of a class may create an object of it."""
        around, spec = usage.enclosing, self._resolver.scopes.spec(usage.file)
        if usage.role is not ReferenceKind.ANNOTATE:
            return usage.role is ReferenceKind.CALL
        if spec.silent_construction and not spec.linkage:
            return True
        if around is None or not spec.structural_interfaces:
            return False
        # `T{…}` and `new(T)` name the type as a declaration does; the receiver of a method creates no object.
        return usage.line != around.line or self._resolver.inference.members.class_of(around) != owner

    def _is_passing(self, usage: Usage, name: str) -> bool:
        """Return whether a use of a class passes or stores it as a value: `register(C)`, `known["c"] = C`."""
        if usage.role is not ReferenceKind.READ or self._resolver.scopes.spec(usage.file).static_types:
            return False
        line = self._source.read_line(usage.file, usage.line)
        rest = line[usage.column :].removeprefix(name).lstrip()
        return _ENDING.match(rest) is not None and _COMPARING.search(line[: usage.column]) is None

    def _is_template_argument(self, usage: Usage) -> bool:
        """Return whether a use of a class of C++ is an argument of a template, which may use any member of it."""
        spec = self._resolver.scopes.spec(usage.file)
        if not (spec.linkage and spec.overloads) or usage.role is not ReferenceKind.ANNOTATE:
            return False
        before = self._source.read_line(usage.file, usage.line)[: usage.column]
        before = before.replace("->", "").replace("<<", "")
        return before.count("<") > before.count(">")
