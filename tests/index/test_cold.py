"""A cold index: the answers of a built one, from the files that a question needs."""

from __future__ import annotations

import threading

import attrs
import pytest

import avionics.workspace as workspaces
from avionics.index import cold as cold_rooms
from avionics.index.cold import ColdIndex
from avionics.workspace import Workspace
from protocols.enums import Certainty

FILES = {
    "shop/__init__.py": "from shop.cart import Cart as Basket\n",
    "shop/cart.py": "class Cart:\n    def add_item(self, n): return n\n\n\ndef make(): return Cart()\n",
    "shop/till.py": "from shop import Basket\nfrom shop.cart import make\n\n\ndef pay():\n    Basket().add_item(1)\n"
    "    make().add_item(2)\n",
    "shop/other.py": "def unrelated(x): return x.add_item(3)\n",
    "notes.txt": "Cart add_item\n",
    **{f"more/m{number}.py": f"def f{number}(): pass\n" for number in range(40)},
}
NAMES = ("Cart", "add_item", "Cart.add_item", "make", "pay", "f7", "nothing_such")


@pytest.fixture
def opened(directory, settings, monkeypatch, tmp_path):
    monkeypatch.setattr(workspaces, "_COLD_FILES", 10)
    monkeypatch.setattr(workspaces, "_COLD_ANSWERS", 100)
    root = directory(FILES)
    with Workspace.open(root, settings) as workspace:
        yield workspace


def answer(code, name):
    found = code.find_definitions(name)
    return found, [code.usages(each) for each in found]


@pytest.mark.parametrize("name", NAMES)
def test_a_cold_answer_is_that_of_a_built_index(opened, settings, name, tmp_path):
    with opened.answering():
        assert isinstance(opened.code, ColdIndex)
        cold = answer(opened.code, name)
        assert len(opened.code._facts) < 10
    elsewhere = attrs.evolve(settings, cache_directory=tmp_path / "elsewhere")
    with Workspace.open(opened.root, elsewhere) as built:
        built.index()
        assert answer(built.code, name) == cold
    assert opened.count_unread() == 0


def test_questions_about_everything_are_answered_by_the_whole_index(opened):
    with opened.answering():
        assert "f39" in set(opened.code.all_names())
        assert opened.code.term_counts("item")


def test_a_cold_answer_is_about_the_files_as_they_are(opened):
    with opened.answering():
        assert opened.code.find_definitions("f7")
    (opened.root / "more/m7.py").write_text("def g7(): pass\n")
    with opened.answering():
        assert not opened.code.find_definitions("f7")
        assert opened.code.find_definitions("g7")


def test_what_there_was_no_time_for_is_said(opened, monkeypatch):
    monkeypatch.setattr(cold_rooms, "_EXTRACTION_SECONDS", 1e-9)
    with opened.answering():
        code = opened.code
        code._extracting = 1.0
        (definition,) = code.find_definitions("Cart")
        code._extracting = 0.0
        report = code.usages(definition)
    assert report.certainty is Certainty.AT_LEAST
    assert "were not read in time" in report.because[0]


def test_questions_are_answered_while_the_first_index_is_built(opened):
    began, may_end = threading.Event(), threading.Event()

    def hold(*_):
        began.set()
        may_end.wait(20)

    building = threading.Thread(target=opened.index, args=(hold,))
    building.start()
    try:
        assert began.wait(20)
        with opened.answering():
            assert isinstance(opened.code, ColdIndex)
            assert opened.code.find_definitions("make")
    finally:
        may_end.set()
        building.join()
    with opened.answering():
        assert not isinstance(opened.code, ColdIndex)


def test_what_another_worktree_taught_is_used_instead(opened, settings, directory, tmp_path):
    opened.index()
    other = tmp_path / "other"
    for path, content in FILES.items():
        (other / path).parent.mkdir(parents=True, exist_ok=True)
        (other / path).write_text(content)
    with Workspace.open(other, settings) as workspace, workspace.answering():
        assert not isinstance(workspace.code, ColdIndex)
        assert workspace.code.find_definitions("make")
