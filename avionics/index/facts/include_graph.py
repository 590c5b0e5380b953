"""The include graph: the files that each C file includes, followed in both directions.

Resolving the includes of a very large tree takes seconds. They depend only on the paths that exist and on the lines of
each file, so they are stored under a digest of the paths; files whose content has changed are left out.
"""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain

from msgspec import Struct

from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.file_summaries import FileSummaries, StoredFileSummaries
from avionics.index.facts.snapshot import Snapshot
from avionics.index.model.cached_method import cached_method
from avionics.model.facts import FileFacts, Import, Symbol
from avionics.model.naming import count_shared
from avionics.syntax.registry import conventions_of

NAMESPACE = 2
"""The level of an import that names a namespace instead of a file: `using namespace a`, `using a::b`."""

INCLUDE_DIRECTORIES = frozenset({"include", "inc", "includes", "src", "source", "lib", "headers", "api", "public"})
_STANDARD = frozenset(
    {
        "aio", "arpa", "assert", "complex", "ctype", "dirent", "dlfcn", "endian", "err", "errno", "execinfo",
        "fcntl", "features", "fenv", "float", "fnmatch", "getopt", "glob", "grp", "iconv", "ifaddrs", "inttypes",
        "iso646", "langinfo", "libgen", "limits", "locale", "malloc", "math", "memory", "monetary", "ndbm", "netdb",
        "nl_types", "poll", "pthread", "pwd", "regex", "sched", "search", "semaphore", "setjmp", "signal", "spawn",
        "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "stdnoreturn",
        "string", "strings", "stropts", "syslog", "tar", "termios", "tgmath", "threads", "time", "uchar",
        "ucontext", "ulimit", "unistd", "utime", "utmpx", "wait", "wchar", "wctype", "windows", "wordexp", "alloca",
    }
)  # fmt: skip

_WORTH_KEEPING = 2_000
"""The includes of fewer files are resolved in less than half a second."""


class _Edges(Struct, frozen=True, eq=False):
    """Edges between numbered nodes: the targets of a node are those between its start and the next node's."""

    starts: array[int]
    targets: array[int]

    def __getitem__(self, number: int) -> Sequence[int]:
        return self.targets[self.starts[number] : self.starts[number + 1]]

    @classmethod
    def of(cls, targets: Sequence[Sequence[int]]) -> _Edges:
        """Return the edges to these targets of each number."""
        starts = accumulate(map(len, targets), initial=0)
        return cls(array("I", starts), array("I", chain.from_iterable(targets)))


class _StoredGraph(Struct, frozen=True, eq=False):
    """A stored graph: the includes of each file and the files that include it, by number.

    Attributes:
        is_current: For each file, whether its includes are stored and its content is unchanged.
        included: File → those it includes.
        including: File → those that include it.
    """

    is_current: Sequence[bool]
    included: _Edges
    including: _Edges


