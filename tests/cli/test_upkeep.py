"""`index` and `doctor`: what is read ahead, what is missing and how to get it."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from avionics.cli import doctor, indexing
from avionics.cli.main import main
from avionics.settings import Settings

FILES = {"a.py": "def one():\n    return 1\n", "b.py": "import a\n\nprint(a.one())\n", "notes.txt": "one\n"}


@pytest.fixture
def cache(tmp_path):
    """A cache of the test's own, as the environment names it."""
    return tmp_path / "cache"


def test_indexing_tells_counts_rate_and_place(directory, cache, capsys):
    assert main(["index", "--repo", str(directory(FILES))]) == 0
    first, place = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"2 source files, 3 new contents read in \d+\.\d s, \d+ a second", first)
    assert place == f"kept in {cache / 'facts.sqlite'}"


def test_indexing_twice_reads_nothing_the_second_time(directory, cache, capsys):
    root = str(directory(FILES))
    main(["index", "--repo", root])
    capsys.readouterr()
    assert main(["index", "--repo", root]) == 0
    assert capsys.readouterr().out.startswith("2 source files, 0 new contents read in ")


@pytest.mark.parametrize("command", ["index", "status"])
def test_the_directory_can_be_an_argument_or_an_option_but_not_both(command, directory, cache, capsys):
    root = str(directory(FILES))
    assert main([command, root]) == 0
    assert "2 " in capsys.readouterr().out
    assert main([command, root, "--repo", root]) == 2
    assert "Give the directory once" in capsys.readouterr().err
    assert main([command, f"{root}/missing"]) == 2


def test_long_work_has_a_bar_in_front_of_a_terminal_only(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, is_shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(time, "monotonic", iter([0.0, *([9.0] * 1000)]).__next__)
        with indexing.Bar() as bar:
            bar.show(1, 2, 1_000_000, 2_000_000)
            bar.show(2, 2, 2_000_000, 2_000_000)
        monkeypatch.undo()
        assert ("reading" in stream.getvalue()) is is_shown


def test_a_sound_installation_needs_nothing(git_repository, cache, capsys):
    repository = git_repository(FILES)
    head = repository.git("rev-parse", "HEAD")
    assert main(["doctor", "--repo", str(repository.root)]) == 0
    printed = capsys.readouterr().out
    assert [line.split()[1] for line in printed.splitlines() if line.startswith(("ok", "note", "fault"))] == [
        "avionics", "packages", "grammars", "ripgrep", "git", "bounds", "cache", "index", "mcp", "models", "clients",
    ]  # fmt: skip
    assert f"{repository.root} is at {head[:12]}" in printed
    assert printed.endswith("\nall required dependencies are installed\n")


def test_a_directory_without_history_is_worth_a_note(directory, settings):
    finding = doctor.examine_history(directory(FILES), settings)
    assert finding.state == doctor.NOTE
    assert finding.detail.startswith("no history of ")


def test_a_missing_ripgrep_is_worth_a_note_that_says_how_to_get_it(tmp_path):
    finding = doctor.examine_ripgrep(tmp_path, Settings(cache_directory=tmp_path, program_directories=()))
    assert finding.state == doctor.NOTE
    assert finding.hint.endswith("[rg]', or install ripgrep")


def test_a_cache_that_cannot_be_written_is_a_fault(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "file"))
    assert main(["doctor", "--repo", str(tmp_path)]) == 3
    printed = capsys.readouterr().out
    assert re.search(r"^fault  cache .*cannot be used.*\n +set AVIONICS_CACHE_DIR", printed, re.MULTILINE)
    assert printed.endswith("\n1 to fix\n")


def test_a_setting_that_cannot_be_used_is_refused(directory, monkeypatch, capsys):
    monkeypatch.setenv("AVIONICS_WORKERS", "many")
    assert main(["doctor", "--repo", str(directory(FILES))]) == 2
    assert capsys.readouterr().err.startswith("error: AVIONICS_WORKERS must be a number")
