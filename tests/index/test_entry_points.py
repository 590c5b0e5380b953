"""Entry points are found wherever code or configuration declares them, and only there."""

from __future__ import annotations

from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.entrypoints.matching import find_routes
from avionics.model.enums import EntryKind

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n\n[project.scripts]\nshop = "shop.cli:main"\n\n'
    '[tool.poetry.scripts]\nshop-admin = {callable = "shop.cli:admin"}\n',
    "legacy/setup.cfg": "[options.entry_points]\nconsole_scripts =\n    old = shop.cli:main\nother =\n    no = a:b\n",
    "legacy/setup.py": "setup(entry_points={'console_scripts': ['older = shop.cli:main'], 'x': ['no=a:b']})\n",
    "shop/__init__.py": "",
    "shop/__main__.py": "from shop.cli import main\n\nmain()\n",
    "shop/cli.py": (
        "import click\nfrom click import command\n\n\ndef main():\n    pass\n\n\ndef admin():\n    pass\n\n\n"
        '@click.group()\n@click.option("--x")\ndef shop_group():\n    pass\n\n\n'
        '@shop_group.command("sell")\ndef sell_it():\n    pass\n\n\n@command\ndef buy_all():\n    pass\n\n\n'
        'if __name__ == "__main__":\n    main()\n'
    ),
    "shop/web.py": (
        "from flask import Flask\nfrom shop.views import Basket\n\napp = Flask(__name__)\n\n\n"
        '@app.route("/login", methods=["GET", "POST"])\ndef login():\n    """@app.get("/docs")"""\n\n\n'
        '@app.get("/item/<int:id>")\ndef item(id):\n    pass\n\n\n'
        '@app.get("cache-key")\ndef no_route():\n    pass\n\n\n'
        'app.add_url_rule("/basket", view_func=Basket.as_view("basket"))\n'
    ),
    "shop/views.py": "class Basket:\n    def get(self):\n        pass\n",
    "shop/urls.py": (
        "from django.urls import include, path\nfrom shop import views\n\nurlpatterns = [\n"
        '    path("basket/<int:id>/", require(views.Basket.as_view())),\n    path("shop/", include("shop.more")),\n]\n'
    ),
    "shop/tasks.py": "from celery import shared_task\n\n\n@shared_task(bind=True)\ndef count(self):\n    pass\n",
    "shop/argued.py": (
        "def sweep(args):\n    pass\n\n\ndef build(commands):\n"
        '    one = commands.add_parser("sweep", help="clean")\n    one.set_defaults(run=sweep)\n'
        '    commands.add_parser("idle")\n'
    ),
    "shop/management/commands/refill.py": ("from shop.base import Base\n\n\nclass Command(Base):\n    pass\n"),
    "shop/base.py": "class Base:\n    def handle(self):\n        self.fill()\n",
    "tests/test_web.py": '@app.route("/login")\ndef fake():\n    pass\n\n\ndef test_login():\n    pass\n',
}


def described(entry):
    runs = entry.definition
    return (entry.kind, entry.name, f"{entry.file}:{entry.line}", runs and f"{runs.file}:{runs.line}")


def test_every_declared_entry_point_is_found_with_what_it_runs(workspace):
    opened = workspace(FILES)
    assert [described(entry) for entry in find_entry_points(opened.code)] == [
        (EntryKind.SCRIPT, "old", "legacy/setup.cfg:3", "shop/cli.py:5"),
        (EntryKind.SCRIPT, "shop", "pyproject.toml:5", "shop/cli.py:5"),
        (EntryKind.SCRIPT, "shop-admin", "pyproject.toml:8", "shop/cli.py:9"),
        (EntryKind.MODULE, "python -m shop", "shop/__main__.py:3", "shop/__main__.py:1"),
        (EntryKind.COMMAND, "sweep", "shop/argued.py:6", "shop/argued.py:1"),
        (EntryKind.COMMAND, "idle", "shop/argued.py:8", None),
        (EntryKind.COMMAND, "shop", "shop/cli.py:13", "shop/cli.py:15"),
        (EntryKind.COMMAND, "sell", "shop/cli.py:19", "shop/cli.py:20"),
        (EntryKind.COMMAND, "buy-all", "shop/cli.py:24", "shop/cli.py:25"),
        (EntryKind.COMMAND, "refill", "shop/management/commands/refill.py:4", "shop/base.py:2"),
        (EntryKind.ROUTE, "/basket/<int:id>/", "shop/urls.py:5", "shop/views.py:1"),
        (EntryKind.ROUTE, "/login", "shop/web.py:7", "shop/web.py:8"),
        (EntryKind.ROUTE, "/item/<int:id>", "shop/web.py:12", "shop/web.py:13"),
        (EntryKind.ROUTE, "/basket", "shop/web.py:22", "shop/views.py:1"),
        (EntryKind.TASK, "count", "shop/tasks.py:4", "shop/tasks.py:5"),
        (EntryKind.GUARD, "shop/cli.py", "shop/cli.py:29", "shop/cli.py:29"),
        (EntryKind.SCRIPT, "older", "legacy/setup.py:1", "shop/cli.py:5"),
        (EntryKind.ROUTE, "/login", "tests/test_web.py:1", "tests/test_web.py:2"),
    ]


