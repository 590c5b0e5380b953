"""Find who uses a definition in any repository: imports give the candidates, and the resolver proves each usage.

A repository that imports the package is laid beside the package's own sources, as if both were one checkout, and the
ordinary resolver answers for its files. Nothing of a repository that the caller may not see is read.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import NoReturn

import attrs

from avionics.cross_repository.remote_workspace import FleetReads, RemoteWorkspace, name_combination
from avionics.fleet.catalogue import Catalogue, FleetFile, FleetRepository, PublishedPackage, SnapshotReplacedError
from avionics.fleet.segments import SegmentStore
from avionics.index.analysis.joint_usages import list_shared_calls
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import MOUNT, FileRole, role_of
from avionics.index.scopes.symbol_lookup import SymbolQuery
from avionics.index.search.query import read_query
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.errors import AvionicsError, UsageError
from avionics.model.knowledge import Definition, UnresolvedUse, Usage
from avionics.model.naming import did_you_mean, fold_name
from avionics.settings import Settings

NONE_VISIBLE = (
    "your groups may see no repository of this fleet; --group or AVIONICS_FLEET_GROUPS names other groups, and"
    " `avionics fleet add` adds repositories"
)

_MAX_TRIES = 3
"""How often to repeat a question because repositories were indexed again meanwhile."""

_MAX_NAMED = 5
"""The number of repositories that an error names."""

_MAX_OPENED = 20
"""The number of repositories in which a name is looked up before it is called ambiguous."""

_MAX_KEPT = 256
"""Combinations of repositories whose index is kept in memory."""


@attrs.frozen
class CitedLine:
    """A usage with the text of its line."""

    usage: Usage
    text: str


@attrs.frozen
class RepositoryUsages:
    """The usages of a definition in one repository.

    Attributes:
        repository: The repository and its snapshot.
        usages: The proven usages.
        possible: The possible usages.
        copies: The files of its own copy of the package whose definition it uses.
        is_complete: Whether nothing is left undecided in this repository.
    """

    repository: FleetRepository
    usages: tuple[CitedLine, ...]
    possible: tuple[UnresolvedUse, ...]
    copies: tuple[str, ...]
    is_complete: bool


@attrs.frozen
class FleetUsages:
    """The usages of a definition in a fleet.

    Attributes:
        definition: The definition.
        owner: The repository that has it.
        packages: What the owner publishes, as `name version`.
        found: The repositories with usages or possible usages: most usages first, the owner last.
        visible: The number of repositories that the caller may see.
        asked: Those that were asked: the owner, and all that import its packages.
        failed: Repository → why it could not be asked.
        unindexed: Repositories that the caller may see and that have no snapshot yet.
    """

    definition: Definition
    owner: str
    packages: tuple[str, ...]
    found: tuple[RepositoryUsages, ...]
    visible: int
    asked: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    unindexed: tuple[str, ...]


_FIELDS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.CONSTANT, SymbolKind.VARIABLE})

_Home = tuple[FleetRepository, tuple[Definition, ...]]
"""A repository and the definition it has of a symbol, with its overloads."""


@attrs.frozen
class _Subject:
    """What is asked about.

    Attributes:
        home: The repository that defines it.
        definitions: The definition, then its overloads.
        packages: The packages that the definition is part of.
        names: Names, one of which occurs in every file that uses it; None if there may be no such name.
    """

    home: FleetRepository
    definitions: tuple[Definition, ...]
    packages: tuple[PublishedPackage, ...]
    names: frozenset[str] | None


class FleetQuestions:
    """Answers questions about a fleet for callers of some groups."""

    def __init__(self, catalogue: Catalogue, segments: SegmentStore, settings: Settings) -> None:
        self._catalogue = catalogue
        self._settings = settings
        self._reads = FleetReads(catalogue, segments, settings.max_kept_bytes)
        self._workspaces: OrderedDict[str, RemoteWorkspace] = OrderedDict()

    def close(self) -> None:
        """Release all resources."""
        for workspace in self._workspaces.values():
            workspace.close()
        self._workspaces.clear()

    def list_visible(self, groups: Collection[str]) -> tuple[FleetRepository, ...]:
        """Return the repositories that members of any of the groups may see, by name."""
        return self._catalogue.list_repositories(groups)

    def count_visible(self, groups: Collection[str]) -> tuple[int, tuple[str, ...]]:
        """Return how many repositories members of any of the groups may see, and which of them have no snapshot."""
        return self._catalogue.count_visible(groups)

    def find_defining(self, names: Iterable[str], groups: Collection[str]) -> tuple[FleetRepository, ...]:
        """Return the visible repositories that define the last part of any of the names, most definitions first."""
        found: dict[int, FleetRepository] = {}
        counts: Counter[int] = Counter()
        for folded in dict.fromkeys(map(_fold_last, names)):
            defining = {each.id: each for each in self._catalogue.find_defining(folded, groups)}
            found |= defining
            counts.update(defining.keys())
        return tuple(found[each] for each, _ in counts.most_common())

    def rate_repositories(self, text: str, groups: Collection[str], limit: int | None) -> tuple[FleetRepository, ...]:
        """Return the visible repositories that have a word of a text, best first."""
        return self._catalogue.rate_repositories(read_query(text).terms, groups, limit)

    def open_repository(self, repository: FleetRepository) -> RemoteWorkspace:
        """Return the workspace of a repository's snapshot."""
        return self._open(repository)

    def ask_usages(self, symbol: str, groups: Collection[str], owner: str | None = None) -> FleetUsages:
        """Return who uses a symbol, such as `Class.method`, in every repository that a member of the groups may see.

        By default, its owner is the only repository that defines it. Raise `UsageError` if no visible repository
        defines the symbol, or several do.
        """
        for _ in range(_MAX_TRIES - 1):
            with suppress(SnapshotReplacedError):
                return self._ask_usages(symbol, groups, owner)
        return self._ask_usages(symbol, groups, owner)

    def _ask_usages(self, symbol: str, groups: Collection[str], owner: str | None) -> FleetUsages:
        visible, unindexed = self._catalogue.count_visible(groups)
        homes = self._find_homes(symbol, groups, owner)
        if not homes:
            if owner is not None:
                _require_owner(owner, self._catalogue.list_repositories(groups))
            _refuse_undefined(symbol, owner, visible, unindexed)
        if len(homes) > 1:
            _refuse_ambiguous(symbol, homes)
        home, definitions = homes[0]
        definition = definitions[0]
        packages = _holding(self._catalogue.read_packages(home.id), definition.file)
        providers = self._map_providers(home, packages, groups)
        subject = _Subject(home, definitions, packages, self._open(home).code.list_names(definition))
        answered: list[RepositoryUsages] = []
        failed: list[tuple[str, str]] = []
        for each, between in {home: (), **providers}.items():
            try:
                answer = self._ask(each, between, subject)
            except SnapshotReplacedError:
                raise
            except AvionicsError as error:
                failed.append((each.name, str(error)))
                continue
            answered.append(answer)
        found = [each for each in answered if each.usages or each.possible]
        found.sort(key=lambda each: (each.repository.id == home.id, -len(each.usages), each.repository.name))
        names = tuple(dict.fromkeys(f"{each.name} {each.version}".strip() for each in packages))
        reached = tuple(each.repository.name for each in answered)
        return FleetUsages(definition, home.name, names, tuple(found), visible, reached, tuple(failed), unindexed)

    def _map_providers(
        self, home: FleetRepository, packages: Iterable[PublishedPackage], groups: Collection[str]
    ) -> dict[FleetRepository, tuple[FleetRepository, ...]]:
        """Map each repository that may use the packages to the repositories through which it may.

        It imports the packages itself, or another repository that does.
        """
        users = {each.id: each for each in self._catalogue.find_importers(packages, groups) if each.id != home.id}
        found: dict[int, tuple[FleetRepository, ...]] = dict.fromkeys(users, ())
        for between, each in self._catalogue.list_import_pairs(tuple(users), groups):
            if each != home.id:
                found[each] = (*found.get(each, ()), users[between])
        users |= {each.id: each for each in self._catalogue.get_repositories(found.keys() - users.keys(), groups)}
        return {users[number]: between for number, between in found.items() if number in users}

    def _find_homes(self, symbol: str, groups: Collection[str], owner: str | None) -> tuple[_Home, ...]:
        """Return the repositories that define a symbol, with its definition there and its overloads.

        Prefer repositories where it is product code, and then, unless its container is named, those where it is neither
        a field nor a case: `Bytes` is a type of a library rather than a case of somebody's enum.
        """
        is_bare = not SymbolQuery.read(symbol).qualifier
        found: dict[tuple[bool, bool], list[_Home]] = defaultdict(list)
        best = (False, False)
        for opened, each in enumerate(self._catalogue.find_defining(_fold_last(symbol), groups, owner)):
            code = self._open(each).code
            by_rank: dict[tuple[bool, bool], list[Definition]] = defaultdict(list)
            for one in code.find_definitions(symbol):
                is_product = role_of(one.file) is FileRole.PRODUCT
                is_field = is_bare and one.symbol.parent >= 0 and one.kind in _FIELDS
                by_rank[is_product, not is_field].append(one)
            if by_rank:
                rank = max(by_rank)
                first = by_rank[rank][0]
                of_first = (first.file, first.symbol.qualname)
                own = tuple(one for one in by_rank[rank] if (one.file, one.symbol.qualname) == of_first)
                found[rank].append((each, own))
                best = max(best, rank)
            if len(found[best]) > _MAX_NAMED or (opened >= _MAX_OPENED and len(found[best]) > 1):
                break
        return tuple(found[best])

    def _ask(self, user: FleetRepository, between: tuple[FleetRepository, ...], subject: _Subject) -> RepositoryUsages:
        """Return the usages of a definition and its overloads, or of its own copy of them, in one repository."""
        is_own = user.id == subject.home.id
        code = (self._open(user) if is_own else self._open(user, subject.home, *between)).code
        if not is_own and subject.names is not None:
            named = (path for name in subject.names for path in code.files_with_word(name))
            # If no file of the user names it, a repository between the two may still export it under another name.
            if all(path.startswith(f"{MOUNT}/0/") for path in named):
                return RepositoryUsages(user, (), (), (), is_complete=True)
        copies = () if is_own else _find_copies(code, subject.definitions, subject.packages)
        asked = [*(each if is_own else _mount(each) for each in subject.definitions), *copies]
        reports = [code.usages(each) for each in asked]
        copied = {each.file.rpartition("/")[0] for each in copies}

        def is_there(path: str) -> bool:
            return is_own or not (_is_mounted(path) or path.rpartition("/")[0] in copied)

        proven = [
            *(each for report in reports for each in report.usages),
            *list_shared_calls(subject.definitions, reports),
        ]
        found = {each.place: each for each in proven}
        usages = [each for _, each in sorted(found.items()) if is_there(each.file)]
        undecided = {(each.file, each.line): each for report in reports for each in report.unresolved}
        for each in usages:
            undecided.pop((each.file, each.line), None)
        possible = tuple(each for each in undecided.values() if is_there(each.file))
        lines = {file: code.read_lines(file) for file in {each.file for each in usages}}
        cited = tuple(CitedLine(each, _line(lines[each.file], each.line)) for each in usages)
        is_complete = not possible and all(each.certainty is Certainty.EXACT or not each.reasons for each in reports)
        files = tuple(dict.fromkeys(each.file for each in copies))
        return RepositoryUsages(user, cited, possible, files, is_complete)

    def _open(self, user: FleetRepository, *mounted: FleetRepository) -> RemoteWorkspace:
        """Return the workspace of a repository, with the product code of others beside it."""
        # The order matters: it determines the paths at which repositories are mounted.
        beside = {f"{MOUNT}/{number}/{each.name}": each.revision for number, each in enumerate(mounted)}
        revisions = {user.name: user.revision} | beside
        name = name_combination(revisions)
        known = self._workspaces.pop(name, None)
        if known is None:
            files = {file.path: file for file in self._catalogue.read_files(user)}
            for number, each in enumerate(mounted):
                files |= {f"{MOUNT}/{number}/{file.path}": file for file in self._product(each)}
            revision = name if mounted else user.revision
            known = RemoteWorkspace(files, revision, self._reads, self._settings)
        self._workspaces[name] = known
        while len(self._workspaces) > _MAX_KEPT:
            self._workspaces.popitem(last=False)[1].close()
        return known

    def _product(self, repository: FleetRepository) -> Iterable[FleetFile]:
        return (each for each in self._catalogue.read_files(repository) if role_of(each.path) is FileRole.PRODUCT)


