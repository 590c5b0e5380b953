"""Questions that name a class, a command or revisions first, or tell something and ask why."""

from __future__ import annotations

import pytest

from avionics.agents.rules import RulePlanner
from avionics.history.commits import Commit
from avionics.index.changes.commit_ranking import find_matching_commits
from avionics.tools.questions.change_reader import get_change
from avionics.tools.questions.reading import read_question
from avionics.tools.resolution.asked_parameters import get_parameter
from avionics.tools.unified.analyze import analyze

SHOP = {
    "shop/cart.py": "class Cart:\n    LIMIT = 3\n\n    def push_item(self, item):\n        return self.count(item)\n\n"
    "    def count(self, item):\n        return self._weigh(item)\n\n    def _weigh(self, item):\n        return 1\n\n"
    + "".join(f"    def step_{at}(self):\n        return {at}\n\n" for at in range(60)),
    "shop/stack.py": "class Stack:\n    class Node:\n        pass\n\n    def push_item(self, item):\n        return 1\n"
    "\n    def _wrap(self, item):\n        return item\n",
    "shop/use.py": "from shop.cart import Cart\n\n\ndef fill(cart: Cart):\n    return cart.push_item(1)\n",
    "tests/unit/test_cart.py": "from shop.cart import Cart\n\n\ndef test_push():\n    Cart().push_item(2)\n",
}


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Cart: how do we get from push_item() to count()?", ("Cart.push_item()", "Cart.count()")),
        ("In Cart, how does push_item() reach count()?", ("Cart.push_item()", "Cart.count()")),
        # Nothing is qualified by what is no class, or with what it does not have.
        ("Note: how do we get from fill() to count()?", ("fill()", "count()")),
        ("Stack: how do we get from fill() to count()?", ("fill()", "count()")),
    ],
)
def test_members_belong_to_the_type_that_a_question_begins_with(workspace, text, ends):
    assert read_question(workspace(SHOP).code, text).ends == ends


def test_a_method_is_named_as_in_the_documentation_of_java(workspace):
    found = read_question(workspace(SHOP).code, "Cart#count is used where?")
    assert (found.intent.value, found.subject) == ("usage", "Cart.count")
    assert read_question(workspace(SHOP).code, "issue cart#12: who calls fill").subject == "fill"


@pytest.mark.parametrize("said", ["apart from the tests", "besides tests", "outside of the unit tests", "(no tests)"])
def test_tests_that_somebody_does_not_ask_for_are_no_place(workspace, said):
    found = read_question(workspace(SHOP).code, f"who is calling push_item {said}")
    assert (found.intent.value, found.subject, found.scope) == ("usage", "Cart.push_item", None)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("security release v5.2.10: what is different from v5.2.9", ("v5.2.9", "v5.2.10")),
        ("what did v4.1.4 change compared to v4.1.3", ("v4.1.3", "v4.1.4")),
        ("the tags shop@3.2.0 and shop@3.3.0: source changes", ("shop@3.2.0", "shop@3.3.0")),
        ("what changed since 1.4.0", ("1.4.0", None)),
        ("1.2.0, 1.3.0, 1.4.0: what changed in 1.4.0", ("1.4.0~1", "1.4.0")),
    ],
)
def test_two_versions_are_compared_wherever_they_stand(text, ends):
    change = get_change(text, lambda _: False)
    assert change is not None
    assert (change.base, change.head) == ends


def test_a_package_is_named_with_dots_or_colons(workspace):
    code = workspace(SHOP).code
    assert read_question(code, "which types belong to package tests.unit?").path == "tests/unit"
    assert read_question(code, "content of package shop.nothing").path == ""


def test_the_tests_within_a_directory_of_tests_are_its_contents(workspace):
    answer = analyze(workspace(SHOP), "what unit tests exist in tests/unit")
    assert answer.summary.startswith("tests/unit: directory, 1 code file")
    assert "1 test uses it" in analyze(workspace(SHOP), "which tests are there for shop/cart.py").summary


