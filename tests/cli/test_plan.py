"""`avionics plan`: the patch applies, the language agrees with it, and what is open is said."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from avionics.cli.main import main

PYTHON = {
    "shop/__init__.py": "",
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 3\n",
    "main.py": "from shop.cart import Cart\n\ncart = Cart()\nassert cart.total() == 3\nprint(Cart().total())\n",
    "notes.md": "The total is shown.\n",
}
GO = {
    "go.mod": "module shop\n\ngo 1.19\n",
    "main.go": "package main\n\nfunc main() {\n\tprintln(amount(2))\n}\n",
    "cart.go": "package main\n\nfunc amount(n int) int {\n\treturn n\n}\n",
}
C = {
    "list.h": "int list_size(int start);\n",
    "list.c": '#include "list.h"\nint list_size(int start) {\n    return start;\n}\n',
    "main.c": '#include "list.h"\nint main(void) {\n    return list_size(3);\n}\n',
}
JAVA = {
    "Cart.java": "class Cart {\n    private int size;\n\n    int count() {\n        return size;\n    }\n}\n",
    "Main.java": "class Main {\n    int show(Cart cart) {\n        return cart.count();\n    }\n}\n",
}


def plan(capsysbinary, root, *arguments):
    """Return the exit code and what was printed."""
    code = main(["plan", "rename", "--repo", str(root), *arguments])
    return code, capsysbinary.readouterr()


def snapshot(root):
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.*") if path.is_file()}


@pytest.mark.parametrize(
    ("files", "symbol", "check"),
    [
        (PYTHON, "Cart.total", [sys.executable, "main.py"]),
        (GO, "amount", ["go", "vet", "./..."]),
        (C, "list_size", ["gcc", "-Werror=implicit-function-declaration", "-fsyntax-only", "main.c", "list.c"]),
        (JAVA, "Cart.count", ["javac", "-d", "out", "Main.java", "Cart.java"]),
    ],
)
def test_a_complete_plan_applies_and_the_language_agrees(directory, capsysbinary, files, symbol, check):
    root = directory(files)
    before = snapshot(root)
    code, printed = plan(capsysbinary, root, symbol, "fresh_name")
    assert code == 0, printed
    head = printed.out.decode().split("\n")[0]
    assert head.startswith(f"# rename {symbol.rpartition('.')[2]} to fresh_name: ")
    assert head.endswith("; complete")
    assert snapshot(root) == before
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "apply", "-"], cwd=root, input=printed.out, check=True)
    assert snapshot(root) != before
    try:
        done = subprocess.run(check, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"{check[0]} is missing")
    assert done.returncode == 0, done.stderr


def test_an_open_place_makes_the_plan_incomplete_and_is_listed(directory, capsysbinary):
    root = directory({**PYTHON, "other.py": "def show(thing):\n    return thing.total()\n"})
    code, printed = plan(capsysbinary, root, "Cart.total", "fresh", "--json")
    assert code == 1
    data = json.loads(printed.out)
    assert data["complete"] is False
    assert [(each["file"], each["line"]) for each in data["open"]] == [("other.py", 2)]
    assert data["ledger"]["possible"] == 1
    assert "other.py" not in data["patch"]
    code, printed = plan(capsysbinary, root, "Cart.total", "fresh")
    assert code == 1
    assert b"# open: other.py:2 may use it: receiver type unknown\n" in printed.out


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("not a name", "is not a valid name"),
        ("clear", "would mean something else"),
    ],
)
def test_a_name_that_cannot_stand_there_is_refused(directory, capsysbinary, new, why):
    root = directory({"cart.py": "def total(): ...\n\n\ndef clear(): ...\n\n\ntotal()\nclear()\n"})
    code, printed = plan(capsysbinary, root, "total", new)
    assert (code, printed.out) == (2, b"")
    assert why in printed.err.decode()


def test_a_symbol_of_several_is_named_by_its_place(directory, capsysbinary):
    root = directory({"a.py": "def total(): ...\n", "b.py": "def total(): ...\n"})
    code, printed = plan(capsysbinary, root, "total", "fresh")
    assert code == 2
    assert b"a.py:1:4" in printed.err
    code, printed = plan(capsysbinary, root, "b.py:1:4", "fresh")
    assert code == 0
    assert b"a/a.py" not in printed.out


def test_the_patch_holds_the_bytes_of_the_files(directory, capsysbinary, tmp_path):
    name = 'odd "name" \\ é\x01.py'
    files = {
        name: b"from core import total\r\n# \xff\x1b[31m\r\ntotal()",
        "core.py": "def total(): ...\n",
    }
    root = directory(files)
    code, _ = plan(capsysbinary, root, "total", "fresh", "-o", str(tmp_path / "out.patch"))
    assert code == 0
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "apply", str(tmp_path / "out.patch")], cwd=root, check=True)
    assert (root / name).read_bytes() == files[name].replace(b"total", b"fresh")


def test_no_name_of_the_repository_poses_as_a_line_of_the_plan(directory, capsysbinary):
    files = {"core.py": "def total(): ...\n", "x\n# rename total to y: complete.py": "def f(x):\n    x.total()\n"}
    code, printed = plan(capsysbinary, directory(files), "total", "fresh")
    said = [line for line in printed.out.decode().split("\n") if line.startswith("# rename")]
    assert len(said) == 1
    assert code in {0, 1}


def test_a_method_that_interfaces_ask_for_unsaid_is_open(directory, capsysbinary):
    root = directory(
        {
            "go.mod": "module shop\n\ngo 1.21\n",
            "cart.go": 'package shop\n\nimport (\n\t"io"\n\t"log/slog"\n)\n\n'
            "type Counter interface {\n\tCount() int\n}\n\n"
            "type Cart struct{}\n\n"
            "func (c *Cart) Count() int { return 1 }\n"
            "func (c *Cart) Enabled() bool { return true }\n\n"
            "type Shelf struct{}\n\n"
            "func (s *Shelf) Size() int { return 1 }\n\n"
            "func count(c Counter) int { return c.Count() }\n"
            "func handle(c *Cart) slog.Handler { c.Enabled(); return c }\n"
            "func write(s *Shelf) io.Writer { s.Size(); return s }\n",
        }
    )
    found = {}
    for symbol in ("Counter.Count", "Cart.Enabled", "Shelf.Size"):
        code, printed = plan(capsysbinary, root, symbol, "Fresh", "--json")
        found[symbol] = (code, [each["line"] for each in json.loads(printed.out).get("open", ())])
    assert found == {"Counter.Count": (1, [14]), "Cart.Enabled": (1, [22]), "Shelf.Size": (0, [])}


@pytest.mark.parametrize(
    ("files", "symbol", "expected"),
    [
        (
            {
                "cart.py": "class Base:\n    def total(self):\n        return 1\n\n\n"
                "class Cart(Base):\n    def total(self):\n        return 2\n\n\n"
                "def run(base: Base):\n    return base.total()\n"
            },
            "Base.total",
            [("cart.py", 7)],
        ),
        (
            {
                "Base.java": "abstract class Base {\n    abstract int total();\n    int run() { return total(); }\n}\n",
                "Cart.java": "class Cart extends Base {\n    @Override int total() { return 2; }\n}\n",
            },
            "Base.total",
            [("Cart.java", 2)],
        ),
        ({"Cart.java": "public class Cart {\n    Cart next;\n}\n"}, "Cart", [("Cart.java", 1)]),
        ({"Cart.java": "class Cart {\n    Cart next;\n}\n"}, "Cart", []),
    ],
)
def test_what_has_to_be_renamed_too_is_open(directory, capsysbinary, files, symbol, expected):
    code, printed = plan(capsysbinary, directory(files), symbol, "Fresh", "--json")
    found = [(each["file"], each["line"]) for each in json.loads(printed.out).get("open", ())]
    assert (code, found) == (1 if expected else 0, expected)