class IncludeGraph:
    """Resolves includes; files are strings in the interface and numbers internally."""

    def __init__(self, files: tuple[str, ...], summaries: FileSummaries) -> None:
        self._summaries = summaries
        self._files = files
        self.numbers = {path: number for number, path in enumerate(files)}
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in files:
            self._by_name[path.rpartition("/")[2]].append(path)
        self._included_by_number: dict[int, tuple[int, ...]] = {}
        self._including_by_number: defaultdict[int, list[int]] = defaultdict(list)

    def includes(self, file: str) -> tuple[str, ...]:
        """Return the files of the workspace that a file includes directly."""
        number = self.numbers.get(file)
        return () if number is None else tuple([self._files[each] for each in self._included(number)])

    def map_included(self, targets: Sequence[str], files: Iterable[str]) -> dict[str, int]:
        """Return file → bit set of the targets that it includes, directly or not.

        Files without any are left out.

        Includes are followed backwards, which for thousands of files is faster than computing the closure of each.
        """
        self._load({self.numbers[path] for path in (*files, *targets) if path in self.numbers})
        included: dict[int, int] = {
            self.numbers[path]: 1 << at for at, path in enumerate(targets) if path in self.numbers
        }
        changed = deque(included)
        while changed:
            number = changed.popleft()
            seen = included[number]
            for file in self._iter_including(number):
                known = included.get(file, 0)
                if known | seen != known:
                    included[file] = known | seen
                    changed.append(file)
        return {self._files[number]: seen for number, seen in included.items()}

    def resolve(self, written: str, importer: str, *, is_quoted: bool) -> str:
        """Return the file that an include refers to; "" if it is outside the workspace."""
        here = importer.rpartition("/")[0]
        found = self._search(written, here, is_quoted)
        # `#include <util.c>` in a test called `util.c` means the file that is tested.
        return self._search(written, here, is_quoted, importer) if found == importer and not is_quoted else found

    def keep(self) -> None:
        """Resolve the includes of all files, and store them if there are many."""
        self._load(number for path, number in self.numbers.items() if conventions_of(path).files.have_includes)

    def _load(self, numbers: Iterable[int]) -> None:
        """Resolve the includes of files, and of those that they include."""
        fresh = 0
        pending = {number for number in numbers if not self._is_known(number)}
        while pending:
            fresh += len(pending)
            self._summaries.load_import_lines([self._files[number] for number in pending])
            found = {each for number in pending for each in self._included(number)}
            pending = {number for number in found if not self._is_known(number)}
        if fresh >= _WORTH_KEEPING and self._summaries.blob_ids():
            self._summaries.put_includes(self._pack())

    def _is_known(self, number: int) -> bool:
        return number in self._included_by_number or (self._stored is not None and self._stored.is_current[number])

    def _included(self, number: int) -> Sequence[int]:
        found = self._included_by_number.get(number)
        if found is not None:
            return found
        if self._stored is not None and self._stored.is_current[number]:
            return self._stored.included[number]
        file = self._files[number]
        lines = [(module, level) for module, level in self._summaries.import_lines(file) if level < NAMESPACE]
        paths = [self.resolve(module, file, is_quoted=bool(level)) for module, level in lines]
        found = tuple(dict.fromkeys(self.numbers[path] for path in paths if path))
        for each in found:
            self._including_by_number[each].append(number)
        # This comes last, because other threads expect a file with known includes to be in `_including_by_number`.
        self._included_by_number[number] = found
        return found

    def _iter_including(self, number: int) -> Iterator[int]:
        """Yield the known files that include a file directly."""
        stored = self._stored
        if stored is not None:
            yield from (each for each in stored.including[number] if stored.is_current[each])
        yield from self._including_by_number.get(number, ())

    @cached_property
    def _stored(self) -> _StoredGraph | None:
        """Return the stored graph, if the paths are the same."""
        found = self._summaries.get_includes()
        if found is None:
            return None
        blobs, *edges = (array("I", part) for part in found)
        is_current = [one == other != 0 for one, other in zip(blobs, self._summaries.blob_ids(), strict=True)]
        return _StoredGraph(is_current, _Edges(*edges[:2]), _Edges(*edges[2:]))

    def _pack(self) -> tuple[bytes, ...]:
        """Return the graph for storing: the contents with known includes, and the edges in both directions."""
        known = [self._is_known(number) for number in range(len(self._files))]
        told = zip(self._summaries.blob_ids(), known, strict=True)
        blobs = array("I", [blob if is_known else 0 for blob, is_known in told])
        included = [self._included(number) if is_known else () for number, is_known in enumerate(known)]
        including: list[list[int]] = [[] for _ in self._files]
        for number, found in enumerate(included):
            for each in found:
                including[each].append(number)
        edges = (_Edges.of(included), _Edges.of(including))
        return (blobs.tobytes(), *(part.tobytes() for each in edges for part in (each.starts, each.targets)))

    @cached_method
    def _search(self, written: str, here: str, is_quoted: bool, own: str = "") -> str:
        beside = normal(here, written)
        if is_quoted and beside in self.numbers:
            return beside
        tail = normal("", written.lstrip("./"))
        named = self._by_name.get(tail.rpartition("/")[2], ())
        candidates = [path for path in named if path != own and (path == tail or path.endswith(f"/{tail}"))]
        if not candidates:
            # A path may begin with the name of the directory that holds the tree: <app/src/core/signals.h>.
            inside = tail.partition("/")[2]
            return inside if "/" in inside and inside in self.numbers else ""
        near = [path for path in candidates if _is_above(path[: -len(tail)].rstrip("/"), here)]
        if not near and not is_quoted and tail.rpartition(".")[0] in _STANDARD:
            return ""
        around = here.split("/")
        return min(near or candidates, key=lambda path: (-count_shared(path.split("/")[:-1], around), len(path), path))


def keep_includes(snapshot: Snapshot, cache: FactCache) -> None:
    """Resolve the includes of a tree that was indexed just now, and store them if they are many."""
    summaries = StoredFileSummaries(snapshot, cache)
    IncludeGraph(summaries.files, summaries).keep()


def _is_above(root: str, here: str) -> bool:
    """Return whether a directory is an ancestor of the including file, or an include directory next to an ancestor."""
    holder, _, last = root.rpartition("/")
    above = [root, holder] if last in INCLUDE_DIRECTORIES else [root]
    return any(not each or here == each or here.startswith(f"{each}/") for each in above)


def normal(directory: str, written: str) -> str:
    """Return a relative path without `.` and `..`."""
    parts = directory.split("/") if directory else []
    for part in written.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def list_qualnames(facts: FileFacts, symbol: Symbol) -> set[str]:
    """Return the qualified names that a symbol may have: a member of C++ defined outside its class, after `using`."""
    names = {symbol.qualname}
    if symbol.parent < 0 and "." in symbol.qualname:
        first = symbol.qualname.partition(".")[0]
        named = (each for each in facts.imports if each.level == NAMESPACE and each.name in {"*", first})
        used = [each.module.lstrip(".") for each in named]
        # After `using namespace a`, `using namespace b` may mean `a::b`.
        inner = [f"{outer}.{each}" for at, each in enumerate(used) for outer in used[:at]]
        names.update(f"{each}.{symbol.qualname}" for each in (*used, *inner))
    return names


def iter_used_namespaces(facts: FileFacts) -> Iterator[Import]:
    """Yield the directives by which a file takes all names of a namespace: `using namespace a`."""
    yield from (each for each in facts.imports if each.level == NAMESPACE and each.name == "*")