def _fold_last(symbol: str) -> str:
    """Return the last part of a symbol's name as the catalogue has it."""
    return fold_name(SymbolQuery.read(symbol).last)


def _refuse_undefined(symbol: str, owner: str | None, visible: int, unindexed: Collection[str]) -> NoReturn:
    where = "no repository defines" if owner is None else f"{owner} does not define"
    hint = "check the name, or add the repository that defines it"
    if not visible:
        hint = NONE_VISIBLE
    elif owner is None and unindexed:
        waiting = f"{len(unindexed)} of {visible} repositories are not indexed yet"
        hint = f"{waiting}; `avionics fleet worker` indexes them"
    raise UsageError(f"{where} {symbol!r}", hint=hint)


def _refuse_ambiguous(symbol: str, found: Sequence[_Home]) -> NoReturn:
    named = ", ".join(f"{home.name} ({each.file}:{each.line})" for home, (each, *_) in found[:_MAX_NAMED])
    count, more = (f"more than {_MAX_NAMED}", ", …") if len(found) > _MAX_NAMED else (str(len(found)), "")
    raise UsageError(
        f"{count} repositories define {symbol!r}: {named}{more}",
        hint="choose one with the option --owner or, in words, `of NAME`",
    )


def _require_owner(name: str, visible: Iterable[FleetRepository]) -> None:
    """Raise `UsageError` unless a visible repository has a name and is indexed."""
    by_name = {each.name: each for each in visible}
    require_known((name,), by_name)
    if not by_name[name].revision:
        raise UsageError(f"{name} is not indexed yet", hint="run `avionics fleet worker`, or wait for one that runs")


