"""The words of unsaved text are those of the same text on disk."""

from __future__ import annotations

from pathlib import Path

from avionics.overlay import Overlays
from avionics.settings import Settings
from avionics.workspace import Workspace

_FILES = {
    "cart.py": "def pay():\n    return total\n",
    "shop.py": "from cart import pay\npay()\n",
    "notes.md": "pay now\n",
}
_WORDS = ("pay", "total", "cart", "now", "settle", "extra")
_EDITS: tuple[dict[str, bytes], ...] = (
    {"cart.py": b"def settle():\n    return total + total\n"},
    {"cart.py": b"def settle():\n    return 1\n", "extra.py": b"from cart import settle as pay\n"},
    {"shop.py": b"from cart import pay\npay()\n"},
    {"shop.py": b"def pay():\n    return total\n", "notes.md": b"settle now, pay now\n"},
)


def test_words_of_buffers_are_those_of_files(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    for path, text in _FILES.items():
        (root / path).write_text(text, "utf-8")
    with Workspace.open(root, Settings(cache_directory=tmp_path / "cache")) as workspace:
        workspace.index()
        overlays = Overlays(workspace)
        for number, buffers in enumerate(_EDITS):
            seen = overlays.at(buffers).code.words
            same = tmp_path / f"same{number}"
            same.mkdir()
            for path, data in ({path: text.encode() for path, text in _FILES.items()} | buffers).items():
                (same / path).write_bytes(data)
            with Workspace.open(same, Settings(cache_directory=tmp_path / f"cache{number}")) as other:
                other.index()
                there = other.code.words
                for word in _WORDS:
                    assert seen.files_with_word(word) == there.files_with_word(word), (buffers, word)
                    assert seen.count_word(word) == there.count_word(word), (buffers, word)
                    assert seen.files_defining(word) == there.files_defining(word), (buffers, word)
