"""Find the routes of classes whose methods are served below one path, each for requests of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.decorator_texts import list_decorators
from avionics.index.entrypoints.handlers import EntryPoint, build_entry, read_methods
from avionics.model.enums import EntryKind, is_class
from avionics.model.knowledge import Definition
from avionics.syntax.entry_points import ResourceRule


def iter_resource(
    code: CodeIndex, rule: ResourceRule, owner: Definition, path: str, file: str, line: int
) -> Iterator[EntryPoint]:
    """Yield the routes of a class that a call registers below a path: `router.register("orders", OrderViewSet)`.

    The methods that the class inherits from a library are served as well; the definition of such a route is the class.
    """
    bases, lineage = code.graph.classes.ancestors(owner) if is_class(owner.kind) else ((), None)
    classes = (owner, *bases)
    members = [each for cls in classes for each in code.list_members(cls)]
    nearest = {each.name: each for each in reversed(members)}
    base_names = {re.split(r"[\[(]", base)[0].rpartition(".")[2] for cls in classes for base in cls.symbol.bases}
    inherited = {name for base in base_names for name in rule.bases.get(base, ())}
    inherited_verbs: dict[str, list[str]] = {}
    for name, (verb, subpath) in rule.methods.items():
        if name in nearest:
            yield build_entry(code, EntryKind.ROUTE, f"{path}{subpath}", file, line, nearest[name], (verb,))
        elif name in inherited:
            inherited_verbs.setdefault(subpath, []).append(verb)
    for subpath, verbs in inherited_verbs.items():
        yield build_entry(code, EntryKind.ROUTE, f"{path}{subpath}", file, line, owner, tuple(verbs))
    for name, method in nearest.items():
        action = next(filter(None, map(rule.action.match, list_decorators(code, method.file, method.symbol))), None)
        if action is not None and name not in rule.methods:
            arguments = action["arguments"] or ""
            named, listed = rule.path.search(arguments), rule.verbs.search(arguments)
            subpath = f"{rule.one if rule.of_one.search(action[0]) else ''}/{named['name'] if named else name}"
            methods = read_methods(listed[1]) if listed else ("GET",)
            yield build_entry(code, EntryKind.ROUTE, f"{path}{subpath}", file, line, method, methods)
    if lineage is None or not (inherited_verbs or rule.methods.keys() & nearest.keys()):
        yield build_entry(code, EntryKind.ROUTE, path, file, line, owner)
