"""Find blocks that implement an interface for a type (`impl Trait for Type`) and no longer fit it.

A block is checked if its interface has changed, or if it is in a changed file.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import ClassType, as_class
from avionics.index.verdicts.comparison import VersionPair
from avionics.index.verdicts.findings import Cause
from avionics.index.verdicts.requirements import Requirements, UnmetRequirement, list_names
from avionics.model.enums import FUNCTIONS, ScopeKind
from avionics.model.facts import UNKNOWN
from avionics.model.knowledge import Definition
from avionics.syntax.call_sites import read_open_blocks


class _Block(Struct, frozen=True):
    """A block that implements an interface for a type.

    Attributes:
        holder: The name of the type.
        trait: The interface.
        is_sure: Whether the written name can mean no other interface.
    """

    scope: int
    holder: str
    line: int
    trait: ClassType
    is_sure: bool


_ABSENT = ((0, 0), -2)
"""The place and the number of parameters of a function that did not exist."""


class ImplementingBlocks:
    """Finds the blocks of one change that do not fit their interface."""

    def __init__(self, pair: VersionPair, requirements: Requirements) -> None:
        self._pair = pair
        self._requirements = requirements

    def iter_of_interface(self, interface: Definition) -> Iterator[UnmetRequirement]:
        """Yield the members of a changed interface that its blocks lack, and members of blocks that do not fit it."""
        code, calls = self._pair.after, self._pair.after.resolver.scopes.rules(interface.file).calls
        if calls is None or calls.is_open_block is None:
            return
        trait = ClassType.of(interface)
        needed = tuple(self._requirements.iter_needed(code, trait))
        was = self._pair.class_before(trait)
        before = self._requirements.iter_needed(self._pair.before, was) if was else ()
        known = {each.name for each in before}
        for file in sorted({usage.file for usage in code.usages(interface).usages}):
            previous = self._pair.path_before(file)
            is_changed = file in self._pair.new_lines
            for block in (each for each in self._list_blocks(code, file) if each.trait == trait):
                own = list_names(code, file, block.scope)
                for each in needed:
                    was_met = (
                        each.name not in known or not is_changed or self._had(previous, was, block.holder, each.name)
                    )
                    if each.name not in own and was_met:
                        place, name = (file, block.line, 0), interface.symbol.qualname
                        yield UnmetRequirement(
                            Cause.NOT_IMPLEMENTED, block.holder, each.name, name, place, each.definition
                        )
                yield from self._check_surplus(file, interface, was, own, block.holder)
                yield from self._check_counts(file, interface, was, own, block.holder)

    def iter_changed(self) -> Iterator[UnmetRequirement]:
        """Yield the members that blocks of changed files lost, or have although their interface has no such member."""
        code = self._pair.after
        for each in self._pair.read_files:
            rules = code.resolver.scopes.rules(each.after)
            if rules.calls is None or rules.calls.is_open_block is None:
                continue
            old = each.before if self._pair.before.has_file(each.before) else ""
            now, was = self._group(code, each.after), self._group(self._pair.before, old)
            for key, blocks in now.items():
                had = was.get(key, ())
                if not had or len(had) == len(blocks):
                    for index, block in enumerate(blocks):
                        yield from self._check_block(each.after, block, old, had[index] if had else None)

    def _group(self, code: CodeIndex, file: str) -> dict[tuple[str, str], list[_Block]]:
        """Return the blocks of a file by the names of their types and interfaces."""
        found: dict[tuple[str, str], list[_Block]] = {}
        for each in self._list_blocks(code, file) if file else ():
            if code.has_file(each.trait.file):
                trait = code.facts(each.trait.file).symbols[each.trait.symbol].name
                found.setdefault((each.holder, trait), []).append(each)
        return found

    def _check_block(self, file: str, block: _Block, old: str, was: _Block | None) -> Iterator[UnmetRequirement]:
        """Yield members that a block lacks or that do not fit its interface, unless that was so before the change.

        A block or interface to which a macro or attribute may add members is not checked.
        """
        code, trait = self._pair.after, block.trait
        functions = self._count_functions(code, file, block.scope)
        previous = None if was is None else self._count_functions(self._pair.before, old, was.scope)
        known = previous or {}
        changed = {name: place for name, (place, count) in functions.items() if known.get(name, _ABSENT)[1] != count}
        if not block.is_sure or (previous is not None and not changed and functions.keys() == previous.keys()):
            return
        asking = code.facts(trait.file).symbols[trait.symbol]
        if self._is_open(file, block.line) or self._is_open(trait.file, asking.span.start_line):
            return
        named, place = list_names(code, file, block.scope), (file, block.line, 0)
        for each in self._requirements.iter_needed(code, trait):
            if each.name not in named and (previous is None or each.name in previous):
                yield UnmetRequirement(
                    Cause.NOT_IMPLEMENTED, block.holder, each.name, asking.qualname, place, each.definition
                )
        declared = self._list_declared(trait)
        asked = self._requirements.count_members(code, trait)
        for name, position in changed.items():
            subject, member = f"{block.holder}.{name}", f"{asking.qualname}.{name}"
            count, (asked_count, above) = functions[name][1], asked.get(name, (-1, None))
            if name not in declared:
                yield UnmetRequirement(Cause.ASKED_BY_NONE, subject, member, "", (file, *position), None)
            elif -1 not in {count, asked_count} and count != asked_count:
                yield UnmetRequirement(Cause.DECLARED_OTHERWISE, subject, member, "", (file, *position), above)

    def _count_functions(self, code: CodeIndex, file: str, scope: int) -> dict[str, tuple[tuple[int, int], int]]:
        """Return name of each function of a block → its place and its number of parameters."""
        places = {(each.line, each.column) for each in code.facts(file).symbols if each.kind in FUNCTIONS}
        return {
            name: (place, self._requirements.count(code, file, place))
            for name, place in list_names(code, file, scope).items()
            if place in places
        }

    def _list_declared(self, trait: ClassType) -> frozenset[str]:
        """Return the names of the members that an interface has or had; lost ones are reported by `_check_surplus`."""
        pair, previous = self._pair, self._pair.class_before(trait)
        homes = [(pair.after, trait), *([(pair.before, previous)] if previous is not None else [])]
        return frozenset(
            each.name for code, of in homes for each in code.facts(of.file).symbols if each.parent == of.symbol
        )

    def _is_open(self, file: str, line: int) -> bool:
        """Return whether the block that begins at a line may have members that it does not show."""
        code = self._pair.after
        written = code.read_line(file, line)
        place = (line, len(written) - len(written.lstrip()))
        return read_open_blocks(code.read_content(file), code.facts(file).language, (place,)).get(place, True)

    def _had(self, file: str, trait: ClassType | None, holder: str, name: str) -> bool:
        """Return whether the block for a type had a member before the change, or there was no such block."""
        code = self._pair.before
        if not file or trait is None or not code.has_file(file):
            return True
        blocks = [each for each in self._list_blocks(code, file) if (each.trait, each.holder) == (trait, holder)]
        return not blocks or any(name in list_names(code, file, each.scope) for each in blocks)

    def _check_surplus(
        self, file: str, interface: Definition, was: ClassType | None, own: dict[str, tuple[int, int]], holder: str
    ) -> Iterator[UnmetRequirement]:
        """Yield the members of a block that its interface no longer has."""
        if was is None:
            return
        before = self._pair.before
        symbols = before.facts(was.file).symbols
        had = {each.name: index for index, each in enumerate(symbols) if each.parent == was.symbol}
        now = {each.name for each in self._pair.after.facts(interface.file).symbols if each.parent == interface.index}
        for name, (line, column) in own.items():
            if name in had and name not in now:
                above = Definition(was.file, symbols[had[name]], had[name])
                member = f"{interface.symbol.qualname}.{name}"
                place = (file, line, column)
                yield UnmetRequirement(Cause.OVERRIDES_NOTHING, f"{holder}.{name}", member, "", place, above)

    def _check_counts(
        self, file: str, interface: Definition, was: ClassType | None, own: dict[str, tuple[int, int]], holder: str
    ) -> Iterator[UnmetRequirement]:
        """Yield the members of a block with another number of parameters than the interface declares now."""
        after, before, needs = self._pair.after, self._pair.before, self._requirements
        counted = needs.count_members(before, was) if was is not None else {}
        asked = needs.count_members(after, ClassType.of(interface))
        if file in self._pair.new_lines:
            return
        for name, place in own.items():
            count = needs.count(after, file, place)
            if name in asked and counted.get(name, (-1, None))[0] == count != asked[name][0]:
                cause, member = Cause.DECLARED_OTHERWISE, f"{interface.symbol.qualname}.{name}"
                yield UnmetRequirement(cause, f"{holder}.{name}", member, "", (file, *place), asked[name][1])

    @cached_method
    def _list_blocks(self, code: CodeIndex, file: str) -> tuple[_Block, ...]:
        return tuple(_iter_blocks(code, file))


def _iter_blocks(code: CodeIndex, file: str) -> Iterator[_Block]:
    uses, inference = code.uses(file), code.resolver.inference
    for index, scope in enumerate(uses.scopes):
        if scope.kind is not ScopeKind.CLASS or scope.of == UNKNOWN or scope.symbol >= 0:
            continue
        named = scope.of
        while named.parts and not named.name:
            named = named.parts[0]
        for base in uses.bases.get(index, ()):
            kinds = inference.infer(base, file, scope.parent)
            plain = set(map(as_class, kinds))
            for kind in plain:
                if isinstance(kind, ClassType):
                    yield _Block(index, named.name, scope.span.start_line, kind.plain, len(plain) == 1)
