"""Search for the most plausible and the shortest paths from some definitions to others.

The search goes forward from the start by bodies and backward from the goal by usages, always from the end with fewer
open steps, and the cheapest definition first. The cost of a step is a measure of its implausibility. When both ends
have met and nothing cheaper can follow, paths are chosen among the steps found so far. The same code gives the same
paths unless time runs out first. The steps of a path are then checked: whether they may run one after the other.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct, field, structs

from avionics.cancellation import check_cancelled, seconds_left, watch_cuts
from avionics.index.analysis.call_tree import CallTreeBuilder, Role
from avionics.index.code_index import CodeIndex
from avionics.index.flows.flow_steps import POSSIBLE_COST, FlowStep, FlowSteps
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.model.values import ClassType
from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition

_MAX_BODIES, _MAX_NAMES = 1_500, 400
"""Bodies that are read from the start, and names whose usages are looked for from the goal."""
_MAX_NAMES_ALONE = 60
"""The same limit if everything that runs from the start is known, so that only possible usages are left."""
_BACKWARD_WEIGHT = 3
"""Finding the usages of a name takes about as long as reading this many bodies."""
_RESERVED_SECONDS = 0.6
"""The time that the answer needs after the search."""
_MIN_PROCESSOR_SECONDS, _MAX_LATE_SECONDS = 2.0, 10.0
"""A search that got less processor time than this continues for as long after the deadline, since on a busy machine no
time may be left when it begins."""
_AVOIDANCE = 2.5
"""The extra cost of a step that a chosen path has already."""
_MAX_MEETINGS = 12
"""How often the search continues after both ends met in steps that cannot run in sequence."""
_MAX_EXCESS = 3.0
"""A path that costs this much more than the best is not an alternative."""
_MAX_APPROACHES = 8
"""How many of the farthest callers of a goal are tried for a proven way to it if there is no path."""
_SortKey = tuple[str, int, str]
_StepKey = tuple[Definition, str]


_MAX_LINES = 4
"""The maximum number of further lines that are listed for a step whose source calls the target more than once."""


class FlowPath(Struct, frozen=True):
    """The steps from a start to a goal; each starts where the one before ends."""

    steps: tuple[FlowStep, ...]
    cost: float

    @property
    def is_possible_only(self) -> bool:
        """Return whether a step of it is only possible."""
        return any(step.reason is not None for step in self.steps)


class PathSearchResult(Struct, frozen=True):
    """The result of a search.

    Attributes:
        paths: The most plausible first.
        bodies: The number of bodies read, going forward.
        names: How many names were searched for usages, going backward.
        forward: The maximum number of steps from the start that were searched.
        backward: The same from the goal.
        is_cut: Whether a limit ended the search before it was exhausted.
        unexamined: Names of overrides that too many files mention → how many.
        is_exhausted: Whether everything that is known to run from the start was followed.
        unfollowed: The places of calls on the way that were not followed: those of callbacks, which may lead to many
            definitions, and those into libraries.
        approach: If there is no path, the proven steps that lead to a goal from the farthest caller that was found.
    """

    paths: tuple[FlowPath, ...]
    bodies: int
    names: int
    forward: int
    backward: int
    is_cut: bool
    unexamined: Mapping[str, int]
    unfollowed: tuple[tuple[str, int], ...] = ()
    is_exhausted: bool = False
    approach: FlowPath | None = None


class _End(Struct):
    """The state of a search from one of its ends.

    Attributes:
        expand: Returns the steps from a definition.
        expand_later: Returns further steps from it, each of which costs POSSIBLE_COST at least; None if there are none.
        later: The number of entries of the queue that are definitions whose further steps are not known yet.
    """

    expand: Callable[[Definition], tuple[FlowStep, ...]]
    get_next: Callable[[FlowStep], Definition]
    limit: int
    expand_later: Callable[[Definition], tuple[FlowStep, ...]] | None = None
    costs: dict[Definition, float] = field(default_factory=dict)
    hops: dict[Definition, int] = field(default_factory=dict)
    settled: set[Definition] = field(default_factory=set)
    queue: list[tuple[float, int, _SortKey, int, bool, Definition]] = field(default_factory=list)
    later: int = 0
    was_cut: bool = False

    def take(self) -> tuple[Definition, tuple[FlowStep, ...]]:
        """Return the cheapest definition with steps from it, and note whether some were left out for lack of time.

        The further steps are returned when the definition is taken again, which it is when they are the cheapest.
        """
        cost, hops, key, index, is_later, here = heapq.heappop(self.queue)
        with watch_cuts() as cuts:
            steps = self.expand_later(here) if is_later and self.expand_later is not None else self.expand(here)
        self.was_cut |= cuts.were_made
        self.settled.add(here)
        self.later -= is_later
        if not is_later and self.expand_later is not None:
            self.later += 1
            heapq.heappush(self.queue, (cost + POSSIBLE_COST, hops, key, index, True, here))
        return here, steps

    def add(self, definition: Definition, cost: float, hops: int) -> None:
        """Add a path to a definition if it is the cheapest so far."""
        if cost < self.costs.get(definition, float("inf")):
            self.costs[definition], self.hops[definition] = cost, hops
            heapq.heappush(self.queue, (cost, hops, definition.key, definition.index, False, definition))

    def get_cheapest(self) -> float:
        """Return the cost of the next definition; infinity if there is none."""
        while self.queue and self._is_stale(*self.queue[0][-2:], self.queue[0][0]):
            heapq.heappop(self.queue)
        return self.queue[0][0] if self.queue else float("inf")

    def _is_stale(self, is_later: bool, definition: Definition, cost: float) -> bool:
        return not is_later and (definition in self.settled or cost > self.costs[definition])


class _Deadline:
    """Tells when a search has to end."""

    def __init__(self) -> None:
        self._started = time.thread_time()

    def is_over(self) -> bool:
        """Return whether the time for the answer is over, and the search had a share of the processor."""
        left = seconds_left() - _RESERVED_SECONDS
        used = time.thread_time() - self._started
        return left < 0 and (used >= _MIN_PROCESSOR_SECONDS or left < -_MAX_LATE_SECONDS)


class PathSearch:
    """Searches the paths of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._steps = FlowSteps(code)
        self._check = PathCheck(code)

    def find(self, starts: Sequence[Definition], goals: Sequence[Definition], most: int = 3) -> PathSearchResult:
        """Return the most plausible paths from any of the starts to any of the goals, and the shortest.

        Paths between places in product code come first, since a repository may have many `main` functions in examples.
        """
        with watch_cuts() as cuts:
            found = self._find(self._steps.keep_reaching(starts, goals), goals, most)
        is_unread = cuts.were_made or bool(self._code.unread)
        is_cut = found.is_cut or (is_unread and not found.paths)
        return structs.replace(found, is_cut=is_cut, is_exhausted=found.is_exhausted and not self._code.unread)

    def _find(self, starts: Sequence[Definition], goals: Sequence[Definition], most: int) -> PathSearchResult:
        product = _keep_product(starts), _keep_product(goals)
        if all(product) and product != (tuple(starts), tuple(goals)):
            result = self._search(*product, most)
            if result.paths:
                return result
        return self._search(starts, goals, most)

    def _search(self, starts: Sequence[Definition], goals: Sequence[Definition], most: int) -> PathSearchResult:
        """Return the most plausible paths from any of the starts to any of the goals."""
        with_tests = any(role_of(each.file) is FileRole.TEST for each in (*starts, *goals))
        front = _End(self._steps.list_forward, lambda step: step.target, _MAX_BODIES, self._steps.list_possible)
        back = _End(self._steps.list_backward, lambda step: step.source, _MAX_NAMES)
        for end, definitions in ((front, starts), (back, goals)):
            for definition in definitions:
                end.add(definition, 0.0, 0)
        seen: dict[Definition, dict[_StepKey, FlowStep]] = {}
        best_cost, is_cut, clock, meetings = float("inf"), False, _Deadline(), 0
        while True:
            check_cancelled()
            costs_ahead = [cost for end in (front, back) if (cost := end.get_cheapest()) < float("inf")]
            least = sum(costs_ahead)
            end, other = _choose(front, back)
            limit = end.limit if front.queue else min(end.limit, _MAX_NAMES_ALONE)
            is_cut = bool(costs_ahead) and best_cost > least and (len(end.settled) >= limit or clock.is_over())
            if not costs_ahead or best_cost <= least or is_cut:
                paths = self._choose_paths(seen, starts, frozenset(goals), most, with_tests=with_tests)
                if paths or not costs_ahead or is_cut or meetings == _MAX_MEETINGS:
                    break
                best_cost, meetings = float("inf"), meetings + 1
                continue
            here, steps = end.take()
            for step in steps:
                seen.setdefault(step.source, {}).setdefault((step.target, step.role.value), step)
                next_definition = end.get_next(step)
                total_cost = end.costs[here] + step.get_cost(with_tests=with_tests)
                end.add(next_definition, total_cost, end.hops[here] + 1)
                if next_definition in other.costs:
                    best_cost = min(best_cost, total_cost + other.costs[next_definition])
        deepest = [max((end.hops[each] for each in end.settled), default=0) for end in (front, back)]
        return PathSearchResult(
            paths,
            len(front.settled),
            len(back.settled),
            deepest[0],
            deepest[1],
            is_cut or (self._steps.was_cut and not paths),
            self._steps.unexamined,
            (*self._steps.unfollowed, *self._steps.leaving),
            front.get_cheapest() == float("inf") and not front.was_cut,
            None if paths else self._get_approach(seen, back, frozenset(goals)),
        )

    def _get_approach(
        self, seen: Mapping[Definition, Mapping[_StepKey, FlowStep]], back: _End, goals: frozenset[Definition]
    ) -> FlowPath | None:
        """Return the proven steps to a goal from one of the farthest definitions that the search found before it."""
        graph = {
            source: tuple(step for step in steps.values() if step.reason is None) for source, steps in seen.items()
        }
        product = (each for each in back.settled if role_of(each.file) is FileRole.PRODUCT and each not in goals)
        farthest = sorted(product, key=lambda each: (-back.hops[each], back.costs[each], each.key))
        for start in farthest[:_MAX_APPROACHES]:
            steps = _get_cheapest_path(graph, (start,), goals, lambda each: each.get_cost(with_tests=False), set())
            if steps and self._check.get_impossible_entry(steps) is None:
                return FlowPath(tuple(map(self._check.add_lines, steps)), back.costs[start])
        return None

    def _choose_paths(
        self,
        seen: Mapping[Definition, Mapping[_StepKey, FlowStep]],
        starts: Iterable[Definition],
        goals: frozenset[Definition],
        most: int,
        *,
        with_tests: bool,
    ) -> tuple[FlowPath, ...]:
        """Return the cheapest path, some that use other steps, and the shortest path if it is not among them."""
        graph = {source: tuple(steps.values()) for source, steps in seen.items()}
        used, impossible = set[FlowStep](), set[FlowStep]()
        chosen: list[FlowPath] = []

        def get_path(price: Callable[[FlowStep], float]) -> FlowPath | None:
            for _ in range(_MAX_MEETINGS):
                steps = _get_cheapest_path(graph, starts, goals, price, impossible)
                impossible_step = self._check.get_impossible_entry(steps) if steps is not None else None
                if impossible_step is None:
                    break
                impossible.add(impossible_step)
            if steps is None or impossible_step is not None:
                return None
            return FlowPath(steps, sum(step.get_cost(with_tests=with_tests) for step in steps))

        def price_new(step: FlowStep) -> float:
            return step.get_cost(with_tests=with_tests) + (_AVOIDANCE if step in used else 0.0)

        while len(chosen) < most and (path := get_path(price_new)) is not None:
            is_repeated = any([each.target for each in path.steps] == [e.target for e in old.steps] for old in chosen)
            if is_repeated or (chosen and path.cost > chosen[0].cost + _MAX_EXCESS):
                break
            if chosen and path.is_possible_only and not chosen[0].is_possible_only:
                break
            chosen.append(path)
            used.update(path.steps)
        shortest = get_path(lambda step: 1.0 + step.get_cost(with_tests=with_tests) / 1000)
        if shortest is not None and chosen and len(shortest.steps) < min(len(path.steps) for path in chosen):
            chosen = [*chosen[: most - 1], shortest]
        return tuple(FlowPath(tuple(map(self._check.add_lines, each.steps)), each.cost) for each in chosen)


