"""How Go writes imports."""

from __future__ import annotations

from collections.abc import Sequence

from avionics.late_pattern import late_pattern
from avionics.syntax.import_texts import ImportTexts, Sharing

_GAP = late_pattern(r"\n[ \t]{0,80}\n")


def copy_import(line: str) -> str:
    """Return a declaration equivalent to an import on a line, which may be part of a group."""
    return line if line.startswith("import") else f"import {line}"


def join_imports(statement: str, added: Sequence[str]) -> str:
    """Return one declaration for the imports of a declaration and others; "" if its form is an unusual one.

    Packages of the standard library and others stay in separate groups, in order, as `gofmt` has them.
    """
    specs = [each.removeprefix("import").strip() for each in added]
    _, opening, rest = statement.partition("(")
    body = rest.rpartition(")")[0]
    if ";" in statement or (statement and not opening and "\n" in statement.strip()):
        return ""
    if statement and not opening:
        specs.insert(0, statement.removeprefix("import").strip())
    groups = [[line.strip() for line in each.strip().split("\n")] for each in _GAP.split(body) if each.strip()]
    for spec in specs:
        _add(groups, spec)
    if len(groups) == len(groups[0]) == 1 and not opening:
        return f"import {groups[0][0]}"
    return "import (\n" + "\n\n".join("\n".join(f"\t{line}" for line in group) for group in groups) + "\n)"


def _add(groups: list[list[str]], spec: str) -> None:
    """Add an import to the first group of its kind, or as a group."""
    home = next((each for each in groups if _is_standard(each[0]) is _is_standard(spec)), None)
    if home is None:
        groups.insert(0 if _is_standard(spec) else len(groups), [spec])
        return
    before = (at for at, line in enumerate(home) if _path_of(line) > _path_of(spec))
    home.insert(next(before, len(home)), spec)


def _path_of(spec: str) -> str:
    return spec.partition('"')[2].partition('"')[0]


def _is_standard(spec: str) -> bool:
    """Return whether an import is of the standard library, whose packages have no host."""
    return "." not in _path_of(spec).partition("/")[0]


IMPORT_TEXTS = ImportTexts(
    lambda node: node.type == "import_declaration",
    Sharing.DIRECTORY,
    lambda node: node.type == "package_clause",
    copy=copy_import,
    join=join_imports,
    drops_unused=True,
)
