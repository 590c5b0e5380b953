"""How Python writes imports."""

from __future__ import annotations

import posixpath

from avionics.late_pattern import late_pattern
from avionics.syntax.import_texts import ImportTexts, Sharing

_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_FROM = late_pattern(r"from\s+(?P<module>[\w.]+)\s+import\s+(?P<names>\([^()#]*\)|[^()#\\]+)")


def write_import(module: str, name: str, alias: str) -> str:
    """Return the statement that imports a name, or a module if the name is empty."""
    renamed = f" as {alias}" if alias and alias not in {name or module, module.partition(".")[0]} else ""
    return f"from {module} import {name}{renamed}" if name else f"import {module}{renamed}"


def split_import(statement: str, name: str, module: str) -> str:
    """Return the statements that import one name from another module; "" for a statement of another form."""
    match = _FROM.fullmatch(statement.strip())
    if match is None:
        return ""
    names = [each.strip() for each in match["names"].strip("()").split(",") if each.strip()]
    moved = [each for each in names if each.split()[0] == name]
    if len(moved) != 1:
        return ""
    kept = [each for each in names if each not in moved]
    added = f"from {module} import {moved[0]}"
    return f"from {match['module']} import {', '.join(kept)}\n{added}" if kept else added


def name_module(file: str, module_file: str, dotted: str, like: str) -> str:
    """Return how a file names a module: from its own package on where it names another one of that package so."""
    parts, path = dotted.split("."), posixpath.splitext(module_file)[0]
    if posixpath.basename(path) == "__init__":
        path = posixpath.dirname(path)
    package = "/".join(path.split("/")[: 1 - len(parts) or None])
    if not like.startswith(".") or len(parts) == 1 or not file.startswith(f"{package}/"):
        return dotted
    steps = posixpath.relpath(path, posixpath.dirname(file)).split("/")
    names = [each for each in steps if each not in {".", ".."}]
    return "." * (1 + steps.count("..")) + ".".join(names)


IMPORT_TEXTS = ImportTexts(
    lambda node: node.type in _IMPORTS,
    Sharing.NONE,
    lambda node: node.type == "expression_statement" and node.children[0].type == "string",
    write_import,
    split_import,
    name_module,
    is_switch=lambda statement: statement.startswith("from __future__"),
)
