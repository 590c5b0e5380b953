"""trace_entry_point finds where control enters, by any name for it, and draws what follows."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import render, to_result
from avionics.tools.answers.next_step import write_python
from avionics.tools.composite.trace_entry_point import trace_entry_point

FILES = {
    "pyproject.toml": '[project.scripts]\nshop = "shop.cli:main"\n',
    "shop/__init__.py": "",
    "shop/cli.py": (
        "import os\n\nfrom shop.stock import Stock\n\n\ndef main():\n"
        "    stock = Stock(os.getcwd())\n    stock.count()\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "shop/stock.py": (
        "class Stock:\n    def __init__(self, path):\n        self.path = path\n\n"
        "    def count(self):\n        return tally(self)\n\n    def __call__(self):\n        return self.count()\n\n\n"
        "def tally(stock):\n    stock.unknown()\n    return tally(stock)\n"
    ),
    "shop/web.py": (
        "from shop.stock import tally\n\n\nclass Pages:\n    def get(self):\n        return tally(None)\n\n\n"
        '@app.post("/login")\ndef login():\n    return tally(None)\n\n\n'
        'app.add_url_rule("/pages", view_func=Pages.as_view("pages"))\n'
    ),
    "tests/test_shop.py": '@app.get("/<path:any>")\ndef everything(any):\n    pass\n',
}


def flow(answer):
    return [(item.depth, item.symbol, item.calls_at, item.truncated_because) for item in answer.flow]


def test_a_script_is_drawn_as_an_indented_cited_tree(workspace):
    assert render(trace_entry_point(workspace(FILES), "shop")) == (
        "script shop: main (shop/cli.py:6): 4 calls, depth 3\n"
        "\n"
        "shop/cli.py:6 main\n"
        "    external: os.getcwd\n"
        "  :7 → shop/stock.py:2 Stock.__init__\n"
        "  :8 → shop/stock.py:5 Stock.count\n"
        "    :6 → shop/stock.py:12 tally\n"
        "        unresolved: :13 stock.unknown\n"
        "      :14 → shop/stock.py:12 tally (see above)\n"
        "\n"
        "entry points (1):\n"
        'script shop  pyproject.toml:2  shop = "shop.cli:main" → main (shop/cli.py:6)\n'
        "\n"
        "[shown 5 of at least 5; 1 unresolved; receiver type unknown]"
    )


@pytest.mark.parametrize(
    ("entry", "first"),
    [
        ("shop/cli.py", "shop.cli"),
        ("shop.web", "shop.web"),
        ("shop/cli.py:8", "main"),
        ("shop/cli.py:6", "main"),
        ("main", "main"),
        ("Stock.count", "Stock.count"),
        ("shop.stock.tally", "tally"),
        ("Stock", "Stock.__init__"),
        ("/login", "login"),
        ("POST /shop/login", "login"),
        ("/pages", "Pages.get"),
        ("/elsewhere", "everything"),
    ],
)
def test_an_entry_may_be_named_in_many_ways(workspace, entry, first):
    assert trace_entry_point(workspace(FILES), entry).flow[0].symbol == first


def test_vendored_code_is_outside_unless_the_flow_begins_in_it(workspace):
    files = {
        "till.py": "from vendor import receipts\n\ndef pay():\n    receipts.write()\n    log()\n\ndef log(): 0\n",
        "vendor/__init__.py": "",
        "vendor/receipts.py": "def write(of):\n    flush()\n\n\ndef flush():\n    pass\n",
    }
    paid = trace_entry_point(workspace(files), "pay")
    assert [item.symbol for item in paid.flow] == ["pay", "log"]
    assert paid.flow[0].outside == ("vendor.write",)
    assert [item.symbol for item in trace_entry_point(workspace(files), "write").flow] == ["write", "flush"]


def test_a_guard_runs_only_its_own_lines(workspace):
    answer = trace_entry_point(workspace(FILES), "shop/cli.py", depth=1)
    assert flow(answer) == [(0, "shop.cli", (), ""), (1, "main", (12,), "deeper")]
    assert answer.coverage.reasons == (Reason(ReasonKind.FLOW_DEPTH_LIMIT, 1, total=1),)
    assert write_python(answer.coverage.next) == "trace_entry_point(entry='shop/cli.py:6') to go on from there"


def test_a_class_is_made_and_called(workspace):
    answer = trace_entry_point(workspace(FILES), "Stock", depth=1)
    assert [item.symbol for item in answer.flow if item.depth == 0] == ["Stock.__init__", "Stock.__call__"]


def test_a_list_names_the_entry_points_of_product_code(workspace):
    answer = trace_entry_point(workspace(FILES), "list")
    assert [(item.kind, item.name, f"{item.file}:{item.line}") for item in answer.entry_points] == [
        ("script", "shop", "pyproject.toml:2"),
        ("route", "/login", "shop/web.py:9"),
        ("route", "/pages", "shop/web.py:14"),
        ("run as a file", "shop/cli.py", "shop/cli.py:11"),
    ]
    assert answer.coverage.reasons == (
        Reason(ReasonKind.AUXILIARY_NOT_LISTED, 1),
        Reason(ReasonKind.CUSTOM_REGISTRATION),
    )
    assert write_python(answer.coverage.next) == "trace_entry_point(entry='pyproject.toml:2') for what runs there"


def test_words_that_several_entry_points_share_list_them(workspace):
    answer = trace_entry_point(workspace(FILES), "route")
    assert [item.name for item in answer.entry_points] == ["/login", "/pages"]
    assert answer.coverage.status is Status.SUCCESS


def test_a_directory_gives_the_entry_points_in_it(workspace):
    files = {**FILES, "shop/db/run.py": 'if __name__ == "__main__":\n    print(1)\n', "shop/kin/data.py": "x = 1\n"}
    opened = workspace(files)
    answer = trace_entry_point(opened, "shop/db")
    assert (answer.headline(), [item.file for item in answer.entry_points]) == (
        "1 entry point in shop/db",
        ["shop/db/run.py"],
    )
    assert trace_entry_point(opened, "shop/kin").coverage.status is Status.NOT_FOUND


def test_what_is_not_there_is_not_found_and_names_what_is_near(workspace):
    answer = trace_entry_point(workspace(FILES), "taly")
    assert answer.coverage.status is Status.NOT_FOUND
    assert [item.name for item in answer.near] == ["tally (shop/stock.py:12)"]
    assert [item.name for item in answer.entry_points] == ["shop", "/login", "/pages", "shop/cli.py"]


def test_a_line_past_the_end_is_refused(workspace):
    with pytest.raises(UsageError, match=r"shop/cli\.py has no line 99"):
        trace_entry_point(workspace(FILES), "shop/cli.py:99")


def test_nothing_to_list_is_not_found(workspace):
    answer = trace_entry_point(workspace({"a.py": "x = 1\n"}), "list")
    assert (answer.headline(), answer.coverage.status) == ("no entry points found", Status.NOT_FOUND)


def test_the_data_lists_nodes_with_their_places(workspace):
    data = to_result(trace_entry_point(workspace(FILES), "main", depth=1)).to_dict()["data"]
    assert data["flow"][1] == {
        "file": "shop/stock.py",
        "line": 2,
        "depth": 1,
        "symbol": "Stock.__init__",
        "kind": "method",
        "role": "calls",
        "calls_at": [7],
        "outside": [],
        "raises": [],
        "unresolved": [],
        "truncated_because": "",
    }


def test_an_object_literal_starts_with_each_of_its_functions(workspace):
    text = (
        "function target() {}\n"
        "export const handlers = {\n"
        "  onClick: () => target(),\n"
        "  nested: { deep() { target() } },\n"
        "}\n"
        "export const plain = { size: 1 }\n"
    )
    opened = workspace({"a.ts": text})
    roots = [item.symbol for item in trace_entry_point(opened, "handlers").flow if not item.depth]
    assert roots == ["handlers.onClick", "handlers.nested.deep"]
    assert trace_entry_point(opened, "plain").flow == ()
