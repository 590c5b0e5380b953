"""Which files may hold a word, told by ripgrep without the files being handed to it."""

from __future__ import annotations

import os

from msgspec import structs

from avionics.source.tree import SourceTree

FILES = {
    "a.c": "int kmalloc(void);\n",
    "sub/b.c": "KMalloc k_malloc\n",
    "-x.c": "kmalloc\n",
    "none.c": "nothing\n",
    "a b\n.c": "kmalloc",
    "bin.c": "\0\0kmalloc",
}


def test_the_files_that_hold_a_word_are_told(directory, settings):
    tree = SourceTree(directory(FILES), settings)
    assert tree.sift(tuple(FILES), "kmalloc", False, 20.0) == {"a.c", "-x.c", "a b\n.c", "bin.c"}
    assert tree.sift(tuple(FILES), "kmalloc", True, 20.0) == set(FILES) - {"none.c"}
    assert tree.sift(("none.c",), "a.c", False, 20.0) == set()
    assert tree.sift((), "kmalloc", False, 20.0) == set()


def test_what_it_cannot_tell_is_left_to_reading_all(directory, settings):
    root = directory(FILES)
    tree = SourceTree(root, settings)
    assert tree.sift(("a.c", "gone.c"), "kmalloc", False, 20.0) is None
    assert tree.sift(("a.c",), "k\nm", False, 20.0) is None
    assert tree.sift(("a.c",), "k.*c", True, 20.0) is None
    assert tree.sift(("a.c",), "caf\udce9", False, 20.0) is None
    bare = SourceTree(root, structs.replace(settings, program_directories=()))
    assert bare.sift(("a.c",), "kmalloc", False, 20.0) is None


def test_a_pipe_put_in_place_of_a_file_holds_nobody_up(directory, settings):
    root = directory(FILES)
    os.mkfifo(root / "pipe.c")
    assert SourceTree(root, settings).sift(("a.c", "pipe.c"), "kmalloc", False, 0.5) is None
