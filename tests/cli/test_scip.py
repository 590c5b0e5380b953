"""`export --format scip` and `import index.scip`: what readers of SCIP find, and what a compiler's index proves."""

from __future__ import annotations

import json
import sys
import threading

import pytest

from avionics.cli.main import main
from avionics.cli.upkeep import scip_writing
from avionics.scip.files import encode_document, iter_documents, write_documents
from avionics.scip.schema import CLASSES, SymbolRole
from avionics.scip.symbols import Descriptor, Suffix, format_prefix, parse_symbol
from avionics.scip.values import ScipDocument, ScipOccurrence

SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.2"\n',
    "shop/__init__.py": "",
    "shop/cart.py": 'class Cart:\n    """Keeps items."""\n\n    def add(self, item):\n        self.items = [item]\n',
    "shop/desk.py": (
        "from shop.cart import Cart\n\n\nclass Big(Cart):\n    def add(self, item):\n        return item\n\n\n"
        "def sell(make):\n    cart = Cart()\n    cart.add(item=1)\n    make().add(2)\n"
    ),
}


@pytest.fixture
def shop(directory):
    return directory(SHOP)


def read(index, root):
    with index.open("rb") as file:
        found = iter_documents(file, lambda path: (root / path).read_text() if (root / path).exists() else None)
        return {document.path: document for document in found}


def names(document, line):
    return {(each.range[1], each.symbol.split(" ")[-1], each.roles) for each in document.occurrences
            if each.range[0] == line}  # fmt: skip


def test_an_export_has_symbols_with_coordinates_roles_and_relationships(shop, tmp_path, capsys):
    index = tmp_path / "out.scip"
    assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(shop)]) == 0
    assert capsys.readouterr().out.startswith("exported 3 documents")
    documents = read(index, shop)
    desk = documents["shop/desk.py"]
    assert (22, "`shop.cart`/Cart#", SymbolRole.IMPORT) in names(desk, 1)
    assert (9, "`shop.cart`/Cart#add().", SymbolRole.READ) in names(desk, 11)
    assert (13, "`shop.cart`/Cart#add().(item)", SymbolRole.READ) in names(desk, 11)
    assert not [each for each in names(desk, 12) if "add" in each[1]]
    prefix = format_prefix("avionics", "python", "shop", "1.2")
    (big,) = [each for each in desk.symbols if each.name == "Big"]
    assert (big.symbol, big.implements) == (f"{prefix}`shop.desk`/Big#", (f"{prefix}`shop.cart`/Cart#",))
    (cart,) = [each for each in documents["shop/cart.py"].occurrences if each.symbol.endswith("/Cart#")]
    assert (cart.range, cart.enclosing) == ((1, 6, 1, 10), (1, 0, 5, 27))


def test_workers_describe_the_same_documents(directory, tmp_path, monkeypatch):
    files = {
        f"m{at}.ts": f"import {{ f0 }} from './m0'\nexport const f{at} = {{ a: 1, b: {{ a: f0 }} }}\nlet x = f{at}.b.a"
        for at in range(40)
    }
    root, written = directory(files | {"m0.js": "export let f0 = 1\n"}), {}
    monkeypatch.setattr(scip_writing, "_SHARE_BYTES", 100)
    monkeypatch.setattr(scip_writing, "_WORKER_BYTES", 1000)
    described = set()
    finish = scip_writing._Work.finish

    def note(work, number, documents):
        described.add(threading.current_thread() is threading.main_thread())
        finish(work, number, documents)

    monkeypatch.setattr(scip_writing._Work, "finish", note)
    for workers in ("1", "3"):
        monkeypatch.setenv("AVIONICS_WORKERS", workers)
        index = tmp_path / f"{workers}.scip"
        for _ in range(3):  # A worker may be so late that nothing is left for it.
            assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(root)]) == 0
        written[workers] = index.read_bytes()
    assert described == {True, False}
    assert written["1"] == written["3"]


def test_each_process_describes_files_that_are_near_each_other():
    work = scip_writing._Work([["a"], ["b"], ["c"], ["d"]], takers=2)
    assert [work.take(1) for _ in range(3)] == [(2, ["c"]), (3, ["d"]), (1, ["b"])]
    assert (work.take(0), work.take(0)) == ((0, ["a"]), None)


def test_shares_of_workers_that_fail_are_described_all_the_same(directory, tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_WORKERS", "3")
    root = directory({f"m{at}.py": f"def f{at}():\n    return f{at}()\n" for at in range(40)})
    monkeypatch.setattr(scip_writing, "_SHARE_BYTES", 100)
    monkeypatch.setattr(scip_writing, "_WORKER_BYTES", 100)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    index = tmp_path / "out.scip"
    assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(root)]) == 0
    assert len(read(index, root)) == 40


