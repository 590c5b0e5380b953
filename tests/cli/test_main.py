"""The command line as programs and people meet it: output, errors, exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from avionics.cli.main import main
from avionics.cli.shell.group import MODULES
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "shop/cart.py": (
        '"""Carts."""\n\n\nclass Cart:\n    """What a customer wants."""\n\n    def total(self, rate: int) -> int:\n'
        "        return rate\n"
    ),
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().total(2)\n",
    "README.md": "# Shop\n",
}


@pytest.fixture
def shop(enter):
    """A small repository, the current directory, with a cache of its own."""
    return enter(FILES)


@pytest.fixture
def json_of(capsys):
    """Runs a command line and gives its exit code and its one JSON document."""

    def run(*arguments):
        code = main(arguments)
        printed = capsys.readouterr()
        assert printed.err == ""
        assert printed.out.count("\n") == 1
        return code, json.loads(printed.out)

    return run


def process(*arguments, **options):
    """A process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "avionics.cli", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE_SECONDS, **options,
    )  # fmt: skip


def run_code(code):
    """A Python process that runs code with the package of this checkout."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_package_itself_can_be_run(shop):
    done = subprocess.run(
        [sys.executable, "-m", "avionics", "run", "locate", "--param", "symbol=Cart"],
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, b"shop/cart.py:4" in done.stdout) == (0, True)


def test_a_tool_answers_with_places(shop, capsys):
    assert main(["run", "locate", "--param", "symbol=Cart"]) == 0
    printed = capsys.readouterr()
    assert "shop/cart.py:4" in printed.out
    assert "\x1b" not in printed.out
    assert printed.err == ""


def test_json_is_the_documented_result(shop, json_of):
    code, document = json_of("run", "locate", "--param", "symbol=Cart", "--json")
    assert code == 0
    assert sorted(document) == ["data", "execution_time_ms", "status"]
    assert document["status"] == "success"


def test_a_question_is_answered(shop, capsys):
    assert main(["ask", "Cart"]) == 0
    assert "shop/cart.py:4" in capsys.readouterr().out


def test_another_directory_is_asked_about_with_repo(shop, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "locate", "-p", "symbol=Cart", "--repo", str(shop)]) == 0
    assert "shop/cart.py:4" in capsys.readouterr().out


def test_the_directory_may_be_named_before_the_command(shop, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["--repo", str(shop), "run", "locate", "Cart"]) == 0
    assert main([f"--repo={shop}", "def", "Cart"]) == 0
    assert capsys.readouterr().out.count("shop/cart.py:4") >= 2


def test_another_option_before_the_command_is_told_to_follow_it(shop, capsys):
    assert main(["--limit", "3", "refs", "Cart"]) == 2
    assert "there is no option --limit before a command\nhint: options follow the command" in capsys.readouterr().err


def test_values_have_the_types_the_tool_declares(shop, json_of):
    code, document = json_of(
        "run", "read_file", "-p", "path=shop/cart.py", "-p", "start_line=4", "-p", "end_line=4", "--json"
    )
    assert code == 0
    assert "class Cart:" in json.dumps(document["data"])


def test_nothing_found_is_exit_code_one(shop, json_of):
    code, document = json_of("run", "locate", "--param", "symbol=Nonesuch123", "--json")
    assert (code, document["status"]) == (1, "not_found")


def test_an_unknown_tool_is_refused_with_the_nearest_name(shop, capsys):
    assert main(["run", "locat"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: there is no tool 'locat'\nhint: did you mean locate")


def test_every_fault_of_the_parameters_is_named_at_once(shop, json_of, capsys):
    wrong = ["run", "read_file", "-p", "start_line=first", "-p", "nope=1"]
    code, document = json_of(*wrong, "--json")
    assert (code, document["error_type"]) == (2, "validation_error")
    assert [fault.split(":")[0] for fault in document["validation_errors"]] == ["path", "start_line", "nope"]
    assert main(wrong) == 2
    assert all(f"  {fault}" in capsys.readouterr().err for fault in document["validation_errors"][:1])


def test_a_parameter_without_a_value_is_refused_with_the_fix(shop, capsys, json_of):
    assert main(["run", "locate", "--param", "symbol"]) == 2
    assert capsys.readouterr().err == "error: --param 'symbol' is not KEY=VALUE\nhint: write --param symbol=VALUE\n"
    code, document = json_of("run", "locate", "--param", "symbol", "--json")
    assert (code, document["error_type"]) == (2, "usage_error")


def test_a_path_outside_the_directory_is_refused(shop, json_of):
    code, document = json_of("run", "read_file", "-p", "path=../outside.py", "--json")
    assert (code, document["error_type"]) == (2, "outside_workspace")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["nonesuch"],
        ["run", "locate", "--nonesuch"],
        ["run", "locate", "--repo", "nowhere"],
        ["run", "locate", "--budget", "many"],
        ["run", "locate", "--timeout", "0"],
        ["ask"],
        ["prompt", "--profile", "nonesuch"],
    ],
)
def test_a_command_line_that_means_nothing_is_exit_code_two(shop, arguments, capsys, json_of):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    if arguments[0] in {"run", "ask"}:
        code, document = json_of(*arguments, "--json")
        assert (code, document["error_type"]) == (2, "usage_error")


def test_a_deadline_is_exit_code_three_and_ends_the_process(shop):
    done = process("run", "explore_symbol_usage", "-p", "symbol=Cart", "--timeout", "0.000001", "--json", cwd=shop,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
    assert done.returncode == 3
    assert json.loads(done.stdout)["error_type"] == "deadline"


def test_the_budget_bounds_text_and_json(shop, capsys):
    for number in range(60):
        (shop / f"use{number}.py").write_text(f"from shop.cart import Cart\n\nvalue{number} = Cart()\n")
    main(["run", "explore_symbol_usage", "-p", "symbol=Cart", "--json"])
    whole = capsys.readouterr().out
    main(["run", "explore_symbol_usage", "-p", "symbol=Cart", "--json", "--budget", "300"])
    cut = capsys.readouterr().out
    main(["run", "explore_symbol_usage", "-p", "symbol=Cart", "--budget", "300"])
    text = capsys.readouterr().out
    assert len(json.loads(whole)["data"]["usages"]) > len(json.loads(cut)["data"]["usages"])
    assert len(text) < 300 * 4


def test_every_command_has_help_with_an_example(capsys):
    for name in MODULES:
        assert main([name, "--help"]) == 0
        assert f"  avionics {name}" in capsys.readouterr().out
    assert main(["--help"]) == 0
    assert "Exit codes" in capsys.readouterr().out
    assert main([]) == 0
    assert "Exit codes" in capsys.readouterr().out


def test_the_version_is_told_without_loading_anything_heavy():
    code = (
        "import sys\nfrom avionics.cli.main import main\ncode = main(['--version'])\n"
        "heavy = {'asyncio', 'attrs', 'avionics.tools', 'avionics.workspace', 'git', 'importlib.metadata', 'pathspec',"
        " 'avionics.model', 'protocols', 'rich', 'sqlite3', 'subprocess', 'tree_sitter'} & set(sys.modules)\n"
        "sys.exit(f'loaded {sorted(heavy)}' if heavy else code)"
    )
    done = run_code(code)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("avionics ")


_FOREIGN = {"msgspec", "tree_sitter"}
_PACKAGES = {
    "locate": "bounded_cache cancellation cli index.code_index index.facts index.model.cached_method"
    " index.model.compiler_facts index.model.file_roles index.model.values index.modules.import_resolver"
    " index.modules.protocol"
    " index.scopes.symbol_lookup late_pattern model pinned_index process_end quick_imports"
    " settings source store syntax.conventions syntax.engine.free_names syntax.engine.words"
    " syntax.extract syntax.languages syntax.registry syntax.testing tools.answers"
    " tools.batch tools.catalog tools.composite"
    " tools.declare tools.execution tools.executor tools.executor_core tools.guards tools.ids tools.log tools.pipeline"
    " tools.registries tools.resolution tools.revisions tools.schema tools.secrets workspace",
    "refs": "index.analysis index.model index.modules index.references index.scopes index.types syntax.engine"
    " syntax.spec syntax.type_forms syntax.manifests tools.internal",
    "ask": "agents index.inventory.purpose index.search tools.questions tools.unified",
    "serve": "mcp.answers mcp.calls mcp.features mcp.logs mcp.projection mcp.protocol mcp.repositories"
    " mcp.server mcp.serving posix mcp.transports.stdio mcp.warmup_answers source.watch standard_streams"
    " tools.observers.telemetry",
    "check": "history index.changes index.contract index.entrypoints index.verdicts own_process sandbox scratch"
    " syntax.rules syntax.import_texts syntax.argument_texts syntax.call_sites syntax.conversions syntax.entry_points",
}
"""What each command may import of avionics; each may import what those above it may."""
_OTHER_QUESTIONS = ("message", "module", "option", "path", "revision", "test")
"""Parts of the package that answers questions which a question about a symbol does not need."""


def _commit(root):
    for line in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *line], cwd=root, check=True)


_ASKED = "".join(
    json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    for message in (
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                     "clientInfo": {"name": "test", "version": "1"}}},
        {"id": 2, "method": "tools/call", "params": {"name": "locate", "arguments": {"symbol": "Cart"}}},
    )
)  # fmt: skip
"""What a client of `serve` sends; the other commands do not read it."""


def test_what_stands_in_for_a_module_at_the_start_leads_to_the_module():
    code = (
        "from avionics.quick_imports import import_msgspec, import_pathlib\nimport_pathlib()\nimport_msgspec()\n"
        "import decimal, msgspec, textwrap, urllib.parse, uuid\n"
        "print(urllib.parse.urlsplit('http://[::1]:80/').hostname, msgspec.inspect.type_info(bool),"
        " textwrap.dedent(' a'), msgspec.json.encode([decimal.Decimal('1.5'), uuid.UUID(int=1)]).decode())"
    )
    done = run_code(code)
    assert done.stdout == '::1 BoolType() a ["1.5","00000000-0000-0000-0000-000000000001"]\n'


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("locate", ["run", "locate", "--param", "symbol=Cart"]),
        ("refs", ["run", "explore_symbol_usage", "--param", "symbol=Cart"]),
        ("ask", ["ask", "who uses Cart?"]),
        ("serve", ["serve"]),
        ("check", ["check", "--fail-on", "never"]),
    ],
)
def test_a_command_imports_only_what_it_runs(shop, command, arguments):
    if command == "check":
        _commit(shop)
        (shop / "shop/cart.py").write_text(FILES["shop/cart.py"].replace("rate: int", "rate: int, net: int"))
    code = (
        "import json, sys\nbefore = set(sys.modules)  # What the environment itself imports at every start.\n"
        "from avionics.quick_imports import import_pathlib\nimport_pathlib()\n"
        "from avionics.cli.main import main\ncode = main(sys.argv[1:])\n"
        "new = {n: m for n, m in sys.modules.items() if n not in before}\n"
        "print(json.dumps([code, {n: getattr(m, '__file__', None) or '' for n, m in new.items()}]))"
    )
    for _ in range(2):  # The first call indexes.
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=shop, env={**os.environ, "PYTHONPATH": str(ROOT)},
            input=_ASKED, capture_output=True, text=True, check=True,
        )  # fmt: skip
    exit_code, modules = json.loads(done.stdout.splitlines()[-1])
    assert exit_code == 0
    foreign = {name.partition(".")[0] for name, file in modules.items() if "site-packages" in file}
    more = {"serve": {"click", "typing_extensions"}, "check": {"tree_sitter_python"}}
    assert foreign <= _FOREIGN | more.get(command, set())
    assert command in {"serve", "check"} or "logging" not in modules
    assert command == "serve" or not {"asyncio", "ssl"} & set(modules)
    names = list(_PACKAGES)
    allowed = " ".join(_PACKAGES[name] for name in names[: names.index(command) + 1]).split()
    ours = {name.removeprefix("avionics.") for name in modules if name.startswith("avionics.")}
    parents = {each.rpartition(".")[0] for each in ours}
    others = {
        each for each in ours - parents if not any(each == name or each.startswith(f"{name}.") for name in allowed)
    }
    assert others == set()
    assert command in {"serve", "check"} or {"json", "tempfile", "tomllib", "zipfile"}.isdisjoint(modules)
    assert command != "ask" or {"agents.planner", "tools.questions.known_ends"}.isdisjoint(ours)
    assert command != "ask" or {f"tools.unified.{name}_sections" for name in _OTHER_QUESTIONS}.isdisjoint(ours)
    assert command == "serve" or {"avionics.cli.options", "gettext"}.isdisjoint(modules)
    assert command in {"serve", "check"} or "locale" not in modules
    unneeded = {"ipaddress", "msgspec.inspect", "textwrap"}
    assert command in {"serve", "check"} or unneeded.isdisjoint(modules)
    assert command != "locate" or {"ctypes", "platformdirs", "shutil", "tempfile", "tree_sitter"}.isdisjoint(modules)


@pytest.mark.parametrize(
    "line",
    [
        ["run", "locate", "Cart"],
        ["run", "locate", "--param", "symbol=Cart", "--json"],
        ["run", "--json", "locate", "-p", "symbol=Cart", "--budget=0", "--timeout", "20.5"],
        ["run", "-p", "scope=shop", "locate", "Cart", "--repo", ".", "--repo=."],
        ["run", "locate", "Cart", "--rev", "HEAD", "--no-ignore"],
        ["run", "locate", "nothing_has_this_name", "--json"],
        ["run", "locate"],
        ["run", "no_such_tool", "--json"],
        ["ask", "Cart", "--explain", "--budget", "300"],
        ["ask", "where", "is", "Cart.total"],
        ["check"],
        ["check", "HEAD"],
        ["check", "HEAD", "HEAD", "--format=sarif", "--fail-on", "warning"],
        ["check", "HEAD..HEAD", "--json", "--notes", "--repo", "."],
        ["check", "--staged", "--format", "github"],
        ["check", "--staged", "HEAD..HEAD"],
        ["check", "no-such-revision", "--json"],
    ],
)
def test_a_line_that_is_read_without_click_says_the_same_to_click(shop, line, monkeypatch, capsys):
    from avionics.cli.input.command_line import read_plain
    from avionics.cli.shell.group import run_with_click

    monkeypatch.chdir(shop)
    _commit(shop)
    assert read_plain(line) is not None
    codes, printed = [], []
    for run in (main, run_with_click):
        codes.append(run(line))
        printed.append([re.sub(r'(ms|milliseconds)": \d+|[\d.]+ ms', "", each) for each in capsys.readouterr()])
    assert codes[0] == codes[1]
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    "line",
    [
        [], ["def", "Cart"], ["run"], ["run", "--help"], ["run", "locate", "Cart", "more"], ["run", "locate", ""],
        ["run", "locate", "--json=1"], ["run", "locate", "-psymbol=Cart"], ["run", "locate", "--param"],
        ["run", "locate", "--", "--x"], ["run", "locate", "-"], ["run", "locate", "--rev", "--json"],
        ["run", "locate", "--budget", "-1"], ["run", "locate", "--budget", "1_0"], ["run", "locate", "--timeout", "0"],
        ["run", "locate", "--timeout", "nan"], ["run", "locate", "--repo", "nowhere"], ["run", "locate", "--js"],
        ["ask"], ["ask", "x", "--model", "m"], ["ask", "x", "-p", "a=b"], ["--repo", ".", "ask", "x"],
        ["check", "a", "b", "c"], ["check", ""], ["check", "--fail-on", "info"], ["check", "--format"],
        ["check", "--staged=1"], ["check", "--write-baseline"], ["check", "--baseline", "b.json"],
    ],
)  # fmt: skip
def test_click_reads_what_is_not_plain(shop, line, monkeypatch):
    from avionics.cli.input.command_line import read_plain

    monkeypatch.chdir(shop)
    assert read_plain(line) is None


def test_a_process_for_one_answer_keeps_what_it_reads_of_more_files_than_a_server(shop):
    from avionics.cli.output.session import open_workspace, read_settings

    settings = read_settings()
    with open_workspace(shop, settings) as workspace:
        assert workspace.settings.max_kept_bytes > 2 * settings.max_kept_bytes


def test_a_reader_that_leaves_early_hears_no_complaint(shop):
    command = [sys.executable, "-m", "avionics.cli", "docs"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_a_bug_is_one_line_and_exit_code_three():
    code = "import sys\nfrom avionics.cli import main\nmain.run = lambda arguments: 1 / 0\nsys.exit(main.main())"
    done = run_code(code)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: avionics failed: ZeroDivisionError: division by zero\n"


def test_characters_no_terminal_has_break_nothing(shop):
    (shop / "odd.py").write_bytes(b"caf\xc3\xa9 = '\xff \x1b[31m'\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for form in ([], ["--json"]):
        done = process("run", "read_file", "-p", "path=odd.py", *form, cwd=shop, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        assert done.stdout.decode("utf-8")


def test_tools_are_listed_and_described(capsys, json_of):
    assert main(["tools"]) == 0
    assert "- locate(symbol, scope?): " in capsys.readouterr().out
    code, document = json_of("tools", "--json")
    assert code == 0
    assert document["locate"]["category"] == "composite"
    assert main(["tools", "locate"]) == 0
    assert "\n  symbol: string (required)\n" in capsys.readouterr().out


def test_an_unknown_tool_brings_the_similar_ones(capsys):
    assert main(["tools", "locat"]) == 2
    assert "did you mean locate" in capsys.readouterr().err


def test_the_prompt_is_printed_for_each_profile(capsys):
    assert main(["prompt"]) == 0
    exposed = capsys.readouterr().out
    assert exposed.startswith("Available Tools:\n\n═══ UNIFIED (primary entry point) ═══\n- analyze(query")
    assert main(["prompt", "--profile", "minimal"]) == 0
    minimal = capsys.readouterr().out
    assert [line.split("(")[0] for line in minimal.split("\n") if line.startswith("- ")] == [
        "- search_code", "- read_code", "- list_tools",
    ]  # fmt: skip