def test_a_class_that_is_too_long_is_shown_with_its_methods(workspace):
    listed = analyze(workspace(SHOP), "explain Cart").get_items("members")
    assert [each.to_text().split(", ")[:3] for each in listed] == [["push_item", "count", "step_0"]]
    assert analyze(workspace(SHOP), "explain Stack").get_items("members") == ()


def test_an_explained_file_names_inner_classes_and_private_methods(workspace):
    assert "further definitions: Stack.Node, Stack._wrap" in analyze(workspace(SHOP), "explain shop/stack.py").summary


def test_a_why_that_no_rule_reads_is_answered_with_who_wrote_the_lines(git_repository, workspace):
    repository = git_repository({"mark.py": "def mark_page(out):\n    out.write(1)\n"}, name="writers")
    quoted = "def mark_page(out):\n    out.write(1)\n    out.quote('special characters')\n"
    repository.commit("Survive umlauts", {"mark.py": quoted})
    opened = workspace(root=repository.root)
    answer = analyze(opened, "special characters are quoted. What was the bug report?")
    assert [each.subject for each in answer.get_items("blame")] == ["Survive umlauts"]
    assert analyze(opened, "where are special characters quoted?").get_items("blame") == ()


def test_the_history_of_a_field_has_the_commits_that_began_to_use_it(git_repository, workspace):
    repository = git_repository({"port.py": "class Port:\n    fast = False\n"}, name="field")
    sending = "from port import Port\n\n\ndef send(port: Port):\n    return 1 if port.fast else 0\n"
    repository.commit("Send at once", {"send.py": sending}, date="2024-02-01T00:00:00+00:00")
    answer = analyze(workspace(root=repository.root), "since when, and why, is Port.fast there")
    assert [each.subject for each in answer.get_items("commits")] == ["Send at once"]


def test_a_statement_and_why_are_one_question(workspace):
    def count(question):
        return len(RulePlanner(workspace(SHOP)).plan(question).steps)

    assert count("Cart.push_item counts the item twice. Which bug made this necessary?") == 1
    assert count("we go from v1.2 to v1.3. What changed in shop?") == 1
    assert count("what is in shop? Why was Cart.push_item added?") == 2


def test_names_of_files_and_values_are_no_options(workspace):
    files = {
        "tool.py": "parser.add_argument('--expire', help='minutes until an address expires')\n"
        "conffiles = [\n    'tool.conf',\n]\n",
        "pyproject.toml": '[project]\nname = "web-tool"\nversion = "1"\n',
    }
    for question in (
        "addresses expire too early. which variable of tool.conf?",
        "which option makes web-tool expire addresses?",
    ):
        found = analyze(workspace(files), question).get_items("options")
        assert [each.name for each in found] == ["--expire"]


def test_a_letter_at_the_end_of_a_version_tells_which_one_is_later():
    change = get_change("list the sources that v1.3.9d altered compared to v1.3.9c", lambda _: False)
    assert change is not None
    assert (change.base, change.head) == ("v1.3.9c", "v1.3.9d")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("what's new in the shop code going from v1.0 to v1.1?", "shop"),
        ("v1.0 → v1.1: which parts of shop came with it?", "shop"),
        ("what differs between v1.0 and v1.1 in the shops?", "shop"),
        # Words for something else, and directories without code of the product, restrict nothing.
        ("what changed in the public API from v1.0 to v1.1?", ""),
        ("what changed in our docs from v1.0 to v1.1?", ""),
    ],
)
def test_plain_words_restrict_a_change_to_a_directory(workspace, text, path):
    found = read_question(workspace(SHOP).code, text)
    assert (found.intent.value, found.path) == ("changes", path)


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        (
            "In Cart push_item should no longer take the item. Which lines do I need to change?",
            "signature",
            "push_item",
        ),
        ("Cart counts twice (push_item). Which change brought that, and why?", "history", "push_item"),
        ("Cart counts twice (twice). Which change brought that, and why?", "history", ""),
    ],
)
def test_the_member_that_a_question_names_beside_a_class_is_its_subject(workspace, text, intent, subject):
    found = read_question(workspace(SHOP).code, text)
    assert found.intent.value == intent
    assert found.subject in ({f"Cart.{subject}", f"Stack.{subject}"} if subject else {"Cart", ""})


