"""Usages, hierarchies and imports, over real workspaces."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.index.code_index import CodeIndex
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.workspace import Workspace

Open = Callable[..., Workspace]

SHOP = {
    "shop/__init__.py": "from .cart import Cart as Basket\n",
    "shop/cart.py": (
        "class Cart:\n"
        "    def add(self, item): ...\n"
        "    def total(self): return self.add(1)\n"
        "class Gift(Cart):\n"
        "    def add(self, item): return super().add(item)\n"
    ),
    "main.py": "from shop import Basket\ndef go(unknown):\n    b = Basket()\n    b.add(2)\n    unknown.add(3)\n",
    "tests/conftest.py": "import pytest\nfrom shop import Basket\n@pytest.fixture\ndef cart(): return Basket()\n",
    "tests/test_cart.py": "def test_add(cart):\n    cart.add(1)\n",
    "other.py": "class List:\n    def add(self, item): ...\ndef f():\n    List().add(1)\n",
}


def only(code: CodeIndex, name: str) -> Definition:
    (found,) = code.find_definitions(name)
    return found


@pytest.fixture
def code(workspace: Open) -> CodeIndex:
    return workspace(SHOP).code


def test_a_method_is_used_where_its_own_class_is_the_receiver(code: CodeIndex) -> None:
    report = code.usages(only(code, "Cart.add"))
    assert [(u.file, u.line, u.role.value) for u in report.usages] == [
        ("main.py", 4, "call"),
        ("shop/cart.py", 3, "call"),
        ("shop/cart.py", 5, "call"),
    ]


def test_what_cannot_be_proven_is_told_apart_and_prevents_exactness(code: CodeIndex) -> None:
    report = code.usages(only(code, "Cart.add"))
    assert [(u.file, u.line, u.reason.kind) for u in report.unresolved] == [
        ("main.py", 5, ReasonKind.RECEIVER_TYPE_UNKNOWN),
        ("tests/test_cart.py", 2, ReasonKind.PYTEST_FIXTURE),
    ]
    assert report.certainty is Certainty.AT_LEAST


def test_a_name_imported_under_another_is_followed(code: CodeIndex) -> None:
    report = code.usages(only(code, "Cart"))
    assert {(u.file, u.line) for u in report.usages} == {
        ("shop/__init__.py", 1),
        ("shop/cart.py", 4),
        ("main.py", 1),
        ("main.py", 3),
        ("tests/conftest.py", 2),
        ("tests/conftest.py", 4),
    }
    assert report.certainty is Certainty.EXACT


def test_no_usage_is_exact_when_every_mention_was_settled(code: CodeIndex) -> None:
    report = code.usages(only(code, "go"))
    assert (report.usages, report.unresolved, report.certainty) == ((), (), Certainty.EXACT)


def test_hierarchies_are_read_both_ways(code: CodeIndex) -> None:
    cart, add = only(code, "Cart"), only(code, "Cart.add")
    assert [d.symbol.qualname for d in code.graph.classes.descendants(cart)] == ["Gift"]
    assert [d.symbol.qualname for d in code.graph.classes.overrides(add)] == ["Gift.add"]
    overridden = code.graph.classes.overridden(only(code, "Gift.add"))
    assert overridden is not None
    assert overridden.symbol.qualname == "Cart.add"


def test_an_inherited_member_is_found_through_the_subclass(code: CodeIndex) -> None:
    assert [d.symbol.qualname for d in code.find_definitions("Gift.total")] == ["Cart.total"]
    assert code.find_definitions("List.total") == ()


def test_imports_are_read_both_ways(code: CodeIndex) -> None:
    assert [(link.file, link.line) for link in code.importers("shop/cart.py")] == [("shop/__init__.py", 1)]
    assert [(link.module, link.target) for link in code.imports("tests/conftest.py")] == [
        ("pytest", None),
        ("shop", "shop/__init__.py"),
    ]


def test_usages_follow_an_edit(workspace: Open) -> None:
    opened = workspace(SHOP)
    before = opened.code.usages(only(opened.code, "Cart.add")).usages
    (opened.root / "main.py").write_text("from shop import Basket\n\n\nBasket().add(2)\n")
    after = opened.code.usages(only(opened.code, "Cart.add")).usages
    assert [u.line for u in before if u.file == "main.py"] == [4]
    assert [u.line for u in after if u.file == "main.py"] == [4]
    (opened.root / "main.py").write_text("")
    assert "main.py" not in {u.file for u in opened.code.usages(only(opened.code, "Cart.add")).usages}


def test_calls_within_a_definition_come_in_order_with_what_they_lead_to(code: CodeIndex) -> None:
    calls = code.graph.callees(only(code, "go"))
    assert [(r.name, [d.symbol.qualname for d in found], why) for r, found, why in calls] == [
        ("Basket", ["Cart"], None),
        ("add", ["Cart.add"], None),
        ("add", [], Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)),
    ]


def places(code: CodeIndex, name: str, file: str | None = None) -> list[tuple[str, int]]:
    (definition,) = code.find_definitions(name, file=file)
    return [(usage.file, usage.line) for usage in code.usages(definition).usages]


def test_a_constructor_is_used_by_calls_of_its_class_and_of_heirs_without_their_own(workspace: Open) -> None:
    code = workspace(
        {
            "m.py": "class A:\n    def __init__(self): ...\nclass B(A): ...\n"
            "class C(A):\n    def __init__(self): ...\nA()\nB()\nC()\nA.name\n"
        }
    ).code
    assert places(code, "A.__init__") == [("m.py", 6), ("m.py", 7)]
    assert places(code, "C.__init__") == [("m.py", 8)]


def test_a_definition_beside_its_stub_has_the_usages_that_lead_to_the_stub(workspace: Open) -> None:
    code = workspace(
        {"m.py": "def f(x): ...\n", "m.pyi": "def f(x: int) -> int: ...\n", "n.py": "from m import f\nf(1)\n"}
    ).code
    assert places(code, "f", file="m.py") == [("n.py", 1), ("n.py", 2)]
    assert places(code, "f", file="m.pyi") == [("n.py", 1), ("n.py", 2)]


def test_a_member_that_a_class_only_assigns_is_the_one_its_base_declares(workspace: Open) -> None:
    code = workspace(
        {
            "m.py": "class Base:\n    size: int\n    def show(self): return self.size\n"
            "class Child(Base):\n    def __init__(self): self.size = 1\n"
        }
    ).code
    (definition,) = code.find_definitions("Child.size")
    report = code.usages(definition)
    assert [(usage.file, usage.line) for usage in report.usages] == [("m.py", 3)]
    assert [(found.file, found.line) for found in report.definitions] == [("m.py", 2), ("m.py", 5)]


def test_a_string_with_a_dotted_name_may_use_what_it_ends_with(workspace: Open) -> None:
    code = workspace({"m.py": "def f(): ...\n", "setup.py": "HOOKS = ['m:f']\n"}).code
    report = code.usages(only(code, "f"))
    assert [(use.file, use.line, use.reason.kind) for use in report.unresolved] == [
        ("setup.py", 1, ReasonKind.STRING_LITERAL)
    ]
    assert report.certainty is Certainty.AT_LEAST


@pytest.mark.parametrize(
    ("source", "name", "reason"),
    [
        (
            "interface Box { size: number }\ntype Flags = { [K in keyof Box]?: boolean }\n",
            "Box.size",
            Reason(ReasonKind.MAPPED_TYPE, place=("a.ts", 2), subject="Box"),
        ),
        ("interface Box { size: number }\ntype Same = { [K in keyof Box]: Box[K] }\n", "Box.size", None),
        (
            "interface Box { size: number }\ninterface Tin { size: number }\n"
            "type Flags = { [K in keyof Tin]?: boolean }\n",
            "Box.size",
            None,
        ),
        (
            "interface IntrinsicElements { span: {} }\ninterface Hints { hidden: boolean }\n",
            "Hints.hidden",
            Reason(ReasonKind.JSX_ELEMENT),
        ),
        (
            "declare const given: any\nconst table: typeof given = { size: 1 }\n",
            "table.size",
            Reason(ReasonKind.DECLARED_TYPE),
        ),
        ("const table = { size: 1 }\n", "table.size", None),
    ],
)
def test_a_member_that_other_types_may_reach_is_not_said_to_be_unused(
    workspace: Open, source: str, name: str, reason: Reason | None
) -> None:
    code = workspace({"a.ts": source}).code
    assert code.usages(only(code, name)).reasons == ((reason,) if reason else ())


def test_of_a_tag_and_its_typedef_each_says_that_the_other_is_used(workspace: Open) -> None:
    used = "typedef struct node { struct node *next; } node;\nnode *first;\n"
    code = workspace({"a.c": used, "b.c": "typedef enum sign { PLUS } sign;\nint f(sign of) { return of; }\n"}).code
    found = {
        (each.name, each.kind.value): [reason.subject for reason in code.usages(each).reasons]
        for name in ("node", "sign")
        for each in code.find_definitions(name)
    }
    assert found == {
        ("node", "class"): ["typedef"],
        ("node", "type"): ["tag"],
        ("sign", "enum"): ["typedef"],
        ("sign", "type"): [],
    }


def test_a_function_that_a_macro_of_its_name_renames_is_never_complete(workspace: Open) -> None:
    scanner = (
        "#define yylex jq_yylex\n#define plain 1\n#define shout loud\n"
        "int yylex(int x) { return x; }\nint whole(int x) { return yylex(x); }\n"
    )
    code = workspace(
        {"lexer.c": scanner, "main.c": "int jq_yylex(int);\nint main(void) { return jq_yylex(1); }\n"}
    ).code
    report = code.usages(next(each for each in code.find_definitions("yylex") if each.line == 4))
    assert report.certainty is Certainty.AT_LEAST
    assert report.reasons == (Reason(ReasonKind.RENAMED_BY_MACRO, subject="jq_yylex"),)
    for name in ("plain", "shout", "whole"):
        assert code.usages(only(code, name)).certainty is Certainty.EXACT


def test_an_interface_that_adds_to_another_is_used_where_that_one_is(workspace: Open) -> None:
    store = "export interface Store { a: string }\nexport interface Other { a: string }\nexport let store: Store\n"
    adding = "declare module './store' {\n  interface Store { b: string }\n}\nexport interface Plain { c: string }\n"
    code = workspace({"store.ts": store, "adding.ts": adding}).code
    added = next(each for each in code.find_definitions("Store", file="adding.ts"))
    assert [(each.file, each.line) for each in code.usages(added).usages] == [("store.ts", 3)]
    assert code.usages(only(code, "Plain")).usages == ()
    assert code.usages(only(code, "Other")).usages == ()


def test_classes_of_one_name_in_two_functions_share_no_members(workspace: Open) -> None:
    one = "  class State {\n    get bar() { return 1 }\n    run() { return this.bar }\n  }\n"
    merged = "interface Box { a: string }\ninterface Box { a: string }\nexport let box: Box\nbox.a\n"
    local = f"function all() {{\n  each(() => {{\n{one}  }})\n  each(() => {{\n{one}  }})\n}}\n"
    code = workspace({"a.ts": local, "b.ts": merged}).code
    bars = [each for each in code.find_definitions("bar") if each.file == "a.ts"]
    assert [[u.line for u in code.usages(each).usages] for each in bars] == [[5], [11]]
    parts = [each for each in code.find_definitions("a") if each.file == "b.ts"]
    assert [[u.line for u in code.usages(each).usages] for each in parts] == [[4], [4]]
