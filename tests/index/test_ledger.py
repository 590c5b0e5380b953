"""The ledger of an answer about usages: every mention of a name in exactly one class."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from avionics.index.code_index import CodeIndex
from avionics.model.enums import Certainty
from avionics.model.knowledge import Ledger
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.workspace import Workspace

Open = Callable[..., Workspace]

FILES = {
    "shop/cart.py": (
        '"""A cart that can ship."""\n'
        "class Cart:\n"
        "    def ship(self):\n"
        "        return 'ship'\n"
        "class Boat:\n"
        "    ship = 'a ship'  # not ours\n"
        "def go(cart: Cart, boat: Boat, unknown):\n"
        "    cart.ship()\n"
        "    boat.ship\n"
        "    unknown.ship()\n"
    ),
    "docs/guide.md": "Call `Cart.ship`, or ship it yourself.\n",
    "settings.toml": 'hook = "shop.cart.Cart:ship"\n# ship\n',
    "page.html": "<p>ship</p><p>{{ cart.ship }}</p>\n",
}
SOURCES = ("ledger", "hold", "spare")


def ledger_of(code: CodeIndex, name: str) -> Ledger:
    (definition,) = code.find_definitions(name)
    ledger = code.usages(definition).ledger
    assert ledger is not None
    return ledger


def test_every_mention_is_in_one_class(workspace: Open) -> None:
    code = workspace(FILES).code
    ledger = ledger_of(code, "Cart.ship")
    assert ledger == Ledger(mentions=14, definitions=1, usages=1, possible=4, others=2, text=6)
    assert ledger.adds_up
    assert sum(text.count("ship") for text in FILES.values()) == ledger.mentions


def test_configuration_and_templates_may_use_what_they_name(workspace: Open) -> None:
    code = workspace(FILES).code
    report = code.usages(code.find_definitions("Cart.ship")[0])
    assert [(use.file, use.line, use.column, use.reason.kind) for use in report.unresolved] == [
        ("page.html", 1, 22, ReasonKind.TEMPLATE_REFERENCE),
        ("shop/cart.py", 10, 12, ReasonKind.RECEIVER_TYPE_UNKNOWN),
        ("shop/cart.py", 4, 0, ReasonKind.STRING_LITERAL),
        ("settings.toml", 1, 23, ReasonKind.CONFIGURATION_REFERENCE),
    ]


@pytest.mark.parametrize(
    ("files", "name", "is_exact"),
    [
        ({"a.py": "def only(): ...\nonly()\n"}, "only", True),
        ({"a.py": "def only(): ...\nonly()\n", "b.md": "only `only` in prose\n"}, "only", True),
        ({"a.py": "def only(): ...\nonly()\n", "b.ini": "only = yes\n"}, "only", True),
        ({"a.py": "def only(): ...\nonly()\n", "b.ini": "call = a:only\n"}, "only", False),
        ({"a.py": "def only(): ...\nonly()\n", "b.ini": "by = me@shop.only, http://shop.only/\n"}, "only", True),
        ({"a.py": "def only(): ...\nonly()\n", "b.yml": "run: ${{ steps.only.outputs.only }}\n"}, "only", True),
        ({"a.py": "def only(): ...\nonly()\n", "b.yml": "run: ${{ up }} a.only\n"}, "only", False),
        ({"a.py": "def only(): ...\nonly()\n", "b.j2": "{{ all\n  | only }} only\n"}, "only", False),
        ({"a.py": "def only(): ...\nonly()\n", "b.j2": "{{ all }} only <% all %> only\n"}, "only", True),
        ({"a.go": "package a\n\nfunc only() {}\n", "b.go.erb": "<% each do %> only(<%= only %>)\n"}, "only", False),
        ({"a.c": "static int only(void) { return 1; }\n#define TWICE (only() * 2)\n"}, "only", False),
        ({"a.vue": "<script setup>\nconst only = () => 1\n</script>\n<p>only prose</p>\n"}, "only", True),
        ({"a.vue": '<script setup>\nconst only = () => 1\n</script>\n<p @click="only"/>\n'}, "only", False),
        ({"a.vue": "<script setup>\nconst only = () => 1\n</script>\n<p>{{ only() }}</p>\n"}, "only", False),
    ],
)
def test_only_a_settled_ledger_is_exact(workspace: Open, files: dict[str, str], name: str, is_exact: bool) -> None:
    code = workspace(files).code
    report = code.usages(code.find_definitions(name)[0])
    assert report.ledger is not None
    assert report.ledger.adds_up
    assert (report.certainty is Certainty.EXACT) is is_exact


@pytest.mark.parametrize(
    ("count", "left"), [(1000, ()), (1002, (Reason(ReasonKind.FILES_NOT_EXAMINED, 2, subject="c/1000.ini"),))]
)
def test_documents_beyond_those_that_are_read_are_said_to_be_left(
    workspace: Open, count: int, left: tuple[Reason, ...]
) -> None:
    documents = {f"c/{number:04}.ini": "only = yes\n" for number in range(count)}
    code = workspace({"a.py": "def only(): ...\nonly()\n", **documents}).code
    assert code.usages(code.find_definitions("only")[0]).reasons == left


USED = """
class Cart:
    def __init__(self):
        self.size: int = 0
    def ship(self): ...
