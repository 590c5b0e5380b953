from __future__ import annotations

from contextlib import nullcontext

import pytest

from avionics.model.enums import Certainty
from avionics.model.errors import HistoryError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import fit, render
from avionics.tools.answers.next_step import suggest
from avionics.tools.ids import ToolId
from avionics.tools.questions.intents import Intent
from avionics.tools.questions.reading import read_question
from avionics.tools.unified.analyze import analyze

FILES = {
    "app/__init__.py": "",
    "app/views.py": '''from app.store import Store


class View:
    """Shows things."""

    def render(self, name):
        """Render one page."""
        return Store().load(name)


class Detail(View):
    def render(self, name):
        return super().render(name).upper()


def draw(name):
    return View().render(name)
''',
    "app/store.py": '''class Store:
    def load(self, name):
        """Load a page from the disk."""
        return open_page(name)


def open_page(name):
    return name
''',
}


@pytest.fixture
def opened(workspace):
    return workspace(FILES)


def shown_lines(answer):
    return [
        (item.file, line) for item in answer.get_items("code") for line in range(item.start_line, item.end_line + 1)
    ]


def test_a_symbol_gives_definition_code_and_usages(opened):
    answer = analyze(opened, "View.render")
    assert answer.kind == "symbol"
    assert [(item.file, item.start_line, item.end_line) for item in answer.get_items("code")] == [
        ("app/views.py", 7, 9)
    ]
    assert [(usage.line, usage.enclosing) for usage in answer.get_items("usages")] == [
        (14, "Detail.render"),
        (18, "draw"),
    ]
    assert [item.symbol for item in answer.get_items("overrides")] == ["Detail.render"]


def test_who_calls_gives_usages_and_no_code(opened):
    answer = analyze(opened, "who calls open_page?")
    assert (answer.kind, answer.get_items("code")) == ("usage", ())
    assert [(usage.file, usage.line) for usage in answer.get_items("usages")] == [("app/store.py", 4)]


def test_subclasses_are_what_a_question_for_them_gives(opened):
    answer = analyze(opened, "subclasses of View")
    assert answer.headline() == "View: 1 subclass"
    assert [item.symbol for item in answer.get_items("subclasses")] == ["Detail"]
    assert (answer.get_items("usages"), answer.coverage.found) == ((), 1)


def test_how_gives_ranked_symbols_code_and_flow(opened):
    answer = analyze(opened, "how is a page loaded from the disk?")
    assert answer.kind == "flow"
    assert answer.get_items("symbols")[0].symbol == "Store.load"
    assert answer.get_items("code")[0].text.startswith("    def load(self, name):")
    assert "open_page" in [item.symbol for item in answer.get_items("flow")]
    assert [each.step for each in answer.attempts] == ["flow", "ranked search", "what the best match calls"]


def test_a_directory_is_mapped(opened):
    answer = analyze(opened, "what is in app?")
    assert answer.kind == "map"
    assert {item.path for item in answer.get_items("submodules")} >= {"app/views.py", "app/store.py"}


def test_a_place_gives_the_function_around_it(opened):
    answer = analyze(opened, "app/store.py:4")
    assert (answer.kind, answer.get_items("code")[0].start_line, answer.get_items("code")[0].end_line) == (
        "place",
        2,
        4,
    )
    assert analyze(opened, "app/views.py:1").summary == "app/views.py:1 is at module level"


def test_a_traceback_puts_its_frames_first(opened):
    text = (
        'Traceback:\n  File "/srv/app/views.py", line 9, in render\n'
        '  File "/srv/app/store.py", line 4, in load\nOSError'
    )
    answer = analyze(opened, text)
    assert answer.kind == "traceback"
    assert [item.symbol for item in answer.get_items("symbols")[:2]] == ["Store.load", "View.render"]
    assert answer.get_items("symbols")[0].reasons[0] == "traceback"


def test_why_gives_commits_where_there_is_history_and_the_code_where_there_is_none(opened, git_repository, workspace):
    repository = git_repository(FILES, name="past")
    repository.commit("Upper case for details", {"app/new.py": "def shout():\n    return 1\n"})
    answer = analyze(workspace(root=repository.root), "why was shout added?")
    assert answer.kind == "history"
    assert [commit.subject for commit in answer.get_items("commits")] == ["Upper case for details"]
    without = analyze(opened, "why does open_page return name?")
    assert (without.kind, without.get_items("symbols")[0].symbol) == ("history", "open_page")
    assert [attempt.step for attempt in without.attempts] == ["history", "ranked search"]
    assert without.summary.startswith("no git history here; ")


@pytest.mark.parametrize("query", ["what changed between HEAD~3 and HEAD?", "which tests cover my change?"])
def test_a_question_about_changes_is_refused_where_there_is_no_history(opened, query):
    with pytest.raises(HistoryError, match="no git history here"):
        analyze(opened, query)


@pytest.mark.parametrize(
    "query", ["View.render", "how is a page loaded?", "render a page", "app/store.py:4", "who calls draw?", "app"]
)
def test_no_answer_shows_a_line_twice(opened, query):
    answer = analyze(opened, query)
    lines = shown_lines(answer)
    assert len(lines) == len(set(lines))
    assert not {(usage.file, usage.line) for usage in answer.get_items("usages")} & set(lines)
    for item in (*answer.get_items("symbols"), *answer.get_items("definitions")):
        if (item.file, item.start_line) in lines:
            assert (item.signature, item.doc) == ("", "")


def test_code_is_the_files_own_lines(opened):
    for item in analyze(opened, "render a page").get_items("code"):
        assert item.text.split("\n") == FILES[item.file].split("\n")[item.start_line - 1 : item.end_line]


def test_a_scope_is_obeyed(opened):
    answer = analyze(opened, "load a page", scope="app/store.py")
    assert {item.file for item in answer.get_items("symbols")} == {"app/store.py"}


def test_nothing_found_says_so_and_offers_near_names(opened):
    answer = analyze(opened, "Stoer")
    assert (answer.summary, answer.coverage.status.value) == (
        "no match for 'Stoer' in symbols, paths or text",
        "not_found",
    )
    assert [item.name for item in answer.get_items("near")] == ["Store"]
    with pytest.raises(UsageError):
        analyze(opened, "   ")


def test_a_line_past_the_end_is_refused_and_noise_is_answered_quickly(opened):
    with pytest.raises(UsageError, match="no line 999"):
        analyze(opened, "app/views.py:999")
    for noise in ("a" * 20_000, "a/" * 10_000):
        with pytest.raises(UsageError) if "/" in noise else nullcontext():
            assert analyze(opened, noise).coverage.status.value == "not_found"
    with pytest.raises(UsageError, match="no words"):
        analyze(opened, "-" * 20_000)


def test_other_definitions_of_the_name_are_listed_and_not_counted(workspace):
    client = "class Client:\n    def send(self): ...\n    def go(self): self.send()\n"
    opened = workspace({"a.py": f"{client}class Other:\n    def send(self): ...\n"})
    answer = analyze(opened, "who calls send?")
    assert answer.summary.startswith("Client.send (method, a.py:2): 1 usage")
    assert [(each.symbol, each.line) for each in answer.get_items("other_definitions")] == [("Other.send", 5)]


def test_definitions_of_the_name_that_only_tests_have_come_behind_the_usages(workspace):
    files = {
        "ask.py": "def confirm(text): ...\n",
        "shop.py": "from ask import confirm\n\n\ndef pay():\n    confirm('pay?')\n",
        "tests/test_shop.py": "confirm = object()\n",
    }

    def list_order(**more):
        sections = analyze(workspace({**files, **more}), "who calls confirm?").sections
        return [each.name for each in sections if each.items]

    assert list_order() == ["definitions", "usages", "other_definitions"]
    assert list_order(**{"other.py": "def confirm(): ...\n"})[:2] == ["definitions", "other_definitions"]


def test_a_module_that_a_question_names_without_its_suffix_is_what_it_is_about(workspace):
    opened = workspace({"app/import_keys.py": "def load(): ...\n", "docs/import_keys/a.md": "# Keys\n"})
    question = read_question(opened.code, "import_keys runs its command twice. Who wanted that, what was going wrong?")
    assert (question.intent, question.path) == (Intent.HISTORY, "app/import_keys.py")


def test_a_function_with_the_name_of_a_module_is_meant_before_the_module(workspace):
    opened = workspace({"app/import_keys.py": "", "app/main.py": "def import_keys(): ...\n"})
    question = read_question(opened.code, "import_keys runs twice. Who wanted that?")
    assert (question.path, question.subject) == ("", "import_keys")


def test_a_dotted_name_that_does_not_exist_is_said_to_not_exist(workspace):
    answer = analyze(workspace({"a.py": "class Client:\n    def send(self): ...\n"}), "Session.send")
    assert answer.summary.startswith("no symbol named Session.send; ")
    assert [each.symbol for each in answer.get_items("other_definitions")] == ["Client.send"]


def test_a_prototype_is_a_definition_and_no_other_one(workspace):
    files = {"a.h": "int add(int a);\n", "a.c": '#include "a.h"\nint add(int a) { return a; }\n'}
    answer = analyze(workspace(files), "who uses add?")
    assert [(each.file, each.line) for each in answer.get_items("definitions")] == [("a.c", 2), ("a.h", 1)]
    assert answer.get_items("other_definitions") == ()


def test_a_cut_answer_counts_the_usages_that_it_shows(workspace):
    calls = "".join(f"    total({number})\n" for number in range(40))
    answer = analyze(workspace({"a.py": f"def total(x): ...\ndef main():\n{calls}"}), "who calls total?")
    shown = fit(answer, 220)
    assert 0 < len(shown.get_items("usages")) < 40
    assert (shown.coverage.shown, shown.coverage.found) == (len(shown.get_items("usages")), 40)


def test_a_question_about_a_name_that_nothing_has_says_so(workspace):
    opened = workspace({"a.py": "def no_such_luck(): ...\ndef thing(): ...\n"})
    assert analyze(opened, "who uses NoSuchThing?").summary.startswith("no symbol named NoSuchThing; ")
    assert not analyze(opened, "who uses thing?").summary.startswith("no symbol")


@pytest.mark.parametrize(
    "question", ["what is Gadget", "where is Gadget defined?", "explain Gadget", "show me the Gadget class"]
)
def test_a_question_what_a_name_means_that_nothing_has_finds_no_weak_matches(workspace, question):
    opened = workspace({"a.py": "def defined(): ...\ndef show_class(): ...\n"})
    answer = analyze(opened, question)
    assert (answer.summary, answer.coverage) == ("no symbol named Gadget; no file mentions Gadget", Coverage(0, 0))


