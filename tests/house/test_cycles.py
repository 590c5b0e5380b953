"""No module and no package imports itself in a circle; imports under `TYPE_CHECKING` count."""

from __future__ import annotations

from collections.abc import Mapping


def import_graph(modules) -> dict[str, set[str]]:
    """Return which module imports which; a package's `__init__` is a module of the package's name."""
    names = {module.name for module in modules}
    graph: dict[str, set[str]] = {name: set() for name in names}
    for module in modules:
        for _, name in module.imports:
            target = name
            while target and target not in names:
                target = target.rpartition(".")[0]
            if target and target != module.name:
                graph[module.name].add(target)
    return graph


def package_graph(modules) -> dict[str, set[str]]:
    """Return which package imports which; the modules beside packages, such as facades, stand for themselves."""
    initial = {module.name for module in modules if module.path.endswith("__init__.py")}
    parents = {name.rpartition(".")[0] for name in initial}

    def unit_of(name: str) -> str:
        package = name if name in initial else name.rpartition(".")[0]
        return name if package in parents else package

    graph: dict[str, set[str]] = {}
    for name, targets in import_graph(modules).items():
        reached = {unit_of(target) for target in targets if not (target in initial and target in parents)}
        if not (name in initial and name in parents):
            graph.setdefault(unit_of(name), set()).update(reached - {unit_of(name)})
    return graph


def find_cycles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Return the sets of names that all reach one another, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    cycles: set[frozenset[str]] = set()

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for target in graph.get(name, ()):
            if target not in order:
                visit(target)
            if target in stack:
                lowest[name] = min(lowest[name], lowest[target])
        if lowest[name] == order[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                cycles.add(frozenset(stack[at:]))
            del stack[at:]

    for name in graph:
        if name not in order:
            visit(name)
    return cycles


def test_no_module_or_package_imports_itself_in_a_circle(product):
    found = find_cycles(import_graph(product)) | find_cycles(package_graph(product))
    assert [sorted(cycle) for cycle in found] == []


def test_cycles_are_seen(plant):
    modules = [
        plant("avionics/index/a.py", "import avionics.index.b"),
        plant("avionics/index/b.py", "if TYPE_CHECKING:\n    from . import a\n"),
        plant("avionics/index/c.py", "from . import a"),
    ]
    assert find_cycles(import_graph(modules)) == {frozenset({"avionics.index.a", "avionics.index.b"})}


def test_cycles_of_packages_are_seen(plant):
    modules = [
        plant("avionics/__init__.py", ""),
        plant("avionics/one/__init__.py", ""),
        plant("avionics/one/a.py", "from avionics.two import b"),
        plant("avionics/one/c.py", ""),
        plant("avionics/two/__init__.py", ""),
        plant("avionics/two/b.py", ""),
        plant("avionics/two/d.py", "from avionics.one import c"),
    ]
    assert find_cycles(import_graph(modules)) == set()
    assert find_cycles(package_graph(modules)) == {frozenset({"avionics.one", "avionics.two"})}