def test_the_name_after_as_stands_for_what_is_imported_or_exported(directory, tmp_path):
    root = directory({
        "a.ts": "export function one() {}\nfunction two() {}\nexport { two as zwei }\n",
        "b.ts": "import { one as o, zwei as two } from './a'\no()\n",
        "c.py": "from d import one as o\n",
        "d.py": "def one(): ...\n",
    })  # fmt: skip
    index = tmp_path / "out.scip"
    assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(root)]) == 0
    documents = read(index, root)
    assert names(documents["a.ts"], 3) == {(9, "a/two().", SymbolRole.IMPORT), (16, "a/two().", SymbolRole.IMPORT)}
    assert names(documents["b.ts"], 1) - {(0, "b/__init__:", SymbolRole.DEFINITION)} == {
        (9, "a/one().", SymbolRole.IMPORT), (16, "a/one().", SymbolRole.IMPORT),
        (19, "a/two().", SymbolRole.IMPORT), (27, "a/two().", SymbolRole.IMPORT),
        (39, "a/__init__:", SymbolRole.IMPORT),
    }  # fmt: skip
    assert {(14, "d/one().", SymbolRole.IMPORT), (21, "d/one().", SymbolRole.IMPORT)} <= names(documents["c.py"], 1)


def test_a_module_is_used_where_it_is_named_and_what_another_file_declares_of_it_has_a_name(directory, tmp_path):
    root = directory({
        "box.ts": "export interface Box {}\nexport class Base { constructor() {} }\nexport class Sub extends Base {}\n",
        "more.ts": "import './box'\ndeclare module './box' {\n  interface Box { size: number }\n}\nmodule './box'\n",
        "use.ts": "import * as boxes from './box'\nimport { Sub, Base }\n  from './box'\n// from './box'\n"
                  "new Sub(); new Base(); const text = './box'\n",
    })  # fmt: skip
    index = tmp_path / "out.scip"
    assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(root)]) == 0
    documents = read(index, root)
    at = (12, 24)
    extension, module = "more/`./box`/", "box/__init__:"
    assert names(documents["more.ts"], 2) == {(16, extension, SymbolRole.DEFINITION)}
    assert names(documents["use.ts"], 1) - {(0, "use/__init__:", SymbolRole.DEFINITION)} == {
        (column, name, SymbolRole.IMPORT) for column in at for name in (extension, module)
    }  # fmt: skip
    assert {name for _, name, _ in names(documents["use.ts"], 3)} == {extension, module}
    assert names(documents["use.ts"], 4) == set()
    made = {(column, name) for column, name, _ in names(documents["use.ts"], 5)} - {(29, "use/text.")}
    assert made == {(4, "box/Sub#"), (15, "box/Base#"), (15, "box/Base#constructor().")}


def test_type_parameters_and_properties_of_literals_have_names_that_other_files_can_use(directory, tmp_path):
    made = "export const made = { count: 1, at: { count: 2 } };\n"
    taken = 'import { made } from "./made";\ntype Pair<T> = [T, T];\nmade.at.count = made.count;\n'
    root = directory({"package.json": '{"name": "shop", "version": "1"}', "made.ts": made, "taken.ts": taken})
    index = tmp_path / "out.scip"
    assert main(["export", "--format", "scip", "--output", str(index), "--repo", str(root)]) == 0
    documents = read(index, root)
    bound = {column: name for column, name, _ in names(documents["made.ts"], 1)}
    used = {column: name for column, name, _ in names(documents["taken.ts"], 3)}
    assert (used[5], used[8], used[21]) == (bound[32], bound[38], bound[22])
    assert bound[38] == "made/count1:"
    assert len({bound[22], bound[32], bound[38]}) == 3
    pair = {(column, name, roles) for column, name, roles in names(documents["taken.ts"], 2) if "[T]" in name}
    read_at = {(16, "taken/Pair#[T]", SymbolRole.READ), (19, "taken/Pair#[T]", SymbolRole.READ)}
    assert pair == {(10, "taken/Pair#[T]", SymbolRole.DEFINITION), *read_at}


def test_an_export_is_what_a_protobuf_reader_of_the_schema_reads(shop, tmp_path):
    index = tmp_path / "out.scip"
    main(["export", "--format", "scip", "--output", str(index), "--repo", str(shop)])
    message = CLASSES["Index"]()
    message.ParseFromString(index.read_bytes())
    assert message.metadata.tool_info.name == "avionics"
    assert message.metadata.project_root == shop.as_uri()
    for document in message.documents:
        for each in document.occurrences:
            assert len(each.range) in {3, 4}
            assert each.symbol.startswith("local ") or parse_symbol(each.symbol), each.symbol


def compiled(line, column, symbol, roles=SymbolRole.REFERENCE, length=3):
    return ScipOccurrence((line, column, line, column + length), format_prefix("c", "pip", "shop", "1") + symbol, roles)