@pytest.mark.parametrize("question", ["explain gadget.go", "what does gadget.go do?", "gadget.go"])
def test_a_file_that_does_not_exist_is_no_symbol_named_like_its_ending(workspace, question):
    opened = workspace({"tool.py": "def go(): ...\n", "app.js": "const go = 1\n", "gadgets.go": "package a\n"})
    answer = analyze(opened, question)
    assert answer.summary.startswith("no file gadget.go")
    assert [item.name for item in answer.get_items("near")][:1] == ["gadgets.go"]


def test_a_path_from_a_name_that_nothing_has_says_so(workspace):
    opened = workspace({"a.py": "def save(): ...\n"})
    assert analyze(opened, "how does Gadget get to save?").summary.startswith(
        "no symbol, file, entry point or text 'Gadget'"
    )
    assert not analyze(opened, "how does the Gadget button look").summary.startswith("no symbol, file")


TESTED = {
    "shop/__init__.py": "",
    "shop/prices.py": "class Price: ...\n\n\nclass Tax(Price):\n    def total(self):\n        return add(1)\n\n\n"
    "def add(n):\n    return n\n\n\ndef _left():\n    return 0\n",
    "shop/cli.py": "from shop.prices import add\n\nif __name__ == '__main__':\n    add(2)\n",
    "shop/page.html": "<p data-v-x>one</p>\n",
    "docs/a.md": "use data-v-x here\n",
    "tests/test_prices.py": "from shop.prices import Tax\n\n\ndef test_total():\n    assert Tax().total() == 1\n\n\n"
    "def test_other():\n    pass\n",
}


def test_tests_of_a_symbol_are_those_that_lead_to_it(workspace):
    opened = workspace(TESTED)
    for query in ("which tests cover add?", "which tests cover taxes", "tests for shop/prices.py"):
        answer = analyze(opened, query)
        assert [(each.test, each.is_proven) for each in answer.get_items("tests")] == [("test_total", True)]
        assert answer.coverage.certainty.value == "at_least"


def test_a_question_for_tests_of_what_is_not_there_is_not_about_the_directory_of_tests(workspace):
    opened = workspace(
        {"app.py": "def run(): ...\n", "tests/test_app.py": "from app import run\n\ndef test_run():\n    run()\n"}
    )
    for question in ("tests for FooBar", "which tests cover the thing FooBar?"):
        answer = analyze(opened, question)
        assert answer.get_items("tests") == ()
        assert answer.summary == "no symbol named FooBar; no file mentions FooBar"
    assert analyze(opened, "tests for run").get_items("tests")


def test_questions_about_everything_are_answered_by_the_tool_that_looks_at_everything(workspace):
    opened = workspace(TESTED)
    assert [each.symbol for each in analyze(opened, "unused functions").get_items("unused")] == ["_left"]
    parts = analyze(opened, "list the packages")
    assert ([each.path for each in parts.get_items("submodules")][:1], parts.get_items("api")) == (["shop"], ())
    assert parts.coverage.next == suggest(ToolId.MAP_MODULE, "for its contents", path="shop")
    assert [each.name for each in analyze(opened, "list the entry points").get_items("entry_points")] == ["shop/cli.py"]
    importers = analyze(opened, "what depends on shop/prices.py").get_items("importers")
    assert [each.file for each in importers] == ["shop/cli.py", "tests/test_prices.py"]


def test_relations_are_told_in_the_direction_asked(workspace):
    opened = workspace(TESTED)
    bases = analyze(opened, "what does Tax inherit from?")
    assert (bases.summary, [each.symbol for each in bases.get_items("bases")]) == ("Tax inherits from Price", ["Price"])
    assert [each.symbol for each in analyze(opened, "what does Tax.total call?").get_items("flow")] == [
        "Tax.total",
        "add",
    ]
    code = analyze(opened, "show me the code of add")
    assert (code.get_items("usages"), code.get_items("code")[0].start_line) == ((), 9)


def test_a_word_with_marks_is_found_as_it_stands_code_first(workspace):
    answer = analyze(workspace(TESTED), "data-v-x")
    assert [each.file for each in answer.get_items("lines")] == ["shop/page.html", "docs/a.md"]
    only = analyze(workspace({"a.md": "see v-if\n"}), "v-if")
    assert (only.summary, [each.line for each in only.get_items("lines")]) == ("'v-if' is at a.md:1", [1])
    with pytest.raises(UsageError, match="no words"):
        analyze(workspace({"a.md": "nothing\n"}), "v-if")


def test_where_a_name_that_nothing_has_is_used_are_the_lines_that_hold_it(workspace):
    answer = analyze(workspace({"a.py": "def run(c):\n    return c['THE_NAME']\n"}), "where is THE_NAME used?")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("a.py", 2)]


def test_a_reason_is_looked_for_where_the_code_speaks_of_what_else_is_named(git_repository, workspace):
    files = {"a.py": "def load():\n    return check()\n\n\ndef check():\n    raise ValueError('no API_TOKEN')\n"}
    repository = git_repository(files, name="needs")
    answer = analyze(workspace(root=repository.root), "why does load need API_TOKEN?")
    assert (answer.kind, len(answer.get_items("commits"))) == ("history", 1)
    assert "check" in {each.symbol for each in answer.get_items("symbols")}
    assert analyze(workspace(root=repository.root), "why does load return?").get_items("symbols") == ()


def test_why_something_is_not_so_is_told_by_commits_beside_the_code(git_repository, workspace):
    repository = git_repository({"mark.py": "def mark(out):\n    out.write('133')\n"}, name="marks")
    skipped = "def mark(out, printer):\n    if printer != 'lino':\n        out.write('133')\n"
    repository.commit("Skip 133 for lino only", {"mark.py": skipped})
    repository.commit("Mark more pages", {"pages.py": "def mark_all():\n    return 3\n"})
    answer = analyze(workspace(root=repository.root), "why is 133 not there for lino?")
    assert [each.subject for each in answer.get_items("telling")] == ["Skip 133 for lino only"]
    assert analyze(workspace(root=repository.root), "where is 133 written?").get_items("telling") == ()


def test_the_commit_whose_subject_has_all_words_of_a_question_why_is_the_answer_with_its_lines(
    git_repository, workspace
):
    repository = git_repository({"ink.py": "def load(text):\n    return split(text)\n"}, name="ink")
    quick = "def load(text):\n    if not text:\n        return ()\n    return split(text)\n"
    repository.commit("Skip the splitter if a text is empty", {"ink.py": quick})
    repository.commit("Empty the box", {"box.py": "def empty(text):\n    return ''\n"})
    answer = analyze(workspace(root=repository.root), "why is the splitter skipped for an empty text?")
    assert [each.subject for each in answer.get_items("telling")] == ["Skip the splitter if a text is empty"]
    assert [(each.start_line, each.end_line) for each in answer.get_items("code")] == [(2, 3)]
    assert not answer.get_items("symbols")


def test_the_commit_that_has_the_words_of_a_question_and_wrote_the_lines_with_them_is_the_answer(
    git_repository, workspace
):
    lines = "def parse_url(url):\n    result = {}\n    host = url.host\n    return result\n"
    repository = git_repository({"a.py": lines, "b.py": "def join(url):\n    return parse_url(url)\n"}, name="urls")
    guarded = lines.replace(
        "    host", "    try:\n        cut(url)\n    except OddError:  # cut raises it\n        return None\n    host"
    )
    repository.commit("Return None for an odd url", {"a.py": guarded})
    repository.commit("Return a value from join", {"b.py": "def join(url):\n    return parse_url(url) or None\n"})
    answer = analyze(
        workspace(root=repository.root), "why does parse_url return None for an odd url if cut raises OddError?"
    )
    assert [each.subject for each in answer.get_items("telling")] == ["Return None for an odd url"]
    assert not answer.get_items("symbols")
    assert not answer.get_items("authors")


def test_a_plain_word_of_a_long_question_why_is_not_taken_for_a_function(git_repository, workspace):
    repository = git_repository({"web.py": "def status():\n    return 405\n"}, name="header")
    repository.commit("Omit the vary header of errors other than 405", {"web.py": "def status():\n    return 404\n"})
    opened = workspace(root=repository.root)
    answer = analyze(opened, "since when, and why, is the vary header of errors only there if the status is 405?")
    assert answer.get_items("telling")[0].subject == "Omit the vary header of errors other than 405"
    assert answer.summary.startswith("1 commit message has most of these words")
    assert analyze(opened, "why does status return another number?").summary.startswith("status (web.py:1-2)")


def test_a_reason_is_in_the_commits_that_speak_of_what_is_asked(git_repository, workspace):
    repository = git_repository(
        {"store.py": "class PageStore:\n    def read(self):\n        return 1\n"}, name="reasons"
    )
    guarded = "class PageStore:\n    def read(self):\n        with self.lock:\n            return 1\n"
    repository.commit("Hold a lock while the pagestore loads", {"store.py": guarded})
    repository.commit("Say how pages are drawn", {"views.py": "def draw():\n    return 2\n"})
    opened = workspace(root=repository.root)
    named = analyze(opened, "why does the page store hold a lock while loading?")
    assert named.summary.startswith("PageStore (store.py:1-4)")
    assert [each.subject for each in named.get_items("telling")] == ["Hold a lock while the pagestore loads"]
    unnamed = analyze(opened, "why is a lock held while the pages are loaded by it?")
    assert (unnamed.kind, unnamed.coverage.certainty) == ("history", "at_least")
    assert unnamed.summary.endswith("Hold a lock while the pagestore loads")
    assert analyze(opened, "why are colors mixed before the printer starts?").get_items("telling") == ()
    assert analyze(opened, "why was PageStore added").get_items("telling") == ()


def test_a_search_for_a_reason_begins_with_the_commit_and_one_for_a_place_has_none(git_repository, workspace):
    repository = git_repository({"load.py": "def load(arguments):\n    return arguments.lock\n"}, name="options")
    added = "def load(arguments):\n    if arguments.get('--hold-pages'):\n        return 1\n    return 2\n"
    repository.commit("Let --hold-pages keep pages in memory", {"load.py": added})
    opened = workspace(root=repository.root)
    why = analyze(opened, "Why doesn't --hold-pages write the pages to disk?")
    assert why.summary.startswith("the commit whose message fits best is ")
    assert next(iter(why.sections)).name == "telling"
    where = analyze(opened, "where do we find out that the pages got new commits since --hold-pages was set?")
    assert where.get_items("telling") == ()


def test_one_rare_word_leads_to_the_commits_that_speak_of_it_and_the_first_comes_first(git_repository, workspace):
    repository = git_repository({"store.py": "def load():\n    pages = 1\n    return pages\n"}, name="rare")
    for subject in ("Draw images as sixel", "Mend sixel colors", "Draw pages in a loop"):
        repository.commit(subject, {"log.txt": subject})
    for number in range(8):
        repository.commit(f"Make the loop {number} times as quick", {"log.txt": str(number)})
    opened = workspace(root=repository.root)

    def find(question):
        return [each.subject for each in analyze(opened, question).get_items("telling")]

    assert find("why was the sixel support added") == ["Draw images as sixel", "Mend sixel colors"]
    assert find("why was the sixel support changed") == ["Mend sixel colors", "Draw images as sixel"]
    assert find("why was the loop added") == []
    repository.commit("Remove the vulnerable dependency tint", {"log.txt": ""})
    repository.commit("Raise the tint package to version 2", {"log.txt": "2"})
    assert find("why was the tint package dropped, wasn't it needed?")[0] == "Remove the vulnerable dependency tint"


