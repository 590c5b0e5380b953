from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.answers.reasons import describe_reason
from avionics.tools.executor import ToolExecutor
from avionics.tools.resilient.find_related import find_related

FILES = {
    "app/__init__.py": "",
    "app/tax.py": "RATE = 2\n\n\ndef add_tax(price):\n    return price * rate_of(price)\n\n\n"
    "def rate_of(price):\n    return RATE\n",
    "app/bill.py": "from app.tax import add_tax\n\n\ndef bill(items):\n    return [add_tax(item) for item in items]\n",
    "tests/test_tax.py": "from app.tax import add_tax\n\n\ndef test_add_tax():\n    assert add_tax(1) == 2\n",
}


def relations(answer):
    return {(item.file, item.symbol): item.relation for item in answer.related}


def test_a_symbol_is_related_to_users_callees_tests_and_siblings(workspace):
    answer = find_related(workspace(FILES), "add_tax")
    assert answer.subject == "add_tax (app/tax.py:4)"
    assert relations(answer) == {
        ("app/bill.py", "bill"): "uses it",
        ("app/tax.py", "rate_of"): "it uses",
        ("tests/test_tax.py", "test_add_tax"): "test",
        ("app/tax.py", "RATE"): "same module",
    }
    assert answer.related[0].why == "calls add_tax"


def test_a_place_means_the_symbol_around_it(workspace):
    assert find_related(workspace(FILES), "app/tax.py:5").subject == "add_tax (app/tax.py:4)"


def test_a_file_is_related_to_what_it_imports_what_imports_it_and_what_changes_with_it(git_repository, workspace):
    repository = git_repository(FILES)
    for number in range(2):
        repository.commit(
            "both",
            {"app/tax.py": f"{FILES['app/tax.py']}# {number}\n", "app/bill.py": f"{FILES['app/bill.py']}# {number}\n"},
        )
    answer = find_related(workspace(root=repository.root), "app/tax.py")
    assert relations(answer)["tests/test_tax.py", ""] == "test"
    assert relations(answer)["app/bill.py", ""] in {"changes with it", "imports it"}
    assert "files that change together" in [attempt.step for attempt in answer.attempts if attempt.found]


def test_a_directory_is_refused_unless_it_is_a_package(workspace):
    opened = workspace({**FILES, "app/db/one.py": "x = 1\n", "app/db_two.py": "y = 1\n"})
    assert find_related(opened, "./app/").subject == "app/__init__.py"
    with pytest.raises(UsageError, match="'app/db' is a directory"):
        find_related(opened, "app/db")


def test_an_unknown_name_gives_near_ones_and_an_empty_one_is_refused(workspace):
    answer = find_related(workspace(FILES), "ad_tax")
    assert (answer.related, answer.coverage.status.value) == ((), "not_found")
    assert answer.near[0].name == "app/tax.py:4 add_tax"
    with pytest.raises(UsageError):
        find_related(workspace(FILES), " ")


def test_a_comment_above_a_definition_is_the_definitions(workspace):
    opened = workspace({"a.go": "package a\n\nvar x = 1\n\n// F does it.\n// At once.\nfunc F() {\n}\n"})
    assert find_related(opened, "a.go:5").subject == "F (a.go:7)"
    assert find_related(opened, "a.go:4").subject == "a.go (line 4 is in no function or class)"


def test_other_definitions_of_the_name_are_given(workspace):
    answer = find_related(workspace({**FILES, "app/other.py": "def add_tax():\n    pass\n"}), "add_tax")
    assert (answer.subject, [item.name for item in answer.others]) == (
        "add_tax (app/other.py:1)",
        ["add_tax (app/tax.py:4)"],
    )


def test_few_files_that_change_with_a_symbols_file_are_given_and_called_so(git_repository, workspace):
    repository = git_repository(FILES)
    for number in range(2):
        repository.commit(
            "all",
            {f"app/{name}.py": f"{name} = {number}\n" for name in "uvwxyz"}
            | {"app/bill.py": f"def bill(): return {number}\n"},
        )
    found = [item for item in find_related(workspace(root=repository.root), "bill").related if not item.symbol]
    assert [item.relation for item in found] == ["changes with its file"] * 3


def test_what_is_similar_says_in_what_and_not_that_it_was_named(workspace):
    opened = workspace(
        {
            "a.py": 'def read_index_file(path):\n    """Read the index file of a store."""\n    return open(path)\n',
            "b.py": 'def write_index_file(path):\n    """Write the index file of a store."""\n    return path\n',
            "c.py": "def hello():\n    return 'file'\n",
        }
    )
    assert [item.to_text() for item in find_related(opened, "read_index_file").related] == [
        "b.py:1 write_index_file  [similar] same words in its name and doc"
    ]


def test_a_file_in_no_known_language_is_related_to_what_changes_with_it(git_repository, workspace):
    repository = git_repository({**FILES, "README.md": "# Tax\n"})
    for number in range(2):
        changed = {"app/tax.py": f"{FILES['app/tax.py']}# {number}\n", "README.md": f"# Tax {number}\n"}
        repository.commit("both", changed)
    answer = find_related(workspace(root=repository.root), "README.md")
    assert relations(answer)["app/tax.py", ""] == "changes with it"
    near = find_related(workspace(root=repository.root), "app/taxes.py").near
    assert [each.name for each in near][:1] == ["app/tax.py"]


def test_without_time_the_answer_says_that_there_may_be_more(workspace, settings):
    context = ToolContext(workspace=workspace({"m.py": "def f(): ...\n\n\ndef g():\n    f()\n"}), answer_seconds=1e-9)
    result = ToolExecutor(settings=settings).run(ToolCall("find_related", {"reference": "f"}), context)
    assert result.status is Status.PARTIAL
    assert describe_reason(Reason(ReasonKind.TIME_RAN_OUT)) in result.text
