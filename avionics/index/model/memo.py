"""Memoise functions that call each other recursively in cycles, from any number of threads.

Keys whose values depend on each other form a component, found as in R. Tarjan, "Depth-first search and linear graph
algorithms" (1972). A key that is asked for while it is being computed is assumed to have the value `default`, and
nothing that rests on an assumption is kept. Once a component is complete, its values are computed from `default`
upwards until they agree, in an order that depends on nothing but the keys: every order of questions, in any number of
threads, leads to the same values. A key that reads itself always reads `default`: its own value adds nothing new to
itself.

Values that depend on no assumption need none of this: `FinalValues` keeps them, for functions that are called often
with the same key but are part of no cycle themselves. `avionics.index.model.cached_method` is for methods that are part
of no cycle at all.

One thing still depends on the order of questions: in cycles of about a hundred keys and more, a tuple of alternatives
always has the same members, but possibly in another order.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

from avionics.cancellation import check_cancelled

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_Node = tuple["Memo[Any, Any]", Hashable]

_MISSING: Final = object()
_NEVER: Final = 1 << 60
"""A number greater than that of every computation."""
_MAX_NESTING = 20
"""Values nested deeper are computed first, and those that need them afterwards: the interpreter's stack is finite."""
_MAX_SETTLED = 20_000
"""Final values kept by one function, about 5 MB; when there are more, all are dropped."""
_MAX_SETTLED_DEPTH = 30
"""Values deeper in a computation may be cut off or not, so that they are neither kept nor read."""
_MAX_REVISIONS = 8
"""A value that still changes after this many computations grows forever, such as two lists that contain each other."""


def _keep(value: Value) -> Value:
    return value


class _NestingError(Exception):
    """Computations are nested too deeply to compute one more within them."""

    def __init__(self, node: _Node) -> None:
        super().__init__()
        self.node = node


class _Assumption:
    """The value that a key is taken to have, and the number of the computation that it waits for."""

    __slots__ = ("value", "waits_for")

    def __init__(self, value: object, waits_for: int) -> None:
        self.value = value
        self.waits_for = waits_for


class _Run:
    """One computation of a key: the first computation it depends on, and the keys computed under assumptions."""

    __slots__ = ("first", "node", "read")

    def __init__(self, node: _Node) -> None:
        self.node = node
        self.first = _NEVER
        self.read: list[_Node] = []


