"""Order the nodes of a directed graph into layers, and find the links that run against them.

A link points from the node that depends to the node it depends on. Layer 0 holds the nodes that depend on nothing.
Where nodes depend on one another in a cycle, the lightest set of links that breaks every cycle is set aside first;
these are the *feedback* links. Finding the lightest set is NP-hard, so it is approximated: the greedy order of Eades,
Lin and Smyth ("A fast and effective heuristic for the feedback arc set problem", 1993), with weights, then improved by
moving single nodes as long as that helps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from avionics.index.model.graphs import NodeT, find_components

Graph = Mapping[NodeT, Mapping[NodeT, float]]
"""Node → the nodes it depends on, each with the weight of that link."""

_MAX_ROUNDS = 20
"""Sifting converges after two or three rounds; the limit only bounds pathological graphs."""

_MAX_SIFTED = 400
"""Sifting takes quadratic time, so larger components keep their greedy order."""


def select_feedback(nodes: Sequence[NodeT], graph: Graph[NodeT]) -> frozenset[tuple[NodeT, NodeT]]:
    """Return a light set of links whose removal leaves no cycle; the order of the nodes settles ties."""
    feedback: set[tuple[NodeT, NodeT]] = set()
    for component in find_components(nodes, graph):
        if len(component) == 1:
            continue
        members = set(component)
        inner = {
            node: {target: weight for target, weight in graph.get(node, {}).items() if target in members}
            for node in nodes
            if node in members
        }
        order = _sift(_greedy_order(inner), inner)
        rank = {node: position for position, node in enumerate(order)}
        feedback |= {(node, target) for node in inner for target in inner[node] if rank[target] < rank[node]}
    return frozenset(feedback)


def assign_layers(
    nodes: Sequence[NodeT], graph: Graph[NodeT], feedback: frozenset[tuple[NodeT, NodeT]]
) -> dict[NodeT, int]:
    """Return node → layer: one above the highest dependency, 0 for nodes without dependencies.

    The feedback links are left out; without them there must be no cycle.
    """
    targets = {
        node: [each for each in graph.get(node, {}) if each != node and (node, each) not in feedback] for node in nodes
    }
    layers: dict[NodeT, int] = {}
    for component in find_components(nodes, targets):
        (node,) = component
        layers[node] = max((layers[target] + 1 for target in targets[node] if target in layers), default=0)
    return layers


def _greedy_order(graph: Graph[NodeT]) -> list[NodeT]:
    """Return the nodes in an order in which few links point backwards: dependents first."""
    left = dict.fromkeys(graph)
    incoming: defaultdict[NodeT, dict[NodeT, float]] = defaultdict(dict)
    for node, targets in graph.items():
        for target, weight in targets.items():
            if target != node:
                incoming[target][node] = weight
    head: list[NodeT] = []
    tail: list[NodeT] = []

    def weigh(links: Mapping[NodeT, float]) -> float:
        return sum(weight for other, weight in links.items() if other in left)

    balance = {node: weigh(graph[node]) - weigh(incoming[node]) for node in graph}
    while left:
        sink = next((n for n in left if not any(t in left and t != n for t in graph[n])), None)
        source = next((n for n in left if not any(t in left for t in incoming[n])), None)
        if sink is not None:
            chosen = sink
            tail.append(chosen)
        else:
            chosen = source if source is not None else max(left, key=lambda node: balance[node])
            head.append(chosen)
        del left[chosen]
        for target, weight in graph[chosen].items():
            balance[target] += weight
        for other, weight in incoming[chosen].items():
            balance[other] -= weight
    return head + tail[::-1]


def _sift(order: list[NodeT], graph: Graph[NodeT]) -> list[NodeT]:
    """Return the order after moving single nodes to better places until no move helps."""
    if len(order) > _MAX_SIFTED:
        return order
    for _ in range(_MAX_ROUNDS):
        is_better = False
        for node in tuple(order):
            position = order.index(node)
            rest = order[:position] + order[position + 1 :]
            # The weight of backward links if the node comes first is that of all links to it.
            cost = sum(graph[other].get(node, 0.0) for other in rest)
            costs = [cost]
            for other in rest:
                cost += graph[node].get(other, 0.0) - graph[other].get(node, 0.0)
                costs.append(cost)
            best = min(range(len(costs)), key=lambda place: (costs[place], abs(place - position)))
            if costs[best] < costs[position]:
                order = [*rest[:best], node, *rest[best:]]
                is_better = True
        if not is_better:
            break
    return order
