"""get_importers lists who imports a file."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.tools.answers.items import ImportItem
from avionics.tools.answers.next_step import write_python
from avionics.tools.internal.imports.get_importers import get_importers


def test_importers_are_listed_with_their_lines_product_code_first(shop):
    answer = get_importers(shop(), "shop/models.py")
    assert answer.importers == (
        ImportItem("shop/__init__.py", 1, (1,), ".models", ("Order",), "shop/models.py"),
        ImportItem("shop/pricing.py", 1, (1,), "shop.models", ("Order",), "shop/models.py"),
        ImportItem("tests/test_orders.py", 2, (2,), "shop.models", ("Item",), "shop/models.py"),
    )
    assert answer.headline() == "shop/models.py: imported by 3 files (1 in tests)"
    expected = "get_importers(path='shop/__init__.py') for files that may re-export it"
    assert write_python(answer.coverage.next) == expected


def test_a_package_is_imported_through_its_own_file(shop):
    answer = get_importers(shop(), "shop")
    assert answer.path == "shop/__init__.py"
    assert [each.file for each in answer.importers] == ["shop/cli.py", "tests/test_orders.py"]


def test_a_file_nobody_imports_is_an_answer_too(shop):
    answer = get_importers(shop(), "tests/test_orders.py")
    assert answer.headline() == "tests/test_orders.py: no file imports it"
    assert answer.coverage.status is Status.SUCCESS


def test_a_file_that_is_not_there_is_refused(shop):
    with pytest.raises(UsageError, match=r"there is no 'shop/price\.py'"):
        get_importers(shop(), "shop/price.py")
