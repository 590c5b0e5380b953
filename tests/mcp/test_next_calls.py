"""Every call that an answer suggests can be made as it stands, through the interface that suggested it."""

from __future__ import annotations

import json
import re
import shlex

import jsonschema
import pytest
from mcp import Client

from avionics.cli.main import main
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_service
from avionics.tools import PROFILES
from tests.mcp.conftest import connected_to
from tests.timing import PATIENCE_SECONDS

CLASSES = 12

FILES = {
    "shop/__init__.py": "from .parts import Part0\n",
    "shop/parts.py": "".join(
        f'class Part{number}:\n    """Part {number} of a machine."""\n\n    def price(self, count):\n'
        + "".join(f"        total_{line} = count * {line}\n" for line in range(30))
        + f"        return self.weigh(total_{number})\n\n    def weigh(self, total):\n        return total\n\n\n"
        for number in range(CLASSES)
    ),
    "shop/desk.py": "from shop.parts import Part0, Part1\n\n\ndef sell():\n"
    + "".join(f"    Part{number % 2}().price({number})\n" for number in range(40)),
    "shop/web.py": "import flask\n\nfrom shop.desk import sell\n\napp = flask.Flask('shop')\n\n\n@app.route('/sell')\n"
    "def sell_page():\n    return sell()\n\n\nif __name__ == '__main__':\n    sell()\n",
    "shop/o'clock dir/naïve.py": "def tick():\n    return 1\n",
    "tests/test_desk.py": "from shop.desk import sell\n\n\ndef test_sell():\n    sell()\n",
    "notes.txt": "price list\n" * 50,
}

SUBJECTS = ["price", "Part0.price", "Part3", "sell", "weigh", "tick", "flask", "shop.parts", "Nothing", "naïve"]
PATHS = ["shop", "shop/parts.py", "shop/o'clock dir/naïve.py", ".", "notes.txt"]


def questions(profile):
    """Yield many questions, most of them with a budget that their answer does not fit."""
    for budget in (60, 400):
        given = {"budget": budget}
        for subject in SUBJECTS:
            if profile == "exposed":
                yield "analyze", {"query": f"how does {subject} work in the shop?", **given}
                yield "locate", {"symbol": subject, **given}
                yield "find_related", {"reference": subject, **given}
                yield "trace_entry_point", {"entry": subject, **given}
            yield "explore_symbol_usage", {"symbol": subject, **given}
        for path in PATHS:
            yield "read_code", {"path": path, **given}
            yield "explain_code_history", {"path": path, "limit": 1, **given}
            yield "read_code", {"path": path, "rev": "HEAD", **given}
            if profile == "exposed":
                yield "map_module", {"path": path, **given}
        if profile == "exposed":
            yield "list_tools", given
            yield "git_status", given
            yield "trace_entry_point", {"entry": "list", "rev": "HEAD", **given}
            yield "locate", {"symbol": "words that are nowhere in it", **given}
            yield "analyze", {"query": "price " * 200, **given}


def suggested(text):
    """Return the lines that suggest a call."""
    return re.findall(r"^next: (.*)$", text, flags=re.MULTILINE)


@pytest.fixture
def machine(git_repository):
    """A repository with a history of two commits."""
    repository = git_repository(FILES)
    repository.commit("sell at other prices", {"shop/desk.py": FILES["shop/desk.py"] + "\n\ndef rent():\n    sell()\n"})
    return repository.root


@pytest.mark.parametrize(("profile", "names"), [("exposed", ("machine",)), ("review", ("machine", "second"))])
def test_what_a_server_suggests_is_a_valid_call_of_that_server(
    profile, names, machine, git_repository, settings, run, tmp_path
):
    second = git_repository({"a.py": "a = 1\n"}, "second").root
    repositories = Repositories.open([machine, second][: len(names)], settings)
    service = build_service(repositories, settings, ServerOptions(PROFILES[profile]))
    chosen = {} if len(names) == 1 else {"repo": repositories.names[0]}

    async def ask_all():
        answers, made = [], set()
        async with Client(connected_to(service)) as client:
            listed = (await client.list_tools()).tools
            schemas = {tool.name: jsonschema.Draft202012Validator(tool.input_schema) for tool in listed}
            for tool, arguments in questions(profile):
                result = await client.call_tool(tool, {**arguments, **chosen})
                answers.append(result.content[0].text)
                for line in suggested(result.content[0].text):
                    if line in made and "rev" not in arguments:
                        continue
                    made.add(line)
                    name, _, rest = line.partition(" ")
                    given, end = json.JSONDecoder().raw_decode(rest)
                    assert re.match(r" \w", rest[end:]), line
                    schemas[name].validate(given)
                    if "rev" in arguments:
                        assert given["rev"] == arguments["rev"], line
                    following = await client.call_tool(name, given)
                    assert not following.is_error, (line, following.content[0].text)
        return answers

    answers = run(ask_all())
    assert len(answers) > (140 if profile == "exposed" else 45)
    assert sum(map(len, map(suggested, answers))) > len(answers) // 4
    assert repositories.close(PATIENCE_SECONDS)


def test_what_the_command_line_suggests_is_a_command(machine, settings, capsys, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(settings.cache_directory))
    seen = 0
    for tool, arguments in questions("exposed"):
        if arguments.get("budget") != 60:
            continue
        rest = dict(arguments)
        words = ["--budget", str(rest.pop("budget"))]
        words += ["--rev", rest.pop("rev")] if "rev" in rest else []
        words += [word for name, value in rest.items() for word in ("--param", f"{name}={value}")]
        main(["run", tool, *words, "--repo", str(machine)])
        for line in suggested(capsys.readouterr().out):
            command = shlex.split(line)
            end = command.index("--repo") + 2
            assert command[:2] in (["avionics", "run"], ["avionics", "ask"])
            assert main(command[1:end]) in {0, 1}, line
            capsys.readouterr()
            seen += 1
    assert seen > 20
