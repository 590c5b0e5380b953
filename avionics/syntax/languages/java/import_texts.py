"""How Java writes imports."""

from __future__ import annotations

from avionics.syntax.import_texts import ImportTexts, Sharing

IMPORT_TEXTS = ImportTexts(
    lambda node: node.type == "import_declaration",
    Sharing.DIRECTORY,
    lambda node: node.type == "package_declaration",
    copy=str,
)
