"""Find cycles in directed graphs."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from itertools import islice
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

    It is looked for from each of the first `most` members, by default all, in linear time each; the first of several
    shortest ones is taken.
    """
    best: tuple[tuple[NodeT, NodeT], ...] = ()
    for start in islice(members, most):
        way = _get_way_back(graph, members, start)
        if way and (not best or len(way) < len(best)):
            best = way
        if len(best) == 2:
            break
    return best


def _get_way_back(
    graph: Mapping[NodeT, Iterable[NodeT]], inside: Collection[NodeT], start: NodeT
) -> tuple[tuple[NodeT, NodeT], ...]:
    """Return the links of a shortest path from a node back to itself; () if there is none."""
    came_from: dict[NodeT, NodeT] = {start: start}
    pending = [start]
    for here in pending:
        for there in graph.get(here, ()):
            if there == start:
                way, at = [(here, start)], here
                while at != start:
                    way.append((came_from[at], at))
                    at = came_from[at]
                return tuple(reversed(way))
            if there in inside and there not in came_from:
                came_from[there] = here
                pending.append(there)
    return ()
