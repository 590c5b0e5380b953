"""`avionics contract`: exit codes, SARIF, a proposal that today's code keeps, and what moved."""

from __future__ import annotations

import json
import random
import tomllib

import pytest

from avionics.cli.main import main
from tests.sarif import require_sarif

RULE = '[[contract.rules]]\nname = "layers"\ntype = "layers"\nlayers = ["app/web", "app/store"]\n'
FILES = {
    "app/web/views.py": "from app.store import rows\n",
    "app/store/rows.py": "x = 1\n",
    "avionics.toml": RULE,
}
BROKEN = {**FILES, "app/store/rows.py": "import app.web.views\n"}


def run(capsys, *arguments):
    """Return exit code and standard output."""
    code = main(["contract", *arguments])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "code"), [(FILES, 0), (BROKEN, 1), ({**FILES, "avionics.toml": "[contract"}, 2), ({"a.py": ""}, 2)]
)
def test_the_exit_code_is_the_verdict(directory, capsys, files, code):
    root = str(directory(files))
    assert run(capsys, "check", "--repo", root)[0] == code
    assert run(capsys, "check", "--repo", root, "--json")[0] == code
    assert run(capsys, "check", "--repo", root, "--sarif")[0] == code


def test_violations_as_sarif(directory, capsys):
    _, text = run(capsys, "check", "--repo", str(directory(BROKEN)), "--sarif")
    (result,) = require_sarif(json.loads(text))
    assert (result["ruleId"], result["level"], result["baselineState"]) == ("layers", "error", "new")
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("app/store/rows.py", {"startLine": 1})
    moved = {**BROKEN, "app/store/rows.py": "\n\nimport app.web.views\n"}
    _, later = run(capsys, "check", "--repo", str(directory(moved)), "--sarif")
    assert json.loads(later)["runs"][0]["results"][0]["partialFingerprints"] == result["partialFingerprints"]


def test_only_what_is_new_since_a_base_breaks_the_contract(git_repository, capsys):
    repository = git_repository(BROKEN)
    root = str(repository.root)
    assert run(capsys, "check", "--repo", root)[0] == 1
    assert run(capsys, "check", "--repo", root, "--since", "HEAD")[0] == 0
    repository.commit("mend", FILES)
    assert run(capsys, "check", "--repo", root, "--rev", "HEAD~1")[0] == 1
    assert run(capsys, "check", "--repo", root)[0] == 0


@pytest.mark.parametrize(("seed", "packages"), [(0, 7), (1, 7), (2, 7), (3, 7), (4, 40), (5, 40)])
def test_a_proposed_contract_is_kept_by_the_code_it_describes(directory, capsys, seed, packages):
    chosen = random.Random(seed)
    paths = [f"p/k{number}/{name}.py" for number in range(packages) for name in "xyz"]
    paths += ["p/top.py", "p/a'b\"c\\d/q.py", "run.py"]
    names = [path.removesuffix(".py").replace("/", ".") for path in paths if path.isascii() and "'" not in path]
    files = {path: "".join(f"import {name}\n" for name in chosen.sample(names, 3)) for path in paths}
    root = directory(files)
    code, proposed = run(capsys, "propose", "--repo", str(root))
    assert code == 0
    assert tomllib.loads(proposed)["contract"]["rules"]
    (root / "avionics.toml").write_text(proposed, "utf-8")
    code, text = run(capsys, "check", "--repo", str(root))
    assert (code, "problems" in text) == (0, False), text


def test_what_moved_between_revisions(git_repository, capsys):
    repository = git_repository(FILES)
    root = str(repository.root)
    assert run(capsys, "diff", "HEAD", "--repo", root) == (0, "no architectural differences\n")
    repository.commit("more", {**BROKEN, "app/web/views.py": "import httpx\n"})
    found = json.loads(run(capsys, "diff", "HEAD~1", "HEAD", "--repo", root, "--json")[1])
    assert [each["file"] for each in found["broken"]] == ["app/store/rows.py"]
    assert [(each["source"], each["target"]) for each in found["added"]] == [("app/store", "app/web")]
    assert [(each["source"], each["target"]) for each in found["removed"]] == [("app/web", "app/store")]
    assert (found["packages"], found["rules"], found["mended"]) == (["added: httpx"], [], [])
    text = run(capsys, "diff", "HEAD", "HEAD~1", "--repo", root)[1]
    assert "resolved violations (1):\napp/store/rows.py:1  " in text
