"""get_imports lists what a file imports and where that leads."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.tools.answers.items import ImportItem
from avionics.tools.internal.imports.get_imports import get_imports


def test_imports_lead_to_files_or_out_of_the_workspace(shop):
    answer = get_imports(shop(), "shop/cli.py")
    assert answer.imports == (
        ImportItem("shop/cli.py", 3, (3,), "shop", ("Order", "total_of"), "shop/__init__.py"),
        ImportItem("shop/cli.py", 3, (3,), "shop", ("pricing",), "shop/pricing.py"),
        ImportItem("shop/cli.py", 19, (19,), "shop.pricing", ("TAX_RATE",), "shop/pricing.py"),
    )
    assert answer.external == (ImportItem("shop/cli.py", 1, (1,), "argparse", (), None),)


def test_imports_of_one_module_on_several_lines_are_one_item(workspace):
    opened = workspace({"a.py": "from b import x\nfrom b import (\n    y,\n    z,\n)\n", "b.py": "x = y = z = 1\n"})
    assert get_imports(opened, "a.py").imports == (ImportItem("a.py", 1, (1, 3, 4), "b", ("x", "y", "z"), "b.py"),)


def test_a_file_without_imports_is_an_answer_too(workspace):
    answer = get_imports(workspace({"a.py": "x = 1\n"}), "a.py")
    assert (answer.headline(), answer.coverage.status) == ("a.py imports from 0 modules", Status.SUCCESS)
