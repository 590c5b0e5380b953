"""Tests of questions for paths whose ends are described: by a class and a method, by a value, or only loosely."""

import pytest

from avionics.tools.questions.reading import read_question
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


def test_a_described_end_is_no_test_beside_the_code(workspace):
    files = {
        "Cargo.toml": '[package]\nname = "pad"\nversion = "1.0.0"\n',
        "src/main.rs": "mod buffer;\n\nfn main() {\n    buffer::save();\n}\n",
        "src/buffer.rs": "pub fn save() {\n    flush_pad()\n}\n\nfn flush_pad() {}\n\n"
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn save_runs_the_buffer_command() {\n"
        "        super::flush_pad()\n    }\n}\n",
    }
    answer = analyze(workspace(files), "path from the buffer save command to flush_pad")
    assert answer.summary.startswith("save → flush_pad: 1 path")


def test_the_command_is_the_one_that_is_typed_before(workspace):
    files = {
        "pyproject.toml": '[project]\nname = "pad"\nversion = "1"\n\n[project.scripts]\npad = "pad:main"\n',
        "README.md": "# pad\n\nA program for notes.\n",
        "pad.py": "import click\n\n\n@click.group()\ndef main():\n    pass\n\n\n@main.command()\ndef erase():\n"
        "    wipe_all()\n\n\n@main.command()\ndef show():\n    pass\n\n\ndef wipe_all():\n    pass\n",
    }
    found = read_question(workspace(files).code, "`pad erase` on a note: show the chain from the command to wipe_all")
    assert found.ends == ("erase command", "wipe_all")
    assert analyze(workspace(files), found.text).summary.startswith("erase command → wipe_all: 1 path")
    # Another program's command says nothing of this one's.
    other = read_question(workspace(files).code, "`git erase` on a note: show the chain from the command to wipe_all")
    assert other.ends != ("erase command", "wipe_all")
