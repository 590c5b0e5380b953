"""A thing's name is its place: tools, languages and the version each stand where they are looked for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from avionics.model import ToolCategory

CATEGORIES = tuple(category.value for category in ToolCategory)


@pytest.fixture(scope="module")
def tool_files(product) -> dict[str, str]:
    """Tool id → category, by the files of the tool packages."""
    modules = [module for module in product if re.search(r"^@tool\(", module.text, re.MULTILINE)]
    paths = [Path(module.path).relative_to("avionics/tools") for module in modules]
    return {path.stem: path.parent.as_posix() for path in paths if path.parts[0] in CATEGORIES}


@pytest.fixture(scope="module")
def tool_ids() -> set[str]:
    """Every member of ToolId."""
    from avionics.tools.catalog import ToolId

    return {tool_id.value for tool_id in ToolId}


def test_every_tool_id_is_a_file_and_every_tool_file_an_id(tool_files, tool_ids):
    assert set(tool_files) == tool_ids


def test_every_tool_file_defines_the_function_of_its_name(tool_files, product):
    defined = {module.path: {function.name for function in module.functions} for module in product}
    missing = [
        tool for tool, package in tool_files.items() if tool not in defined[f"avionics/tools/{package}/{tool}.py"]
    ]
    assert missing == []


def test_every_tool_is_declared_under_its_own_id(tool_files, product):
    declared = {
        module.path: re.findall(r"^@tool\(\s*ToolId\.([A-Z_]+)", module.text, re.MULTILINE)
        for module in product
        if Path(module.path).stem in tool_files
    }
    wrong = {path: ids for path, ids in declared.items() if path_is_tool(path) and ids != [Path(path).stem.upper()]}
    assert wrong == {}


def test_every_tool_has_its_test(tool_files, root):
    paths = [f"tests/tools/{package.split('/')[0]}/test_{tool}.py" for tool, package in sorted(tool_files.items())]
    assert [path for path in paths if not (root / path).is_file()] == []


def test_every_tool_has_its_section_in_the_documents(tool_files, root):
    document = (root / "docs" / "tools.md").read_text("utf-8")
    assert sorted(re.findall(r"^### `(\w+)`$", document, re.MULTILINE)) == sorted(tool_files)


def test_the_catalog_knows_every_tool_in_the_category_of_its_room(tool_files):
    from avionics.tools import tool_catalog

    entries = [tool_catalog.get_entry(tool_id) for tool_id in tool_catalog.list_all_ids()]
    assert {entry.id.value: entry.category.value for entry in entries if entry} == {
        tool: folder.partition("/")[0] for tool, folder in tool_files.items()
    }


def test_every_language_has_a_package_or_is_a_dialect(root):
    from avionics.syntax.registry import DIALECTS, LANGUAGES

    packages = {path.parent.name for path in (root / "avionics/syntax/languages").glob("*/spec.py")}
    assert list(LANGUAGES) == sorted({*packages, *DIALECTS})
    assert set(DIALECTS.values()) <= packages
    suffixes = [suffix for each in LANGUAGES.values() for suffix in each]
    assert len(suffixes) == len(set(suffixes))


def test_every_language_has_its_cases(root):
    from avionics.syntax.registry import LANGUAGES

    assert [name for name in LANGUAGES if not (root / f"tests/languages/{name}.md").is_file()] == []


def test_the_version_is_written_once(root, product):
    import avionics

    written = [module.path for module in product if assigns_version(module)]
    assert written == ["avionics/__init__.py"]
    assert avionics.__version__ not in (root / "pyproject.toml").read_text("utf-8")


def path_is_tool(path: str) -> bool:
    return Path(path).parent.name in CATEGORIES


def assigns_version(module) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__version__" and isinstance(node.ctx, ast.Store)
               for node in module.nodes)  # fmt: skip
