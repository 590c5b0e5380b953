"""read_code mends a path that is not quite right, and says so."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import OutsideWorkspaceError, SourceError, UsageError
from avionics.tools.answers.items import CodeItem, NameItem
from avionics.tools.answers.next_step import write_python
from avionics.tools.resilient.read_code import read_code

SHAPES = "import math\n\n\nclass Circle:\n    def area(self):\n        return math.pi\n\n\ndef area():\n    return 0\n"
FILES = {
    "src/shapes.py": SHAPES,
    "src/util/names.py": "x = 1\n",
    "lib/names.py": "y = 2\n",
    "src/view.tsx": "a\nb\n",
    "README.md": "# Read\n",
}


def told(answer):
    return [(attempt.step, attempt.outcome, attempt.found) for attempt in answer.attempts]


def test_an_exact_path_needs_one_attempt(workspace):
    answer = read_code(workspace(FILES), "src/view.tsx", 2, 2)
    assert (answer.path, answer.code) == ("src/view.tsx", (CodeItem("src/view.tsx", 2, 2, "b"),))
    assert told(answer) == [("exact path", "found", 1)]


def test_another_extension_is_read_instead(workspace):
    answer = read_code(workspace(FILES), "src/view.js")
    assert (answer.path, answer.total_lines) == ("src/view.tsx", 2)
    assert told(answer) == [("exact path", "not_found", 0), ("other extension", "found", 1)]
    assert answer.headline() == "src/view.tsx: 2 lines (there is no src/view.js)"


def test_the_same_name_elsewhere_is_read_when_there_is_one(workspace):
    opened = workspace(FILES)
    assert read_code(opened, "shapes.py").path == "src/shapes.py"
    assert read_code(opened, "project/util/names.py").path == "src/util/names.py"


def test_several_of_the_name_are_suggested_and_none_is_read(workspace):
    answer = read_code(workspace(FILES), "names.py")
    assert (answer.path, answer.code, answer.coverage.status) == ("", (), Status.NOT_FOUND)
    assert answer.suggestions == (NameItem("lib/names.py"), NameItem("src/util/names.py"))


def test_a_symbol_given_as_the_path_gets_the_call_that_reads_it(workspace):
    answer = read_code(workspace(FILES), "Circle")
    assert (answer.path, answer.suggestions) == ("", (NameItem("src/shapes.py:4 Circle"),))
    assert write_python(answer.coverage.next) == "read_code(path='src/shapes.py', symbol='Circle') for its code"


def test_a_misspelt_path_gets_suggestions(workspace):
    answer = read_code(workspace(FILES), "src/shaeps.py")
    assert answer.suggestions[0] == NameItem("src/shapes.py")
    assert told(answer) == [
        ("exact path", "not_found", 0),
        ("other extension", "not_found", 0),
        ("same name elsewhere", "not_found", 0),
        ("similar paths", "found", 2),
    ]


def test_a_symbol_shows_its_own_lines(workspace):
    opened = workspace(FILES)
    method = read_code(opened, "src/shapes.py", symbol="Circle.area")
    assert method.code == (CodeItem("src/shapes.py", 5, 6, "    def area(self):\n        return math.pi"),)
    assert read_code(opened, "shapes.py", symbol="Circle").code[0].start_line == 4


def test_a_symbol_that_is_elsewhere_is_pointed_to(workspace):
    answer = read_code(workspace(FILES), "lib/names.py", symbol="Circle")
    assert (answer.code, answer.suggestions) == ((), (NameItem("src/shapes.py:4 Circle"),))
    assert answer.headline() == "there is no symbol Circle in lib/names.py"


def test_what_is_there_but_cannot_be_read_is_refused(workspace):
    opened = workspace(FILES)
    (opened.root / "view.tsx").symlink_to("src/view.tsx")
    with pytest.raises(SourceError, match="a link"):
        read_code(opened, "view.tsx")
    with pytest.raises(SourceError, match="is a directory"):
        read_code(opened, "src")


def test_a_question_that_cannot_be_is_refused(workspace):
    opened = workspace(FILES)
    with pytest.raises(OutsideWorkspaceError):
        read_code(opened, "../shapes.py")
    with pytest.raises(UsageError, match="it has 2"):
        read_code(opened, "src/view.tsx", 3)
    with pytest.raises(UsageError, match="cannot be combined"):
        read_code(opened, "src/shapes.py", 1, 2, symbol="Circle")
