"""What is committed is what a stranger needs, and nothing of the machine it was written on."""

from __future__ import annotations

import re
from collections.abc import Iterator

MACHINE_PATHS = re.compile(
    r"(?<![\w.~$}])/(?:" + "|".join(("work", "tmp", "root", "home/[a-z]")) + r")(?:/|\b(?=[\s'\"`]))"
)
DEBRIS = re.compile(
    r"(^|/)(__pycache__|\.venv|venv|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.hypothesis|htmlcov|build|dist)(/|$)"
    r"|\.(pyc|pyo|log|orig|rej|swp|sqlite3?|db|cover)$|(^|/)(\.coverage|coverage\.xml|\.DS_Store|junit\.xml)$|\.egg-info/"
)
TEXT = (".py", ".md", ".toml", ".txt", ".cfg", ".yml", ".yaml", ".json", ".run", ".gitignore")


def readable(root, names) -> Iterator[tuple[str, str]]:
    for name in names:
        if name.endswith(TEXT) or name == ".ci/run":
            yield name, (root / name).read_text("utf-8")


def matches(pattern, root, names) -> list[str]:
    return [
        f"{name}:{number} {line.strip()[:80]}"
        for name, text in readable(root, names)
        for number, line in enumerate(text.split("\n"), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_place_of_one_machine(root, known_files):
    assert matches(MACHINE_PATHS, root, known_files) == []


def test_no_caches_or_reports_are_tracked(tracked_files):
    assert [name for name in tracked_files if DEBRIS.search(name)] == []


def test_test_files_are_where_pytest_looks(known_files):
    strays = [name for name in known_files if name.startswith("tests/") and name.endswith("__init__.py")]
    assert strays == []


def test_ci_runs_the_line_that_the_readme_shows(root):
    script = (root / ".ci" / "run").read_text("utf-8")
    commands = re.findall(r"^(python3 -m venv .+)$", script, re.MULTILINE)
    assert len(commands) == 1
    assert commands[0] in (root / "README.md").read_text("utf-8").split("\n")


def test_machine_paths_are_seen():
    tmp = "/" + "tmp"
    assert MACHINE_PATHS.search(f"cd {tmp}/x")
    assert MACHINE_PATHS.search(f'Path("{tmp}")')
    assert not MACHINE_PATHS.search("${TMPDIR}/x, src/work/x.py, ~/work/x")


def test_debris_is_seen():
    assert all(DEBRIS.search(name) for name in ("a/__pycache__/x.pyc", ".coverage", "x.egg-info/PKG", "a/index.sqlite"))
    assert not any(DEBRIS.search(name) for name in ("avionics/index/facts/builder.py", "tests/house/test_tree.py"))