def _keep_product(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Return the definitions that are not in tests, examples, tools, or code of others."""
    return tuple(each for each in definitions if role_of(each.file) is FileRole.PRODUCT)


def _choose(front: _End, back: _End) -> tuple[_End, _End]:
    """Return the end to continue from, that with fewer definitions in its queue, and the other end."""
    ahead = len(front.queue) - front.later
    is_forward = bool(front.queue) and (not back.queue or ahead <= _BACKWARD_WEIGHT * len(back.queue))
    return (front, back) if is_forward else (back, front)


def _get_cheapest_path(
    graph: Mapping[Definition, Sequence[FlowStep]],
    starts: Iterable[Definition],
    goals: frozenset[Definition],
    price: Callable[[FlowStep], float],
    impossible: AbstractSet[FlowStep],
) -> tuple[FlowStep, ...] | None:
    """Return the cheapest path among known steps, without impossible ones; None if there is none."""
    costs: dict[Definition, float] = dict.fromkeys(starts, 0.0)
    arrived_by: dict[Definition, FlowStep] = {}
    queue = [(0.0, each.key, each.index, each) for each in costs]
    heapq.heapify(queue)
    done: set[Definition] = set()
    while queue:
        cost, _, _, here = heapq.heappop(queue)
        if here in done:
            continue
        done.add(here)
        if here in goals:
            return _trace_back(arrived_by, here)
        for step in (each for each in graph.get(here, ()) if each not in impossible):
            total_cost = cost + price(step)
            if total_cost < costs.get(step.target, float("inf")):
                costs[step.target], arrived_by[step.target] = total_cost, step
                heapq.heappush(queue, (total_cost, step.target.key, step.target.index, step.target))
    return None


def _trace_back(arrived_by: Mapping[Definition, FlowStep], goal: Definition) -> tuple[FlowStep, ...]:
    steps: list[FlowStep] = []
    here = goal
    while here in arrived_by:
        steps.append(arrived_by[here])
        here = arrived_by[here].source
    return tuple(reversed(steps))


class PathCheck:
    """Checks the paths of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._scopes = code.resolver.scopes
        self._members = code.resolver.inference.members
        self._builder = CallTreeBuilder(code)

    def add_lines(self, step: FlowStep) -> FlowStep:
        """Return a step with the other lines of its source that call its target."""
        lines = self._builder.map_owners(step.source, step.target) if step.role is Role.CALLS else {}
        return structs.replace(step, more_lines=tuple(each for each in sorted(lines) if each != step.line)[:_MAX_LINES])

    def get_impossible_entry(self, steps: Sequence[FlowStep]) -> FlowStep | None:
        """Return the call on a path that makes a later step to an override impossible; None if there is none.

        `Circle().draw()` enters the method of a base class, and what that calls on `self` is a method of `Circle`,
        never the override of another subclass.
        """
        entering, owners = None, tuple[ClassType, ...]()
        for step in steps:
            if step.role is Role.CALLS and not (owners and self._builder.is_on_self(step.source, step.target)):
                entering, owners = step, self._list_owners(step)
            elif step.role is Role.OVERRIDDEN:
                cls = self._builder.get_class(step.target)
                if cls is not None and owners and not any(self._are_related(cls, each) for each in owners):
                    return entering
                owners = ()
            elif step.role is not Role.CALLS:
                owners = ()
        return None

    def _list_owners(self, step: FlowStep) -> tuple[ClassType, ...]:
        """Return the classes of the objects on which the source of a step calls its target; () if one is unknown.

        An object of an interface may be of any class that has its members.
        """
        owners = [of for each in self._builder.map_owners(step.source, step.target).values() for of in each]
        known = tuple(each for each in owners if each is not None and not self._is_interface(each))
        return known if len(known) == len(owners) else ()

    def _is_interface(self, of: ClassType) -> bool:
        symbol = self._scopes.get_class_symbol(of)
        return symbol is None or symbol.kind is SymbolKind.INTERFACE

    def _are_related(self, of: ClassType, other: ClassType) -> bool:
        return self._members.is_subclass(of, other) or self._members.is_subclass(other, of)