def test_implementers_of_an_interface_need_not_name_it(workspace):
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype Binding interface {\n\tName() string\n}\n\n"
        "type Body interface {\n\tBinding\n}\n\ntype form struct{}\n\n"
        'func (form) Name() string { return "" }\n\ntype other struct{}\n',
    }
    answer = analyze(workspace(files), "who implements Binding?")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["form", "Body"]
    assert answer.summary == "Binding: 2 subtypes"


def test_what_a_type_implements_without_naming_it_is_said(workspace):
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype Store interface {\n\tLoad() int\n}\n\ntype Other interface {\n\tSave() int\n}\n\n"
        "type Memory struct{}\n\nfunc (m *Memory) Load() int { return 1 }\n\n"
        'func (Memory) String() string { return "" }\n',
    }
    answer = analyze(workspace(files), "which interfaces does Memory implement?")
    assert answer.summary == "Memory inherits from nothing; its methods satisfy Store, Stringer"
    assert [each.symbol for each in answer.get_items("satisfied")] == ["Store"]


def test_implementers_of_a_protocol_are_the_classes_with_its_members(workspace):
    files = {
        "shape.py": "from typing import Protocol\n\n\nclass Shape(Protocol):\n    name: str\n\n"
        "    def area(self): ...\n\n    def scale(self, by): ...\n",
        "square.py": "class Square:\n    name = 'square'\n\n    def area(self):\n        return 1\n\n"
        "    def scale(self, by):\n        return by\n\n\nclass Tile(Square):\n    pass\n",
        "half.py": "class Half:\n    name = 'half'\n\n    def area(self):\n        return 2\n",
    }
    answer = analyze(workspace(files), "who implements Shape?")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["Square", "Tile"]
    assert answer.coverage.certainty is Certainty.AT_LEAST


def test_the_unused_members_of_a_class_are_asked_for_by_its_name(workspace):
    files = {
        "shop.py": "class Cart:\n    def total(self):\n        return 1\n\n    def forgotten(self):\n        return 2\n"
        "\n\ndef stale():\n    return 3\n\n\nprint(Cart().total())\n"
    }
    answer = analyze(workspace(files), "which methods of Cart are never used?")
    listed = [item.symbol for name in ("unused", "public", "unknown") for item in answer.get_items(name)]
    assert listed == ["Cart.forgotten"]
    assert answer.summary.startswith("2 definitions of Cart checked")


def test_of_classes_of_one_name_the_one_that_files_import_is_meant(workspace):
    files = {f"gen/g{at}.py": "class Event:\n    pass\n" for at in range(5)}
    files |= {"z/data.py": "class Event:\n    pass\n", "a.py": "from z.data import Event\n\nprint(Event)\n"}
    answer = analyze(workspace(files), "where is Event defined?")
    assert answer.get_items("definitions")[0].file == "z/data.py"


def test_what_a_library_defines_is_said_to_be_outside(workspace):
    files = {"a.py": "from lib.packet import Message\n\n\ndef send(message: Message):\n    return Message(message)\n"}
    assert analyze(workspace(files), "what is Message").summary.startswith("lib.packet.Message (outside the workspace)")
    assert analyze(workspace(files), "what is Telegram").summary.startswith("no symbol named Telegram")


def test_where_a_few_quoted_words_come_from_is_answered_with_their_lines_alone(workspace):
    files = {
        "a.py": "def load(path):\n    raise Missing(f'No page: {path}')\n\n\ndef missing(page):\n    return page\n",
        "b.py": "def raised(error):\n    return 'from ' + error\n",
    }
    files |= {f"lang/{name}/shop.po": 'msgid "No page: %s"\n' for name in ("de", "fr", "it")}
    answer = analyze(workspace(files), "where is 'No page' raised?")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("a.py", 2)]
    assert (answer.coverage.shown, answer.coverage.found) == (1, 4)
    assert not answer.get_items("symbols")


@pytest.mark.parametrize(("asked", "line"), [("what throws Full", 2), ("who catches Full", 8)])
def test_lines_that_do_with_an_error_what_is_asked_come_first(workspace, asked, line):
    files = {
        "a.py": "def put(box):\n    raise Full(box)\n\n\ndef run(box):\n    try:\n        put(box)\n    except Full:\n"
        "        pass\n\n\nclass Full(Exception):\n    pass\n"
    }
    answer = analyze(workspace(files), asked)
    assert answer.get_items("usages")[0].line == line
    assert "; 1 line may " in answer.summary


def test_classes_below_one_that_only_headers_of_a_library_declare_are_listed(workspace):
    files = {
        "a.h": "#include <QDialog>\nclass Picker : public QDialog {};\nclass Other : public Base {};\n",
        "b.h": "class Base {};\n",
    }
    answer = analyze(workspace(files), "how many classes inherit from QDialog?")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["Picker"]


@pytest.mark.parametrize(
    "header",
    [
        "class Player {\n public:\n  void Play();\n  void Stop();\n};\n",
        "namespace Player {\n  void Play();\n  void Stop();\n}\n",
    ],
)
def test_a_file_of_bodies_has_the_users_of_the_header_that_declares_them(workspace, header):
    files = {
        "src/player.h": header,
        "src/player.cpp": '#include "player.h"\nvoid Player::Play() {}\nvoid Player::Stop() {}\n',
        "src/main.cpp": '#include "player.h"\nint main() { return 0; }\n',
    }
    answer = analyze(workspace(files), "what does src/player.cpp do?")
    assert "declared in src/player.h, which 1 file imports" in answer.summary


def test_a_word_for_a_kind_beside_a_name_is_not_the_name(workspace):
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype Interface interface{ Send() }\n\ntype Store interface{ Load() }\n\n"
        "type Memory struct{}\n\nfunc (m *Memory) Load() { m.find() }\n\nfunc (m *Memory) find() {}\n",
    }
    answer = analyze(workspace(files), "who implements the Store interface?")
    assert [each.symbol for each in answer.get_items("subclasses")] == ["Memory"]
    assert analyze(workspace(files), "who calls (*Memory).find").summary.startswith("Memory.find (method, a.go:11)")
    assert analyze(workspace(files), "what does Load call?").summary.startswith("Memory.Load (a.go:9)")


def test_unused_code_is_not_looked_for_in_a_directory_that_does_not_exist(workspace):
    files = {"lib/a.py": "def stale():\n    return 1\n"}
    assert analyze(workspace(files), "is there dead code in lib/util?").summary == "no file or directory lib/util"


def test_an_environment_variable_in_the_place_of_a_symbol_is_found(workspace):
    files = {"a.go": 'package a\n\nfunc load() string {\n\treturn os.Getenv("SHOP_HOST")\n}\n\nfunc Write() {}\n'}
    answer = analyze(workspace(files), "who reads SHOP_HOST?")
    assert "environment variable SHOP_HOST (a.go:4)" in answer.summary


def test_values_declared_with_a_structure_implement_it(workspace):
    files = {
        "vo.h": "struct driver { int (*draw)(void); };\n",
        "x11.c": '#include "vo.h"\nconst struct driver x11 = {\n};\nstatic struct driver *current;\n',
    }
    answer = analyze(workspace(files), "what implements struct driver?")
    assert [(each.file, each.line) for each in answer.get_items("values")] == [("x11.c", 2)]


@pytest.mark.parametrize(
    "asked", ["who calls Cart.open?", "add a parameter to Cart.open, what breaks?", "which tests cover Cart.open?"]
)
def test_a_member_that_a_class_lacks_is_not_that_of_another_class(workspace, asked):
    files = {
        "a.py": "class Cart:\n    def total(self): ...\n\n\nclass Door:\n    def open(self): ...\n\n\nDoor().open()\n"
    }
    answer = analyze(workspace(files), asked)
    assert answer.summary.startswith("no symbol named Cart.open")


def test_a_name_after_colons_that_nothing_has_is_no_file_of_the_name_before_them(workspace):
    files = {"src/a.rs": "pub struct Cart;\nimpl Cart {\n    pub fn total(&self) {}\n}\n", "web/Cart.ts": "export {}\n"}
    answer = analyze(workspace(files), "who calls Cart::totals?")
    assert answer.summary.startswith("no symbol named Cart.totals")
    assert answer.coverage.next.arguments == {"query": "who calls Cart.total?"}


def test_names_that_end_with_an_unknown_one_are_similar(workspace):
    files = {"a.rs": "pub trait ServerApi {}\npub struct Held { server_api: u8 }\n", "b.rs": "pub struct Pier;\n"}
    answer = analyze(workspace(files), "who implements RverApi?")
    assert [each.name.partition(" ")[0] for each in answer.get_items("near")][:1] == ["ServerApi"]


def test_a_type_that_a_header_offers_comes_before_one_of_a_single_file(workspace):
    files = {"src/a.c": "typedef struct _c { int a; } *client;\n", "src/z.h": "typedef struct c { int b; } client;\n"}
    assert analyze(workspace(files), "client").summary.startswith("client (type, src/z.h:1)")


QUOTED = {
    "app/serve.py": "import logging\n\n\ndef start(config):\n"
    + "".join(f"    step({number})\n" for number in range(60))
    + "    if config.disabled:\n        logging.warning('endpoint %s is disabled', config.name)\n\n\n"
    "def flags(parser):\n    parser.add('adapter')\n",
    "app/other.py": "def endpoint():\n    return 'a disabled endpoint'\n",
    "docs/flags.md": "use --adapter\n",
    "deploy/settings.conf": "HIDE_THREADS = 1\n",
}


def test_where_a_message_comes_from_is_its_line_and_the_code_around_it(workspace):
    opened = workspace(QUOTED)
    for query in ('where does "endpoint %s is disabled" come from', 'RuntimeError: endpoint "x" is disabled'):
        answer = analyze(opened, query)
        assert "at app/serve.py:66" in answer.summary
        assert [(each.file, each.line) for each in answer.get_items("lines")] == [("app/serve.py", 66)]
        assert ("app/serve.py", 66) in shown_lines(answer)


def test_a_flag_is_found_where_code_names_it_before_where_text_does(workspace):
    answer = analyze(workspace(QUOTED), "where is the --adapter flag defined")
    found = "'--adapter' or its name in code: 2 text matches, first app/serve.py:70"
    assert answer.headline() == f"{found}; best match: flags (app/serve.py:69)"
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [
        ("app/serve.py", 70),
        ("docs/flags.md", 1),
    ]