def test_a_word_that_asks_is_no_class(workspace):
    code = workspace(SHOP | {"shop/events.py": "class Reason:\n    pass\n"}).code
    text = "shop does not start without --force. Which commit made it mandatory and what was the reason?"
    assert read_question(code, text).subject == ""
    assert read_question(code, "why was Reason added?").subject == "Reason"


def test_of_several_modules_with_a_name_that_with_the_type_is_meant(workspace):
    java = {
        f"{place}/security/{name}.java": f"package {place}.security;\npublic {kind} {name} {{}}\n"
        for place, name, kind in (("a", "Login", "class"), ("b/main", "Checker", "interface"))
    }
    found = read_question(workspace(java).code, "classes that implement Checker in the b security module")
    assert (found.intent.value, found.subject) == ("kin", "Checker")


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        # An acronym says more of what is told, and is not what "that" stands for.
        ("The scripts get the state as JSON on their input. Where is that written?", None),
        ("The proxy ends TLS. Only its address shall be trusted. What do I have to set on that side?", None),
        ("I am about to change push_item. Who calls it?", ["I am about to change push_item", "Who calls `push_item`?"]),
    ],
)
def test_what_a_question_tells_first_is_a_part_of_it(workspace, text, queries):
    steps = RulePlanner(workspace(SHOP)).plan(text).steps
    asked = [each.arguments["query"] for each in steps]
    assert asked == [text] if queries is None else asked[-1] == queries[-1]


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("drop the second parameter of draw: what has to change?", "size"),
        ("draw loses its second parameter and gets a color instead. Which calls?", ""),
        ("the size parameter of draw is replaced by a box", ""),
    ],
)
def test_each_call_is_concerned_if_another_parameter_takes_the_place(text, parameter):
    assert get_parameter(text, ("shape", "size")) == parameter


@pytest.mark.parametrize(
    ("text", "known", "subjects"),
    [
        ("logback remove", (), ["replaced logback with tinylog"]),
        (
            "logback copied repo dependency",
            ("logback",),
            ["logback is a dependency of the repo", "remove a dependency"],
        ),
        ("logback gone", ("logback",), []),
    ],
)
def test_messages_count_more_with_the_name_that_a_question_is_about(text, known, subjects):
    said = ("remove a dependency", "logback is a dependency of the repo", "replaced logback with tinylog", "keep it")
    commits = [Commit(f"{at:040}", (), "ann", "ann@example.org", "", 0, each) for at, each in enumerate(said)]
    found = [each.subject for each in find_matching_commits(commits, text, known, is_oldest_first=False)]
    assert found == subjects[: len(found)]
    assert found[:1] == subjects[:1]


def test_a_body_with_most_of_several_words_is_a_reason():
    body = "tries, proxy and agent are read from the entry, so they are never in the key that a source builds"
    texts = (("isolate entries", body), ("isolate the entries", "a proxy has many tries"), ("bump shop", ""))
    commits = [Commit(f"{at:040}", (), "ann", "ann@example.org", "", 0, *each) for at, each in enumerate(texts)]
    found = find_matching_commits(
        commits, "the tries, the proxy and the agent part of a key", (), is_oldest_first=False
    )
    assert [each.subject for each in found] == ["isolate entries"]


def test_new_definitions_of_some_kinds_are_listed_alone_without_members_of_new_ones(git_repository, workspace):
    repository = git_repository({"shop.py": "def sell():\n    return 1\n"}, name="kinds")
    repository.git("tag", "v1.0.0")
    cart = "class Cart:\n    def add(self):\n        return 2\n"
    test = "class TestCart:\n    def test_add(self):\n        return 3\n"
    files = {
        "shop.py": f"def sell(x):\n    return x\n\n\ndef buy():\n    return 1\n\n\n{cart}",
        "tests/test_cart.py": test,
    }
    repository.commit("carts", files)
    repository.git("tag", "v1.1.0")
    opened = workspace(root=repository.root)

    def ask(question):
        answer = analyze(opened, question)
        return answer.summary.partition(": ")[2], [each.symbol for each in answer.get_items("added")]

    assert ask("compare v1.0.0 and v1.1.0, which classes are new?") == ("2 types added", ["Cart", "TestCart"])
    told = "1 function added, beside the members of types added"
    assert ask("which methods are new in v1.1.0 compared to v1.0.0?") == (told, ["buy"])
    assert ask("what is new between v1.0.0 and v1.1.0?")[1] == ["Cart", "buy", "TestCart"]
    assert ask("which classes changed between v1.0.0 and v1.1.0?")[1] == []


