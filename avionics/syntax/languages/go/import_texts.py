"""How Go writes imports."""

from __future__ import annotations

from avionics.syntax.import_texts import ImportTexts, Sharing


def copy_import(line: str) -> str:
    """Return a declaration equivalent to an import on a line, which may be part of a group."""
    return line if line.startswith("import") else f"import {line}"


IMPORT_TEXTS = ImportTexts(
    lambda node: node.type == "import_declaration",
    Sharing.DIRECTORY,
    lambda node: node.type == "package_clause",
    copy=copy_import,
    drops_unused=True,
)
