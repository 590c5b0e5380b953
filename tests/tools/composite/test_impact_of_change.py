"""What depends on what changed."""

from __future__ import annotations

import pytest

from avionics.cancellation import limit_answer
from avionics.model import Certainty, Status, ToolCall, ToolContext
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.next_step import write_python
from avionics.tools.composite.impact_of_change import impact_of_change
from avionics.tools.executor import ToolExecutor

SHOP = {
    "shop/core.py": "def price(x):\n    return x\n\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n",
    "shop/web.py": "import flask\nfrom shop.core import total\n\napp = flask.Flask(__name__)\n\n\n"
    "@app.route('/cart')\ndef cart():\n    return total([1])\n",
    "tests/test_core.py": "from shop.core import price\n\n\ndef test_price():\n    assert price(1) == 1\n",
    "README.md": "Shop.\n",
}


@pytest.fixture
def repository(git_repository):
    made = git_repository(SHOP)
    (made.root / "shop" / "core.py").write_text(SHOP["shop/core.py"].replace("return x\n", "return x + 1\n"))
    return made


def test_what_is_not_committed_reaches_its_users_and_entry_points(repository, workspace):
    answer = impact_of_change(workspace(root=repository.root))
    assert [(each.symbol, each.change, each.file, each.line) for each in answer.changes] == [
        ("price", "body", "shop/core.py", 1)
    ]
    assert [(each.symbol, each.on, each.distance, each.file, each.line) for each in answer.proven] == [
        ("total", "price", 1, "shop/core.py", 6),
        ("cart", "total", 2, "shop/web.py", 9),
    ]
    assert [(each.kind, each.name, each.distance, each.is_proven) for each in answer.entry_points] == [
        ("route", "/cart", 2, True)
    ]
    assert [each.symbol for each in answer.tests] == ["test_price"]
    assert [(each.owner, each.files) for each in answer.owners] == [("Ada", ("shop/core.py",))]
    assert write_python(answer.coverage.next) == "tests_for_change() for the tests to run"


def test_a_test_that_uses_several_changes_tests_each_of_them(git_repository, workspace):
    files = {
        "src/sums.ts": "export const add = (a: number) => a\nexport const take = (a: number) => a\n"
        "export const drop = (a: number) => a\n",
        "src/sums.test.ts": "import { add, take } from './sums'\n\ndescribe('sums', () => {\n"
        "  it('adds', () => { add(1) })\n  it('takes', () => { take(1) })\n})\n",
    }
    made = git_repository(files)
    (made.root / "src" / "sums.ts").write_text(files["src/sums.ts"].replace("=> a", "=> a + 1"))
    answer = impact_of_change(workspace(root=made.root))
    assert [each.symbol for each in answer.untested] == ["drop"]


def test_declared_owners_come_before_authors(repository, workspace):
    (repository.root / "CODEOWNERS").write_text("/shop/ @shopkeepers\n")
    answer = impact_of_change(workspace(root=repository.root))
    assert [(each.owner, each.source) for each in answer.owners] == [("@shopkeepers", "CODEOWNERS")]


def test_a_depth_bounds_how_far_it_looks(repository, workspace):
    assert [each.symbol for each in impact_of_change(workspace(root=repository.root), depth=1).proven] == ["total"]


def test_nothing_changed_is_an_answer(git_repository, workspace):
    made = git_repository(SHOP)
    context = ToolContext(workspace=workspace(root=made.root))
    result = ToolExecutor().run(ToolCall("impact_of_change", {}), context)
    assert (result.status, result.data["summary"]) == (Status.SUCCESS, "no changed symbols")


def test_a_range_is_about_its_commits(repository, workspace):
    repository.commit("edited")
    repository.commit("more", {"README.md": "More.\n"})
    opened = workspace(root=repository.root)
    assert [each.symbol for each in impact_of_change(opened, "HEAD~2", "HEAD~1").changes] == ["price"]
    assert impact_of_change(opened, "HEAD~1", "HEAD").coverage.reasons == (
        Reason(ReasonKind.FILES_UNSUPPORTED, subject="README.md"),
    )


