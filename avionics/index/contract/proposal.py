"""Write a contract that describes the code as it is, for its owners to edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from avionics.index.architecture.dependencies import Dependencies, ImportKind
from avionics.index.architecture.grouping import OTHERS, GroupLink, Structure, build_structure
from avionics.index.contract.patterns import MAX_WILDCARDS
from avionics.index.model.graphs import find_components

_UNQUOTABLE = re.compile(r"^[!@]|\?$|[*\x00-\x1f\x7f\ud800-\udfff]+")
"""Characters that a pattern cannot contain: its own marks, and those that TOML does not allow."""

_LINE_STEP = 100
"""A proposed limit of lines is the next multiple of this: the largest file is at its limit, or close below."""

_HEADER = """\
# An architecture contract, written by `avionics contract propose`: it describes the code as it is today.
# Keep the rules that are meant, correct the others, and delete exceptions as the imports behind them go.
# `avionics contract check` checks it; docs/contract.md lists the rules.
"""


def propose_contract(dependencies: Dependencies) -> str:
    """Return the TOML of a contract that the code keeps: layers, cycles, packages, size.

    Imports against the layers become exceptions, each with the first import as its reason.
    """
    structure = build_structure(dependencies)
    lines = [_HEADER, *_iter_parts(structure), *_iter_layers(structure), *_iter_cycles(dependencies, structure)]
    lines += [*_iter_packages(dependencies, structure), *_iter_limits(dependencies, structure)]
    for link in structure.links:
        if link.is_feedback:
            lines += _iter_exception(dependencies, structure, link)
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def _iter_layers(structure: Structure) -> Iterator[str]:
    rows = structure.rows()
    if len(rows) < 2:
        return
    yield from _iter_rule(
        "layers", "layers", "Each layer imports only those below it.", 'imports = "runtime"',
        "layers = [", *(f"  {_list(_list_patterns(structure, row))}," for row in rows), "]",
    )  # fmt: skip


def _iter_rule(name: str, kind: str, description: str, *more: str) -> Iterator[str]:
    """Yield the lines of a rule, and a blank one."""
    yield from ("[[contract.rules]]", f'name = "{name}"', f'type = "{kind}"', f'description = "{description}"')
    yield from (*more, "")


def _iter_cycles(dependencies: Dependencies, structure: Structure) -> Iterator[str]:
    """Yield rules against import cycles between the files of groups that have none."""
    targets = {
        file: [arc.target for arc in dependencies.arcs(file) if arc.kind is ImportKind.LOAD]
        for file in dependencies.files
    }
    group_of = {file: name for name, group in structure.groups.items() for file in group.files}
    cyclic = {
        group_of[file]
        for component in find_components(dependencies.files, targets)
        if len(component) > 1
        for file in component
    }
    free = [name for name, group in structure.groups.items() if group.is_product and name not in cyclic]
    if not free:
        return
    yield from _iter_rule(
        "no cycles", "cycles", "No file imports itself through others when it is loaded.",
        'level = "files"', 'imports = "load"', f"among = {_list(_list_patterns(structure, free))}",
    )  # fmt: skip


def _iter_packages(dependencies: Dependencies, structure: Structure) -> Iterator[str]:
    """Yield a rule that allows only the third-party packages in use."""
    product = [name for name, group in structure.groups.items() if group.is_product]
    files = [file for name in product for file in structure.groups[name].files]
    packages = sorted({use.package for file in files for use in dependencies.packages(file) if use.package})
    if not product:
        return
    yield from _iter_rule(
        "packages", "packages", "A new dependency is a decision, not an import.",
        f"files = {_list(_list_patterns(structure, product))}", f"allow = {_list(packages)}",
    )  # fmt: skip


def _iter_limits(dependencies: Dependencies, structure: Structure) -> Iterator[str]:
    product = [name for name, group in structure.groups.items() if group.is_product]
    most = max((dependencies.lines[file] for name in product for file in structure.groups[name].files), default=0)
    if not most:
        return
    yield from _iter_rule(
        "size", "limits", "The largest file is at the limit; lower it as files are divided.",
        f"files = {_list(_list_patterns(structure, product))}", f"max_lines = {-(-most // _LINE_STEP) * _LINE_STEP}",
    )  # fmt: skip


def _iter_exception(dependencies: Dependencies, structure: Structure, link: GroupLink) -> Iterator[str]:
    file, target = link.first
    line = min((edge.line for edge in dependencies.cite(file, target)), default=1)
    many = f"{link.imports} names imported by {link.files} files" if link.files > 1 else "one file"
    yield "[[contract.exceptions]]"
    yield 'rules = ["layers"]'
    yield f"from = {_list(_list_patterns(structure, (link.source,)))}"
    yield f"to = {_list(_list_patterns(structure, (link.target,)))}"
    yield f"reason = {_quote(f'as of today: {many}, first {file}:{line}')}"
    yield ""


def _iter_parts(structure: Structure) -> Iterator[str]:
    """Yield the parts that name the groups that are no directory, since each match of their wildcards would be one."""
    parts = [name for name, group in structure.groups.items() if not group.is_directory]
    if parts:
        yield "[contract.parts]"
        for name in parts:
            yield f"{_quote(_spell(_part_name(name)))} = {_list(map(_spell, structure.groups[name].patterns))}"
        yield ""


def _part_name(name: str) -> str:
    """Return the name of the part for a group: `files of src` for `src/*`, `others of src` for `src/(others)`."""
    directory = name.removesuffix(".*").removesuffix("*").removesuffix("/")
    if name.endswith(OTHERS):
        outer = name.removesuffix(OTHERS).removesuffix("/")
        return f"others of {outer}" if outer else "others"
    return directory if name.endswith(".*") else f"files of {directory or '.'}"


def _list_patterns(structure: Structure, names: Iterable[str]) -> list[str]:
    """Return the patterns of groups, one for each."""
    groups = structure.groups
    return [_spell(name) if groups[name].is_directory else f"@{_spell(_part_name(name))}" for name in names]


def _spell(pattern: str) -> str:
    """Return a pattern in the characters that a contract allows; others become a wildcard."""
    is_plain = pattern.count("*") <= 1 and pattern.isprintable() and pattern[:1] not in "!@" and pattern[-1:] != "?"
    if is_plain:
        return pattern
    spelled = _UNQUOTABLE.sub("*", pattern)
    head, *rest = spelled.split("*")
    return spelled if len(rest) <= MAX_WILDCARDS else f"{head}**"


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quote, texts))}]"


def _quote(text: str) -> str:
    """Return a basic string of TOML, whose escapes are JSON's."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return json.dumps(clean, ensure_ascii=False).replace("\x7f", "\\u007f")