@pytest.fixture
def index(tmp_path):
    """A compiler's index: it knows what `make()` returns."""
    cart = ScipDocument("shop/cart.py", "Python", (compiled(4, 8, "Cart#add().", SymbolRole.DEFINITION),))
    desk = ScipDocument("shop/desk.py", "Python", (compiled(12, 11, "Cart#add()."),))
    path = tmp_path / "index.scip"
    with path.open("wb") as file:
        documents = (cart, desk, ScipDocument("gone.py", "Python", ()))
        write_documents(file, "file:///anywhere", "1", map(encode_document, documents))
    return path


def usages(shop, capsys):
    capsys.readouterr()
    main(["run", "explore_symbol_usage", "--param", "symbol=Cart.add", "--repo", str(shop), "--json"])
    data = json.loads(capsys.readouterr().out)["data"]
    return {(each["file"], each["line"]): each["evidence"] for each in data["usages"]}


def test_what_a_compiler_proved_counts_as_proven(shop, index, capsys):
    assert ("shop/desk.py", 12) not in usages(shop, capsys)
    assert main(["import", str(index), "--repo", str(shop)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "imported the proven usages of 2 names in 2 files",
        "ignored 1 file that this directory does not have",
    ]
    assert usages(shop, capsys)["shop/desk.py", 12] == "compiler"


def test_facts_of_other_bytes_are_ignored(shop, index, capsys):
    desk = shop / "shop" / "cart.py"
    desk.write_text("import os\n" + desk.read_text())
    assert main(["import", str(index), "--repo", str(shop)]) == 0
    assert "ignored 1 file that changed since it was indexed: shop/cart.py" in capsys.readouterr().out
    assert ("shop/desk.py", 12) not in usages(shop, capsys)


@pytest.mark.parametrize(
    ("text", "name", "is_taken"),
    [("count", "count12", True), ("count1", "count10", True), ("'1'", "'1'0", True), ("'a b'", "'a b'3", True),
     ("count1", "count2", False), ("count", "counts0", False), ("count", "0count", False)],
)  # fmt: skip
def test_a_number_that_an_indexer_appends_to_a_name_is_no_difference(shop, tmp_path, capsys, text, name, is_taken):
    (shop / "more.ts").write_text(f"export const x = {{ {text}: 1 }}\n")
    symbol = Descriptor(name, Suffix.META).to_text()
    found = (compiled(1, 19, symbol, SymbolRole.DEFINITION, len(text)),)
    with (tmp_path / "index.scip").open("wb") as file:
        write_documents(file, "file:///anywhere", "1", [encode_document(ScipDocument("more.ts", "TypeScript", found))])
    assert main(["import", str(tmp_path / "index.scip"), "--repo", str(shop)]) == (0 if is_taken else 1)
    assert ("changed since it was indexed" not in capsys.readouterr().out) == is_taken


def test_facts_end_with_the_content_they_describe(shop, index, capsys):
    main(["import", str(index), "--repo", str(shop)])
    desk = shop / "shop" / "desk.py"
    desk.write_text(desk.read_text().replace("make().add(2)", "make().add(3)"))
    assert ("shop/desk.py", 12) not in usages(shop, capsys)


def test_another_file_is_refused(shop, tmp_path, capsys):
    (tmp_path / "text").write_bytes(b"\x0a\xff\xff\xff\x01 nothing of the kind")
    assert main(["import", str(tmp_path / "text"), "--repo", str(shop)]) == 2
    assert "not a SCIP index" in capsys.readouterr().err


@pytest.mark.parametrize(
    "descriptor",
    [
        Descriptor("a.b", Suffix.NAMESPACE), Descriptor("Cart", Suffix.TYPE), Descriptor("x`y", Suffix.TERM),
        Descriptor("add", Suffix.METHOD, "+1"), Descriptor("item", Suffix.PARAMETER),
        Descriptor("T", Suffix.TYPE_PARAMETER),
        Descriptor("m", Suffix.MACRO), Descriptor("x", Suffix.META),
    ],
)  # fmt: skip
def test_symbols_are_read_as_they_are_written(descriptor):
    name = parse_symbol(format_prefix("scheme", "", "my pack", "1 0") + descriptor.to_text())
    assert (name.scheme, name.manager, name.package, name.version) == ("scheme", "", "my pack", "1 0")
    assert name.descriptors == (descriptor,)


def test_columns_of_other_encodings_become_characters(tmp_path):
    message = CLASSES["Document"](relative_path="a.py", position_encoding=1)
    message.occurrences.add(range=(0, 5, 6), symbol="local 1")
    body = message.SerializeToString()
    path = tmp_path / "i.scip"
    path.write_bytes(bytes((2 << 3 | 2, len(body))) + body)
    with path.open("rb") as file:
        (document,) = iter_documents(file, lambda path: "é; = x\n")
    assert document.occurrences[0].range == (1, 4, 1, 5)