def test_a_scope_keeps_what_is_declared_or_defined_there(workspace):
    opened = workspace(FILES)
    names = [entry.name for entry in find_entry_points(opened.code, "shop/views.py")]
    assert names == ["/basket/<int:id>/", "/basket"]


def test_files_that_setuptools_installs_as_commands_are_scripts(workspace):
    project = '[tool.setuptools]\nscript-files = [\n  "tools/dump.py",\n  "bin/run.sh",\n  3,\n]\n'
    opened = workspace({"pyproject.toml": project, "tools/dump.py": "print(1)\n", "bin/run.sh": "echo\n"})
    found = [(each.kind, each.name, f"{each.file}:{each.line}", each.definition.file)
             for each in find_entry_points(opened.code)]  # fmt: skip
    assert found == [(EntryKind.SCRIPT, "dump", "pyproject.toml:3", "tools/dump.py")]


def test_broken_configuration_declares_nothing(workspace):
    opened = workspace({"pyproject.toml": "[project.scripts\nx=", "setup.cfg": "[options", "a.py": "x = 1\n"})
    assert find_entry_points(opened.code) == ()


def test_a_path_finds_its_route_exactly_then_by_pattern_then_by_ending(workspace):
    opened = workspace(FILES)
    points = find_entry_points(opened.code, "shop")
    found = {
        asked: [f"{each.file}:{each.line}" for each in find_routes(points, asked)]
        for asked in ("/login", "POST /login", "DELETE /login", "/item/7", "/item/7/8", "/auth/login/", "login", "/")
    }
    assert found == {
        "/login": ["shop/web.py:7"],
        "POST /login": ["shop/web.py:7"],
        "DELETE /login": [],
        "/item/7": ["shop/web.py:12"],
        "/item/7/8": [],
        "/auth/login/": ["shop/web.py:7"],
        "login": [],
        "/": [],
    }


def test_a_program_is_called_like_its_first_file_or_what_holds_that(workspace):
    main = "int main(void) { return 0; }\n"
    opened = workspace(
        {
            "tools/dump.c": main,
            "server/src/main.c": main,
            "Main.java": "class Main { public static void main(String[] a) {} }\n",
        }
    )
    names = {entry.file: entry.name for entry in find_entry_points(opened.code)}
    assert names == {"tools/dump.c": "dump", "server/src/main.c": "server", "Main.java": "Main"}


def test_routes_that_are_far_apart_in_a_large_file_are_each_found_once(workspace):
    rows = [f'    ("POST", "/item/{number}", item),\n    # {"filler " * (number % 2) * 900}\n' for number in range(6)]
    opened = workspace({"web.py": f"def item():\n    pass\n\n\nROUTES = [\n{''.join(rows)}]\n"})
    assert [entry.name for entry in find_entry_points(opened.code)] == [f"/item/{number}" for number in range(6)]


def test_an_edit_is_seen_by_the_next_question(workspace):
    opened = workspace({"web.py": '@app.get("/old")\ndef item():\n    pass\n'})
    assert [entry.name for entry in find_entry_points(opened.code)] == ["/old"]
    (opened.root / "web.py").write_text('@app.get("/new")\ndef item():\n    pass\n')
    assert [entry.name for entry in find_entry_points(opened.code)] == ["/new"]
