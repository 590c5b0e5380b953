"""Layers of a graph: nothing is below what it depends on, but for a light set of links that close cycles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from avionics.index.architecture.layering import assign_layers, select_feedback
from avionics.index.model.graphs import find_components

graphs = st.dictionaries(
    st.integers(0, 7), st.dictionaries(st.integers(0, 7), st.integers(1, 9).map(float), max_size=5), max_size=8
)


def reaches(graph, start, goal):
    seen, pending = set(), list(graph.get(start, ()))
    while pending:
        node = pending.pop()
        if node == goal:
            return True
        if node not in seen:
            seen.add(node)
            pending += graph.get(node, ())
    return False


@given(graphs)
def test_components_are_the_nodes_that_reach_one_another_dependencies_first(graph):
    nodes = range(8)
    components = find_components(nodes, graph)
    assert sorted(node for component in components for node in component) == list(nodes)
    at = {node: number for number, component in enumerate(components) for node in component}
    for one in nodes:
        for other in nodes:
            if one != other:
                together = reaches(graph, one, other) and reaches(graph, other, one)
                assert (at[one] == at[other]) is together
        assert all(at[target] <= at[one] for target in graph.get(one, ()))


@given(graphs)
def test_without_the_feedback_every_link_leads_down(graph):
    nodes = tuple(range(8))
    feedback = select_feedback(nodes, graph)
    layers = assign_layers(nodes, graph, feedback)
    for node, targets in graph.items():
        for target in targets:
            if node != target and (node, target) not in feedback:
                assert layers[node] > layers[target]
    assert all((node, target) in {(a, b) for a, each in graph.items() for b in each} for node, target in feedback)


@given(graphs)
def test_a_graph_without_cycles_has_no_feedback(graph):
    downward = {node: {t: w for t, w in targets.items() if t < node} for node, targets in graph.items()}
    assert select_feedback(tuple(range(8)), downward) == frozenset()


def test_the_light_links_of_a_cycle_are_set_aside():
    graph = {"a": {"b": 9.0}, "b": {"c": 5.0}, "c": {"a": 1.0}}
    assert select_feedback("abc", graph) == {("c", "a")}
    assert assign_layers("abc", graph, frozenset({("c", "a")})) == {"c": 0, "b": 1, "a": 2}


def test_a_long_chain_needs_no_recursion():
    graph = {number: {number + 1: 1.0} for number in range(20_000)}
    assert len(find_components(range(20_001), graph)) == 20_001