def test_a_word_that_only_text_has_is_found_there(workspace):
    answer = analyze(workspace(QUOTED), "HIDE_THREADS")
    assert answer.summary == "no symbol named HIDE_THREADS; 'HIDE_THREADS' is at deploy/settings.conf:1"
    assert (answer.coverage.found, answer.coverage.status.value) == (1, "success")


def test_that_no_line_holds_what_was_quoted_is_said(workspace):
    answer = analyze(workspace(QUOTED), "where is the --verbose endpoint flag")
    assert answer.summary.startswith("no text match for '--verbose'")


def test_a_path_that_is_not_there_is_no_other_place(workspace):
    opened = workspace({"src/utils/mod.py": "def trim(): ...\n"})
    for query in ("src/utils.py", "src/utils.py:12"):
        answer = analyze(opened, query)
        assert (answer.summary, answer.coverage.status.value) == ("no file src/utils.py", "not_found")
        assert [each.name for each in answer.get_items("near")] == ["src/utils/mod.py"]
    answer = analyze(opened, "what is in src/utils.py")
    assert (answer.summary, [each.name for each in answer.sections]) == ("no file src/utils.py", ["near"])


def test_a_class_named_in_a_plain_sentence_is_what_it_is_about(workspace):
    files = {
        "a.py": "class Context:\n    def copy(self): ...\n",
        "b.py": "def lock():\n    # safe for threads\n    return 1\n",
    }
    assert analyze(workspace(files), "is Context safe for threads").get_items("symbols")[0].symbol == "Context"


def test_a_file_in_no_known_language_is_shown(workspace):
    answer = analyze(workspace({"setup.cfg": "[a]\nb = 1\n"}), "setup.cfg")
    assert [(each.file, each.start_line, each.text) for each in answer.get_items("code")] == [
        ("setup.cfg", 1, "[a]\nb = 1")
    ]


def test_a_cut_list_of_subclasses_counts_those_that_it_shows_product_first(workspace):
    classes = "".join(f"class C{number}(Base): ...\n" for number in range(60))
    files = {"a.py": f"class Base: ...\n{classes}", "tests/test_a.py": "from a import Base\nclass Fake(Base): ...\n"}
    answer = analyze(workspace(files), "who subclasses Base?")
    assert (answer.get_items("subclasses")[0].symbol, answer.get_items("subclasses")[-1].symbol) == ("C0", "Fake")
    shown = fit(answer, 350)
    assert 0 < len(shown.get_items("subclasses")) < 61
    assert (shown.coverage.shown, shown.coverage.found) == (len(shown.get_items("subclasses")), 61)


def test_that_nothing_inherits_is_said_before_the_usages(workspace):
    answer = analyze(workspace({"a.py": "class Base: ...\nBase()\n"}), "who subclasses Base?")
    assert answer.summary.startswith("no subclasses or implementers of Base are known; Base (class, a.py:1): 1 usage")


def test_values_declared_with_a_function_type_are_its_implementers(workspace):
    uses = (
        "import { Handler } from './types';\nexport const log: Handler = (line) => {};\n"
        "class Desk { serve: Handler = (line) => {}; }\nfunction run(h: Handler) { h('x'); }\n"
        "function make(): Handler { return (line) => {}; }\n"
    )
    opened = workspace({"types.ts": "export type Handler = (line: string) => void;\n", "use.ts": uses})
    answer = analyze(opened, "who implements Handler?")
    assert answer.summary.startswith(
        "no subclasses or implementers of Handler are known, but 2 values declared with this type; "
    )
    assert [each.line for each in answer.get_items("values")] == [2, 3]
    assert [each.line for each in answer.get_items("usages")] == [1, 4, 5]


def test_where_history_cannot_be_asked_the_answer_says_why(workspace):
    answer = analyze(workspace(FILES), "why was Store changed")
    assert (answer.get_items("symbols")[0].symbol, answer.coverage.reasons[0]) == (
        "Store",
        Reason(ReasonKind.STEP_FAILED, subject="no git history here"),
    )


@pytest.mark.parametrize("question", ["who uses shop_app.utils.draw_all?", "tests for shop_app.utils.draw_all"])
def test_the_package_of_a_name_that_nothing_has_is_not_taken_for_a_class(workspace, question):
    answer = analyze(workspace({"shop_app/utils.py": "class ShopApp: ...\n\n\nShopApp()\n"}), question)
    assert answer.summary.startswith("no symbol named shop_app.utils.draw_all")
    assert not answer.get_items("usages")


@pytest.mark.parametrize("question", ["is shop.draw_all dead code?", "draw_all: dead code?", "is draw_all() unused"])
def test_whether_a_name_that_nothing_has_is_dead_code_says_so(workspace, question):
    answer = analyze(workspace({"shop.py": "def draw(): ...\n"}), question)
    assert answer.summary.startswith("no symbol named ")
    assert not answer.get_items("unused")


@pytest.mark.parametrize(
    ("compared", "made", "suffix"),
    [
        ('if err.Error() == "not leader" {', 'var Err = errors.New("not leader")', "go"),
        ('if strings.Contains(text, "not leader") {', 'return fmt.Errorf("not leader: %w", err)', "go"),
        ("if 'not leader' in str(error):", "raise Failed('not leader')", "py"),
        ('if (text.includes("not leader")) {', 'throw new Error("not leader")', "ts"),
        ('if (strcmp(text, "not leader") == 0) {', 'fail("not leader");', "c"),
        ('if text == "not leader" {', 'Err("not leader")', "rs"),
    ],
)
def test_what_makes_an_error_comes_before_what_compares_with_it(workspace, compared, made, suffix):
    files = {f"a.{suffix}": f"{compared}\n", f"b.{suffix}": f"{made}\n"}
    answer = analyze(workspace(files), "where does the error 'not leader' come from?")
    lines = [each.file for each in answer.get_items("lines")]
    assert (answer.summary.split(";")[0].rpartition(" ")[2], lines[0]) == (f"b.{suffix}:1", f"b.{suffix}")


def test_of_many_definitions_of_a_name_a_few_are_listed_and_the_others_counted(workspace):
    files = {f"m{number}.py": "def module(): ...\n" for number in range(20)}
    answer = analyze(workspace(files), "who calls module?")
    assert len(answer.get_items("other_definitions")) == 8
    assert Reason(ReasonKind.DEFINITIONS_NOT_LISTED, 11) in answer.coverage.reasons


def test_tests_that_say_the_same_are_offered_where_none_is_known_to_use_it(workspace):
    files = {
        "shop/backup.py": "def backup(target):\n    return target\n",
        "tests/test_service.py": "def test_backup_ok(): assert backed_up()\n\n\ndef test_load(): assert loaded()\n",
    }
    answer = analyze(workspace(files), "tests for the backup code")
    assert answer.summary == "backup: 1 test may be about it, which is not known to use it"
    assert [(each.test, each.is_proven) for each in answer.get_items("tests")] == [("test_backup_ok", False)]
    files["tests/test_service.py"] = "def test_load(): assert loaded()\n"
    answer = analyze(workspace(files), "tests for the backup code")
    assert (answer.summary, answer.get_items("tests")) == ("backup: no test is known to use it", ())


def test_tests_beside_a_definition_are_offered_where_none_is_known_to_use_it(workspace):
    files = {
        "a.py": "def helper(): ...\n\n\ndef lonely():\n    return 1\n",
        "tests/test_a.py": "def test_by_name():\n    assert run('lone' + 'ly')\n",
    }
    answer = analyze(workspace(files), "which tests cover lonely?")
    assert answer.summary == "lonely: 1 test may be about it, which is not known to use it"
    assert [(each.test, each.why, each.is_proven) for each in answer.get_items("tests")] == [
        ("test_by_name", "its file has a similar name", False)
    ]
    assert (answer.coverage.found, answer.coverage.unresolved) == (0, 1)


def test_tests_with_the_words_of_a_name_come_before_those_beside_it(workspace):
    files = {
        "src/index.py": "def facet_search():\n    return 1\n",
        "tests/test_index.py": "def test_facets(): assert run()\n",
        "tests/search.py": "def test_searching_by_facets(): assert run()\n",
        "tests/facet_search.ts": "it('runs', () => {});\n",
    }
    answer = analyze(workspace(files), "which tests cover facet_search?")
    assert [(each.test, each.why, each.is_proven) for each in answer.get_items("tests")] == [
        ("test_searching_by_facets", "its name has the words of facet_search", False)
    ]


def test_a_pasted_message_is_found_by_its_template_and_not_by_its_values(workspace):
    files = {
        "app/pages.py": "def find(name):\n    raise KeyError(f'page {name} does not exist in this book')\n",
        "app/names.py": "FIRST = 'cover'\n",
        "app/book.py": "def close(book):\n    raise ValueError('closing failed' + where(book))\n",
    }
    opened = workspace(files)
    for query in ('page "cover" does not exist in this book', "KeyError: page 12 does not exist in this book"):
        answer = analyze(opened, query)
        assert [(each.file, each.line) for each in answer.get_items("lines")] == [("app/pages.py", 2)]
    got = analyze(opened, "why do I get this error: KeyError: page 12 does not exist in this book")
    assert [(each.file, each.line) for each in got.get_items("lines")] == [("app/pages.py", 2)]
    missing = analyze(opened, "why do I get ValueError: the printer is out of paper")
    assert missing.summary.startswith("no line was found that writes this message")
    added = analyze(opened, "ValueError: closing failed at chapter four of the second volume")
    assert added.summary == "this message is written at app/book.py:2 in close"
    other = analyze(opened, "where does the error 'page 12 does not exist in this library' come from")
    assert other.summary.startswith(
        "no string has the words of this message; the most similar one is at app/pages.py:2"
    )
    assert other.coverage.certainty is Certainty.AT_LEAST
    longer = analyze(opened, "where does the error 'page 12 does not really exist in this book' come from")
    assert "the most similar one is at app/pages.py:2" in longer.summary


