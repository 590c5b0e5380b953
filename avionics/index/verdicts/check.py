"""Check a change: run every rule on two versions of the code and group what they find."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from enum import Enum
from itertools import accumulate, starmap
from typing import TypeVar

from msgspec import Struct, structs

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.facts.fact_source import keep_files
from avionics.index.model.values import Variable
from avionics.index.verdicts.calls.call_mismatches import CallMismatches, MismatchedCall
from avionics.index.verdicts.calls.passed_functions import MethodReferences, PassedFunctions
from avionics.index.verdicts.comparison import CheckedExtent, VersionPair
from avionics.index.verdicts.file_rules import (
    DisagreeingDeclarations,
    iter_duplicates,
    iter_missing_cases,
    iter_syntax_errors,
)
from avionics.index.verdicts.findings import (
    Cause,
    ChangeFinding,
    ChangeVerdict,
    OutsideFile,
    Proof,
    Rule,
    Severity,
    Site,
)
from avionics.index.verdicts.implementations import Implementations, OverrideParameters
from avionics.index.verdicts.lost_conversions import LostConversions, LostShapes
from avionics.index.verdicts.names.broken_name import BrokenName
from avionics.index.verdicts.names.broken_names import BrokenNames
from avionics.index.verdicts.names.macro_texts import BrokenText, MacroTexts
from avionics.index.verdicts.names.noted_names import NotedNames
from avionics.index.verdicts.notes import StaleMention, iter_left_unused, iter_new_cycles, iter_stale_mentions
from avionics.index.verdicts.places import is_open_key
from avionics.index.verdicts.requirements import UnmetRequirement
from avionics.index.verdicts.suppression import (
    CALL_CODES,
    OVERRIDE_CODES,
    PASSED_CODES,
    is_stand_in,
    is_type_excused,
    is_unchecked_comment,
)
from avionics.index.verdicts.whereabouts import Whereabouts
from avionics.model.knowledge import Definition
from avionics.model.naming import as_written

_Placed = TypeVar("_Placed", MismatchedCall, UnmetRequirement)


class Notes(Enum):
    """Notes of a check that are not breaks."""

    NONE = "none"
    QUICK = "quick"
    """Text that still names removed definitions, and new import cycles."""
    ALL = "all"
    """Definitions that are left unused too, each of which is searched in the whole workspace."""


class CheckedHalf(Struct, frozen=True):
    """What another process found in the second half of the files to check, by path.

    Attributes:
        files: The files that it has checked.
        findings: The breaks in them, one for each place.
    """

    files: frozenset[str]
    findings: tuple[ChangeFinding, ...]
    noted: NotedNames
    extent: CheckedExtent


def check_change(
    before: CodeIndex,
    after: CodeIndex,
    files: Iterable[ChangedFile] | None = None,
    notes: Notes = Notes.NONE,
    receive_half: Callable[[], CheckedHalf | None] | None = None,
) -> ChangeVerdict:
    """Return the breaks between two versions, most severe first.

    Problems that the version before already had are not reported. Files that differ are found by their contents when
    None. If another process runs `check_second_half` on the same versions, `receive_half` waits for its result, which
    is None if it failed.
    """
    # One rule after the other reads the files that a change may break.
    with keep_files():
        pair = VersionPair(before, after, list_changed_files(before, after) if files is None else files)
        findings = _Findings(pair, receive_half)
        found = [*iter_syntax_errors(pair), *iter_duplicates(pair), *iter_missing_cases(pair)]
        found += [*findings.iter_findings(), *findings.iter_notes(notes)]
        homes = findings.map_homes()
        named = {(site.file, site.line) for each in found for site in each.broken}
        outside = (*_iter_outside(pair), *_iter_unparsed(pair, homes, named))
    return ChangeVerdict(sort_findings(found), outside, tuple(pair.extent.cut.values()), frozenset(homes))


def check_second_half(before: CodeIndex, after: CodeIndex, files: Iterable[ChangedFile]) -> CheckedHalf:
    """Return what the second half of the files to check breaks, for a process that checks the first half."""
    with keep_files():
        return _Findings(VersionPair(before, after, files)).check_second_half()


def sort_findings(findings: Iterable[ChangeFinding]) -> tuple[ChangeFinding, ...]:
    """Return findings in the order of a listing: by severity, rule and place."""
    severities, rules = list(Severity), list(Rule)

    def rank(each: ChangeFinding) -> tuple[int, int, tuple[Site, ...], str]:
        return severities.index(each.severity), rules.index(each.rule), each.broken, each.subject

    return tuple(sorted(findings, key=rank))


def list_changed_files(before: CodeIndex, after: CodeIndex) -> tuple[ChangedFile, ...]:
    """Return the code files whose contents differ; a file with the same content elsewhere was renamed.

    Files in no supported language are left out: their contents are not read.
    """
    old, new = (dict(code.snapshot.entries.items()) for code in (before, after))
    # Most entries are the same objects in both.
    differing = [path for path, entry in new.items() if old.get(path) is not entry]
    differing += [path for path in old if path not in new]
    old, new = ({path: of[path] for path in differing if path in of and of[path].language} for of in (old, new))
    gone = {path: entry for path, entry in old.items() if path not in new}
    came = {path: entry for path, entry in new.items() if path not in old}
    origins = {entry.oid: path for path, entry in gone.items() if entry.oid}
    renamed = {origins[entry.oid]: path for path, entry in came.items() if entry.oid in origins}
    arrived = set(renamed.values())
    changed = [ChangedFile(path, path) for path, entry in new.items() if path in old and old[path].oid != entry.oid]
    changed += [ChangedFile(path, renamed.get(path, "")) for path in gone]
    changed += [ChangedFile("", path) for path in came if path not in arrived]
    return tuple(sorted(changed, key=lambda each: each.after or each.before))


def _iter_outside(pair: VersionPair) -> Iterator[OutsideFile]:
    """Yield the changed files that the rules do not cover, and the files for which there was no time."""
    for each in pair.files:
        path = each.after or each.before
        code = pair.after if each.after else pair.before
        if not code.has_file(path) or not code.resolver.scopes.spec(path).has_uses:
            yield OutsideFile(path, "unsupported")
        elif each.after and not pair.readable.get(each.after, True):
            yield OutsideFile(path, "parsed_in_part")
    for path in sorted(pair.extent.unchecked):
        yield OutsideFile(path, "not_in_time")


def _iter_unparsed(
    pair: VersionPair, homes: Mapping[str, Collection[str]], reported: Container[tuple[str, int]]
) -> Iterator[OutsideFile]:
    """Yield the files whose code that could not be parsed names a definition that was removed or changed parameters.

    `homes` maps the names of these definitions to their files. `reported` are the places of findings: a use at one of
    them needs no further warning.
    """
    known, unparsed = {*pair.new_lines, *pair.extent.unchecked, *pair.extent.whole}, set[str]()
    for name in sorted(homes):
        for file in pair.list_files_with(name, homes[name]):
            if file in known or file in unparsed:
                continue
            if not pair.after.facts(file).problems and not pair.after.uses(file).is_partial:
                known.add(file)
            elif not (pair.accounts_for(file, name) and _is_examined(pair, file, name, reported)):
                unparsed.add(file)
    for file in sorted(unparsed):
        yield OutsideFile(file, "not_parsed")


def _is_examined(pair: VersionPair, file: str, name: str, reported: Container[tuple[str, int]]) -> bool:
    """Return whether each use of a name in a file is resolved or on a line that is reported."""
    code = pair.after
    references = code.uses(file).references
    names = code.resolver.scopes.spec(file).list_bound(name)
    uses = [each for spelled in names for each in references.get(spelled, ())]
    return all((file, each.line) in reported or code.resolver.resolve(file, each).targets for each in uses)


class _Findings:
    """Joins the broken places of one changed definition into one finding."""

    def __init__(self, pair: VersionPair, receive_half: Callable[[], CheckedHalf | None] | None = None) -> None:
        self._pair = pair
        self._receive_half = receive_half
        self._whereabouts = Whereabouts(pair)
        self._names = BrokenNames(pair)
        self._mismatches = CallMismatches(pair)
        self._passed = PassedFunctions(pair, self._mismatches)

    def map_homes(self) -> dict[str, set[str]]:
        """Return name of a definition that was removed or takes other arguments → its files."""
        found: dict[str, set[str]] = {}
        for name, places in self._pair.gone.items():
            for file in {each.file for each in places if not each.is_local}:
                if any(symbol.name == name for symbol in self._pair.before.facts(file).symbols):
                    found.setdefault(name, set()).add(file)
        for each in self._mismatches.changed:
            found.setdefault(self._mismatches.get_called_name(each), set()).add(each.file)
        return found

    def iter_findings(self) -> Iterator[ChangeFinding]:
        """Yield the breaks, with all broken places of one cause in one finding."""
        groups: dict[tuple[object, ...], list[ChangeFinding]] = {}
        mismatches = self._mismatches
        singles = (
            *self._iter_file_findings(),
            *starmap(self._report_declarations, DisagreeingDeclarations(self._pair, mismatches).iter_pairs()),
            *map(self._report_text, MacroTexts(self._pair).iter_broken()),
            *map(self._report_requirement, Implementations(self._pair).iter_unmet()),
            *map(self._report_requirement, LostConversions(self._pair).iter_unmet()),
            *map(self._report_requirement, self._iter_unexcused(LostShapes(self._pair).iter_unmet(), PASSED_CODES)),
            *map(self._report_call, MethodReferences(self._pair, mismatches).iter_unmet()),
            *map(
                self._report_requirement,
                self._iter_unexcused(OverrideParameters(self._pair, mismatches).iter_unmet(), OVERRIDE_CODES),
            ),
        )
        for each in singles:
            key = (each.rule, each.proof, each.cause, each.holder, each.subject, each.detail, each.change)
            groups.setdefault(key, []).append(each)
        for found in groups.values():
            places = sorted({site for each in found for site in each.broken})
            yield structs.replace(found[0], broken=tuple(places))

    def check_second_half(self) -> CheckedHalf:
        """Check the second half of the files."""
        _, half = self._divide_files()
        found = tuple(self._check_files(half))
        extent = self._pair.extent
        return CheckedHalf(frozenset(half) - extent.unchecked, found, self._names.noted, extent)

    def _iter_file_findings(self) -> Iterator[ChangeFinding]:
        """Yield the broken names and calls."""
        first, second = self._divide_files()
        if self._receive_half is None:
            yield from self._check_files({*first, *second})
        else:
            yield from self._check_files(first)
            if (half := self._receive_half()) is not None:
                second = [file for file in second if file not in half.files]
                self._names.noted.add(half.noted)
                self._pair.extent.add(half.extent)
                self._pair.extent.unchecked.difference_update(second)
                yield from half.findings
            yield from self._check_files(second)
        yield from map(self._report_name, self._names.iter_indirect())

    def _divide_files(self) -> tuple[list[str], list[str]]:
        """Return two halves of the files to check, each with about as much text.

        They are divided by path, because files of one directory need the same facts and types.
        """
        files = sorted({*self._names.files, *self._mismatches.files, *self._passed.files})
        entries = self._pair.after.snapshot.entries
        sizes = list(accumulate(entries[file].size for file in files))
        middle = bisect(sizes, sizes[-1] // 2) if sizes else 0
        return files[:middle], files[middle:]

    def _check_files(self, files: Collection[str]) -> Iterator[ChangeFinding]:
        """Yield the broken names and calls, file by file: a large change has more files than are kept in memory."""
        calls, passed = self._mismatches, self._passed
        for file in self._pair.iter_in_time(files):
            yield from map(self._report_name, self._names.check_file(file))
            yield from map(self._report_call, self._iter_unexcused(calls.check_calls(file), CALL_CODES))
            yield from map(self._report_call, self._iter_unexcused(passed.check_file(file), PASSED_CODES))

    def iter_notes(self, notes: Notes) -> Iterator[ChangeFinding]:
        """Yield the findings about a change that are not breaks."""
        if notes is Notes.NONE:
            return
        for mention in iter_stale_mentions(self._pair):
            yield self._report_mention(mention)
        for cycle in iter_new_cycles(self._pair):
            edge, detail = cycle.edge, " → ".join(cycle.files)
            place = Site(edge.file, edge.line)
            yield ChangeFinding(Rule.IMPORT_CYCLE, Cause.CYCLE_CLOSED, edge.target, None, (place,), detail)
        if notes is not Notes.ALL:
            return
        for each in iter_left_unused(self._pair):
            name = each.symbol.qualname
            yield ChangeFinding(Rule.LEFT_UNUSED, Cause.LAST_USE_REMOVED, name, None, (Site.of(each),))

    def _report_mention(self, mention: StaleMention) -> ChangeFinding:
        was = mention.definition
        now = self._whereabouts.get_renamed(was)
        cause = Cause.NAMED_AFTER_REMOVAL if now is None else Cause.NAMED_AFTER_RENAME
        detail = "" if now is None else now.name
        change = Site.of(was, is_before=True)
        return ChangeFinding(Rule.STALE_MENTION, cause, was.symbol.qualname, change, mention.places, detail)

    def _report_name(self, broken: BrokenName) -> ChangeFinding:
        cause, change, detail = self._whereabouts.explain(broken)
        place, proof = Site(*broken.place), broken.proof
        was = broken.target
        is_stood_in = isinstance(was, Variable) and is_stand_in(self._pair.before, was.file, as_written(was.name))
        if is_stood_in or is_unchecked_comment(self._pair.after, broken.place):
            proof = Proof.POSSIBLE
        return ChangeFinding(broken.rule, cause, broken.name, change, (place,), detail, broken.holder, proof)

    def _report_text(self, broken: BrokenText) -> ChangeFinding:
        now, macro = self._whereabouts.get_renamed(broken.was), broken.macro
        return ChangeFinding(
            Rule.UNDEFINED_NAME,
            Cause.MACRO_TEXT,
            broken.name,
            Site.of(macro),
            (Site(*broken.place),),
            "" if now is None else now.name,
            macro.name,
            Proof.CERTAIN if broken.is_certain else Proof.POSSIBLE,
        )

    def _report_requirement(self, unmet: UnmetRequirement) -> ChangeFinding:
        rule = Rule.MISSING_IMPLEMENTATION if unmet.cause is Cause.NOT_IMPLEMENTED else Rule.OVERRIDE_MISMATCH
        above, is_lost = unmet.requirement, unmet.cause is Cause.OVERRIDES_NOTHING
        change = None
        if above is not None and (is_lost or above.line in self._pair.new_lines.get(above.file, ())):
            change = Site.of(above, is_before=is_lost)
        place = Site(*unmet.place)
        return ChangeFinding(rule, unmet.cause, unmet.holder, change, (place,), unmet.member, unmet.required_by)

    def _report_declarations(self, declared: Definition, seen: Definition) -> ChangeFinding:
        name, change, place = declared.symbol.qualname, Site.of(seen), Site.of(declared)
        return ChangeFinding(Rule.OVERRIDE_MISMATCH, Cause.DECLARED_OTHERWISE, name, change, (place,), str(change))

    def _iter_unexcused(self, found: Iterable[_Placed], codes: frozenset[str]) -> Iterator[_Placed]:
        """Yield the places that no comment tells a type checker to accept.

        Calls at a key of an object whose type allows further keys are left out too.
        """
        for each in found:
            file, line, _ = each.place
            is_of_any = isinstance(each, MismatchedCall) and is_open_key(self._pair.after, each.place)
            if not is_of_any and not is_type_excused(self._pair.after.read_lines(file), line, codes):
                yield each

    def _report_call(self, call: MismatchedCall) -> ChangeFinding:
        name, misfit, place = call.callee.symbol.qualname, call.misfit, Site(*call.place)
        return ChangeFinding(Rule.CALL_MISMATCH, misfit.cause, name, Site.of(call.callee), (place,), misfit.detail)
