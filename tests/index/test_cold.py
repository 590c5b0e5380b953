"""A cold index: the answers of a built one, from the files that a question needs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs

import avionics.workspace as workspaces
from avionics.cli.output.session import release
from avionics.index.facts import on_demand_facts, text_scan
from avionics.index.facts.on_demand_facts import OnDemandFacts
from avionics.index.facts.stored_facts import StoredFacts
from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.tools.composite.find_unused import find_unused
from avionics.tools.internal.workspace.get_index_stats import get_index_stats
from avionics.workspace import Workspace
from tests.conftest import write_files
from tests.timing import PATIENCE_SECONDS

FILES = {
    "shop/__init__.py": "from shop.cart import Cart as Basket\n",
    "shop/cart.py": "class Cart:\n    def add_item(self, n): return n\n\n\ndef make(): return Cart()\n",
    "shop/till.py": "from shop import Basket\nfrom shop.cart import make\n\n\ndef pay():\n    Basket().add_item(1)\n"
    "    make().add_item(2)\n",
    "shop/other.py": "def unrelated(x): return x.add_item(3)\n\n\nif __name__ == '__main__':\n    pass\n",
    "notes.txt": "Cart add_item\n",
    **{f"more/m{number}.py": f"def f{number}(): pass\n" for number in range(40)},
}
NAMES = ("Cart", "add_item", "Cart.add_item", "make", "pay", "f7", "nothing_such")


@pytest.fixture
def opened(directory, settings, monkeypatch, tmp_path):
    monkeypatch.setattr(workspaces, "_COLD_FILES", 10)
    monkeypatch.setattr(workspaces, "_COLD_FILES_WHILE_READING", 10)
    monkeypatch.setattr(workspaces, "_COLD_ANSWERS", 100)
    root = directory(FILES)
    with Workspace.open(root, settings) as workspace:
        yield workspace


C_FILES = {
    "include/store.h": "#ifndef STORE\n#define STORE\nint take(int a);\nint give(int a);\n#endif\n",
    "include/all.h": '#include "store.h"\n',
    "lib/store.c": "#include <store.h>\n\nint take(int a)\n{\n\treturn a;\n}\n",
    "other/own.c": "static int take(int a)\n{\n\treturn a;\n}\nint g(void)\n{\n\treturn take(1);\n}\n",
    "other/blind.c": "int h(void)\n{\n\treturn take(1);\n}\n",
    "use/macro.c": "#include <all.h>\n#define TAKE(x) take(x)\nint i(int a)\n{\n\treturn TAKE(a) + take(a);\n}\n",
    "use/local.c": "#include <all.h>\nint j(int take)\n{\n\treturn take;\n}\n",
    "use/said.c": '#include <all.h>\n/* take(1) */\nchar *k(void)\n{\n\treturn "take(1)";\n}\n',
    **{f"use/u{n}.c": f"#include <all.h>\nint u{n}(int a)\n{{\n\treturn take(a);\n}}\n" for n in range(20)},
}


def answer(code, name):
    found = code.find_definitions(name)
    return found, [code.usages(each) for each in found]


@pytest.mark.parametrize("name", NAMES)
def test_a_cold_answer_is_that_of_a_built_index(opened, settings, name, tmp_path):
    with opened.pinned_index():
        assert isinstance(opened.code.source, OnDemandFacts)
        cold = answer(opened.code, name)
        assert len(opened.code.source._facts.as_dict()) < 10
    elsewhere = structs.replace(settings, cache_directory=tmp_path / "elsewhere")
    with Workspace.open(opened.root, elsewhere) as built:
        built.index()
        assert answer(built.code, name) == cold
    assert opened.count_unread() == 0


@pytest.mark.parametrize("patience", [0.0, PATIENCE_SECONDS])
def test_a_question_during_a_look_at_an_indexed_tree_waits_for_it(opened, settings, monkeypatch, patience):
    opened.index()
    opened.close()
    (opened.root / "shop/new.py").write_text("def brand_new(): pass\n")
    monkeypatch.setattr(workspaces, "_LOOK_SECONDS", patience)
    is_reading, go_on = threading.Event(), threading.Event()

    def read():
        again.index(lambda *_: (is_reading.set(), go_on.wait(PATIENCE_SECONDS)))

    def ask():
        with again.pinned_index():
            return type(again.code.source)

    with Workspace.open(opened.root, settings) as again, ThreadPoolExecutor(2) as threads:
        reading = threads.submit(read)
        assert is_reading.wait(PATIENCE_SECONDS)
        asked = threads.submit(ask)
        if patience:
            with pytest.raises(TimeoutError):
                asked.result(0.2)
        else:
            assert asked.result(PATIENCE_SECONDS) is OnDemandFacts
        go_on.set()
        reading.result(PATIENCE_SECONDS)
        assert asked.result(PATIENCE_SECONDS) is (StoredFacts if patience else OnDemandFacts)


@pytest.mark.parametrize("name", ["take", "give", "u7", "take_nothing"])
def test_a_cold_answer_about_a_large_tree_is_that_of_a_built_index(directory, settings, monkeypatch, tmp_path, name):
    for what, value in (("_LARGE_TREE", 10), ("_LAST_SECONDS", 60.0)):
        monkeypatch.setattr(on_demand_facts, what, value)
    monkeypatch.setattr(text_scan, "_MAX_KEPT_BYTES", 0)
    monkeypatch.setattr(workspaces, "_COLD_FILES", 10)
    root = directory(C_FILES)
    with Workspace.open(root, settings) as workspace, workspace.pinned_index():
        assert isinstance(workspace.code.source, OnDemandFacts)
        cold = answer(workspace.code, name)
        told = workspace.code.source.summaries.free_names("take", sorted(C_FILES))
        assert {"use/u1.c", "use/said.c", "other/blind.c"} <= told.keys()
        assert not {"use/macro.c", "use/local.c"} & told.keys()
        assert not workspace.code.unread
    with Workspace.open(root, structs.replace(settings, cache_directory=tmp_path / "elsewhere")) as built:
        built.index()
        assert answer(built.code, name) == cold


def test_words_that_were_not_searched_for_in_time_are_said(directory, settings, monkeypatch):
    for what, value in (("_LARGE_TREE", 10), ("_SEARCH_SECONDS", 0.0)):
        monkeypatch.setattr(on_demand_facts, what, value)
    monkeypatch.setattr(workspaces, "_COLD_FILES", 10)
    with Workspace.open(directory(C_FILES), settings) as workspace, workspace.pinned_index():
        found = [each for each in workspace.code.find_definitions("take") if each.file == "lib/store.c"]
        report = workspace.code.usages(found[0])
    assert "use/u3.c" in {each.file for each in report.usages}
    assert report.certainty is Certainty.AT_LEAST
    assert Reason(ReasonKind.WORDS_NOT_SEARCHED) in report.reasons


def test_where_a_name_is_held_only_what_names_the_holder_is_read(opened):
    with opened.pinned_index():
        found = opened.code.find_definitions("Cart.add_item")
        assert [(each.file, each.line) for each in found] == [("shop/cart.py", 2)]
        assert "shop/other.py" not in opened.code.source._facts


def test_a_folded_name_is_found_after_its_exact_spelling_was_not(opened):
    with opened.pinned_index():
        assert not opened.code.find_definitions("addItem")
        assert [each.file for each in opened.code.names.find_folded("addItem")] == ["shop/cart.py"]


def test_what_is_not_read_for_being_too_much_is_said(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_MAX_EXTRACTED", 0)
    monkeypatch.setattr(on_demand_facts, "_MAX_EXTRACTED_IN_LARGE_TREE", 0)
    monkeypatch.setattr(on_demand_facts, "_LARGE_TREE", 10)
    (opened.root / "shop/shelf.py").write_text("class Shelf:\n    def __init__(self):\n        self.depth = 1\n")
    with opened.pinned_index():
        assert not opened.code.find_definitions("depth")
        assert opened.count_unread() == 1
        assert explore_symbol_usage(opened, "depth").summary == "no symbol named 'depth' in the files read in time"


def test_of_a_file_that_was_not_read_in_time_nothing_is_denied(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_SECONDS", -9.0)
    with opened.pinned_index():
        answer = explore_symbol_usage(opened, "Cart", file="shop/cart.py")
    assert answer.summary == "shop/cart.py was not read in time; it may define or use 'Cart'"


def test_questions_about_everything_are_answered_by_the_whole_index(opened):
    with opened.pinned_index():
        assert "f39" in set(opened.code.words.all_names())
        assert opened.code.words.term_counts("item")


def test_once_the_whole_index_is_built_no_text_is_searched_for_words(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_MAX_EXTRACTED", 10)
    with opened.pinned_index():
        opened.code.load_facts(opened.code.files)
        monkeypatch.setattr(text_scan.TextScanner, "find", None)
        assert opened.code.files_with_word("add_item") == ("shop/cart.py", "shop/other.py", "shop/till.py")
        assert [each.file for each in opened.code.find_definitions("f7")] == ["more/m7.py"]


def test_a_question_about_very_many_words_builds_the_whole_index(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_MAX_SEARCHED", 10)
    with opened.pinned_index():
        found = [opened.code.files_with_word(f"f{number}") for number in range(11)]
        monkeypatch.setattr(text_scan.TextScanner, "find", None)
        found += [opened.code.files_with_word(f"f{number}") for number in range(11, 40)]
    assert found == [(f"more/m{number}.py",) for number in range(40)]


def test_a_cold_answer_is_about_the_files_as_they_are(opened):
    with opened.pinned_index():
        assert opened.code.find_definitions("f7")
    (opened.root / "more/m7.py").write_text("def g7(): pass\n")
    with opened.pinned_index():
        assert not opened.code.find_definitions("f7")
        assert opened.code.find_definitions("g7")


def test_what_there_was_no_time_for_is_said(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_LAST_SECONDS", 0.0)
    with opened.pinned_index():
        code = opened.code
        code.source._seconds_left = 1.0
        (definition,) = code.find_definitions("Cart")
        code.source._seconds_left = 0.0
        report = code.usages(definition)
    assert report.certainty is Certainty.AT_LEAST
    assert ReasonKind.FILES_NOT_READ in {reason.kind for reason in report.reasons}


def test_questions_are_answered_while_the_first_index_is_built(opened):
    began, may_end = threading.Event(), threading.Event()

    def hold(*_):
        began.set()
        may_end.wait(PATIENCE_SECONDS)

    building = threading.Thread(target=opened.index, args=(hold,))
    building.start()
    try:
        assert began.wait(PATIENCE_SECONDS)
        with opened.pinned_index():
            assert isinstance(opened.code.source, OnDemandFacts)
            assert opened.code.find_definitions("make")
    finally:
        may_end.set()
        building.join()
    with opened.pinned_index():
        assert not isinstance(opened.code.source, OnDemandFacts)


def test_what_another_worktree_taught_is_used_instead(opened, settings, directory, tmp_path):
    opened.index()
    other = write_files(tmp_path / "other", FILES)
    with Workspace.open(other, settings) as workspace, workspace.pinned_index():
        assert not isinstance(workspace.code.source, OnDemandFacts)
        assert workspace.code.find_definitions("make")


def test_the_next_process_that_is_asked_about_the_same_tree_indexes_it(opened, settings):
    with opened.pinned_index():
        assert isinstance(opened.code.source, OnDemandFacts)
    with opened.pinned_index():
        assert isinstance(opened.code.source, OnDemandFacts)
    with Workspace.open(opened.root, settings) as later, later.pinned_index():
        assert not isinstance(later.code.source, OnDemandFacts)


def test_a_large_tree_is_not_indexed_unasked(opened, settings, monkeypatch):
    monkeypatch.setattr(workspaces, "_INDEXED_ON_RETURN", 10)
    with opened.pinned_index():
        assert opened.code.find_definitions("make")
    with Workspace.open(opened.root, settings) as later, later.pinned_index():
        assert isinstance(later.code.source, OnDemandFacts)


@pytest.mark.parametrize("limit", [10, 1_000])
def test_a_command_says_that_a_large_tree_is_searched_anew_each_time(opened, monkeypatch, capsys, limit):
    monkeypatch.setattr(workspaces, "_INDEXED_ON_RETURN", limit)
    with opened.pinned_index():
        assert opened.code.find_definitions("make")
    release(opened)
    assert ("`avionics index`" in capsys.readouterr().err) is (limit == 10)


def test_what_is_unused_is_decided_by_the_whole_index_however_short_the_time_for_files_is(opened, monkeypatch):
    monkeypatch.setattr(on_demand_facts, "_SECONDS", -9.0)
    (opened.root / "shop/__init__.py").write_text("import shop.other\nfrom shop.cart import Cart as Basket\n")
    with opened.pinned_index():
        answer = find_unused(opened, "shop")
    assert {item.symbol for item in (*answer.unused, *answer.public)} == {"unrelated"}
    assert not {item.symbol for item in answer.unknown} & {"make", "Cart"}


def test_a_tree_that_was_never_indexed_has_no_failures(opened):
    with opened.pinned_index():
        answer = get_index_stats(opened)
    assert answer.failures == ()
    assert answer.refreshed == ""
    assert answer.headline().startswith("45 files, not indexed yet; store ")