@pytest.mark.parametrize(
    ("declared", "holder", "user", "line"),
    [
        (
            {"shop.go": 'package shop\n\nimport "errors"\n\nvar ErrFull = errors.New("shop: this cart is full")'},
            "ErrFull",
            ("cart.go", "package shop\n\nfunc Add() error {\n\treturn ErrFull\n}\n", "Add"),
            5,
        ),
        (
            {"shop/texts.py": 'FULL = "shop: this cart is full"\n'},
            "FULL",
            ("shop/cart.py", "from shop.texts import FULL\n\ndef add():\n    raise ValueError(FULL)\n", "add"),
            1,
        ),
        (
            {"Texts.java": 'class Texts {\n    static final String FULL = "shop: this cart is full";\n}\n'},
            "Texts.FULL",
            (
                "Cart.java",
                "class Cart {\n    void add() {\n\n        throw new IllegalStateException(Texts.FULL);\n    }\n}\n",
                "Cart.add",
            ),
            2,
        ),
    ],
)
@pytest.mark.parametrize(
    "question",
    [
        "shop: this cart is full",
        "where does the error 'shop: this cart is full' come from",
        "where is 'shop: this cart is full' returned?",
        "why do I get shop: this cart is full",
        'who throws "shop: this cart is full"',
    ],
)
def test_of_a_message_that_a_variable_holds_the_places_that_use_it_are_shown(
    workspace, declared, holder, user, line, question
):
    file, text, function = user
    answer = analyze(workspace({**declared, file: text}), question)
    (where,) = declared
    used_at = f"which is used at {file}:4 in {function}"
    assert answer.summary == f"this message is written at {where}:{line} as {holder}, {used_at}"
    assert [(each.file, each.line) for each in answer.get_items("usages")] == [(file, 4)]
    assert text.split("\n")[3] in answer.get_items("code")[0].text


def test_a_message_that_nothing_uses_is_shown_where_it_is(workspace):
    files = {
        "shop/texts.py": 'FULL = "shop: this cart is full"\n',
        "tests/test_texts.py": "from shop.texts import FULL\n\ndef test_it():\n    assert FULL\n",
    }
    answer = analyze(workspace(files), "where does 'shop: this cart is full' come from")
    assert answer.summary == "this message is written at shop/texts.py:1 as FULL"
    assert answer.get_items("usages") == ()


def test_the_option_that_controls_something_is_found_with_its_default_and_its_readers(workspace):
    files = {
        "app/cli.py": "def add(parser):\n    parser.add('--page-size', default=20, help='lines on one page')\n"
        "    parser.add('--color', help='use colors')\n",
        "app/run.py": "import os\n\n\ndef run(options):\n    show(options.page_size)\n"
        "    return os.environ.get('APP_HOME')\n",
    }
    opened = workspace(files)
    flag = analyze(opened, "which option controls how many lines are on a page?")
    (option,) = flag.get_items("options")
    assert (option.file, option.line, option.name, option.default) == ("app/cli.py", 2, "--page-size", "20")
    assert [(each.file, each.line) for each in flag.get_items("lines")] == [("app/run.py", 5)]
    (variable,) = analyze(opened, "which environment variable sets the home directory").get_items("options")
    assert (variable.name, variable.kind) == ("APP_HOME", "environment variable")


def test_a_default_is_that_of_the_declaration_and_not_of_what_passes_it_on(workspace):
    files = {
        "app/views.py": (
            "class View:\n"
            '    """Show pages.\n\n    page_size = 7\n    """\n\n'
            "    page_size = 20  # lines\n"
            "    default_page_order = None\n\n"
            "    def copy(self, **kwargs):\n"
            '        kwargs.setdefault("page_size", self.page_size)\n'
            '        kwargs.setdefault("order", self.order)\n'
            '        kwargs.setdefault("color", self.color)\n'
            '        kwargs.setdefault("name", self.name)\n'
            "        return View(**kwargs)\n"
        ),
        "app/orders.py": 'class Orders:\n    page_order_default = "date"\n',
    }
    opened = workspace(files)
    sized = analyze(opened, "what is the default page size").get_items("options")[0]
    assert (sized.file, sized.line, sized.default) == ("app/views.py", 7, "20")
    ordered = analyze(opened, "what is the default value of default_page_order?").get_items("options")[0]
    assert (ordered.file, ordered.line) == ("app/views.py", 8)


def test_a_clock_is_no_timeout(workspace):
    opened = workspace({"app/clock.py": 'TIME_ZONE = "UTC"\n'})
    assert not analyze(opened, "which option sets the timeout").get_items("options")


def test_a_key_that_a_constant_holds_is_an_option_with_what_its_comment_says(workspace):
    files = {
        "Keys.java": "class Keys {\n    /**\n     * Page limit for guests. Default value is -1, which means no limit.\n"
        '     */\n    static final Key<Integer> GUEST_PAGES = new IntegerKey(\n            "guest.pageLimit",\n'
        "            List.of(Kind.CONFIG));\n    /**\n     * Color of the pages.\n     */\n"
        '    static final Key<String> COLOR = new StringKey(\n            "page.color",\n            List.of());\n}\n',
        "Guests.java": "class Guests {\n    void add(Config config) {\n"
        "        int limit = config.getInteger(Keys.GUEST_PAGES);\n    }\n}\n",
    }
    answer = analyze(workspace(files), "how many pages may a guest have, and which option is it")
    (option,) = answer.get_items("options")
    assert (option.name, option.line, option.default) == ("guest.pageLimit", 6, "-1")
    assert option.help == "Page limit for guests. Default value is -1, which means no limit."


def test_a_string_below_an_attribute_describes_it_and_not_the_next_one(workspace):
    files = {
        "config.py": "class AppConfig:\n    page_class: type = None\n"
        '    """The class of a page that guests see."""\n    body_limit: int = 20\n'
        '    """Largest size of an upload in bytes.\n\n    Larger ones are refused."""\n    color: str = "red"\n',
    }
    (option,) = analyze(workspace(files), "which setting limits the size of an upload").get_items("options")
    assert (option.name, option.default) == ("body_limit", "20")
    assert option.help == "Largest size of an upload in bytes. Larger ones are refused."


def test_the_default_of_a_flag_whose_text_is_on_the_next_line_is_told(workspace):
    files = {
        "main.go": 'package main\n\nimport "flag"\n\nfunc read(result *options) {\n'
        '\tflag.StringVar(&result.port, "port", "8474",\n\t\t"Port for the server to listen on")\n}\n',
    }
    answer = analyze(workspace(files), "how do I change the port of the server?")
    assert answer.summary.startswith('most likely the flag port (main.go:6), default "8474"')


def test_where_no_option_fits_clearly_those_with_a_few_of_the_words_are_listed(workspace):
    files = {
        "app.py": "def add(parser):\n    parser.add('--max-speed', help='skip points that are faster')\n"
        "    parser.add('--color')\n\n\ndef drop(points):\n    return points\n",
    }
    opened = workspace(files)
    answer = analyze(opened, "which option drops far positions of an impossible speed from the track?")
    assert (
        answer.summary
        == "no option clearly fits these words; none listed mentions 'drops' or 'far'; 1 option with some of them"
    )
    assert [each.name for each in answer.get_items("options")] == ["--max-speed"]
    assert not analyze(opened, "how can I limit the impossible positions on a track?").get_items("options")


def test_a_private_name_is_found_with_and_without_its_mark(workspace):
    files = {
        "store.ts": "export class Store {\n  #rows = 1\n  load() {\n    return this.#getRows()\n  }\n"
        "  #getRows() {\n    return this.#rows\n  }\n}\n",
    }
    opened = workspace(files)
    for question in ("who calls #getRows?", "who calls Store.#getRows", "who calls Store#getRows", "who calls getRows"):
        answer = analyze(opened, question)
        assert [(each.file, each.line) for each in answer.get_items("usages")] == [("store.ts", 4)], question
        assert answer.summary.endswith("ledger: 2 mentions = 1 definition + 1 usage")
    path = analyze(opened, "how does Store.load get to #getRows")
    assert [each.file for each in path.get_items("steps")] == ["store.ts"]


def test_how_long_something_takes_is_its_timeout(workspace):
    files = {
        "api.go": "package api\n\nfunc timeoutMiddleware(next Handler) Handler {\n\treturn Handle(next, 25)\n}\n\n"
        "func readRequest() {}\n",
    }
    answer = analyze(workspace(files), "how long may an API request take before it times out?")
    assert answer.get_items("symbols")[0].symbol == "timeoutMiddleware"


def test_what_changed_between_two_revisions_is_listed_by_file(git_repository, workspace):
    repository = git_repository(FILES, name="revisions")
    repository.commit("Add", {"app/new.py": "def shout():\n    return 1\n", "app/__init__.py": "ONE = 1\n"})
    answer = analyze(workspace(root=repository.root), "what changed between HEAD~1 and HEAD?")
    assert answer.kind == "changes"
    assert {each.file: dict(each.changes) for each in answer.get_items("changed_files")} == {
        "app/__init__.py": {"added": ("ONE",)},
        "app/new.py": {"added": ("shout",)},
    }


def test_the_commits_of_a_period_an_author_or_a_directory_are_listed(git_repository, workspace):
    repository = git_repository({"app/one.py": "ONE = 1\n"}, name="commits")
    repository.commit("Add two", {"lib/two.py": "TWO = 2\n"}, "Bob <bob@example.org>", "2024-03-05T12:00:00+00:00")
    repository.commit("Mend one", {"app/one.py": "ONE = 2\n"}, "Bob <bob@example.org>", "2024-04-02T12:00:00+00:00")
    opened = workspace(root=repository.root)

    def ask(text):
        answer = analyze(opened, text)
        assert answer.kind == "commits"
        return answer.summary, [each.subject for each in answer.get_items("commits")]

    assert ask("commits in March 2024") == (
        "1 commit since 2024-03-01 until 2024-03-31 by Bob, from 2024-03-05 to 2024-03-05", ["Add two"],
    )  # fmt: skip
    assert ask("what changed in app since 2024-02") == (
        "1 commit of app since 2024-02-01 by Bob, from 2024-04-02 to 2024-04-02", ["Mend one"],
    )  # fmt: skip
    assert ask("what did Bob do?")[1] == ["Mend one", "Add two"]
    assert ask("show the last 2 commits")[0] == "the newest 2 commits by Bob, from 2024-03-05 to 2024-04-02"
    summary, none = ask("what changed in the last week?")
    assert none == []
    assert summary.endswith(" of 2024-04-02: Mend one")
    assert summary.startswith("no commit since ")
    # Nobody of that name made a commit.
    assert analyze(opened, "what did Carol do?").get_items("commits") == ()


def test_of_files_with_one_name_the_one_that_changed_is_meant(git_repository, workspace):
    repository = git_repository({"configs/git.py": "ON = 1\n", "modules/git.py": "def show():\n    return 1\n"})
    repository.commit("Change", {"modules/git.py": "def show():\n    return 2\n", "notes.json": "{}\n"})
    opened = workspace(root=repository.root)
    answer = analyze(opened, "what changed between HEAD~1 and HEAD in git.py?")
    assert [each.file for each in answer.get_items("changed_files")] == ["modules/git.py"]
    unchanged = analyze(opened, "what changed between HEAD~1 and HEAD in configs/git.py?")
    assert unchanged.summary.endswith("no changed symbols in configs/git.py")
    assert not unchanged.coverage.reasons


