"""Imports go down only, wherever in a module they stand: DESIGN.md names the layers and what each may import."""

from __future__ import annotations

from collections.abc import Iterator

LAYERS = {
    "model": (
        "avionics.model",
        "avionics.settings",
        "avionics.sandbox",
        "avionics.cancellation",
        "avionics.standard_streams",
    ),
    "adapters": ("avionics.source", "avionics.syntax", "avionics.store", "avionics.history", "avionics.semantic"),
    "analysis": ("avionics.index", "avionics.pinned_index", "avionics.workspace", "avionics.overlay"),
    "tools": ("avionics.tools",),
    "interfaces": (
        "avionics.cli",
        "avionics.lsp",
        "avionics.mcp",
        "avionics.agents",
        "avionics.connect",
        "avionics",
        "protocols",
    ),
}
"""From the lowest layer to the highest."""

LEVEL = {package: level for level, packages in enumerate(LAYERS.values()) for package in packages}
LAYER = {package: layer for layer, packages in LAYERS.items() for package in packages}

IMPORTABLE = {
    "unified": {"unified", "composite", "resilient", "internal"},
    "composite": {"composite", "resilient", "internal"},
    "resilient": {"resilient", "internal"},
    "standalone": {"internal"},
    "internal": {"internal"},
    "builtin": {"builtin"},
}
"""Which categories of tools the tools of a category may import."""


def package_of(name):
    """Return the listed package that a module or an imported name belongs to, None for a third party's."""
    while name and name not in LEVEL:
        name = name.rpartition(".")[0]
    return name or None


def category_of(name):
    """Return the category of tools that a dotted name lies in, None for other names."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["avionics", "tools"] and len(parts) > 2 and parts[2] in IMPORTABLE else None


def upward_imports(module) -> Iterator[str]:
    here = package_of(module.name)
    for line, name in module.imports:
        there = package_of(name)
        if there is None or there == here:
            continue
        if LEVEL[there] > LEVEL[here]:
            yield f"{line} {here} ({LAYER[here]}) imports {name} ({LAYER[there]})"
        elif LAYER[here] == LAYER[there] == "adapters":
            yield f"{line} {here} imports {name}: adapters do not import each other"


def disordered_tools(module) -> Iterator[str]:
    here = category_of(module.name)
    for line, name in module.imports:
        there = category_of(name)
        if here and there and there not in IMPORTABLE[here]:
            yield f"{line} {here} imports {name}"


def tools_in_the_pipeline(module) -> Iterator[str]:
    if category_of(module.name) or package_of(module.name) != "avionics.tools" or module.path.endswith("__init__.py"):
        return
    for line, name in module.imports:
        if category_of(name):
            yield f"{line} the executor pipeline imports the tool {name}"


def imports_of_the_model(module) -> Iterator[str]:
    if package_of(module.name) == "avionics.model":
        for line, name in module.imports:
            if name.startswith("avionics.") and not name.startswith("avionics.model"):
                yield f"{line} the model imports {name}"


def test_imports_go_down_the_layers(hold):
    hold(upward_imports)


def test_tool_categories_are_an_import_order(hold):
    hold(disordered_tools)


def test_the_executor_pipeline_imports_no_tool(hold):
    hold(tools_in_the_pipeline)


def test_the_model_imports_nothing_of_the_product(hold):
    hold(imports_of_the_model)


def test_an_upward_import_inside_a_function_is_seen(plant):
    module = plant("avionics/store/reader.py", "def read():\n    from avionics.index import code_index\n")
    assert list(upward_imports(module)) == ["2 avionics.store (adapters) imports avionics.index.code_index (analysis)"]


def test_adapters_that_import_each_other_are_seen(plant):
    assert list(upward_imports(plant("avionics/history/log.py", "from ..source import walk\n")))
    assert not list(upward_imports(plant("avionics/history/log.py", "from . import repo\nimport avionics.settings\n")))


def test_a_tool_that_imports_a_higher_category_is_seen(plant):
    assert list(
        disordered_tools(plant("avionics/tools/internal/x.py", "from avionics.tools.composite.locate import y"))
    )
    assert not list(disordered_tools(plant("avionics/tools/unified/x.py", "from avionics.tools.internal import y")))
