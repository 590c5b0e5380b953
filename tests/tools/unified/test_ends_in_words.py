"""Tests of questions for paths whose ends are described: by a class and a method, by a value, or only loosely."""

import pytest

from avionics.tools.unified.analyze import analyze

DEPOT = {
    "depot/ledger.py": "class LedgerModule:\n    def get_client(self):\n        return object()\n",
    "depot/mode.py": "class Mode:\n    NIGHT_SHIFT = 1\n",
    "depot/main.py": "from depot.ledger import LedgerModule\nfrom depot.mode import Mode\n\n\n"
    "def remove_parcel(module: LedgerModule):\n    return module.get_client()\n\n\n"
    "def choose(mode):\n    if mode == Mode.NIGHT_SHIFT:\n        return 1\n    return 0\n\n\n"
    "def plan(mode):\n    return choose(mode)\n\n\nclass parcel:\n    weight = 1\n",
    "tests/test_ledger.py": "class TestLedger:\n    def courier(self):\n        pass\n",
}


@pytest.mark.parametrize(
    ("question", "place", "said"),
    [
        (
            "how does remove_parcel get to the ledger client?",
            ("depot/main.py", 6),
            "ledger client (taken for LedgerModule.get_client)",
        ),
        ("how does plan get to the night shift?", ("depot/main.py", 16), "plan → night shift"),
    ],
)
def test_ends_are_found_by_the_class_around_them_and_by_values(workspace, question, place, said):
    answer = analyze(workspace(DEPOT), question)
    assert said in answer.summary
    assert [(each.file, each.line) for each in answer.get_items("steps")] == [place]


def test_an_end_that_is_only_loosely_called_so_is_told(workspace):
    answer = analyze(workspace(DEPOT), "how does an overdue foreign parcel get to get_client?")
    assert "overdue foreign parcel (taken for parcel)" in answer.summary
    assert not answer.get_items("steps")


def test_control_gets_to_no_test(workspace):
    answer = analyze(workspace(DEPOT), "how does remove_parcel get to the foreign courier?")
    assert answer.kind != "path"
    assert "TestLedger" not in answer.summary


def test_plain_words_are_no_field_unless_all_are_its_name(workspace):
    answer = analyze(workspace(DEPOT), "how does a weight change get to get_client?")
    assert "parcel.weight" not in answer.summary
    assert "no proven path" not in answer.summary