def test_changed_signatures_of_tests_are_listed_with_their_file_only(git_repository, workspace):
    before = {"app.py": "def send(a):\n    return a\n", "tests/test_app.py": "def test_send():\n    assert 1\n"}
    after = {
        "app.py": "def send(a, b=1):\n    return a\n",
        "tests/test_app.py": "def test_send(capsys):\n    assert 1\n",
    }
    repository = git_repository(before)
    repository.commit("Change", after)
    answer = analyze(workspace(root=repository.root), "what changed between HEAD~1 and HEAD?")
    assert [each.symbol for each in answer.get_items("signatures")] == ["send"]
    assert {each.file: dict(each.changes) for each in answer.get_items("changed_files")} == {
        "app.py": {"signature": ("send",)},
        "tests/test_app.py": {"signature": ("test_send",)},
    }


def test_an_option_may_be_called_by_the_words_with_which_people_ask(workspace):
    files = {
        "run.py": 'import os\n\nSHELL = os.environ.get("APP_SHELL")\nCOMMAND = os.environ.get("APP_DEFAULT_COMMAND")\n',
    }
    answer = analyze(workspace(files), "which environment variable sets the default command")
    assert "APP_DEFAULT_COMMAND (run.py:4)" in answer.summary
    assert "APP_" not in analyze(workspace(files), "which environment variable sets the colour").summary


def test_tests_with_titles_are_listed_with_the_line_that_runs_them(workspace):
    files = {
        "package.json": '{"devDependencies": {"vitest": "1"}}\n',
        "src/sum.ts": "export function sum(a: number, b: number) { return a + b }\n",
        "src/sum.test.ts": "import { sum } from './sum'\n\nit('adds', () => {\n  expect(sum(1, 2)).toBe(3)\n})\n\n"
        "it('is a file', () => {\n  expect(1).toBe(1)\n})\n",
    }
    answer = analyze(workspace(files), "tests for sum")
    assert [(each.line, each.test) for each in answer.get_items("tests")] == [(3, '"adds"')]
    assert [each.command for each in answer.get_items("run")] == ["npx vitest run src/sum.test.ts"]


def test_a_test_is_run_where_the_manifest_that_names_its_runner_is(workspace):
    files = {
        "package.json": "{}\n",
        "packages/sum/package.json": '{"devDependencies": {"vitest": "1"}}\n',
        "packages/sum/src/sum.ts": "export function sum(a: number, b: number) { return a + b }\n",
        "packages/sum/src/sum.test.ts": "import { sum } from './sum'\n\nit('adds', () => {\n  sum(1, 2)\n})\n",
    }
    answer = analyze(workspace(files), "tests for sum")
    run = ["cd packages/sum/ && npx vitest run src/sum.test.ts"]
    assert [each.command for each in answer.get_items("run")] == run


def test_a_question_without_a_likely_match_is_offered_two_readings(workspace):
    answer = analyze(workspace(FILES), "frobnicate the whatsit before dinner")
    assert answer.summary.startswith("no match for ")
    assert len(answer.get_items("readings")) == 2


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which flag changes how many history entries are kept?", "--history-size"),
        ("is there a setting to close idle connections", "idle_timeout"),
        ("which option limits the redirects that are followed", "maxRedirects"),
    ],
)
def test_an_option_is_found_by_its_usage_text_its_comment_or_its_name(workspace, question, name):
    opened = workspace(
        {
            "options.go": "package main\n\nconst Usage = `usage: tool [options]\n\n"
            "    --history=FILE           Path of the history file\n"
            "    --history-size=N         Maximum number of entries to keep in the file (default: 1000)\n`\n",
            "settings.h": "struct settings {\n    int verbose;        /* how much is printed */\n"
            "    int idle_timeout;   /* Number of seconds to let connections idle */\n};\n",
            "errors.ts": "export class MaxRedirectsError extends Error {\n\tname = 'MaxRedirectsError';\n}\n",
            "defaults.ts": "export const defaults = {\n\tfollowRedirects: true,\n\tmaxRedirects: 10,\n};\n",
        }
    )
    assert analyze(opened, question).get_items("options")[0].name == name


def test_where_no_environment_variable_fits_those_that_are_read_are_listed(workspace):
    opened = workspace({"app.py": "import os\n\nHOME = os.environ.get('APP_HOME')\nTOKEN = os.getenv('APP_TOKEN')\n"})
    answer = analyze(opened, "which env var sets the colour of the moon")
    assert (
        answer.headline() == "no environment variable clearly fits these words; the code reads 2 environment variables"
    )
    assert {each.name for each in answer.get_items("options")} == {"APP_HOME", "APP_TOKEN"}


_ENVIRONMENT = {
    "__init__.py": "from core import *\n\n__all__ = [\n    'CONFIG_NAME',\n]\n",
    "core.py": "import os\n\nCONFIG_NAME = 'config.yaml'\nHOME = os.environ.get('APP_HOME')\n\n\n"
    "class EnvSource:\n    def load(self):\n        return dict(os.environ)\n\n__all__ = [\n    'CONFIG_NAME',\n]\n",
}


def test_names_in_a_list_of_exports_are_no_environment_variables(workspace):
    answer = analyze(workspace(_ENVIRONMENT), "which env var names the config of the moon")
    assert [each.name for each in answer.get_items("options")] == ["APP_HOME"]


def test_the_default_of_a_setting_is_what_is_read_where_it_is_missing(workspace):
    files = {
        "checks.py": "deprecated_settings = [\n    'APP_LOGIN_LIMIT',\n]\n",
        "conf.py": "from lib import settings\n\nsettings.APP_LOGIN_LIMIT = getattr(settings, 'APP_LOGIN_LIMIT', 3)\n",
    }
    first = analyze(workspace(files), "which setting limits logins").get_items("options")[0]
    assert (first.file, first.kind, first.name, first.default) == ("conf.py", "setting", "APP_LOGIN_LIMIT", "3")


def test_the_environment_of_a_request_has_no_variables_of_the_process(workspace):
    files = {
        "cors.py": "def call(environ, start):\n    return environ.get('HTTP_MAX_AGE', '5')\n",
        "run.py": "from os import environ\n\nAGE = environ.get('APP_AGE', '5')\n",
    }
    answer = analyze(workspace(files), "which environment variable sets the age")
    assert [each.name for each in answer.get_items("options")] == ["APP_AGE"]


@pytest.mark.parametrize(
    ("file", "text", "default"),
    [
        ("run.js", "const depth = process.env.QUEUE_DEPTH || process.env.OLD || 12;\n", "12"),
        ("run.py", "import os\n\nDEPTH = int(os.environ.get('QUEUE_DEPTH') or '12')\n", "'12'"),
        ("run.go", 'package run\n\nfunc f() {\n\tdepth := os.Getenv("QUEUE_DEPTH")\n'
         '\tif depth == "" {\n\t\tdepth = "12"\n\t}\n}\n', '"12"'),
        ("run.js", "const a = process.env.QUEUE_DEPTH, b = c || 12;\n", ""),
        ("run.js", "const depth = process.env.QUEUE_DEPTH || other;\n", ""),
        ("run.js", "const queueDepth = process.env.QUEUE_DEPTH;\nlisten(queueDepth);\n", ""),
        ("run.go", 'package run\n\nfunc f() {\n\tdepth := os.Getenv("QUEUE_DEPTH")\n'
         '\tif other == "" {\n\t\tother = "12"\n\t}\n}\n', ""),
    ],
)  # fmt: skip
def test_the_literal_used_where_a_variable_is_unset_is_its_default(workspace, file, text, default):
    (option,) = analyze(workspace({file: text}), "which environment variable sets the depth").get_items("options")
    assert (option.name, option.default) == ("QUEUE_DEPTH", default)


@pytest.mark.parametrize(("name", "default"), [("PORT", ""), ("QUEUE_PORT", "7")])
def test_another_program_gives_a_name_of_one_word_no_default(workspace, name, default):
    files = {
        "run.js": f"// The port of the queue\napp.listen(process.env.{name});\n",
        "site/main.js": f"start(process.env.{name} || 7);\n",
    }
    answer = analyze(workspace(files), "which environment variable sets the port of the queue")
    first = answer.get_items("options")[0]
    assert (first.file, first.name, first.default) == ("run.js", name, default)


@pytest.mark.parametrize(
    ("line", "kind"),
    [("KEY = 'DATE_FORMAT'", "setting"), ("ENV_KEY = 'DATE_FORMAT'", "environment variable")],
)
def test_a_name_in_capitals_alone_is_not_said_to_be_an_environment_variable(workspace, line, kind):
    answer = analyze(workspace({"keys.py": f"{line}\n"}), "which option sets the format of a date")
    assert [(each.name, each.kind) for each in answer.get_items("options")] == [("DATE_FORMAT", kind)]


@pytest.mark.parametrize(
    "question",
    ["how are environment variables loaded as a source", "where do env vars become a source", "how is env loaded"],
)
def test_what_is_done_with_all_environment_variables_is_no_question_for_one(workspace, question):
    answer = analyze(workspace(_ENVIRONMENT), question)
    assert not answer.get_items("options")
    assert "EnvSource" in answer.headline()


def test_an_option_with_none_of_the_words_in_its_name_is_not_claimed(workspace):
    opened = workspace(
        {"log.h": "enum {\n    LOG_ASCII = 0, /* close */\n    LOG_BINARY = 1,\n};\nvoid connections(void);\n"}
    )
    assert not analyze(opened, "is there a setting to close idle connections").get_items("options")


def test_a_quoted_message_is_looked_up_as_what_was_printed(workspace):
    opened = workspace(
        {
            "url.ts": "export function check(a: boolean) {\n"
            "\tif (a) throw new TypeError('Parameters `path` and `pathname` are exclusive.');\n"
            "\tthrow new TypeError('Parameters `path` and `search` are exclusive.');\n}\n",
        }
    )
    text = 'i get "TypeError: Parameters `path` and `search` are exclusive." from my code, what throws this'
    assert analyze(opened, text).get_items("lines")[0].line == 3


def test_a_message_that_is_written_in_parts_is_found_in_product_code_before_tests(workspace):
    opened = workspace(
        {
            "src/run.rs": "fn fail(code: i32, when: &str) -> String {\n    format!(\n"
            '        "{cause} in {when}. Use the option --ignore-failure if you want to ignore this. \\\n'
            '         Or look at the output.",\n'
            '        cause = format!("Command ended with exit code {code}"),\n    )\n}\n',
            "tests/run.rs": '#[test]\nfn it_fails() {\n    assert_contains("Command ended with exit code 2");\n}\n',
        }
    )
    found = analyze(
        opened,
        "Error: Command ended with exit code 2 in the first run. Use the option --ignore-failure if you "
        "want to ignore this.",
    )
    assert found.get_items("lines")[0].file == "src/run.rs"


def test_indirect_implementers_are_listed(workspace):
    opened = workspace({"a.py": "class A: ...\n\n\nclass B(A): ...\n\n\nclass C(B): ...\n"})
    answer = analyze(opened, "who implements A?")
    assert answer.headline() == "A: 1 subclass and 1 indirect"
    assert [each.symbol for each in answer.get_items("subclasses")] == ["B", "C"]


