"""What depends on a change, and which tests it concerns."""

from __future__ import annotations

import pytest

from avionics.index.analysis.affected_tests import choose_tests, find_tests
from avionics.index.analysis.impact import trace_impact
from avionics.index.changes.symbol_diff import ChangedFile, RevisionView, find_changes
from avionics.model.reasons import Reason, ReasonKind

SHOP = {
    "shop/core.py": "def price(x):\n    return x\n\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n\n\n"
    "class Cart:\n    def pay(self):\n        return total([1])\n\n    def __len__(self):\n        return 1\n",
    "shop/web.py": "from shop.core import Cart\n\n\ndef checkout():\n    def inner():\n        return Cart().pay()\n"
    "    return inner\n\n\ndef unrelated():\n    return 'zebra stripes'\n",
    "tests/conftest.py": "import pytest\nfrom shop.core import Cart\n\n\n@pytest.fixture\ndef cart():\n"
    "    return Cart()\n",
    "tests/test_core.py": "from shop.core import price, total\n\n\ndef test_price():\n    assert price(1) == 1\n\n\n"
    "class TestTotal:\n    def test_total(self):\n        assert total([1]) == 1\n\n    def help(self): ...\n",
    "tests/test_web.py": "from shop.web import checkout, unrelated\n\n\ndef test_checkout():\n    checkout()\n\n\n"
    "def test_cart(cart):\n    assert cart\n\n\ndef test_unrelated():\n    unrelated()\n",
    "tests/test_words.py": "def test_stripes():\n    assert 'zebra stripes'\n\n\ndef test_none():\n    pass\n",
}


@pytest.fixture
def change(git_repository, workspace):
    """Commits an edit of the shop and gives both sides with the changes between them."""

    def run(path, old, new):
        assert old in SHOP[path]
        repository = git_repository(SHOP)
        repository.commit("second", {path: SHOP[path].replace(old, new)})
        opened = workspace(root=repository.root)
        base, head = (RevisionView(each.code, each.source) for each in (opened.at("HEAD~1"), opened.at("HEAD")))
        return base, head, find_changes(base, head, [ChangedFile(path, path)])

    return run


def reached(base, head, changes, depth=3):
    impact = trace_impact(head.code, base.code, changes, depth=depth, most=100)
    return {each.definition.symbol.qualname: (each.distance, each.is_proven) for each in impact.dependents}


def chosen(base, head, changes):
    impact = trace_impact(head.code, base.code, changes, depth=3, most=100)
    return choose_tests(base, head, changes, impact, {})


def test_dependents_are_found_step_by_step(change):
    assert reached(*change("shop/core.py", "return x\n", "return x + 1\n")) == {
        "total": (1, True),
        "test_price": (1, True),
        "Cart.pay": (2, True),
        "TestTotal.test_total": (2, True),
        "checkout": (3, True),
    }


def test_a_depth_of_one_finds_direct_users_only(change):
    assert reached(*change("shop/core.py", "return x\n", "return x + 1\n"), depth=1) == {
        "total": (1, True),
        "test_price": (1, True),
    }


def test_a_method_the_language_calls_may_be_used_by_whoever_has_the_class(change):
    found = reached(*change("shop/core.py", "return 1\n", "return 2\n"), depth=2)
    assert found["cart"] == (1, False)
    assert found["test_cart"] == (2, False)


def test_who_used_what_is_gone_may_break(change):
    found = reached(*change("shop/core.py", "def price(x):", "def cost(x):"), depth=1)
    assert found["total"] == (1, False)
    assert found["test_price"] == (1, False)


def test_too_many_definitions_are_said(change):
    base, head, changes = change("shop/core.py", "return x\n", "return x + 1\n")
    impact = trace_impact(head.code, base.code, changes, depth=3, most=1)
    assert impact.reasons == (Reason(ReasonKind.FOLLOW_LIMIT, 1),)


def test_tests_are_known_by_name_and_place(change):
    _, head, _ = change("shop/core.py", "return x\n", "return x + 1\n")
    assert [each.symbol.qualname for each in find_tests(head.code)] == [
        "test_price", "TestTotal.test_total", "test_checkout", "test_cart", "test_unrelated", "test_stripes",
        "test_none",
    ]  # fmt: skip


def test_a_word_that_makes_tests_in_another_language_makes_no_test_without_a_name(workspace):
    files = {
        "go.mod": "module example.com/box\n",
        "box_test.go": "package box\n\n// It is a test of a box.\nfunc TestBox(t *testing.T) { it(t) }\n",
        "web/box.test.js": "import { expect, it } from 'vitest'\n\nit('opens', () => { expect(1).toBe(1) })\n",
    }
    assert [(each.file, each.name) for each in find_tests(workspace(files).code)][:1] == [("box_test.go", "TestBox")]


def test_what_tests_load_is_no_test(workspace):
    page = "<p>it is a page</p><script>function draw() { return 1 }</script>\n"
    code = workspace(
        {
            "tests/page.html": page,
            "tests/fixtures/input.js": "// it is an input\nfunction draw() { return 1 }\n",
            "tests/draw.test.js": "it('draws', () => { draw() })\n",
        }
    ).code
    assert [each.file for each in find_tests(code)] == ["tests/draw.test.js"]


def test_the_nearest_tests_come_first(change):
    tests, suite = chosen(*change("shop/core.py", "return x\n", "return x + 1\n"))
    assert suite == 7
    assert [each.definition.symbol.qualname for each in tests if each.is_proven] == [
        "test_price",
        "TestTotal.test_total",
    ]


def test_an_edited_test_is_first_whatever_it_uses(change):
    tests, _ = chosen(*change("tests/test_words.py", "pass", "assert 1"))
    assert [(each.definition.name, each.is_changed) for each in tests] == [("test_none", True)]


def test_a_test_that_says_the_words_of_a_change_may_be_concerned(change):
    tests, _ = chosen(*change("shop/web.py", "'zebra stripes'", "'zebra spots'"))
    assert [(each.definition.name, each.is_proven) for each in tests[:2]] == [
        ("test_unrelated", True),
        ("test_stripes", False),
    ]
    assert tests[1].words == ("zebra", "stripes")


def test_a_change_of_comments_concerns_no_test(change):
    assert chosen(*change("shop/core.py", "    return x\n", "    # one\n    return x\n"))[0] == ()


def test_who_imports_a_file_by_its_old_name_may_break(git_repository, workspace):
    repository = git_repository(SHOP)
    repository.commit("renamed", {"shop/core.py": None, "shop/heart.py": SHOP["shop/core.py"]})
    opened = workspace(root=repository.root)
    base, head = (RevisionView(each.code, each.source) for each in (opened.at("HEAD~1"), opened.at("HEAD")))
    changes = find_changes(base, head, [ChangedFile("shop/core.py", "shop/heart.py")])
    impact = trace_impact(head.code, base.code, changes, depth=1, most=100)
    assert {(each.file, each.reason.kind) for each in impact.dependents} == {
        (file, ReasonKind.IMPORTS_MOVED_FILE) for file in ("shop/web.py", "tests/conftest.py", "tests/test_core.py")
    }