Cart().ship()
Cart().size
"""


@pytest.mark.parametrize(
    ("name", "text", "is_exact"),
    [
        ("size", "x = {'size': 1}['size']\n", True),
        ("size", "x = d.get('size') if a == 'size' or a in ('size',) else None\n", True),
        ("size", "x = 'size'\n", False),
        ("size", "getattr(o, 'size')\n", False),
        ("size", "vars(o)['size']\n", False),
        ("size", "f(**{'size': 1})\n", False),
        ("ship", "raise ValueError('cannot call Cart.ship() twice in a row')\n", True),
        ("ship", "run('cart.ship()')\n", False),
        ("ship", 'run("""\ndo ship it\ncart.ship()\n""")\n', False),
        ("ship", "T = TypeVar('ship')\n", True),
        ("ship", "@pytest.mark.parametrize('ship', [1])\ndef test_it(ship): ...\n", True),
        ("ship", "@pytest.mark.parametrize('ship', [1], indirect=True)\ndef test_it(ship): ...\n", False),
        ("ship", "mock.patch('a.Cart.ship')\n", False),
    ],
)
def test_text_names_a_definition_only_where_it_can(workspace: Open, name: str, text: str, is_exact: bool) -> None:
    code = workspace({"a.py": USED, "b.py": text}).code
    report = code.usages(code.find_definitions(f"Cart.{name}")[0])
    assert report.ledger is not None
    assert report.ledger.adds_up
    assert report.usages
    assert (report.certainty is Certainty.EXACT) is is_exact, report


@pytest.mark.parametrize(
    ("text", "name", "is_exact"),
    [
        ("@dataclass\nclass A:\n    size: int = 0\nA(size=2).size\n{'size': 1}['size']\n", "A.size", False),
        ("class A(enum.Enum):\n    RED = 1\nA.RED\nA['RED']\n", "A.RED", False),
        ("class A:\n    def __getitem__(self, key): ...\n    def f(self): ...\nA().f()\nA()['f']\n", "A.f", False),
        ("def only(): ...\nx = {'only': 1}\n", "only", False),
        ("def only(): ...\nonly()\nx = {'only': 1}\n", "only", True),
    ],
)
def test_keys_name_what_a_mapping_may_have(workspace: Open, text: str, name: str, is_exact: bool) -> None:
    code = workspace({"a.py": f"import enum\nfrom dataclasses import dataclass\n{text}"}).code
    report = code.usages(code.find_definitions(name)[0])
    assert (report.certainty is Certainty.EXACT) is is_exact, report


@pytest.mark.parametrize(
    ("decorator", "is_exact"),
    [
        ("def deco(f):\n    def run(*a):\n        return f(*a)\n    return run\n", True),
        ("def deco(f):\n    @wraps(f)\n    def run(*a):\n        return f(f.__name__, *a)\n    return run\n", True),
        ("def deco(f):\n    return cast(F, update_wrapper(lambda *a: f(*a), f))\n", True),
        ("def deco(f):\n    ALL.append(f)\n    return f\n", False),
        ("def deco(f):\n    ALL['f'] = f\n    return f\n", False),
        ("def deco(f):\n    f.is_hook = True\n    return f\n", False),
        ("def deco(f):\n    g = f\n    ALL.append(g)\n    return f\n", False),
        ("def deco(f):\n    def run(): f()\n    ALL.append(run)\n    return f\n", False),
        ("from outside import deco\n", False),
    ],
)
def test_a_decorator_of_the_workspace_is_read(workspace: Open, decorator: str, is_exact: bool) -> None:
    text = f"{decorator}class A:\n    @deco\n    def go(self): ...\nA().go()\n"
    code = workspace({"a.py": text}).code
    report = code.usages(code.find_definitions("A.go")[0])
    assert (report.certainty is Certainty.EXACT) is is_exact, report


@pytest.mark.parametrize(("name", "is_exact"), [("extra", True), ("update", False)])
def test_a_standard_base_calls_only_members_it_declares(workspace: Open, name: str, is_exact: bool) -> None:
    code = workspace({"a.py": f"class A(dict):\n    def {name}(self): ...\nA().{name}()\n"}).code
    report = code.usages(code.find_definitions(f"A.{name}")[0])
    assert (report.certainty is Certainty.EXACT) is is_exact, report


def test_text_of_another_platform_names_only_what_a_linker_knows(workspace: Open) -> None:
    source = (
        "struct box { int flags; };\nint ship(struct box *b) { return b->flags; }\nint main() { return ship(0); }\n"
    )
    code = workspace({"a.c": source, "gen.py": "x = ['flags', 'ship']\n"}).code
    flags, ship = (code.usages(code.find_definitions(name)[0]) for name in ("box.flags", "ship"))
    assert flags.certainty is Certainty.EXACT
    assert [use.reason.kind for use in ship.unresolved] == [ReasonKind.STRING_LITERAL]


def test_a_constructor_is_settled_only_with_its_class(workspace: Open) -> None:
    source = "class T {\n  final Origin Origin = new Origin();\n  static class Origin {\n    Origin() {}\n  }\n}\n"
    code = workspace({"T.java": source}).code
    (constructor,) = code.find_definitions("T.Origin.Origin")
    assert ReasonKind.CLASS_NOT_SETTLED in {reason.kind for reason in code.usages(constructor).reasons}


def test_a_file_that_was_not_read_is_not_examined(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from avionics.index.facts.fact_source import NO_USES
    from avionics.index.facts.stored_facts import StoredFacts

    opened = workspace({"a.py": "def only(): ...\n", "b.py": "from a import only\nonly()\n"})
    uses = StoredFacts.uses
    monkeypatch.setattr(StoredFacts, "uses", lambda self, path: NO_USES if path == "b.py" else uses(self, path))
    report = opened.code.usages(opened.code.find_definitions("only")[0])
    assert report.ledger == Ledger(mentions=3, definitions=1, not_examined=2)
    assert [reason.kind for reason in report.reasons] == [ReasonKind.MENTIONS_NOT_EXAMINED]
    assert report.certainty is Certainty.AT_LEAST


def test_no_mention_of_a_definition_in_a_file_that_was_not_read_is_examined(
    workspace: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    from avionics.index.facts.fact_source import NO_USES
    from avionics.index.facts.stored_facts import StoredFacts

    code = workspace({"a.min.js": "function only() {}\n", "b.js": "only()\nonly()\n"}).code
    monkeypatch.setattr(StoredFacts, "uses", lambda *_: NO_USES)
    report = code.usages(code.find_definitions("only")[0])
    assert report.ledger == Ledger(mentions=3, definitions=1, not_examined=2)
    assert report.certainty is Certainty.UNKNOWN


def test_in_c_comments_and_strings_are_told_from_other_names(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "take.h": "int take(int n);\n",
        "take.c": '#include "take.h"\n/* take() takes. */\nint take(int n) { return n; }\n',
        "main.c": '#include "take.h"\nint main(void) { return take(1); } // take\n',
        "own.c": '/* Not take()\n * of take.c */\nint put(int take) { log("take"); return take; }\n',
    }
    code = workspace(files).code
    ledger = code.usages(code.find_definitions("take", file="take.c")[0]).ledger
    assert ledger is not None
    # `take.h` is in two strings.
    assert (ledger.definitions, ledger.usages, ledger.others, ledger.text) == (2, 1, 2, 7)
    monkeypatch.setattr("avionics.index.references.ledger._MAX_SCANNED", 0)
    ledger = code.usages(code.find_definitions("take", file="take.c")[0]).ledger
    assert ledger is not None
    assert ledger.adds_up
    assert ledger.text < 7


def test_a_sum_that_does_not_add_up_is_reported(workspace: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from avionics.index.facts.stored_facts import StoredFacts

    opened = workspace({"a.py": "def only(): ...\nonly()\n"})
    monkeypatch.setattr(StoredFacts, "count_word", lambda *_: {"a.py": 1})
    report = opened.code.usages(opened.code.find_definitions("only")[0])
    assert [reason.kind for reason in report.reasons] == [ReasonKind.LEDGER_MISMATCH]


def test_a_type_in_a_comment_that_nothing_declares_there_is_text(workspace: Open) -> None:
    cart, other = "export class Cart {}\n", "/** @param {Cart} cart */\nexport const f = cart => cart\n"
    counted = ledger_of(workspace({"cart.js": cart, "a.js": other}).code, "Cart")
    assert counted == Ledger(mentions=2, definitions=1, text=1)
    importing = f"import {{ Cart }} from './cart'\n{other}"
    counted = ledger_of(workspace({"cart.js": cart, "a.js": importing}).code, "Cart")
    assert counted == Ledger(mentions=3, definitions=1, usages=2)


def test_the_calls_of_a_class_are_usages_of_its_constructor_without_the_name(workspace: Open) -> None:
    code = workspace({"a.py": "class A:\n    def __init__(self): ...\nA()\nA()\n"}).code
    ledger = ledger_of(code, "A.__init__")
    assert (ledger.mentions, ledger.definitions, ledger.usages, ledger.unwritten) == (1, 1, 0, 2)


def test_an_answer_shows_the_sum_and_has_it_as_data(workspace: Open) -> None:
    answer = explore_symbol_usage(workspace(FILES), "Cart.ship")
    assert answer.headline().splitlines()[1] == (
        "ledger: 14 mentions = 1 definition + 1 usage + 4 possible + 2 of other names + 6 in comments, strings, "
        "documents"
    )
    assert answer.ledger is not None
    assert answer.ledger.mentions == 14


@pytest.mark.parametrize("seed", range(6))
def test_comments_change_one_class_and_renaming_none(workspace: Open, tmp_path: object, seed: int) -> None:
    drawn = random.Random(seed)
    lines = [
        drawn.choice(["{n}()", "x = {n}", "o.{n}()", "'{n} {n}'", "# {n}", "def f({n}): return {n}", "import {n}"])
        for _ in range(12)
    ]
    text = "def {n}(): ...\nclass O:\n    def other(self): ...\no = O()\n" + "\n".join(lines) + "\n"
    code = workspace({f"{name}.py": text.replace("{n}", name) for name in SOURCES}).code
    told = [code.usages(code.find_definitions(name, file=f"{name}.py")[0]) for name in SOURCES]
    sums = [each.ledger for each in told]
    assert sums[0] == sums[1] == sums[2]
    assert sums[0] is not None
    assert sums[0].adds_up
    assert sums[0].mentions == len(re.findall(r"\{n\}", text))
    more = f"{text}# {{n}} {{n}}\n".replace("{n}", SOURCES[0])
    commented = workspace({f"{SOURCES[0]}.py": more}).code
    after = commented.usages(commented.find_definitions(SOURCES[0], file=f"{SOURCES[0]}.py")[0]).ledger
    assert after is not None
    assert (after.mentions, after.text) == (sums[0].mentions + 2, sums[0].text + 2)
    assert (after.usages, after.possible, after.others) == (sums[0].usages, sums[0].possible, sums[0].others)
