"""The tests to run for a change."""

from __future__ import annotations

import pytest

from avionics.tools.composite import tests_for_change as tool
from protocols.enums import Certainty

SHOP = {
    "shop/core.py": "def price(x):\n    return x\n\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n",
    "tests/test_core.py": "from shop.core import price, total\n\n\nclass TestCore:\n    def test_price(self):\n"
    "        assert price(1) == 1\n\n    def test_total(self):\n        assert total([1]) == 1\n",
    "tests/test_other.py": "def test_other():\n    pass\n",
}


@pytest.fixture
def repository(git_repository):
    return git_repository(SHOP)


def edit(repository, path, old, new):
    (repository.root / path).write_text(SHOP[path].replace(old, new))


def test_tests_are_named_as_a_runner_takes_them_with_why(repository, workspace):
    edit(repository, "shop/core.py", "return x\n", "return x + 1\n")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [each.run for each in answer.proven] == [
        "tests/test_core.py::TestCore::test_price",
        "tests/test_core.py::TestCore::test_total",
    ]
    assert answer.proven[0].why.startswith("uses price; says price")
    assert answer.proven[1].why.startswith("uses price through total")
    assert answer.summary == "1 symbol changed; 2 tests of 3 (67 %) to run"


def test_what_cannot_be_seen_is_said(repository, workspace):
    edit(repository, "shop/core.py", "def price", "LIMIT = print()\nprint(LIMIT)\n\n\ndef price")
    (repository.root / "setup.cfg").write_text("[x]\n")
    repository.git("add", "setup.cfg")
    coverage = tool.tests_for_change(workspace(root=repository.root)).coverage
    assert coverage.certainty is Certainty.AT_LEAST
    assert coverage.because == (
        "code outside of functions changed in shop/core.py: every test that imports it runs it",
        "uses through a client, a subprocess, configuration or a computed name are not seen",
        "1 changed file is in no known language (setup.cfg)",
    )


def test_an_edited_test_is_to_run(repository, workspace):
    edit(repository, "tests/test_other.py", "pass", "assert True")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [(each.test, each.why) for each in answer.proven] == [("test_other", "the change edits it")]
    assert answer.likely == ()


def test_a_file_that_changed_together_speaks_for_its_tests(repository, workspace):
    for number in range(4):
        repository.commit(
            f"both {number}",
            {
                "shop/core.py": SHOP["shop/core.py"] + f"\n\ndef more_{number}(): ...\n",
                "tests/test_other.py": f"def test_other():\n    assert {number}\n",
            },
        )
    edit(repository, "shop/core.py", "return x\n", "return x + 1\n")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert "of a changed file's commits" in {each.test: each for each in answer.likely}["test_other"].why


def test_a_file_of_nameless_tests_is_named_once(git_repository, workspace):
    spec = "import { f } from './f'\nit('adds', () => f(1))\n"
    repository = git_repository({"src/f.ts": "export function f(a: number) {}\n", "tests/f.spec.ts": spec})
    (repository.root / "tests/f.spec.ts").write_text(spec.replace("f(1)", "f(2)"))
    (test,) = tool.tests_for_change(workspace(root=repository.root)).proven
    assert test.to_text() == "tests/f.spec.ts:1: the change edits it"


def test_nothing_changed_needs_no_test(repository, workspace):
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert (answer.proven, answer.likely, answer.coverage.certainty) == ((), (), Certainty.EXACT)
