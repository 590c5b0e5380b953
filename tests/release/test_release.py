"""What is published: the wheel works without the checkout, the site builds, and a release has to be consistent."""

from __future__ import annotations

import email
import importlib.util
import json
import os
import re
import site
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import avionics

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".ci/release"


def run(*command: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def dist(tmp_path_factory) -> Path:
    """An sdist, and the wheel that is built from it."""
    pytest.importorskip("build", reason="the package `build` is not installed")
    place = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT, cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


def test_there_is_one_wheel_for_every_platform_and_it_says_what_it_is(dist):
    names = sorted(each.name for each in dist.iterdir())
    version = avionics.__version__
    assert names == [f"avionics-{version}-py3-none-any.whl", f"avionics-{version}.tar.gz"]
    with zipfile.ZipFile(dist / names[0]) as wheel:
        inside = set(wheel.namelist())
        described = email.message_from_bytes(wheel.read(f"avionics-{version}.dist-info/METADATA"))
    assert {"avionics/py.typed", "protocols/py.typed", f"avionics-{version}.dist-info/licenses/LICENSE"} <= inside
    assert {each.partition("/")[0] for each in inside} == {"avionics", "protocols", f"avionics-{version}.dist-info"}
    tracked = run("git", "ls-files", "avionics", "protocols", cwd=ROOT).stdout.splitlines()
    assert {each for each in tracked if (ROOT / each).is_file()} <= inside
    assert described["License-Expression"] == "MIT"
    assert described["Requires-Python"] == ">=3.11"
    assert "Typing :: Typed" in described.get_all("Classifier")
    assert described.get_payload().startswith("# avionics")


def test_the_wheel_works_without_the_checkout(dist, tmp_path):
    place = tmp_path / "environment"
    venv.create(place, with_pip=False, symlinks=os.name != "nt")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = place / ("Lib/site-packages" if os.name == "nt" else f"lib/{version}/site-packages")
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    # The dependencies are those of this environment; its own `.pth` files, and with them the checkout, are not read.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = run(python, "-I", ROOT / ".ci/smoke.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(f"avionics {avionics.__version__} works on Python")


def test_the_documentation_builds_without_a_warning(tmp_path):
    if importlib.util.find_spec("material") is None:
        pytest.skip("the package `mkdocs-material` is not installed")
    done = run(sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site/search/search_index.json").is_file()
    shown = {each.parent.name for each in (tmp_path / "site").rglob("index.html")}
    assert {each.stem for each in (ROOT / "docs").glob("*.md")} - {"index"} <= shown


def release(root: Path, version: str) -> tuple[int, list[str]]:
    done = run(sys.executable, RELEASE, version, "--root", root)
    return done.returncode, done.stderr.splitlines()


def test_a_release_needs_version_changelog_metadata_and_tag(git_repository):
    repository = git_repository(
        {
            "avionics/__init__.py": '__version__ = "1.1.0"\n',
            "docs/changelog.md": "# Changelog\n\n## [Unreleased]\n\n- More.\n",
            "pyproject.toml": '[project]\ndescription = "d"\nreadme = "r"\nlicense = "MIT"\nlicense-files = ["L"]\n',
        }
    )
    root = repository.root
    (root / "new").touch()
    assert release(root, "1.2.0") == (
        1,
        [
            "avionics/__init__.py says 1.1.0: set __version__ to 1.2.0",
            "docs/changelog.md has no section `## [1.2.0] - YYYY-MM-DD`: rename [Unreleased]",
            "pyproject.toml has no project.classifiers",
            "pyproject.toml has no project.urls",
            "the checkout has changes: commit them",
            "there is no tag: git tag -a v1.2.0",
        ],
    )
    (root / "new").unlink()
    text = (root / "pyproject.toml").read_text()
    repository.commit(
        "release",
        {
            "avionics/__init__.py": '__version__ = "1.2.0"\n',
            "docs/changelog.md": "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- More.\n",
            "pyproject.toml": f'{text}classifiers = ["c"]\nurls = {{Source = "https://example.org"}}\n',
        },
    )
    repository.git("tag", "-a", "v1.2.0", "-m", "1.2.0")
    assert release(root, "1.2.0") == (0, [])
    repository.commit("later", {"later": ""})
    assert release(root, "1.2.0") == (1, ["the tag v1.2.0 is another commit: check it out"])


def test_the_bill_of_materials_has_every_dependency(tmp_path):
    run(sys.executable, RELEASE, "0", "--sbom", tmp_path / "sbom.json")
    found = json.loads((tmp_path / "sbom.json").read_text())
    assert (found["bomFormat"], found["metadata"]["component"]["name"]) == ("CycloneDX", "avionics")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {match[0] for each in project["dependencies"] if (match := re.match(r"[\w.-]+", each))}
    listed = {each["name"] for each in found["components"]}
    assert names < listed
    assert "mdurl" in listed  # what a dependency needs
    assert all(each["purl"] == f"pkg:pypi/{each['name']}@{each['version']}" for each in found["components"])
