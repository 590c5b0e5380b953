"""Verbs: the examples of their help run, and results have one form for people and others for programs."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from avionics.cli.main import main
from avionics.cli.output.style import get_editor_link
from avionics.cli.shell.group import MODULES
from avionics.cli.verbs.table import VERBS
from avionics.settings import TerminalSettings

ROOT = Path(__file__).parents[2]
FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": '"""Carts."""\n\n\nclass Cart:\n    """Wanted."""\n\n    def total(self) -> int:\n'
    '        """Return the total price."""\n        return 1\n\n\ndef _forgotten():\n    return 2\n',
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().total()\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 1\n",
}


def git(root, *words):
    subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=root, check=True, capture_output=True
    )


@pytest.fixture(autouse=True)
def shop(directory, monkeypatch):
    """A small repository with two commits and a change on the disk; it is the current directory."""
    root = directory(FILES)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Add the shop")
    cart = root / "shop" / "cart.py"
    cart.write_text(cart.read_text().replace("return 1", "return 1 + 0"))
    git(root, "commit", "-q", "-a", "-m", "Count")
    cart.write_text(cart.read_text().replace("return 1 + 0", "return 0 + 1"))
    monkeypatch.chdir(root)
    return root


def lines_of(capsys, *arguments):
    main(list(arguments))
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_the_help_has_two_examples_that_run(verb, capsys):
    assert main([verb.name, "--help"]) == 0
    help_text = capsys.readouterr().out
    examples = [line.strip() for line in help_text.splitlines() if line.startswith(f"    avionics {verb.name}")]
    assert len(examples) >= 2
    for example in examples:
        assert main(shlex.split(example)[1:]) == 0, example
        assert capsys.readouterr().out


def test_every_verb_is_a_command():
    assert {verb.name for verb in VERBS} <= set(MODULES)
    assert all(MODULES[verb.name].startswith("verbs") for verb in VERBS)


def test_piped_results_are_one_line_each_with_their_place(capsys):
    assert lines_of(capsys, "refs", "Cart.total") == [
        "shop/main.py:5:call in main  return Cart().total()",
        "tests/test_cart.py:5:call in test_total  assert Cart().total() == 1",
    ]


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (["--no-tests"], "shop/main.py:5:call in main  return Cart().total()\n"),
        (["--limit", "1"], "shop/main.py:5:call in main  return Cart().total()\n"),
        (["--count"], "2\n"),
        (["--count", "--no-tests"], "1\n"),
        (["--files-only"], "shop/main.py\ntests/test_cart.py\n"),
        (["--files-only", "-0"], "shop/main.py\0tests/test_cart.py\0"),
        (["shop"], "shop/main.py:5:call in main  return Cart().total()\n"),
    ],
)
def test_options_choose_what_is_printed(options, printed, capsys):
    assert main(["refs", "Cart.total", *options]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("options", "lines"),
    [([], [3, 7, 11, 13, 19]), (["--no-tests"], [3, 19])],
)
def test_no_tests_leaves_out_tests_beside_the_code(options, lines, shop, capsys):
    code = (
        "pub fn used() -> u8 { 1 }\n\npub fn user() { used(); }\n\n#[test]\nfn alone() {\n    used();\n}\n\n"
        "#[cfg(test)] mod checks { use super::*;\n    fn helper() { used(); }\n"
        "    #[test]\n    fn inner() { used(); }\n}\n\n"
        '#[cfg(feature = "test")]\n#[inline]\npub fn kept() {\n    used();\n}\n'
    )
    (shop / "Cargo.toml").write_text('[package]\nname = "shop"\n')
    (shop / "src").mkdir()
    (shop / "src" / "lib.rs").write_text(code)
    printed = lines_of(capsys, "refs", "used", "--files-only", *options)
    assert printed == ["src/lib.rs"]
    found = [int(line.split(":")[1]) for line in lines_of(capsys, "refs", "used", *options)]
    assert sorted(found) == lines


def test_what_is_left_out_is_said_on_standard_error(capsys):
    main(["refs", "Cart.total", "--limit", "1"])
    assert "1 of 2 results not listed" in capsys.readouterr().err


def test_json_lines_have_no_empty_values(capsys):
    rows = [json.loads(line) for line in lines_of(capsys, "refs", "Cart.total", "--jsonl")]
    assert [(row["part"], row["file"], row["line"]) for row in rows] == [
        ("usages", "shop/main.py", 5), ("usages", "tests/test_cart.py", 5),
    ]  # fmt: skip
    (document,) = lines_of(capsys, "refs", "Cart.total", "--json", "--no-tests")
    data = json.loads(document)["data"]
    assert [usage["file"] for usage in data["usages"]] == ["shop/main.py"]
    for text in (document, *map(json.dumps, rows)):
        assert not any(empty in text for empty in ("[]", "{}", "null", '""'))


def test_rows_of_several_sections_say_which(capsys):
    assert lines_of(capsys, "diff", "HEAD~1") == ["shop/cart.py:7:method Cart.total  def total(self) -> int"]
    listed = lines_of(capsys, "imports", "shop/main.py")
    assert listed == ["shop/main.py:1:shop.cart: Cart → shop/cart.py"]
    rows = lines_of(capsys, "impact")
    assert rows[0] == "shop/cart.py:7:[changed] method Cart.total  def total(self) -> int"
    assert all(re.match(r"([^:\[]+:(\d+:)?)?\[", line) for line in rows)


def test_a_name_that_does_not_exist_brings_similar_ones(capsys):
    assert main(["def", "Cartt"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "did you mean Cart (shop/cart.py:4)?" in printed.err
    assert "next: avionics def Cart # if you mean Cart" in printed.err


@pytest.mark.parametrize(
    ("verb", "first"), [("refs", "shop/main.py:"), ("def", "shop/cart.py:4:"), ("outline", "shop/cart.py:")]
)
def test_a_line_of_a_file_means_what_is_there(verb, first, capsys):
    assert lines_of(capsys, verb, "shop/cart.py:4")[0].startswith(first)


def test_a_line_beyond_the_end_says_how_long_the_file_is(capsys):
    assert main(["refs", "shop/cart.py:9999"]) == 1
    assert re.match(r"shop/cart\.py has \d+ lines", capsys.readouterr().err)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if not verb.arguments[0].endswith("?")], ids=lambda v: v.name)
def test_an_empty_argument_is_a_usage_error(verb, capsys):
    required = [argument for argument in verb.arguments if not argument.endswith("?")]
    assert main([verb.name, *(" " for _ in required)]) == 2
    assert "is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["reffs", "Cart"], "did you mean refs"),
        (["mcp"], "did you mean serve?"),
        (["locate", "Cart"], "it is a tool: avionics run locate"),
        (["refs", "Cart", "--cuont"], "--count"),
        (["refs", "Cart", "--scope", "shop"], "hint: avionics refs SYMBOL [SCOPE]"),
        (["who uses Cart?"], "ask it: avionics ask 'who uses Cart?'"),
        (["zzzzzz"], "avionics --help lists the commands"),
    ],
)
def test_a_misspelt_word_brings_the_right_one(arguments, hint, capsys):
    assert main(arguments) == 2
    assert hint in capsys.readouterr().err


def test_the_value_of_run_is_the_first_parameter(capsys):
    assert main(["run", "locate", "Cart", "--json"]) == 0
    short = json.loads(capsys.readouterr().out)
    main(["run", "locate", "--param", "symbol=Cart", "--json"])
    long = json.loads(capsys.readouterr().out)
    assert short["data"]["matches"] == long["data"]["matches"] != []


def test_two_revisions_are_one_argument_or_two(capsys):
    for verb in ("diff", "check", "review"):
        assert lines_of(capsys, verb, "HEAD~1..HEAD") == lines_of(capsys, verb, "HEAD~1", "HEAD") != []


def test_the_words_of_a_search_need_no_quotes_and_may_be_followed_by_a_path(capsys):
    assert lines_of(capsys, "search", "total", "price") == lines_of(capsys, "search", "total price") != []
    within = lines_of(capsys, "search", "total", "price", "tests")
    assert within == lines_of(capsys, "search", "total price", "--path", "tests")
    assert within != lines_of(capsys, "search", "total price")


def test_the_next_command_can_be_pasted(shop, capsys):
    odd = shop / "it's odd.py"
    odd.write_text("from shop.cart import Cart\n")
    main(["importers", "shop/cart.py"])
    main(["run", "locate", "shop/cart.py", "--budget", "20"])
    said = [line.removeprefix("next: ") for line in "".join(capsys.readouterr()).splitlines() if "next: " in line]
    for command in said:
        words = shlex.split(command, comments=True)
        assert words[0] == "avionics"
        assert main(words[1:]) == 0


def on_terminal(root, *arguments, **environment):
    """Run a command on a terminal of 100 columns, and return what it writes."""
    above, below = pty.openpty()
    given = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100", "LINES": "50", **environment}
    given.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
    with subprocess.Popen(
        [sys.executable, "-m", "avionics", *arguments], cwd=root, env=given, stdin=below, stdout=below, stderr=below
    ):
        os.close(below)
        written = b""
        while chunk := _read(above):
            written += chunk
    os.close(above)
    return written.decode().replace("\r\n", "\n")


def _read(descriptor):
    try:
        return os.read(descriptor, 65_536)
    except OSError:
        return b""


def test_on_a_terminal_results_are_grouped_by_file(shop):
    written = on_terminal(shop, "refs", "Cart.total", "--color", "never")
    assert "\x1b" not in written
    assert "\nshop/main.py\n  5  call in main  return Cart().total()\n\ntests/test_cart.py\n" in written
    assert written.startswith("Cart.total (method, shop/cart.py:7): 2 usages")


def test_a_terminal_lists_possible_results_where_there_are_no_others(shop, capsys):
    (shop / "shop" / "late.py").write_text(
        "class Late:\n    def arrive(self): ...\n\n\ndef run(it):\n    it.arrive()\n"
    )
    written = on_terminal(shop, "callers", "Late.arrive", "--color", "never")
    assert "0 confirmed, 1 possible" in written
    assert "shop/late.py\n  6  " in written
    assert "--all" not in written
    main(["callers", "Late.arrive"])
    assert capsys.readouterr().out == ""


def test_a_path_on_a_terminal_has_its_title_its_start_and_its_steps_in_lines_of_their_own(tmp_path):
    long = "value = " + " + ".join(f"number_{at}" for at in range(9))
    (tmp_path / "app.py").write_text(f"def main():\n    run({long})\n\n\ndef run(value): ...\n")
    lines = on_terminal(tmp_path, "path", "main", "run", "--color", "never").replace("\r", "").split("\n")
    at = lines.index("path 1: 1 step")
    assert lines[at + 1] == "  main (app.py:1)"
    assert lines[at + 2].startswith("  app.py:2  calls run (app.py:5) | run(value = number_0")
    assert lines[at + 3].startswith("      ")


def test_a_terminal_has_colours_and_links_unless_they_are_unwanted(shop):
    written = on_terminal(shop, "refs", "Cart.total", EDITOR="code -w")
    assert "\x1b[35mshop/main.py\x1b[0m" in written
    assert f"\x1b]8;;vscode://file{shop}/shop/main.py:5\x1b\\" in written
    assert "\x1b" not in on_terminal(shop, "refs", "Cart.total", NO_COLOR="1")
    assert "\x1b" not in on_terminal(shop, "refs", "Cart.total", TERM="dumb")


def test_a_pager_shows_what_does_not_fit(shop):
    written = on_terminal(shop, "outline", "shop/cart.py", LINES="4", PAGER="sed s/^/paged:/", EDITOR="")
    assert written.startswith("paged:")
    assert "paged:" not in on_terminal(shop, "outline", "shop/cart.py", PAGER="sed s/^/paged:/")


def test_text_of_a_repository_controls_no_terminal(shop):
    (shop / "shop" / "evil.py").write_text("from shop.cart import Cart\nCart().total()  # \x1b]8;;http://evil\x1b\\\n")
    written = on_terminal(shop, "refs", "Cart.total")
    assert "\x1b]8;;http" not in written
    assert "\\u{1b}]8;;http://evil" in written


@pytest.mark.parametrize(
    ("terminal", "link"),
    [
        (TerminalSettings(editor="/usr/bin/code --wait"), "vscode://file{path}:{line}"),
        (TerminalSettings(program="vscode", editor="vim"), "vscode://file{path}:{line}"),
        (TerminalSettings(editor="vim"), "file://{path}"),
        (TerminalSettings(link="x://{path}"), "x://{path}"),
        (TerminalSettings(link="none", editor="code"), ""),
    ],
)
def test_links_lead_to_the_editor(terminal, link):
    assert get_editor_link(terminal) == link


def test_a_step_with_several_lines_names_the_others_after_its_place(tmp_path, capsys):
    (tmp_path / "app.py").write_text("def main():\n    save()\n    save()\n\n\ndef save(): ...\n")
    assert main(["path", "main", "save", "--repo", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("app.py:2:(also 3) calls save (app.py:6)")


def test_a_group_without_a_command_prints_its_help(capsys):
    assert main(["contract"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("Usage: avionics contract")


def test_the_next_call_has_the_verb_in_use(shop, capsys):
    Path("shop/one.py").write_text("def load():\n    return 1\n\n\ndef first():\n    return load()\n", "utf-8")
    Path("shop/two.py").write_text("def load():\n    return 2\n", "utf-8")
    assert main(["callers", "load"]) == 0
    assert "next: avionics callers load --file shop/two.py" in capsys.readouterr().err