def test_of_several_definitions_the_one_that_other_words_name_is_meant(workspace):
    opened = workspace(
        {
            "base.py": "class Base:\n    def compare(self): ...\n\n\ndef use(base: Base):\n    base.compare()\n",
            "mysql.py": "from base import Base\n\n\nclass MySQL(Base):\n    def compare(self): ...\n",
        }
    )
    assert read_question(opened.code, "who calls compare of mysql").definition.symbol.qualname == "MySQL.compare"
    assert read_question(opened.code, "who calls compare").definition.symbol.qualname == "Base.compare"


def test_a_test_that_uses_only_members_of_a_class_is_one_of_its_tests(workspace):
    opened = workspace(
        {
            "src/main/java/a/Safe.java": "package a;\n\n"
            "public class Safe {\n    public static int check() { return 1; }\n}\n",
            "src/test/java/a/OtherTest.java": "package a;\n\nimport static a.Safe.check;\nimport org.junit.Test;\n"
            "public class OtherTest {\n    @Test public void works() { check(); }\n}\n",
        }
    )
    answer = analyze(opened, "unit tests for Safe?")
    assert [each.test for each in answer.get_items("tests")] == ["OtherTest.works"]


KEYS = {
    "go.mod": "module tool\n",
    "keys.go": "package main\n\ntype Event int\ntype action int\n\nconst (\n\tCtrlD Event = iota\n\tCtrlDown\n)\n\n"
    "const (\n\tactDelete action = iota\n\tactDown\n)\n\nfunc bind(key Event, act action) {}\n\n"
    "func defaults() {\n\tbind(CtrlD, actDelete)\n\tbind(CtrlDown, actDown)\n}\n\n"
    "func loop(act action) {\n\tswitch act {\n\tcase actDelete:\n\t\tremove()\n\tcase actDown:\n\t}\n}\n\n"
    "func remove() {}\n",
}


def test_what_a_key_leads_to_is_where_it_is_bound_and_what_handles_that(workspace):
    answer = analyze(workspace(KEYS), "what happens when I press Ctrl+D")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("keys.go", 19)]
    assert [(each.file, each.line) for each in answer.get_items("handled")] == [("keys.go", 25)]
    assert "bound to actDelete" in answer.headline()


TERMINAL = {
    "Cargo.toml": "[package]\nname = 'tool'\nversion = '0.1.0'\n",
    "src/main.rs": "macro_rules! key {\n    (ctrl $x:expr) => { Key::Ctrl($x) };\n    ($x:ident) => { Key::$x };\n}\n\n"
    "fn main() {}\n\nfn on_key(key: Key, app: &mut App) {\n    match key {\n        key!(ctrl 'c') | key!(F5) => {\n"
    "            app.leave();\n        }\n        key!(Esc) => app.back(),\n        _ => {}\n    }\n}\n",
    "src/page.js": "function onKey(event) {\n  if (event.ctrlKey && event.key === 'k') {\n    find();\n  }\n}\n",
}


@pytest.mark.parametrize(
    ("key", "line", "where"),
    [
        ("Ctrl+C", ("src/main.rs", 10), "handled in on_key"),
        ("F5", ("src/main.rs", 10), "handled in on_key"),
        ("Ctrl+K", ("src/page.js", 2), "handled in onKey"),
    ],
)
def test_a_branch_handles_the_keys_that_it_compares(workspace, key, line, where):
    answer = analyze(workspace(TERMINAL), f"what happens when I press {key}")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [line]
    assert where in answer.headline()


def test_a_modifier_belongs_to_its_own_key(workspace):
    text = "fn on_key(key: Key) {\n    match key {\n        key!(char 'h') | key!(ctrl 'b') => {}\n    }\n}\n"
    answer = analyze(workspace({"src/lib.rs": text}), "what happens when I press Ctrl+H")
    assert not answer.get_items("lines")


KEYMAP = {
    "Cargo.toml": "[package]\nname = 'tool'\nversion = '0.1.0'\n",
    "src/keys.rs": 'pub fn keys() -> Map {\n    keymap!({ "Normal"\n        "x" => cut_line,\n'
    '        "y" => copy, // twice defined\n    })\n}\n\n#[cfg(test)]\nmod tests {\n'
    "    #[test]\n    fn finds() {\n        assert_eq!(find_char('x', Way::Forward), None);\n    }\n}\n",
    "src/edit.rs": "pub fn cut_line() {}\npub fn copy() {}\npub enum Way { Forward }\n",
    "src/file.rs": "pub fn copy() {}\n",
}


@pytest.mark.parametrize(("key", "said"), [("x", "; bound to cut_line"), ("y", "; what handles it is not known")])
def test_a_name_in_a_macro_is_the_only_function_of_that_name_and_tests_bind_no_keys(workspace, key, said):
    answer = analyze(workspace(KEYMAP), f"what happens when I press {key}?")
    assert answer.summary == f"{key}: 1 line of product code names it{said}"
    assert [(each.file) for each in answer.get_items("lines")] == ["src/keys.rs"]


def test_a_key_that_the_code_does_not_name_is_not_claimed_to_be_bound(workspace):
    answer = analyze(workspace(KEYS), "what happens when I press Ctrl+Y")
    assert not answer.get_items("handled")
    assert "bound" not in answer.headline()


def test_a_key_may_be_named_by_its_letter(workspace):
    files = {
        "src/keys.rs": "fn on_key(key: KeyCode) {\n    match key {\n        KeyCode::Char('q') => quit(),\n"
        "        KeyCode::Char('Q') => {}\n    }\n}\n\nfn quit() {}\n\nfn letters() -> char { 'q' }\n"
    }
    answer = analyze(workspace(files), "what happens when I press q?")
    assert answer.summary == "q: 1 line of product code names it; bound to quit"
    assert [each.line for each in answer.get_items("lines")] == [3]


def test_a_key_that_only_a_configuration_binds_is_configured_there(workspace):
    files = {
        "assets/default.kdl": 'keys {\n    bind "Ctrl s" { Save; }\n}\n',
        "src/ui.ts": "import { Controls } from './controls'\nexport const shown = Controls\n",
        "README.md": "Press Ctrl+S to save.\n",
    }
    answer = analyze(workspace(files), "what happens when I press Ctrl+S?")
    assert answer.summary == "Ctrl+S: configured at assets/default.kdl:2"
    assert not answer.get_items("lines")


@pytest.mark.parametrize("said", ["(Press CTRL+C to quit) %s", "stop with ctrl-c to go on %s", "hit ctrl+c: %s"])
def test_a_message_that_names_a_key_binds_nothing(workspace, said):
    files = {
        "server.py": f"def run(address):\n    log.info({said!r}, address)\n\n\n"
        "def handle_sigint(number, frame):\n    stop(number)\n    finish(frame)\n    log.info('interrupted')\n",
    }
    answer = analyze(workspace(files), "what happens when I press ctrl-c")
    assert not answer.get_items("handled")
    assert "bound" not in answer.headline()
    assert "handle_sigint" in answer.headline()


def test_a_branch_that_compares_a_key_is_shown_and_that_of_the_part_asked_about_first(workspace):
    opened = workspace(
        {
            "menu.c": "int menu_key(int key)\n{\n    switch (key) {\n    case 'b'|CTRL:\n        return up();\n    }\n"
            "    return 0;\n}\n",
            "prompt.c": "int prompt_key(int key, struct part *p)\n{\n    p->cb(key);\n    switch (key) {\n"
            "    case 'b'|CTRL:\n        return one_left();\n    }\n    return 0;\n}\n",
        }
    )
    answer = analyze(opened, "what happens when C-b is pressed in the prompt")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("prompt.c", 5), ("menu.c", 4)]
    assert "handled in prompt_key, menu_key" in answer.headline()
    assert "return one_left();" in answer.get_items("code")[0].text


def test_a_macro_that_limits_something_is_an_option(workspace):
    opened = workspace(
        {
            "json.h": "/* Limits how deeply nested arrays can be. */\n#define NESTING_LIMIT 1000\n",
            "json.c": '#include "json.h"\n\nint parse(int depth)\n{\n    return depth < NESTING_LIMIT;\n}\n',
        }
    )
    answer = analyze(opened, "which setting limits how deep arrays may be nested")
    assert [(each.file, each.line) for each in answer.get_items("options")] == [("json.h", 2)]
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("json.c", 5)]


def test_a_quoted_message_whose_origin_is_asked_for_is_no_question_about_a_symbol_in_it(workspace):
    opened = workspace(
        {"names.py": "name = 1\n\n\ndef check(text):\n    raise ValueError('a colon in the name is forbidden')\n"}
    )
    answer = analyze(opened, '"a colon in the name is forbidden" who throws this?')
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("names.py", 5)]


def test_of_many_classes_of_one_name_the_one_that_the_others_inherit_from_is_meant(workspace):
    files = {"app/base.py": "class Transport: ...\n", "app/zero.py": "class Other: ...\n"}
    for name in ("amqp", "consul", "disk", "redis"):
        files[f"app/{name}.py"] = "from app import base\n\n\nclass Transport(base.Transport): ...\n"
    answer = analyze(workspace(files), "who implements Transport?")
    assert [each.file for each in answer.get_items("definitions")] == ["app/base.py"]
    assert len(answer.get_items("subclasses")) == 4


@pytest.mark.parametrize(
    ("question", "said", "lines"),
    [
        ("what breaks if I remove the second parameter of Box.put?", "1 of 3 calls passes count", [6]),
        ("drop the `name` parameter of Box.put", "3 of 3 calls pass name", [5, 6, 7]),
        ("add a parameter to Box.put, what has to be touched?", "3 calls", [5, 6, 7]),
    ],
)
def test_a_question_about_a_parameter_is_answered_with_the_calls_that_pass_it(workspace, question, said, lines):
    files = {
        "app/box.py": "class Box:\n    def put(self, name, count=1):\n        return name, count\n",
        "app/use.py": "from app.box import Box\n\n\ndef use(box: Box):\n    box.put('a')\n    box.put('a', 2)\n"
        "    Box().put(name='b')\n    return box.put\n",
    }
    answer = analyze(workspace(files), question)
    assert answer.summary.partition("\n")[0].endswith(said)
    assert [each.line for each in answer.get_items("usages")] == lines


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("drop the third parameter of Box.put", "Box.put has no third parameter: it takes 2 parameters: name, count"),
        ("what breaks if clear loses its first argument?", "clear has no first parameter: it takes 0 parameters"),
        ("rename the last param of clear", "clear has no last parameter: it takes 0 parameters"),
        ("add a third parameter to Box.put", ""),
        ("I want to give Box.put a third parameter, which calls have to be changed?", ""),
        ("rename the second parameter of Box.put", ""),
    ],
)
def test_a_parameter_that_is_not_there_is_said_to_be_missing(workspace, question, said):
    files = {
        "app/box.py": "class Box:\n    def put(self, name, count=1):\n        return name, count\n\n\n"
        "def clear():\n    return Box().put('a', 2)\n\n\nclear()\n",
    }
    summary = analyze(workspace(files), question).summary
    assert summary.startswith(f"{said}; its calls are listed\n") if said else "has no" not in summary


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who calls draw?", "call"),
        ("draw: dead code?", "call"),
        ("usages of draw", "call"),
        ("which files import draw", "import"),
        ("who is importing draw", "import"),
    ],
)
def test_imports_come_last_unless_they_are_asked_for(workspace, question, first):
    files = {
        "app/draw.py": "def draw():\n    return 1\n",
        "app/a.py": "from app.draw import draw\n\n\ndef a():\n    return draw()\n",
        "app/b.py": "from app.draw import draw\n\n\ndef b():\n    return draw()\n",
    }
    roles = [each.role for each in analyze(workspace(files), question).get_items("usages")]
    assert sorted(roles) == ["call", "call", "import", "import"]
    assert roles[0] == first


