"""Five floors: imports go down only, wherever in a module they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

FLOORS = {
    "avionics.model": 1,
    "protocols": 5,
    "avionics.settings": 1,
    "avionics.sandbox": 1,
    "avionics.cancellation": 1,
    "avionics.source": 2,
    "avionics.syntax": 2,
    "avionics.store": 2,
    "avionics.history": 2,
    "avionics.semantic": 2,
    "avionics.index": 3,
    "avionics.pinned_index": 3,
    "avionics.workspace": 3,
    "avionics.tools": 4,
    "avionics.cli": 5,
    "avionics.mcp": 5,
    "avionics.agents": 5,
    "avionics.connect": 5,
    "avionics": 5,
}
SENSES = {room for room, floor in FLOORS.items() if floor == 2}

BELOW = {
    "unified": {"unified", "composite", "resilient", "internal"},
    "composite": {"composite", "resilient", "internal"},
    "resilient": {"resilient", "internal"},
    "standalone": {"internal"},
    "internal": {"internal"},
    "builtin": {"builtin"},
}
"""What the tools of a category may import."""


def room_of(name):
    """The room a module or imported name belongs to, None for a foreign one."""
    while name and name not in FLOORS:
        name = name.rpartition(".")[0]
    return name or None


def category_of(name):
    """The tool category a dotted name lies in, None outside the tool rooms."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["avionics", "tools"] and len(parts) > 2 and parts[2] in BELOW else None


def upward_imports(module) -> Iterator[str]:
    here = room_of(module.name)
    for line, name in module.imports:
        there = room_of(name)
        if there is None or there == here:
            continue
        if FLOORS[there] > FLOORS[here]:
            yield f"{line} {here} imports {name}, which is on a higher floor"
        elif {here, there} <= SENSES:
            yield f"{line} {here} imports {name}: senses do not know one another"


def disordered_tools(module) -> Iterator[str]:
    here = category_of(module.name)
    for line, name in module.imports:
        there = category_of(name)
        if here and there and there not in BELOW[here]:
            yield f"{line} {here} imports {name}"


def corridor_knows_tools(module) -> Iterator[str]:
    if category_of(module.name) or room_of(module.name) != "avionics.tools" or module.path.endswith("__init__.py"):
        return
    for line, name in module.imports:
        if category_of(name):
            yield f"{line} the corridor imports the tool {name}"


def wide_words(module) -> Iterator[str]:
    """`avionics.model` stands on the standard library and attrs alone."""
    if room_of(module.name) == "avionics.model":
        for line, name in module.imports:
            if name.startswith("avionics.") and not name.startswith("avionics.model"):
                yield f"{line} the glossary imports {name}"


def find_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Names along an import cycle, or nothing."""
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return []
        for target in sorted(graph[name]):
            if cycle := visit(target, [*trail, name]):
                return cycle
        done.add(name)
        return []

    for start in sorted(graph):
        if cycle := visit(start, []):
            return cycle
    return []


def import_graph(modules) -> dict[str, set[str]]:
    """Which module imports which when it runs; a package's `__init__` gathers its modules and is left out."""
    names = {module.name for module in modules if not module.path.endswith("__init__.py")}
    return {
        module.name: {
            target
            for line, name in module.imports
            for target in (name, name.rpartition(".")[0])
            if target in names and line not in typing_lines(module)
        }
        for module in modules
        if module.name in names
    }


def typing_lines(module) -> set[int]:
    """Lines that only the type checker reads."""
    guards = (node for node in ast.walk(module.tree) if isinstance(node, ast.If))
    return {
        line
        for guard in guards
        if ast.unparse(guard.test) == "TYPE_CHECKING"
        for line in range(guard.lineno, guard.body[-1].end_lineno + 1)
    }


def test_imports_go_down_the_floors(hold):
    hold(upward_imports)


def test_tool_categories_are_an_import_order(hold):
    hold(disordered_tools)


def test_the_corridor_knows_no_tool(hold):
    hold(corridor_knows_tools)


def test_the_glossary_knows_nothing_of_the_product(hold):
    hold(wide_words)


def test_no_module_imports_itself_in_a_circle(product):
    assert find_cycle(import_graph(product)) == []


def test_an_upward_import_inside_a_function_is_seen(plant):
    module = plant("avionics/store/reader.py", "def read():\n    from avionics.index import code_index\n")
    assert list(upward_imports(module)) == [
        "2 avionics.store imports avionics.index.code_index, which is on a higher floor"
    ]


def test_senses_that_know_one_another_are_seen(plant):
    assert list(upward_imports(plant("avionics/history/log.py", "from ..source import walk\n")))
    assert not list(upward_imports(plant("avionics/history/log.py", "from . import repo\nimport avionics.settings\n")))


def test_a_tool_that_imports_a_higher_category_is_seen(plant):
    assert list(
        disordered_tools(plant("avionics/tools/internal/x.py", "from avionics.tools.composite.locate import y"))
    )
    assert not list(disordered_tools(plant("avionics/tools/unified/x.py", "from avionics.tools.internal import y")))


def test_a_circle_is_seen(plant):
    modules = [plant("avionics/index/a.py", "import avionics.index.b"), plant("avionics/index/b.py", "from . import a")]
    assert find_cycle(import_graph(modules)) == ["avionics.index.a", "avionics.index.b", "avionics.index.a"]
