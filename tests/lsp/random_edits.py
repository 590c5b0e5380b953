"""Random edits in open buffers: what a server answers in between, and what a fresh view of the same text answers."""

from __future__ import annotations

import random
from pathlib import Path

from lsprotocol import types

from avionics.lsp.documents import OpenDocument
from avionics.lsp.features import navigation, symbols
from avionics.lsp.folders import Folder
from avionics.lsp.positions import DocumentText, Encoding
from avionics.lsp.types import Position
from avionics.settings import Settings

PIECES = [
    "(", ")", "\n", "    ", "def f{n}(a, b=1):\n    return a\n", "class C{n}:\n    def m(self):\n        return self\n",
    "x{n} = f{m}(1)\n", "# ü 𝒳 note\n", "from shop.cart import Cart\n", "Cart().add({n})\n", "'''", "\t", "\r\n", "é𝄞",
    "", "f{m}", "import shop.money as mo\nmo.Money(2)\n", "if x{m}:\n    pass\n", ":", "del x{m}\n",
]  # fmt: skip


def iter_edits(seed: int, editor, files: list[str]):
    """Yield files after sending an edit of each to the editor: inserted, replaced or removed text at any place.

    Half of what is inserted are lines of the files themselves, so that it is code of their languages.
    """
    chance = random.Random(seed)
    lines = [line for file in files for line in editor.texts[editor.root / file].splitlines(keepends=True)]
    longest = max(6_000, *(2 * len(editor.texts[editor.root / file]) for file in files))
    while True:
        file = chance.choice(files)
        path = editor.root / file
        text = editor.texts[path]
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 0, 0, 1, 3, 30]))
        piece = chance.choice(PIECES).format(n=chance.randrange(9), m=chance.randrange(9))
        piece = chance.choice((piece, chance.choice(lines)))
        if len(text) > longest:
            start, end, piece = 0, len(text) - longest // 3, ""
        span = types.Range(editor.position(path, start), editor.position(path, end))
        # A position within a line end is the end of the line for both sides, so the editor never sends one.
        if text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
            continue
        editor.texts[path] = text[:start] + piece + text[end:]
        editor.change(file, types.TextDocumentContentChangePartial(span, piece))
        yield chance, file


def ask_editor(editor, file: str, position: types.Position):
    """Return the answers of the server about a position."""
    document = types.TextDocumentIdentifier((editor.root / file).as_uri())
    at = {"text_document": document, "position": position}
    context = types.ReferenceContext(True)
    return (
        editor.places(editor.ask("textDocument/definition", types.DefinitionParams(**at))),
        editor.places(editor.ask("textDocument/references", types.ReferenceParams(**at, context=context))),
        [
            (each.name, editor.place(document.uri, each.selection_range))
            for each in editor.ask("textDocument/documentSymbol", types.DocumentSymbolParams(document))
        ],
    )


def ask_fresh(editor, cache: Path, file: str, position: types.Position | Position):
    """Return the answers of a workspace that is opened now and has only ever seen the text as it is."""
    folder = Folder(editor.root, editor.root, Settings(cache_directory=cache))
    try:
        encoding = Encoding.UTF_16
        documents = [
            OpenDocument(path.as_uri(), path, 1, DocumentText(text, encoding)) for path, text in editor.texts.items()
        ]
        view = folder.build_view(documents, encoding)
        position = Position(position.line, position.character)
        uri = (editor.root / file).as_uri()
        return (
            editor.places(navigation.list_definitions(view, file, position)),
            editor.places(navigation.list_references(view, file, position, include_declaration=True)),
            [
                (each.name, editor.place(uri, each.selection_range))
                for each in symbols.list_document_symbols(view, file)
            ],
        )
    finally:
        folder.close()


def compare(editor, cache: Path, seed: int, edits: int, each: int, files: list[str]) -> int:
    """Make random edits, and compare every so many of them; return how many answers were compared."""
    for file in files:
        editor.open(file)
    compared = 0
    for number, (chance, file) in enumerate(iter_edits(seed, editor, files), 1):
        if number % each == 0:
            path = editor.root / file
            offset = chance.randrange(len(editor.texts[path]) + 1)
            position = editor.position(path, offset)
            found = ask_editor(editor, file, position)
            fresh = ask_fresh(editor, cache / str(number), file, position)
            assert found == fresh, (seed, number, file, position, editor.texts[path])
            compared += len(found)
        if number == edits:
            return compared
    return compared
