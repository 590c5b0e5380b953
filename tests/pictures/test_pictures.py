"""Pictures: well-formed, the same twice, and every count on them is one of the index."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from avionics.cli.main import main
from avionics.index.architecture.dependencies import Dependencies, ImportKind
from avionics.index.architecture.grouping import MAX_GROUPS, build_structure
from avionics.pictures.drawing import Picture, clean, element, fit, measure
from avionics.pictures.layered import place_rows
from avionics.pictures.mermaid import MAX_NODES
from avionics.pictures.treemap_picture import squarify
from avionics.syntax.call_sites import read_conditions

SVG = "{http://www.w3.org/2000/svg}"
FILES = {
    "shop/web/views.py": "from shop.cart import basket\nfrom shop.store import rows, tables\n\n\n"
    "def view():\n    basket.add()\n",
    "shop/cart/basket.py": "from shop.store import rows\n\n\ndef add():\n    save()\n    return check()\n\n\n"
    "def save():\n    rows.put()\n\n\ndef check():\n    return rows.put\n",
    "shop/store/rows.py": "def put():\n    from shop.web import views\n    return views\n",
    "shop/store/tables.py": "",
    "tests/test_shop.py": "from shop.web import views\n",
}
HOSTILE = {
    "a<b>&\"'/x\u202e]]>.py": "import m.n\n",
    "m/n.py": 'def f():\n    """<script>alert(1)</script>"""\n',
    "m/</svg><script>.py": "import m.n\n",
    "--><!--/q.py": "import m.n\n",
}
COMMANDS = [
    ["map"],
    ["matrix"],
    ["hotspots"],
    ["changes", "HEAD"],
    ["flow", "add"],
    ["flow", "--from", "view", "--to", "put"],
]


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def draw(capsys):
    """Return what a command writes; it has to succeed."""

    def run(root, *arguments):
        # Without a format, a map is text.
        form = ["--format", "svg"] if arguments[0] == "map" and "--format" not in arguments else []
        assert main([*arguments, *form, "--repo", str(root)]) == 0
        return capsys.readouterr().out

    return run


class Page(HTMLParser):
    """The elements of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.addresses, self._inside = [], [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self._inside = tag == "script"
        self.addresses += [value for name, value in attributes if name in {"href", "src"} and value]

    def handle_data(self, data):
        if self._inside:
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "script"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_picture_is_well_formed_says_what_it_shows_and_has_light_and_dark(git_repository, draw, command):
    root = git_repository(FILES).root
    tree = ET.fromstring(draw(root, *command))
    assert tree.tag == f"{SVG}svg"
    assert tree.findtext(f"{SVG}title")
    assert tree.findtext(f"{SVG}desc")
    assert "prefers-color-scheme:dark" in tree.findtext(f"{SVG}style")
    boxes = [each for each in tree.iter(f"{SVG}g") if each.get("role") == "img"]
    assert boxes
    assert all(each.get("aria-label") == each.findtext(f"{SVG}title") for each in boxes)


@pytest.mark.parametrize("command", [*COMMANDS, ["report"]], ids=" ".join)
def test_a_picture_is_the_same_twice(git_repository, draw, command):
    root = git_repository(FILES).root
    first = draw(root, *command)
    (root / "shop/store/tables.py").write_text("", "utf-8")
    assert draw(root, *command) == first


def test_the_order_of_files_changes_nothing(workspace):
    opened = workspace(FILES)
    usual = build_structure(Dependencies(opened.code))

    class Shuffled(Dependencies):
        @property
        def files(self):
            return tuple(random.Random(3).sample(super().files, len(super().files)))

    other = build_structure(Shuffled(opened.code))
    assert (other.rows(), dict(other.groups)) == (usual.rows(), dict(usual.groups))
    assert [(x.source, x.target, x.imports) for x in other.links] == [
        (x.source, x.target, x.imports) for x in usual.links
    ]


def test_the_counts_of_a_map_are_those_of_the_imports(workspace):
    dependencies = Dependencies(workspace(FILES).code)
    structure = build_structure(dependencies)
    assert [name for row in structure.rows() for name in row] == ["tests", "shop/web", "shop/cart", "shop/store"]
    found = {(link.source, link.target): (link.imports, link.is_feedback) for link in structure.links}
    assert found == {
        ("tests", "shop/web"): (1, False),
        ("shop/web", "shop/cart"): (1, False),
        ("shop/web", "shop/store"): (2, False),
        ("shop/cart", "shop/store"): (1, False),
        ("shop/store", "shop/web"): (1, True),
    }
    arcs = sum(
        arc.imports
        for file in dependencies.files
        for arc in dependencies.arcs(file)
        if arc.kind is not ImportKind.TYPES
    )
    assert sum(link.imports for link in structure.links) == arcs


def test_a_map_leaves_out_what_others_imply_and_marks_what_runs_upwards(git_repository, draw):
    tree = ET.fromstring(draw(git_repository(FILES).root, "map"))
    arrows = {
        (a.get("data-source"), a.get("data-target")): a.get("class")
        for a in tree.iter(f"{SVG}path")
        if a.get("data-source")
    }
    assert arrows["shop/web", "shop/store"] == "arrow implied"
    assert arrows["shop/store", "shop/web"] == "arrow back"
    assert arrows["shop/web", "shop/cart"] == "arrow"


def test_large_directories_are_folded_to_thirty_boxes_and_every_file_is_in_one(workspace):
    files = {f"d{number:03}/m.py": f"import d{number - 1:03}.m\n" for number in range(1, 70)}
    files |= {f"flat/f{number:03}.c": "int x;\n" * (1 + number) for number in range(200)}
    dependencies = Dependencies(workspace(files).code)
    structure = build_structure(dependencies)
    assert len(structure.groups) <= MAX_GROUPS
    assert sorted(file for group in structure.groups.values() for file in group.files) == sorted(dependencies.files)


def test_a_large_directory_with_too_many_parts_keeps_the_largest_and_folds_the_rest(workspace):
    files = {f"crates/part{number:02}/lib.py": "x = 1\n" * (number + 1) for number in range(40)} | {
        "top/a.py": "x = 1\n"
    }
    groups = build_structure(Dependencies(workspace(files).code)).groups
    assert len(groups) == MAX_GROUPS
    assert {"top", "crates/part39", "crates/(others)"} <= set(groups)
    assert groups["crates/(others)"].patterns == tuple(f"crates/part{number:02}" for number in range(12))


@pytest.mark.parametrize("command", [["map"], ["matrix"], ["hotspots"], ["flow", "f"]], ids=" ".join)
def test_names_of_a_repository_stay_text(git_repository, draw, command):
    root = git_repository(HOSTILE).root
    tree = ET.fromstring(draw(root, *command))
    assert not list(tree.iter(f"{SVG}script"))
    page = Page(draw(root, *command, "--format", "page"))
    assert len(page.scripts) == 1
    assert "alert(1)" not in page.scripts[0]
    assert "<script>" not in draw(root, *command, "--format", "mermaid")


def test_a_report_holds_every_picture_needs_nothing_from_outside_and_says_what_it_does_not_show(git_repository, draw):
    files = {**FILES, **HOSTILE, "README.md": "x", "broken.py": "def f(:\n"}
    files["run.py"] = "def main():\n    pass\n\n\nif __name__ == '__main__':\n    main()\n"
    text = draw(git_repository(files).root, "report")
    page = Page(text)
    assert page.tags.count("svg") >= 3
    assert page.tags.count("table") >= 3
    assert not [each for each in page.addresses if re.match(r"(?i)\s*(https?:|//|javascript:|data:)", each)]
    assert "default-src 'none'" in text
    for told in (
        "Entry points of the product (1 row)",
        "in no supported language",
        "parsed only in part",
        "The same as a table",
    ):
        assert told in text


def test_links_follow_a_template_and_paths_in_them_are_quoted(git_repository, draw):
    root = git_repository({**FILES, 'shop/a"b.py': "import shop.web.views\n" * 9}).root
    text = draw(root, "hotspots", "--link", "vscode://file/x/{path}:{line}")
    addresses = [each.get("href") for each in ET.fromstring(text).iter(f"{SVG}a")]
    assert "vscode://file/x/shop/web/views.py:1" in addresses
    assert "vscode://file/x/shop/a%22b.py:1" in addresses


def test_a_flow_shows_callers_and_callees_with_their_lines(git_repository, draw):
    text = draw(git_repository(FILES).root, "flow", "add")
    told = [each.text for each in ET.fromstring(text).iter(f"{SVG}title")]
    assert "view calls add at shop/web/views.py:6" in told
    assert "add calls save at shop/cart/basket.py:5" in told


CONDITIONS = {
    "python": "def f(x, y):\n    if x > 1:\n        a()\n    elif y:\n        b()\n    else:\n        c()\n"
    "    if not y:\n        d()\n    else:\n        e()\n    while y:\n        g()\n    if h():\n        pass\n",
    "javascript": "function f(x) {\n  if (x > 1) {\n    a()\n  } else {\n    b()\n  }\n"
    "  if (x) {\n    z(() => {\n      c()\n    })\n  }\n}\n",
    "go": "package a\n\nfunc f(x int) {\n\tif x > 1 {\n\t\ta()\n\t} else {\n\t\tb()\n\t}\n\tc()\n}\n",
    "rust": "fn f(x: i32) {\n    if x > 1 {\n        a();\n    } else {\n        b();\n    }\n}\n",
    "java": "class A {\n  void f(int x) {\n    if (x > 1) {\n      a();\n    } else {\n      b();\n    }\n  }\n}\n",
    "c": "void f(int x) {\n  if (x > 1)\n    a();\n  else\n    b();\n}\n",
}


@pytest.mark.parametrize("language", CONDITIONS)
def test_a_step_has_the_plain_condition_that_decides_it(language):
    code = CONDITIONS[language]
    lines = {line.strip().rstrip(";()"): number for number, line in enumerate(code.splitlines(), 1)}
    found = read_conditions(code.encode(), language, sorted(lines.values()))
    told = {name: found[line] for name, line in lines.items() if len(name) == 1 and line in found}
    wanted = {"a": "if x > 1", "b": "unless x > 1"}
    if language == "python":
        wanted = {"a": "if x > 1", "b": "if y", "d": "if not y", "e": "unless not y"}
    assert told == wanted


def test_paths_are_proven_calls_and_their_absence_is_an_answer(git_repository, draw, capsys):
    root = git_repository(FILES).root
    lines = draw(root, "flow", "--from", "view", "--to", "put", "--format", "mermaid").splitlines()
    assert lines[0] == "flowchart LR"
    assert sorted(line.split("|")[1] for line in lines if "-->|" in line) == ['"10"', '"5"', '"6"', '"6"']
    assert [line.split("|")[1] for line in lines if "-.->|" in line] == ['"14"']
    assert main(["flow", "--from", "put", "--to", "save", "--repo", str(root)]) == 1
    assert "no proven path" in capsys.readouterr().out
    assert main(["flow", "--from", "put", "--repo", str(root)]) == 2


def test_mermaid_has_few_nodes_and_dashes_what_runs_upwards(git_repository, draw):
    lines = draw(git_repository(FILES).root, "map", "--format", "mermaid").splitlines()
    nodes = [line for line in lines if re.match(r"  n\d+\[", line)]
    assert (lines[0], len(nodes)) == ("flowchart TD", 4)
    assert len(nodes) <= MAX_NODES
    assert [line for line in lines if "-.->|1|" in line]


def test_a_change_marks_what_it_touches_and_what_imports_that(git_repository, draw):
    repository = git_repository(FILES)
    repository.commit("change", {"shop/cart/basket.py": FILES["shop/cart/basket.py"] + "x = 1\n"})
    tree = ET.fromstring(draw(repository.root, "changes", "HEAD~1..HEAD"))
    marked = {each.get("data-name"): each.get("class") for each in tree.iter(f"{SVG}g") if each.get("data-name")}
    assert marked == {"shop/cart": "box own", "shop/web": "box far", "shop/store": "box far", "tests": "box far"}


def test_hotspots_rank_size_times_commits_and_authors(git_repository, draw):
    repository = git_repository({"a.py": "x = 1\n" * 50, "b.py": "x = 1\n" * 50, "c.py": "x = 1\n" * 400})
    for number in range(2):
        repository.commit("more", {"b.py": f"x = {number}\n" * 50}, author="Bob <b@x>")
    repository.commit("one", {"a.py": "y = 1\n" * 50})
    table = draw(repository.root, "hotspots", "--format", "mermaid").splitlines()
    assert table[2:] == [
        "| 1 | c.py | 400 | 1 | 1 | Ada |",
        "| 2 | b.py | 50 | 3 | 2 | Bob |",
        "| 3 | a.py | 50 | 2 | 1 | Ada |",
    ]


def test_boxes_do_not_overlap_and_stay_within_the_picture():
    chosen = random.Random(5)
    rows = [[f"r{row}c{column}" for column in range(chosen.randint(1, 7))] for row in range(8)]
    names = [name for row in rows for name in row]
    arrows = sorted({(one, other) for one, other in (chosen.sample(names, 2) for _ in range(40))})
    layout = place_rows(rows, dict.fromkeys(names, 130.0), arrows)
    boxes = list(layout.boxes.values())
    for at, one in enumerate(boxes):
        assert one.x + 0.1 >= 0
        assert one.x + one.width <= layout.width + 0.1
        for other in boxes[at + 1 :]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
    assert place_rows(rows, dict.fromkeys(names, 130.0), arrows) == layout


def test_a_treemap_fills_its_box_in_proportion():
    sizes = [float(size) for size in (90, 40, 40, 20, 7, 3)]
    boxes = squarify(sizes, (10.0, 20.0, 300.0, 200.0))
    areas = [width * height for _, _, width, height in boxes]
    assert areas == pytest.approx([300 * 200 * size / 200 for size in sizes])
    assert all(x >= 9.9 and y >= 19.9 and x + w <= 310.1 and y + h <= 220.1 for x, y, w, h in boxes)
    assert squarify([], (0.0, 0.0, 1.0, 1.0)) == []


def test_text_is_escaped_and_cut_in_its_middle():
    assert clean("a<b>&\x00\ud800\u202e") == "a&lt;b&gt;&amp;\\u{0}\\u{d800}\\u{202e}"
    assert ET.fromstring(element("a", b_=1, c='"<\n', text="x")).get("c") == '"<\n'
    shown = fit("avionics/index/architecture/dependencies.py", 150)
    assert (shown[:4], shown[-3:], "…" in shown, measure(shown) <= 163) == ("avio", ".py", True, True)


def test_an_empty_workspace_gives_empty_pictures(directory, draw):
    root = directory({"README.md": "nothing"})
    for command in ("map", "matrix", "hotspots"):
        assert ET.fromstring(draw(root, command)).tag == f"{SVG}svg"
    assert isinstance(Picture("t", "d", (), 10, 10).to_svg(), str)
