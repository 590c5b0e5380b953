"""Questions that the rules read otherwise or not at all, and what their answers show beside the best match."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.tools.composite.tests_for_change import find_tests_of
from avionics.tools.internal.symbols.find_references import find_references
from avionics.tools.questions.intent_guess import Guess
from avionics.tools.questions.intents import Intent
from avionics.tools.questions.reading import read_question
from avionics.tools.unified.analyze import analyze

SHOP = {
    "shop/cart.py": "class Cart:\n    def push_item(self, item):\n        return self.count_all(item)\n\n"
    "    def count_all(self, item):\n        return item\n\n"
    "    def has_none(self):\n        return not self.count_all(0)\n",
    "shop/use.py": "from shop.cart import Cart\n\n\ndef fill(cart: Cart):\n    return cart.push_item(1)\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_push():\n    Cart().push_item(2)\n",
    "man/shop.1": "the shop\n",
    "man/de/shop.1": "der Laden\n",
}


@pytest.mark.parametrize(
    ("by_rules", "intent", "probability", "words", "expected"),
    [
        (Intent.CHANGES, Intent.HISTORY, 0.9, 20, True),
        (Intent.CHANGES, Intent.HISTORY, 0.8, 20, False),
        # Rules read short questions rightly, unless they often mistake one intent for the other.
        (Intent.CHANGES, Intent.HISTORY, 0.9, 8, False),
        (Intent.MAP, Intent.SUBTYPES, 0.8, 8, True),
        # What the kinds do not tell apart is left to the rules.
        (Intent.SIGNATURE, Intent.USAGE, 0.99, 20, False),
        (Intent.FLOW, None, 0.9, 20, True),
        (Intent.TESTS, None, 0.99, 20, False),
        (Intent.PHRASE, Intent.OPTION, 0.9, 8, False),
        (Intent.PHRASE, Intent.OPTION, 0.9, 20, True),
    ],
)
def test_a_guess_overrules_a_rule_if_it_is_sure(by_rules, intent, probability, words, expected):
    assert Guess(intent, probability).overrules(by_rules, is_named=False, words=words) is expected


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Cart: where does push_item get invoked", "Cart.push_item"),
        ("Cart: Cart.push_item is used where?", "Cart.push_item"),
        ("who calls Cart's push_item", "Cart.push_item"),
        ("Cart has count_all and has_none. I suspect that nothing calls has_none any more", "Cart.has_none"),
        ("Cart::push_item call sites with line numbers", "Cart.push_item"),
        ("Cart has a method has_none that returns a bool. Does anybody need it?", "Cart.has_none"),
        ("which config modules call push_item", "Cart.push_item"),
        # Nothing is qualified by what does not have it.
        ("who calls Till's push_item", "Cart.push_item"),
    ],
)
def test_the_symbol_that_a_question_is_about(workspace, text, subject):
    found = read_question(workspace(SHOP).code, text)
    assert (found.intent, found.subject) == (Intent.USAGE, subject)


def test_tests_that_count_too_are_not_asked_for(workspace):
    code = workspace(SHOP).code
    assert read_question(code, "who calls push_item (examples and tests included)?").intent is Intent.USAGE
    assert read_question(code, "are there tests for push_item?").intent is Intent.TESTS


@pytest.mark.parametrize("text", ["does anything inherit from shop.cart.Cart?", "does any class extend Cart"])
def test_what_anything_inherits_from_is_a_base(workspace, text):
    assert read_question(workspace(SHOP).code, text).intent is Intent.SUBTYPES
    assert read_question(workspace(SHOP).code, "what does Cart inherit from?").intent is Intent.BASES


def test_two_versions_and_words_for_changes_are_a_question_for_changes(workspace):
    text = "We are still on 1.35.0. Before I bump it to 1.36.0: which parts of the package were touched and what for?"
    found = read_question(workspace(SHOP).code, text)
    assert found.intent is Intent.CHANGES
    assert found.change is not None
    assert (found.change.base, found.change.head) == ("1.35.0", "1.36.0")


def test_the_types_of_parameters_are_no_part_of_the_ends_of_a_path(workspace):
    text = "what is between Cart.push_item(Item, int) and Cart.count_all?"
    assert read_question(workspace(SHOP).code, text).ends == ("Cart.push_item", "Cart.count_all")


def test_what_a_file_exports_without_a_name_is_found_by_the_name_of_the_file(workspace):
    code = workspace(
        {
            "src/cleanUp.ts": "export default (text: string): string => text.trim()\n",
            "src/named.ts": "export default function other() {}\n",
            "src/store/index.ts": "export default { open() {} }\n",
            "src/main.ts": "import cleanUp from './cleanUp'\n\nexport const run = (text: string) => cleanUp(text)\n",
            "cleanUp.py": "default = 1\n",
        }
    ).code
    found = code.find_definitions("cleanUp")
    assert [(each.file, each.name) for each in found] == [("src/cleanUp.ts", "default")]
    assert code.find_definitions("named") == ()
    assert code.find_definitions("cleanUp", scope="src/store") == ()
    assert [(each.file, each.line) for each in code.usages(found[0]).usages] == [("src/main.ts", 1), ("src/main.ts", 3)]


def test_commits_that_changed_the_code_most_are_listed(git_repository, workspace):
    repository = git_repository({"shop/a.py": "def a():\n    return 1\n", "docs/a.md": "a\n", "cli/b.py": "B = 1\n"})
    repository.commit("Say more", {"docs/a.md": "a\nb\nc\n"})
    repository.commit("Return two", {"shop/a.py": "def a():\n    return 2\n"})
    repository.commit("Add b and c", {"shop/a.py": "def a():\n    return 2\n\n\ndef b():\n    return a()\n"})
    repository.commit("Set three", {"cli/b.py": "B = 3\n"})
    opened = workspace(root=repository.root)

    def list_subjects(text):
        return [each.to_text().partition(" ")[2] for each in analyze(opened, text).get_items("commits")]

    asked = "what changed between HEAD~4 and HEAD"
    assert list_subjects(asked) == ["Add b and c", "Set three", "Return two"]
    assert list_subjects(f"{asked} in shop/a.py") == ["Add b and c", "Return two"]
    both = analyze(opened, f"{asked} in cli/ and shop/")
    assert {each.file for each in both.get_items("changed_files")} == {"shop/a.py", "cli/b.py"}
    assert analyze(opened, "what changed since HEAD~1").get_items("commits") == ()


def test_a_short_file_is_shown_as_a_whole(workspace):
    opened = workspace({**SHOP, "shop/long.py": "".join(f"def step_{at}():\n    return {at}\n" for at in range(80))})
    assert [each.end_line for each in analyze(opened, "explain shop/use.py").get_items("code")] == [5]
    assert analyze(opened, "explain shop/long.py").get_items("code") == ()


def test_a_directory_without_code_is_listed(workspace):
    opened = workspace(SHOP)
    assert [each.to_text() for each in analyze(opened, "what is in man/").get_items("files")] == ["de/", "shop.1"]
    assert analyze(opened, "what is in shop/").get_items("files") == ()


def test_programs_in_files_that_are_named_like_tests_use_it(workspace):
    opened = workspace(
        {
            "gap.h": "int put(int a);\n",
            "gap.c": '#include "gap.h"\n\nint put(int a)\n{\n    return a;\n}\n',
            "testgap/run.c": '#include "../gap.h"\n\nint main(void)\n{\n    return put(1);\n}\n',
            "latest/run.c": '#include "../gap.h"\n\nint go(void)\n{\n    return put(2);\n}\n',
        }
    )
    found, _ = find_tests_of(opened.code, opened.source, opened.code.find_definitions("put", file="gap.c"))
    assert [(each.file, each.is_helper) for each in found] == [("testgap/run.c", True)]


def test_usages_of_all_overloads_are_listed(workspace):
    java = (
        "class Paths {\n  static String cut(String a) { return a; }\n"
        '  static String cut(int a) { return cut("" + a); }\n'
        '  String twice() {\n    return cut("a")\n      + cut(2);\n  }\n}\n'
    )
    opened = workspace({"Paths.java": java})
    answer = analyze(opened, "who calls Paths.cut")
    assert [each.line for each in answer.get_items("usages")] == [3, 5, 6]
    assert [each.line for each in answer.get_items("definitions")] == [2, 3]
    assert answer.summary.startswith("Paths.cut (method with 2 overloads, Paths.java:2): 3 usages in 1 file\nledger: ")
    assert answer.coverage.certainty is Certainty.EXACT
    asked_by_line = explore_symbol_usage(opened, "cut", "Paths.java", 3)
    assert [each.line for each in asked_by_line.usages] == [6]
    assert [each.line for each in find_references(opened, "Paths.cut").usages] == [3, 5, 6]


def test_another_parameter_concerns_the_calls_of_all_overloads_unless_it_has_a_name(workspace):
    opened = workspace(
        {
            "Paths.java": "class Paths {\n    static void cut(String a) {}\n    static void cut(int a, int size) {}\n"
            '    void run() {\n        cut("x");\n        cut(1, 2);\n    }\n}\n'
        }
    )

    def ask(question):
        return [each.line for each in analyze(opened, question).get_items("usages")]

    assert ask("what breaks if Paths.cut gets another parameter?") == [5, 6]
    assert ask("what breaks if I remove the parameter size of Paths.cut?") == [6]


def test_a_call_that_may_mean_any_of_all_overloads_is_a_usage(workspace):
    java = (
        "class Paths {\n  static String cut(String a) { return a; }\n  static String cut(Object a) { return null; }\n"
        "  void use() {\n    cut(Unknown.make());\n  }\n}\n"
    )
    opened = workspace({"Paths.java": java, "Other.java": "class Other { void cut(int a) {} }\n"})
    answer = explore_symbol_usage(opened, "Paths.cut")
    assert ([each.line for each in answer.usages], answer.unresolved) == ([5], ())
    assert answer.ledger is not None
    assert (answer.ledger.usages, answer.ledger.definitions, answer.ledger.others) == (1, 2, 1)
    one = explore_symbol_usage(opened, "Paths.cut", "Paths.java", 2)
    assert ([each.line for each in one.usages], [each.line for each in one.unresolved]) == ([], [5])


def test_possible_usages_that_only_tests_have_come_last(workspace):
    opened = workspace(
        {
            "shop/cart.py": "class Cart:\n    def push_item(self):\n        return 1\n\n\nclass Other:\n    pass\n",
            "shop/use.py": "def fill(cart):\n    return cart.push_item()\n",
            "tests/test_cart.py": "from shop.cart import Other\n\n\ndef test_push():\n"
            + "".join("    Other().push_item()\n" for _ in range(3)),
        }
    )
    listed = find_references(opened, "Cart.push_item").unresolved
    assert [each.file for each in listed][:1] == ["shop/use.py"]


def test_fields_beside_an_option_that_may_be_meant_are_named(workspace):
    opened = workspace(
        {
            "shop/settings.py": "class Settings:\n"
            "    request_limit = 15  # how many requests of an office are accepted\n"
            "    ban_time = 5\n    cleanup = 90\n",
            "shop/other.py": "class Limits:\n    office_limit = 3  # how many requests of an office are accepted\n",
        }
    )
    text = "which setting controls how many requests of an office are accepted?"
    assert [each.to_text() for each in analyze(opened, text).get_items("beside")] == ["ban_time, cleanup"]


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("who calls (*Storage).Save in the users package?", "users/storage.go"),
        ("who calls (*Storage).Save in the auth package?", "auth/storage.go"),
        ("who calls (*Storage).Save?", "auth/storage.go"),
    ],
)
def test_of_methods_of_one_name_the_one_in_the_named_package_is_meant(workspace, question, file):
    method = "type Storage struct{}\n\nfunc (s *Storage) Save() {}\n"
    files = {
        "go.mod": "module shop\n",
        "auth/storage.go": f"package auth\n\n{method}",
        "users/storage.go": f"package users\n\n{method}",
        "main.go": 'package main\n\nimport (\n\t"shop/auth"\n\t"shop/users"\n)\n\nfunc main() {\n'
        "\tvar a auth.Storage\n\ta.Save()\n\ta.Save()\n\tvar u users.Storage\n\tu.Save()\n}\n",
    }
    read = read_question(workspace(files).code, question)
    assert (read.intent, read.definition.file, read.scope) == (Intent.USAGE, file, None)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("push_item was corrected. What was the bug? Give me the commit.", Intent.HISTORY),
        ("Cart.push_item asks twice by default. When did this come in and why was it needed?", Intent.HISTORY),
        ("Which calls take Cart.push_item to Cart.count_all?", Intent.PATH),
        ("The nightly run only keeps a week of files. I want the last 30. What goes into shop.toml?", Intent.OPTION),
        ('A scanner says that we send "Server: Shop/1.2". How can I have the version left out of that?', Intent.OPTION),
        # These words ask for something else elsewhere.
        ("is push_item needed?", Intent.USAGE),
        ("describe shop/cart.py", Intent.MAP),
        ('where does "the shop is closed for today" come from?', Intent.ERROR),
    ],
)
def test_wordings_that_only_look_like_other_questions(workspace, text, intent):
    assert read_question(workspace(SHOP).code, text).intent is intent