def test_tests_that_request_a_route_may_be_about_what_it_runs(workspace):
    files = {
        "app/views.py": "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.post('/users/<int:uid>/edit')\n"
        "def edit(uid):\n    return str(uid)\n\n\n@app.get('/users/')\ndef users():\n    return ''\n",
        "tests/test_views.py": "def test_edit(client):\n    client.post('/users/7/edit?now=1')\n\n\n"
        "def test_shown(client):\n    client.get('/users/7/edit')\n\n\ndef test_listed(client):\n"
        "    assert client.get('/users').status\n\n\ndef test_elsewhere(client):\n    client.post('/users/7/edited')\n",
    }
    opened = workspace(files)
    for handler, tests in (("edit", ["test_edit"]), ("users", ["test_listed"])):
        answer = analyze(opened, f"which tests cover {handler}?")
        assert [each.test for each in answer.get_items("tests")] == tests
        assert answer.summary == f"{handler}: 1 test may be about it, which is not known to use it"
    assert "line 2 requests POST /users/<int:uid>/edit" in analyze(opened, "tests for edit").get_items("tests")[0].why


def test_tests_that_use_a_class_come_before_those_that_may_and_each_reason_is_written_once(workspace):
    files = {
        "app/cart.py": "class Cart:\n    def total(self):\n        return 0\n",
        "tests/test_cart.py": "from app.cart import Cart\n\n\ndef test_a(given):\n    assert given.total() == 0\n\n\n"
        "def test_b(given):\n    assert given.total() < 1\n\n\ndef test_c():\n    assert Cart().total() == 0\n",
    }
    answer = analyze(workspace(files), "tests for Cart")
    assert answer.summary == "Cart: 1 test uses it; 2 tests may use it"
    tests = answer.get_items("tests")
    assert [(each.test, each.is_proven) for each in tests] == [("test_c", True), ("test_a", False), ("test_b", False)]
    assert render(answer).count("may use Cart.total") == 1


def test_tests_in_a_file_named_after_one_come_before_those_that_may_use_it_through_others(workspace):
    files = {
        "app/join.py": "class Join:\n    def run(self, rows):\n        return rows\n",
        "app/main.py": "def call(command):\n    return command.run(1)\n",
        "tests/test_all.py": "from app.main import call\n\n\ndef test_all(given):\n    call(given)\n",
        "tests/test_join.py": "def test_joined(work):\n    assert work('join')\n",
    }
    tests = analyze(workspace(files), "tests for Join").get_items("tests")
    assert [each.test for each in tests] == ["test_joined", "test_all"]


@pytest.mark.parametrize("question", ["which tests cover the --page-size option", "tests for --page-size"])
def test_tests_that_pass_an_option_may_be_about_it(workspace, question):
    files = {
        "app/cli.py": "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--page-size')\n"
        "page_size = parser.parse_args().page_size\n",
        "tests/test_cli.py": "def test_pages():\n    run('--page-size', '3')\n\n\n"
        "def test_pages_of_one():\n    run('--page-size-limit=1')\n\n\ndef test_more():\n    run('x --page-size=4')\n",
    }
    opened = workspace(files)
    assert analyze(opened, "tests for --test-size").get_items("tests") == ()
    tests = analyze(opened, question).get_items("tests")
    assert [(each.test, each.why) for each in tests] == [
        ("test_pages", "line 2 passes --page-size"),
        ("test_more", "line 10 passes --page-size"),
    ]


def test_an_option_of_several_words_is_what_is_named_after_it_and_not_its_parts(workspace):
    files = {
        "app/config.py": "class Config:\n    def __init__(self):\n        self.reload, self.reload_dirs = False, []\n",
        "app/run.py": "from app.config import Config\n\n\ndef run(config: Config):\n    return config.reload_dirs\n",
        "tests/test_cli.py": "def test_more():\n    run('--reload-dir', 'x')\n",
        "tests/test_run.py": "from app.run import run\nfrom app.config import Config\n\n\ndef test_run():\n"
        "    assert run(Config()) == Config().reload_dirs\n",
    }
    opened = workspace(files)
    answer = analyze(opened, "tests for --reload-dir")
    assert answer.summary == "Config.reload_dirs: 1 test uses it; 1 test may use or be about it"
    assert [each.test for each in answer.get_items("tests")] == ["test_more", "test_run"]
    unknown = analyze(opened, "tests for --reload-page")
    assert unknown.summary.startswith("no text match for '--reload-page'; ")
    assert unknown.get_items("tests") == unknown.get_items("definitions") == ()


@pytest.mark.parametrize(("files", "cut"), [(3, ""), (11, ", the first of 11")])
def test_a_cut_list_of_files_says_of_how_many(workspace, files, cut):
    made = {f"app/user{number}.py": "from app.base import *\n\nwrap_text('a')\n" for number in range(files)}
    made |= {"app/base.py": "from app.wrap import wrap_text\n", "app/wrap.py": "def wrap_text(a): ...\n"}
    (users,) = (each for each in analyze(workspace(made), "explain app/wrap.py").sections if each.name == "users")
    assert users.shown.title == f"files that mention its names{cut}"
    assert not any(each.to_text().startswith("app/base.py") for each in users.items)


def test_the_clause_of_a_package_mentions_no_function_of_its_name(workspace):
    files = {
        "go.mod": "module shop\n",
        "main.go": "package main\n\nfunc main() {\n\thelp()\n}\n\nfunc setUp() {}\n",
        "help.go": "package main\n\nfunc help() {\n\tsetUp()\n}\n",
    }
    answer = analyze(workspace(files), "what does main.go do")
    assert [each.to_text() for each in answer.get_items("users")] == ["help.go: setUp"]


def test_a_file_whose_types_are_private_lists_their_methods_and_the_files_of_its_package(workspace):
    files = {
        "go.mod": "module shop\n",
        "mail/pipe.go": "package mail\n\ntype pipe struct{}\n\ntype queue struct{}\n\ntype rest struct{}\n\n"
        "func (p *pipe) Stop() {}\n\nfunc (p *pipe) clean() {}\n\nfunc (q *queue) push() {}\n",
        "mail/send.go": "package mail\n\nvar pipes []pipe\n",
        "other/pipe.go": "package other\n\nvar pipe = 1\n",
        "web/page.js": "const pipe = 1\n",
    }
    answer = analyze(workspace(files), "what does mail/pipe.go do?")
    assert answer.summary == "mail/pipe.go: 13 lines, 3 definitions"
    assert {each.symbol: each.members for each in answer.get_items("api")} == {
        "pipe": ("Stop", "clean"), "queue": ("push",), "rest": (),
    }  # fmt: skip
    assert [each.name for each in answer.get_items("users")] == ["mail/send.go: pipe"]


def test_a_word_that_no_file_has_is_no_topic(workspace):
    opened = workspace({"app.py": "def call(register):\n    return register()\n"})
    assert analyze(opened, "who calls frobnicate").summary == "no symbol named frobnicate; no file mentions frobnicate"
    assert analyze(opened, "who calls register?").summary != "no symbol named register; no file mentions register"


def test_a_file_of_c_is_used_by_those_that_include_its_header(workspace):
    files = {
        "src/bloom.h": "int add_word(int word);\n",
        "src/bloom.c": '#include "bloom.h"\n\nint add_word(int word) { return word; }\n',
        "src/main.c": '#include "bloom.h"\n\nint main(void) { return add_word(1); }\n',
        "other/words.c": "int add_word;\n",
    }
    answer = analyze(workspace(files), "what does src/bloom.c do?")
    assert [each.name for each in answer.get_items("users")] == ["src/main.c: add_word"]


def test_tests_of_cpp_are_named_by_their_titles(workspace):
    files = {
        "src/page.cpp": "int count_pages() { return 1; }\nint turn() { return count_pages(); }\n",
        "tests/page_test.cpp": 'TEST_CASE("pages are counted") {\n  count_pages();\n}\n'
        'TEST_CASE("pages turn", "[slow]") {\n  turn();\n  SECTION("back") { turn(); }\n}\n'
        'TEST_CASE("nothing") {\n}\n',
    }
    opened = workspace(files)
    tests = analyze(opened, "which tests cover count_pages?").get_items("tests")
    assert [(each.test, each.line) for each in tests] == [
        ('TEST_CASE "pages are counted"', 1),
        ('TEST_CASE "pages turn"', 4),
    ]
    turning = analyze(opened, "which tests cover turn?").get_items("tests")
    assert [each.test for each in turning] == ['TEST_CASE "pages turn"', 'TEST_CASE "back"']


def test_a_word_of_a_question_for_tests_is_no_file_of_data(workspace):
    files = {
        "src/reader.py": "def load(): ...\n",
        "tests/data/pocket.csv": "a,b\n",
        "tests/test_reader.py": "def test_import_of_pocket(): assert run()\n\n\ndef test_other(): assert run()\n",
    }
    answer = analyze(workspace(files), "which tests cover the import from pocket")
    assert [each.test for each in answer.get_items("tests")] == ["test_import_of_pocket"]


_USED_MORE = {
    "core.py": "class Runtime:\n    def start(self): ...\n\n\nclass Local(Runtime):\n    def start(self): ...\n",
    "web.py": "class Runtime:\n    pass\n\n\ndef build():\n    return [Runtime(), Runtime(), Runtime()]\n",
}


@pytest.mark.parametrize(
    ("question", "section", "lines"),
    [
        ("who extends Runtime", "subclasses", [("core.py", 5)]),
        ("who uses Runtime", "usages", [("web.py", 6)]),
    ],
)
def test_the_class_that_others_extend_is_meant_where_that_is_asked_for(workspace, question, section, lines):
    answer = analyze(workspace(_USED_MORE), question)
    assert sorted({(each.file, each.line) for each in answer.get_items(section)}) == lines
