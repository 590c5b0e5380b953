"""How a word stands in texts that nobody parsed: never less than what a parser finds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from avionics.index.facts.text_scan import Mentions, TextScanner
from avionics.model.naming import fold_name
from avionics.source.read import Content
from avionics.syntax.extract import extract_whole
from tests.timing import within_cost

SOURCES = sorted((Path(__file__).parents[2] / "avionics").rglob("*.py"))

TRICKY = '''
"""Says what box is, and that a tray holds one."""
import json as box, textwrap  # tray of the box
from a import (crate  # which one
    as \\
    lid)
CODE = """
class Shelf(Box):
    def stow(self): ...
"""
NOTE = "bin is no box: a bin is thrown away"
SAYS = f"the rack {rack} holds {d["two racks"]}"
ASKED: "Pallet | None" = None
first, (second, self_made) = 1, (2, 3)
kind = None  # type: Drawer
def cask(self):
    self.\\
        keg = """the keg() is called here"""
    print "old keg", 'it''s'
    return {"jar": 1, 'a jar of': 2}
type Chest[T] = list[T]
'''


def texts(files, sift=lambda *_: None):
    contents = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}

    def read(paths):
        return (Content(path, contents[path]) for path in paths)

    return TextScanner({path: len(data) for path, data in contents.items()}, read, sift)


def assert_nothing_is_left_out(code: bytes, names: int) -> None:
    facts, uses = extract_whole(code, "python")
    found = texts({"it.py": code})
    defined = {symbol.name for symbol in facts.symbols}
    renamed = {each.name or each.module for each in facts.imports if each.alias not in {"", each.name, each.module}}
    used = {name for name in (*uses.references, *uses.strings) if name.isidentifier()}
    chosen = sorted(defined | used | renamed)
    for name in random.Random(8).sample(chosen, min(names, len(chosen))):
        if name.rpartition(".")[2] != name:
            continue
        mentions, folded = found.find(name), fold_name(name)
        assert not used & {name} or "it.py" in mentions.using, name
        assert not defined & {name} or mentions.defining == ("it.py",), name
        assert not renamed & {name} or "it.py" in mentions.renaming, name
        assert name not in defined or not folded or found.find(folded, is_folded=True).defining == ("it.py",), name


@pytest.mark.parametrize("path", SOURCES[::7], ids=lambda path: path.stem)
def test_what_a_parser_finds_in_a_file_is_said_to_be_possible(path):
    assert_nothing_is_left_out(path.read_bytes(), 60)


def test_what_a_parser_finds_in_tricky_code_is_said_to_be_possible():
    assert_nothing_is_left_out(TRICKY.encode(), 100)


def test_what_only_comments_and_sentences_mention_is_not_used():
    found = texts({"it.py": TRICKY, "other.c": "// tray\n"})
    assert found.find("tray") == Mentions(
        ("it.py", "other.c"), ("other.c",), (), frozenset({"other.c"}), frozenset({"other.c"})
    )
    assert not {"it.py"} & found.find("thrown").using
    for name in ("box", "Shelf", "stow", "rack", "keg", "jar", "Pallet", "Drawer"):
        assert "it.py" in found.find(name).using, name


def test_what_is_only_defined_in_a_file_is_not_used_there():
    found = texts({"it.py": "class A:\n    def run(self): pass\n", "use.py": "a.run()\n"})
    assert found.find("run") == Mentions(("it.py", "use.py"), ("it.py",), ("it.py",), frozenset({"use.py"}))
    assert found.find("A").using == frozenset()


def test_a_word_is_whole_and_folded_in_any_spelling():
    files = {"a.py": "parse_url = 1", "b.py": "parseURL = 1", "c.py": "_Parse_Url_ = 1", "d.py": "parse_urls = 1"}
    found = texts(files)
    assert found.find("parse_url").files == ("a.py",)
    assert found.find("parseurl", is_folded=True).files == ("a.py", "b.py", "c.py")
    assert found.find("").files == ()


def test_text_that_is_no_utf8_and_words_that_are_no_ascii_are_searched():
    found = texts({"a.py": b"\xff caf\xc3\xa9 = 1", "b.py": "CAFÉ = 2"})
    assert found.find("café").files == ("a.py",)
    assert found.find("café", is_folded=True).files == ("a.py", "b.py")


def test_an_open_comment_of_quotes_takes_no_long_time():
    found = texts({"a.py": '# """ \\" ' * 20_000 + "\nname\n" + "'''" + '"\\' * 20_000})
    assert within_cost(30, found.find, "name", attempts=1).using == {"a.py"}