class Progress:
    """The computations of one thread.

    Attributes:
        depth: How deep computations are nested; a computation may count steps of its own.
        base: The depth at which the innermost computation began.
        doubts: How often a value was read or given that is not final: an assumption, or one that was cut off.
    """

    __slots__ = (
        "_assumed", "_count", "_first_number", "_outermost", "_postponed", "_runs", "_waiting",
        "base", "depth", "doubts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.depth = 0
        self.base = 0
        self.doubts = 0
        self._outermost = 0
        self._first_number = 0
        self._count = 0
        self._runs: list[_Run] = []
        self._assumed: dict[_Node, _Assumption] = {}
        self._waiting: list[_Node] = []
        self._postponed: list[_Node] = []

    def get(self, node: _Node) -> Any:
        """Return the value of a key; inside another computation it may be provisional."""
        if self._runs:
            return self._get_within(node)
        self._outermost = self.depth
        self._postponed = [node]
        while True:
            try:
                value = self._get_within(self._postponed[-1])
            except _NestingError as error:
                self._postponed.append(error.node)
                continue
            self._postponed.pop()
            if not self._postponed:
                return value

    def _get_within(self, node: _Node) -> Any:
        """Return the value of a key; raise _NestingError if another key has to be computed first."""
        assumed = self._assumed.get(node)
        if assumed is not None:
            return self._assume(node, assumed)
        if self.depth - self._outermost > _MAX_NESTING:
            return self._postpone(node)
        self._count += 1
        number, mark = self._count, len(self._waiting)
        if not self._runs:
            self._first_number = number
        assumed = self._assumed[node] = _Assumption(node[0].default, number)
        run, assumed.value = self._run(node)
        if run.first < number:
            assumed.value = node[0].widen(assumed.value)
            assumed.waits_for = run.first
            self._waiting.append(node)
            return self._assume(node, assumed)
        if len(self._waiting) == mark:  # Most values depend on no assumption; skip hashing the key.
            del self._assumed[node]
            node[0].keep(node[1], assumed.value)
            return assumed.value
        members = {node, *self._take_waiting(mark)}
        if len(members) > 1:
            first = self._agree(members, number)
            if first < number:
                self._waiting.extend(members)
                return self._assume(node, _Assumption(self._assumed[node].value, first))
        for memo, key in members:
            memo.keep(key, self._assumed.pop((memo, key)).value)
        return node[0].kept(node[1])

    def _postpone(self, node: _Node) -> Any:
        """Make the outermost computation start with a key; if it already did, the key is in a long cycle."""
        if node not in self._postponed:
            raise _NestingError(node)
        assumed = self._assumed[node] = _Assumption(node[0].default, self._first_number)
        self._waiting.append(node)
        return self._assume(node, assumed)

    def _assume(self, node: _Node, assumed: _Assumption) -> Any:
        self.doubts += 1
        run = self._runs[-1]
        if node == run.node:
            return node[0].default
        run.first = min(run.first, assumed.waits_for)
        run.read.append(node)
        return assumed.value

    def _run(self, node: _Node) -> tuple[_Run, Any]:
        memo, key = node
        run, base = _Run(node), self.base
        self._runs.append(run)
        self.depth += 1
        self.base = self.depth
        is_done = False
        try:
            # A value may depend on thousands of others, each of which a cycle computes several times.
            check_cancelled()
            value = memo.build(key)
            is_done = True
        finally:
            self.depth -= 1
            self.base = base
            self._runs.pop()
            if not is_done and not self._runs:
                self._assumed.clear()
                self._waiting.clear()
        return run, value

    def _agree(self, members: set[_Node], number: int) -> int:
        """Compute the keys of a cycle until they agree; return the first computation they depend on.

        Keys that turn out to belong to the component are added to `members`.
        """
        while True:
            for each in members:
                self._assumed[each] = _Assumption(each[0].default, number)
            size = len(members)
            first = self._revise(members, number)
            if first < number:
                for each in members:
                    self._assumed[each].waits_for = first
            if first < number or len(members) == size:
                return first

    def _revise(self, members: set[_Node], number: int) -> int:
        """Compute the keys of a cycle until nothing changes, or until another key joins it."""
        readers: defaultdict[_Node, set[_Node]] = defaultdict(set)
        revisions: Counter[_Node] = Counter()
        names = {node: f"{node[0].name} {node[1]!r}" for node in members}
        changed = set(members)
        while changed:
            pending = sorted(changed, key=names.__getitem__)
            changed = set()
            for node in pending:
                changed.discard(node)
                mark = len(self._waiting)
                run, value = self._run(node)
                value = node[0].widen(value)
                members.update(self._take_waiting(mark))
                if run.first < number or len(members) > len(names):
                    return run.first if run.first < number else number
                for read in run.read:
                    readers[read].add(node)
                revisions[node] += 1
                if value != self._assumed[node].value:
                    self._assumed[node].value = value
                    changed.update(each for each in readers[node] if revisions[each] < _MAX_REVISIONS)
        return number

    def _take_waiting(self, mark: int) -> list[_Node]:
        taken = self._waiting[mark:]
        del self._waiting[mark:]
        return taken


class Computation(threading.local):
    """What threads compute. Memos whose values depend on each other share one.

    Attributes:
        here: The computations of this thread. To read an attribute of a thread takes several times as long as to read
            one of an object.
    """

    def __init__(self) -> None:
        self.here = Progress()


class Memo(Generic[Key, Value]):
    """The values of a function by key, each computed once.

    Exceptions are not kept. Threads that ask for one value at the same time each compute it. A key is first assumed to
    have the default value while it is being computed. Memos whose values may depend on one another share a computation.
    `widen` makes a value of a cycle less exact, so that the cycle converges sooner (P. and R. Cousot, "Abstract
    interpretation", 1977).
    """

    def __init__(
        self,
        build: Callable[[Key], Value],
        default: Value,
        computation: Computation | None = None,
        widen: Callable[[Value], Value] = _keep,
    ) -> None:
        self.build = build
        self.default = default
        self.widen = widen
        self.name = getattr(build, "__qualname__", "")
        self._computation = computation or Computation()
        self._kept: dict[Key, Value] = {}

    def __call__(self, key: Key) -> Value:
        """Return the value of a key."""
        found: Any = self._kept.get(key, _MISSING)
        value: Value = self._computation.here.get((self, key)) if found is _MISSING else found
        return value

    def keep(self, key: Key, value: Value) -> None:
        """Keep the final value of a key."""
        self._kept[key] = value

    def kept(self, key: Key) -> Value:
        """Return the stored value of a key."""
        return self._kept[key]


class FinalValues(Generic[Key, Value]):
    """The values of a function by key; final ones are kept, others are computed again.

    The function may ask memos of the computation, which knows whether something was assumed.
    """

    def __init__(self, build: Callable[[Key], Value], computation: Computation) -> None:
        self._build = build
        self._computation = computation
        self._kept: dict[Key, Value] = {}

    def __call__(self, key: Key) -> Value:
        """Return the value of a key."""
        here = self._computation.here
        if here.depth - here.base > _MAX_SETTLED_DEPTH:
            return self._build(key)
        found: Any = self._kept.get(key, _MISSING)
        if found is not _MISSING:
            known: Value = found
            return known
        doubts = here.doubts
        value = self._build(key)
        if here.doubts == doubts:
            if len(self._kept) >= _MAX_SETTLED:
                self._kept.clear()
            self._kept[key] = value
        return value
