"""A rename is offered only where every place that names the thing is known, and refused with the reason elsewhere."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.lsp.conftest import Refused


def edits(editor, edit):
    """Return `file:line:column` of each edit, sorted, and the texts they write."""
    places, texts = [], set()
    for change in edit.document_changes:
        for each in change.edits:
            places.append(editor.place(change.text_document.uri, each.range))
            texts.add(each.new_text)
    return sorted(places), texts


def refusal(editor, file, mark, name="fresh"):
    """Return why a rename is refused, by the question before it and by the rename itself alike."""
    with pytest.raises(Refused) as before:
        editor.ask("textDocument/prepareRename", types.PrepareRenameParams(**editor.at(file, mark)))
    with pytest.raises(Refused) as after:
        editor.rename(file, mark, name)
    assert str(before.value) == str(after.value)
    return str(after.value)


def test_every_place_is_edited_and_versions_are_named(start):
    editor = start({"a.py": "def price(count):\n    return count\n", "b.py": "from a import price\n\nprice(1)\n"})
    editor.open("b.py")
    prepared = editor.ask("textDocument/prepareRename", types.PrepareRenameParams(**editor.at("b.py", "\n|price")))
    assert prepared.placeholder == "price"
    edit = editor.rename("b.py", "\n|price", "cost")
    assert edits(editor, edit) == (["a.py:1:4", "b.py:1:14", "b.py:3:0"], {"cost"})
    versions = {each.text_document.uri.rpartition("/")[2]: each.text_document.version for each in edit.document_changes}
    assert versions == {"a.py": None, "b.py": 1}


def test_a_name_that_is_exported_under_itself_is_edited_twice(start):
    editor = start(
        {
            "shop/__init__.py": "from .cart import price as price\n",
            "shop/cart.py": "def price():\n    return 1\n",
            "main.py": "import shop\n\nshop.price()\n",
        }
    )
    places = ["main.py:3:5", "shop/__init__.py:1:18", "shop/__init__.py:1:27", "shop/cart.py:1:4"]
    assert edits(editor, editor.rename("shop/cart.py", "def |price", "cost")) == (places, {"cost"})


def test_a_local_name_is_edited_in_its_function_alone(start):
    editor = start(
        {"a.py": "def f():\n    total = 1\n    return total\n\n\ndef g():\n    total = 2\n    return total\n"}
    )
    assert edits(editor, editor.rename("a.py", "    |total = 1", "amount")) == (["a.py:2:4", "a.py:3:11"], {"amount"})


def test_unsaved_text_counts(start):
    editor = start({"a.py": "def price():\n    return 1\n"})
    editor.open("a.py")
    editor.replace("a.py", "return 1\n", "return 1\n\n\nprice()\n")
    assert edits(editor, editor.rename("a.py", "def |price", "cost"))[0] == ["a.py:1:4", "a.py:5:0"]


def test_a_use_that_is_not_proven_refuses_with_its_place(start):
    editor = start(
        {"a.py": "class Cart:\n    def total(self):\n        return 1\n", "b.py": "def f(x):\n    x.total()\n"}
    )
    assert "b.py:2 may use it" in refusal(editor, "a.py", "def |total")


def test_a_name_from_outside_is_refused(start):
    editor = start({"a.py": "import os\n\nos.getcwd()\n"})
    assert "not defined in this workspace" in refusal(editor, "a.py", "os.|getcwd")


def test_there_is_nothing_to_rename_in_a_comment(start):
    editor = start({"a.py": "# price\nx = 1\n"})
    assert refusal(editor, "a.py", "# pr|ice") == "there is no name at this position"


@pytest.mark.parametrize(
    ("name", "reason"),
    [("not a name", "is not a valid name"), ("other", "would mean something else"), ("def", "cannot be written")],
)
def test_a_new_name_that_cannot_stand_there_is_refused(start, name, reason):
    editor = start({"a.py": "def price():\n    return other()\n\n\ndef other():\n    return 2\n\n\nprice()\n"})
    with pytest.raises(Refused, match=reason):
        editor.rename("a.py", "def |price", name)
