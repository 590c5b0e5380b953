"""Which file an import means, from paths alone."""

from __future__ import annotations

import pytest

from avionics.index.modules import Modules
from avionics.index.values import External, Module


def test_a_workspace_that_is_itself_a_package_has_names_and_roots() -> None:
    modules = Modules(("__init__.py", "core.py", "deep/__init__.py", "deep/part.py"))
    assert [modules.dotted_name(path) for path in ("core.py", "deep/part.py")] == ["core", "deep.part"]
    assert modules.find("core", 1, "other.py") == Module("core.py")
    assert modules.find("deep.part", 0, "core.py") == External("deep.part")


@pytest.mark.parametrize(
    ("module", "importer", "found"),
    [
        ("lib.core", "tests/test_core.py", Module("src/lib/core.py")),
        ("lib", "src/lib/core.py", Module("src/lib/__init__.py")),
        ("core", "src/lib/other.py", External("core")),
        ("missing.part", "src/lib/core.py", External("missing.part")),
        ("space.part", "main.py", Module("space/part.py")),
        ("json", "tools/run.py", External("json")),
    ],
)
def test_an_absolute_import_means_what_the_importer_can_see(
    module: str, importer: str, found: Module | External
) -> None:
    code = ("src/lib/__init__.py", "src/lib/core.py", "space/part.py", "other/json.py", "main.py")
    assert Modules((*code, "tests/test_core.py")).find(module, 0, importer) == found
