"""get_dependents follows importers of importers."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.internal.imports.get_dependents import DependentItem, get_dependents


def test_files_are_told_by_level_product_code_first(shop):
    answer = get_dependents(shop(), "shop/models.py")
    assert answer.dependents == (
        DependentItem("shop/__init__.py", 1, 1, "shop/models.py"),
        DependentItem("shop/pricing.py", 1, 1, "shop/models.py"),
        DependentItem("tests/test_orders.py", 2, 1, "shop/models.py"),
        DependentItem("shop/cli.py", 3, 2, "shop/__init__.py"),
    )
    assert answer.headline() == "shop/models.py is used by 4 files: 3 directly, 1 at level 2 (1 in tests)"


def test_a_depth_bounds_the_walk_and_says_that_there_is_more(shop):
    answer = get_dependents(shop(), "shop/models.py", depth=1)
    assert (len(answer.dependents), answer.coverage.reasons) == (3, (Reason(ReasonKind.DEPTH_LIMIT, 1),))


def test_a_cycle_ends(workspace):
    opened = workspace({"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\n"})
    assert [(each.file, each.level) for each in get_dependents(opened, "a.py").dependents] == [("c.py", 1), ("b.py", 2)]


def test_a_file_nobody_needs_is_an_answer_too(shop):
    answer = get_dependents(shop(), "tests/test_orders.py")
    assert answer.headline() == "tests/test_orders.py is used by no file in the workspace"
    assert answer.coverage.status is Status.SUCCESS
