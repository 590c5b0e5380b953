"""Find paths and cycles in directed graphs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from itertools import islice, pairwise
from typing import TypeVar

NodeT = TypeVar("NodeT", bound=Hashable)


def find_components(nodes: Iterable[NodeT], graph: Mapping[NodeT, Iterable[NodeT]]) -> tuple[tuple[NodeT, ...], ...]:
    """Return the strongly connected components, dependencies before dependents; the order of the nodes settles ties.

    The algorithm is Tarjan's ("Depth-first search and linear graph algorithms", 1972), without recursion. `graph` maps
    a node to those it depends on; targets that are not among the nodes are ignored.
    """
    order = list(nodes)
    known = set(order)
    index: dict[NodeT, int] = {}
    low: dict[NodeT, int] = {}
    stack: list[NodeT] = []
    stack_at: dict[NodeT, int] = {}
    on_stack: set[NodeT] = set()
    found: list[tuple[NodeT, ...]] = []
    for start in order:
        if start in index:
            continue
        work = [(start, iter(graph.get(start, ())))]
        index[start] = low[start] = len(index)
        stack_at[start] = len(stack)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in known:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack_at[target] = len(stack)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph.get(target, ()))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack_at[node]
                    component = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(component)
                    found.append(tuple(component))
    return tuple(found)


def find_shortest_cycle(
    graph: Mapping[NodeT, Iterable[NodeT]], members: Collection[NodeT], most: int | None = None
) -> tuple[tuple[NodeT, NodeT], ...]:
    """Return the links of a shortest cycle within a strongly connected component.

    The search starts at each of the first `most` members, by default at all, and takes linear time for each. Of several
    shortest cycles, the first is returned.
    """

    def list_inside(node: NodeT) -> Iterable[NodeT]:
        return (each for each in graph.get(node, ()) if each in members)

    best: tuple[NodeT, ...] = ()
    for start in islice(members, most):
        way = find_shortest_path(start, start, list_inside)
        if way and (not best or len(way) < len(best)):
            best = way
        if len(best) == 3:
            break
    return tuple(pairwise(best))


def find_shortest_path(
    start: NodeT, goal: NodeT, list_next: Callable[[NodeT], Iterable[NodeT]], most: int | None = None
) -> tuple[NodeT, ...]:
    """Return the nodes of a shortest path of one link or more, both ends included; () if there is none.

    The search ends when it has reached `most` nodes.
    """
    came_from: dict[NodeT, NodeT] = {}
    pending = [start]
    for here in pending:
        for there in list_next(here):
            if there in came_from:
                continue
            came_from[there] = here
            pending.append(there)
            if there == goal:
                way = [goal, here]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return tuple(reversed(way))
        if most is not None and len(came_from) >= most:
            break
    return ()
