"""get_dependencies follows imports of imports."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.internal.imports.get_dependencies import DependencyItem, get_dependencies


def test_files_are_told_by_level_with_the_import_that_leads_there(shop):
    answer = get_dependencies(shop(), "shop/cli.py")
    assert answer.dependencies == (
        DependencyItem("shop/__init__.py", 1, "shop/cli.py", 3),
        DependencyItem("shop/pricing.py", 1, "shop/cli.py", 3),
        DependencyItem("shop/models.py", 2, "shop/__init__.py", 1),
    )
    assert answer.headline() == "shop/cli.py depends on 3 files: 2 directly, 1 at level 2"
    assert [each.name for each in answer.external] == ["argparse"]


def test_a_depth_bounds_the_walk_and_says_that_there_is_more(shop):
    answer = get_dependencies(shop(), "shop/cli.py", depth=1)
    assert [each.path for each in answer.dependencies] == ["shop/__init__.py", "shop/pricing.py"]
    assert answer.coverage.reasons == (Reason(ReasonKind.DEPTH_LIMIT, 1),)
    assert get_dependencies(shop(), "shop/cli.py", depth=2).coverage.reasons == ()


def test_a_cycle_ends(workspace):
    opened = workspace({"a.py": "import b\n", "b.py": "import c\n", "c.py": "import a\nimport c\n"})
    assert [(each.path, each.level) for each in get_dependencies(opened, "a.py").dependencies] == [
        ("b.py", 1),
        ("c.py", 2),
    ]


def test_a_file_that_needs_nothing_is_an_answer_too(shop):
    answer = get_dependencies(shop({"a.py": "import os\n"}), "a.py")
    assert (answer.headline(), answer.coverage.status) == ("a.py depends on no file in the workspace", Status.SUCCESS)