def require_known(names: Iterable[str], known: Collection[str]) -> None:
    """Raise `UsageError` unless all the names are those of repositories."""
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, _MAX_NAMED)
            raise UsageError(
                f"there is no repository {name!r}", hint=did_you_mean(near, "`avionics fleet status` lists them")
            )


def _holding(packages: Iterable[PublishedPackage], path: str) -> tuple[PublishedPackage, ...]:
    """Return the packages of the innermost directory that holds a path."""
    holding = [each for each in packages if not each.directory or path.startswith(f"{each.directory}/")]
    longest = max((len(each.directory) for each in holding), default=0)
    return tuple(each for each in holding if len(each.directory) == longest)


def _find_copies(
    code: CodeIndex, definitions: Iterable[Definition], packages: Iterable[PublishedPackage]
) -> tuple[Definition, ...]:
    """Return the definitions of the same name in a repository's own copy of a package.

    A copy is vendored code that has the same file below a directory with the package's name.
    """
    found: dict[tuple[str, int], Definition] = {}
    for definition in definitions:
        ends = tuple({_end_of_copy(definition.file, package) for package in packages})
        for each in code.find_definitions(definition.symbol.qualname):
            is_vendored = role_of(each.file) is FileRole.VENDORED and not _is_mounted(each.file)
            if is_vendored and each.symbol.qualname == definition.symbol.qualname and each.file.endswith(ends):
                found[each.file, each.line] = each
    return tuple(found.values())


def _end_of_copy(path: str, package: PublishedPackage) -> str:
    """Return how the path of a file ends in copies of its package: `src/click/core.py` → `/click/core.py`."""
    name = package.name.rpartition("/")[2]
    inside = path.removeprefix(f"{package.directory}/" if package.directory else "")
    return f"/{name}/{f'/{inside}'.rpartition(f'/{name}/')[2].removeprefix('/')}"


def _mount(definition: Definition) -> Definition:
    return Definition(f"{MOUNT}/0/{definition.file}", definition.symbol, definition.index)


def _is_mounted(path: str) -> bool:
    return path.startswith(f"{MOUNT}/")


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1].strip() if number <= len(lines) else ""