def test_the_commits_of_one_word_are_not_said_to_have_most_words(git_repository, workspace):
    repository = git_repository({"log.py": "def log():\n    return 1\n"}, name="words")
    repository.commit("Write tinylog files", {"log.py": "def log():\n    return 2\n"})
    answer = analyze(workspace(root=repository.root), "why has tinylog come along for the printers of every box?")
    assert answer.summary.startswith("1 commit message has 'tinylog'; the best one is")


def test_a_message_with_the_option_of_a_question_is_found_though_other_words_differ():
    subjects = ("fix: require explicit --force flag", "docs: start with examples", "shop: start faster", "bump shop")
    commits = [Commit(f"{at:040}", (), "ann", "ann@example.org", "", 0, each) for at, each in enumerate(subjects)]
    text = "shop does not start any more without --force, which is mandatory"
    found = find_matching_commits(commits, text, (), is_oldest_first=False)
    assert [each.subject for each in found] == [subjects[0]]
    assert find_matching_commits(commits[1:], text, (), is_oldest_first=False)[:1] != (commits[0],)


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        # A name and what is asked of it are no printed message, and a word in both is no other subject.
        ("ShopBase: list the implementations", "kin", "ShopBase"),
        ("countError: how is it used", "usage", "countError"),
        ("push_item(count, extra): count shall go last. What breaks?", "signature", "push_item"),
        ("I want to pass the cart to fill instead of its size. What do I need to adapt?", "signature", "fill"),
        ("can the number of steps be raised?", "option", ""),
        ("can an error be raised by fill?", "phrase", ""),
        ("push_item down to _weigh: how does it get there?", "path", ""),
    ],
)
def test_short_forms_of_questions_are_read(workspace, text, intent, subject):
    code = workspace(
        SHOP | {"shop/errors.py": "def countError():\n    return fill(1)\n\n\nclass ShopBase:\n    pass\n"}
    ).code
    found = read_question(code, text)
    assert (found.intent.value, found.subject.rpartition(".")[2]) == (intent, subject)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("v1.1.0 → v1.2.0: what has been worked on in shop?", "changes"),
        ("REJECTED: the page by shop plugin because minimum size 2.00 GiB, got 350.12 MiB", "error"),
        ("which commits came with page.size?", "phrase"),
        ("latest commits by ann.lee", "commits"),
    ],
)
def test_a_list_of_the_newest_commits_is_about_everything(workspace, text, intent):
    assert read_question(workspace(SHOP).code, text).intent.value == intent


PARTS = {
    "shop/cart.py": "class Cart:\n    page_title = ''\n    count_shown = False\n    lost_items = 0\n\n\n"
    "def label(page_title, size):\n    return page_title[:size]\n\n\n"
    "def lost_item(cart):\n    return cart.lost_items\n",
}


@pytest.mark.parametrize(
    ("text", "intent", "subject"),
    [
        ("If I rename the parameter page_title of label, what breaks?", "signature", "label"),
        ("drop the argument size of label: what has to change?", "signature", "label"),
        ("reason for the lost-item counter (count_shown)?", "history", "Cart.count_shown"),
        ("reason for the counter of lost items (lost_item)?", "history", "lost_item"),
    ],
)
def test_a_parameter_belongs_to_a_function_and_a_name_in_parentheses_is_meant(workspace, text, intent, subject):
    found = read_question(workspace(PARTS).code, text)
    assert (found.intent.value, found.subject) == (intent, subject)
