"""Which file an import means, from paths alone."""

from __future__ import annotations

import pytest

from avionics.index.model.values import External, Module
from avionics.index.modules.import_resolver import Modules
from avionics.model.enums import Certainty
from avionics.model.facts import FileFacts, Import


class Paths:
    """A snapshot of which only the paths matter."""

    def __init__(self, *paths: str) -> None:
        self.paths = self.files = tuple(sorted(paths))

    def has_file(self, path: str) -> bool:
        return path in self.files

    def facts(self, path: str) -> FileFacts:
        return FileFacts("")

    def files_defining(self, folded: str) -> tuple[str, ...]:
        return ()

    def files_with_word(self, word: str) -> tuple[str, ...]:
        return ()

    def read_text(self, path: str) -> str:
        return ""


def test_a_workspace_that_is_itself_a_package_has_names_and_roots() -> None:
    modules = Modules(Paths("__init__.py", "core.py", "deep/__init__.py", "deep/part.py"))
    assert [modules.dotted_name(path) for path in ("core.py", "deep/part.py")] == ["core", "deep.part"]
    assert modules.find(Import("core", "", "core", 1, 1), "other.py") == Module("core.py")
    assert modules.module_named("deep.part", "core.py") == External("deep.part")


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
    assert Modules(Paths(*code, "tests/test_core.py")).module_named(module, importer) == found


def test_a_namespace_is_known_however_many_files_have_its_last_word(workspace):
    files = {f"src/Shop/User{at:03}.cs": f"class Parser{at:03} {{ /* Parser */ }}\n" for at in range(310)}
    files["src/Zone/Quality.cs"] = (
        "namespace Shop.Core.Parser\n{\n"
        "    public class Quality { public static int Parse(string text) { return 1; } }\n}\n"
    )
    files["test/Fixture.cs"] = (
        "using Shop.Core.Parser;\nnamespace Shop.Test.Fixtures\n{\n"
        '    class Fixture { void Run() { Quality.Parse("a"); } }\n}\n'
    )
    code = workspace(files).code
    (parse,) = code.find_definitions("Quality.Parse")
    report = code.usages(parse)
    assert [(each.file, each.line) for each in report.usages] == [("test/Fixture.cs", 4)]
    assert report.certainty is Certainty.EXACT