def test_what_a_submodule_holds_did_not_change_here(git_repository, workspace):
    inner = git_repository({"lib.py": "def lib(): ...\n"}, name="inner")
    outer = git_repository({"app.py": "def app(): ...\n"}, name="outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.root), "libs/inner")
    outer.commit("with a submodule")
    (outer.root / "new.py").write_text("def new(): ...\n")
    answer = impact_of_change(workspace(root=outer.root))
    assert [each.symbol for each in answer.changes] == ["new"]
    assert answer.coverage.reasons == (Reason(ReasonKind.SUBMODULES, subject="libs/inner"),)


def test_what_stands_in_a_file_of_rust_for_tests_alone_is_no_dependent_but_a_test(git_repository, workspace):
    code = "pub fn add(a: u8) -> u8 {\n    a\n}\n\npub fn use_it() -> u8 {\n    add(1)\n}\n"
    tests = (
        "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        add(1);\n    }\n}\n"
    )
    repository = git_repository({"Cargo.toml": '[package]\nname = "x"\n', "src/lib.rs": code + tests})
    (repository.root / "src/lib.rs").write_text(code.replace("    a\n", "    a + 1\n") + tests)
    answer = impact_of_change(workspace(root=repository.root))
    assert [each.symbol for each in answer.proven] == ["use_it"]
    assert [each.symbol for each in answer.tests] == ["tests.adds"]


def test_a_search_that_has_no_time_does_not_claim_that_nothing_depends_on_the_change(repository, workspace):
    opened = workspace(root=repository.root)
    opened.index()
    with limit_answer(0.0):
        answer = impact_of_change(opened)
    assert answer.summary == "1 changed symbol; what depends on that is not known"
    assert answer.coverage.certainty is Certainty.UNKNOWN


def test_a_planned_change_reaches_what_it_would_reach_once_made(repository, workspace):
    opened = workspace(root=repository.root)
    answer = impact_of_change(opened, symbol="price")
    made = impact_of_change(opened)
    assert (answer.proven, answer.entry_points, answer.tests) == (made.proven, made.entry_points, made.tests)
    assert answer.headline().startswith(
        "a change of price (shop/core.py:1): 2 proven and 0 possible dependents, 1 test"
    )


def test_a_planned_change_of_a_file_or_class_is_one_of_all_it_has(workspace):
    opened = workspace(
        {
            "shop/cart.py": "class Cart:\n    def total(self):\n        return self.tax()\n\n    def tax(self):\n"
            "        return 1\n\n\ndef load():\n    return Cart()\n",
            "shop/web.py": "from shop.cart import Cart, load\n\n\ndef show(cart: Cart):\n    return cart.tax()\n\n\n"
            "def first():\n    return load()\n",
            "shop/main.py": "import shop.web\n",
        }
    )
    by_class = impact_of_change(opened, symbol="Cart", depth=1)
    assert {each.symbol for each in by_class.proven} == {"load", "show"}
    by_file = impact_of_change(opened, symbol="shop/cart.py")
    assert {each.symbol for each in by_file.proven} == {"first", "show"}
    assert [(each.symbol, each.distance) for each in by_file.possible] == [("module web", 1)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"symbol": "prise"}, "no symbol or file named 'prise'"),
        ({"symbol": "price", "base": "HEAD"}, "a symbol and revisions cannot be combined"),
    ],
)
def test_a_planned_change_of_nothing_is_an_error(repository, workspace, arguments, error):
    context = ToolContext(workspace=workspace(root=repository.root))
    result = ToolExecutor().run(ToolCall("impact_of_change", arguments), context)
    assert (result.status, result.error) == (Status.ERROR, error)


def test_what_is_local_to_a_function_is_no_part_of_its_change(workspace):
    files = {
        "make.js": "export function make() {\n  const box = { get() { return 1 } }\n  return box.get()\n}\n"
        "export function Cart() {\n  this.total = function () { return 2 }\n}\n",
        "use.js": "import { make } from './make'\nexport function run(x) { make(); return x.get() + x.total() }\n",
    }
    opened = workspace(files)
    found = impact_of_change(opened, symbol="make")
    assert {(each.symbol, each.line) for each in (*found.proven, *found.possible)} == {("run", 2)}
    assert {each.on for each in (*found.proven, *found.possible)} == {"make"}
    assert {each.on for each in impact_of_change(opened, symbol="Cart").possible} == {"Cart.total"}
