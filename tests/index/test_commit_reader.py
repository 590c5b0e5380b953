"""What past commits say, read once and used by ranked search."""

from __future__ import annotations

import subprocess
import time

import pytest

from avionics.index.changes.commit_reader import CommitReader
from avionics.index.search.commit_words import CommitWords
from avionics.model.errors import HistoryError
from avionics.store.commits import CommitRow
from avionics.tools.unified.search_code import search_code
from tests.timing import wait_until

TWO = "def first(cache):\n    return {}\n\n\ndef second(cache):\n    return {}\n"
QUESTION = "cache of evicted thumbnails"


def names(workspace, question=QUESTION):
    return [item.symbol for item in search_code(workspace, question).results]


@pytest.fixture
def told(git_repository):
    """A repository whose code does not say which of two functions a question is about; a commit does."""
    repository = git_repository({"a.py": TWO.format(1, 1)})
    for number in range(2, 6):
        message = "Keep the cache of thumbnails when some are evicted" if number == 4 else f"Number {number}"
        changed = (1, number) if number == 4 else (number, 4 if number > 4 else 1)
        repository.commit(message, {"a.py": TWO.format(*changed)})
    return repository


def test_the_words_of_commits_rank_what_they_touched(told, workspace):
    opened = workspace(root=told.root)
    assert names(opened)[:2] == ["first", "second"]
    assert opened.commit_reader.read() == 5
    assert names(opened)[:2] == ["second", "first"]


def test_a_commit_that_touches_very_many_definitions_says_nothing_of_any(told, workspace):
    def write(count, value):
        return "".join(f"def crowd{at}(cache):\n    return {value}\n\n\n" for at in range(count))

    told.commit("Add two crowds", {"few.py": write(30, 1), "many.py": write(31, 1)})
    told.commit("Keep penguins cool", {"few.py": write(30, 2)})
    told.commit("Keep walruses warm", {"many.py": write(31, 2)})
    reader = workspace(root=told.root).commit_reader
    assert reader.read() == 6
    words = reader.get_words()
    assert words.get_commits(("few.py", "crowd7"))
    assert not words.get_commits(("many.py", "crowd7"))


def test_commits_read_by_one_process_are_used_by_the_next(told, workspace):
    workspace(root=told.root).commit_reader.read()
    assert names(workspace(root=told.root))[:2] == ["second", "first"]


def test_what_is_said_of_a_file_stays_with_it_when_it_is_renamed(told, workspace):
    told.git("mv", "a.py", "b.py")
    told.commit("Move")
    opened = workspace(root=told.root)
    opened.commit_reader.read()
    assert names(opened)[:2] == ["second", "first"]


def test_only_new_commits_are_read(told, workspace):
    workspace(root=told.root).commit_reader.read()
    for oid in told.git("rev-list", "HEAD").split()[1:]:
        blob = told.git("rev-parse", f"{oid}:a.py")
        (told.root / ".git/objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
    told.commit("Say more", {"a.py": TWO.format(6, 4)})
    opened = workspace(root=told.root)
    assert opened.commit_reader.read() == 6
    assert names(opened)[:2] == ["second", "first"]


def test_a_revision_has_the_words_of_the_commits_before_it_only(told, workspace):
    base = workspace(root=told.root)
    base.commit_reader.read()
    before = base.at("HEAD~2")
    assert before.commit_reader.read() == 3
    assert names(before)[:2] == ["first", "second"]
    after = base.at("HEAD~1")
    assert after.commit_reader.read() == 4
    assert names(after)[:2] == ["second", "first"]


def test_a_search_outside_of_git_is_ranked_by_the_code_alone(workspace):
    opened = workspace({"a.py": TWO.format(1, 1)})
    assert names(opened)[:2] == ["first", "second"]
    with pytest.raises(HistoryError):
        opened.commit_reader.read()
    assert names(opened)[:2] == ["first", "second"]


def test_a_server_reads_commits_after_its_first_answer(told, workspace):
    opened = workspace(root=told.root)
    opened.prepare()
    assert names(opened)[:2] == ["first", "second"]
    wait_until(lambda: opened.get_commit_words() is not None, "the commits are read")
    assert names(opened)[:2] == ["second", "first"]


def test_a_single_command_reads_no_commits(told, workspace):
    opened = workspace(root=told.root)
    names(opened)
    time.sleep(0.5)
    assert opened.get_commit_words() is None


def test_a_repository_without_commits_has_no_words(git_repository, workspace):
    repository = git_repository()
    (repository.root / "a.py").write_text(TWO.format(1, 1))
    opened = workspace(root=repository.root)
    assert opened.commit_reader.read() == 0
    assert names(opened)[:2] == ["first", "second"]


def test_thousands_of_commits_are_read_up_to_the_limit(git_repository, workspace, settings):
    repository = git_repository({"a.py": TWO.format(1, 1)})
    stream = []
    for number in range(6_000):
        text = f"def first():\n    return {number % 1000:04}\n".encode()
        message = b"odd \xff\xfe " + str(number).encode()
        stream.append(
            b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\nM 100644 inline a.py\ndata %d\n%s\n"
            % (1_700_000_000 + number, len(message), message, len(text), text)
        )

    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=repository.root, input=b"".join(stream), check=True
    )
    opened = workspace(root=repository.root)
    assert len(opened.history.list_commits(settings.max_searched_commits)) == settings.max_searched_commits
    few = CommitReader(lambda: opened.history, opened.store.commits, str(repository.root), 500)
    assert few.read() == 500


def test_words_that_chance_explains_do_not_count():
    often = [CommitRow(f"{number:040x}", stems=("cach",), touched=(("a.py", "often"),)) for number in range(30)]
    words = CommitWords([*often, CommitRow("f" * 40, stems=("cach", "cach"), touched=(("a.py", "once"),))])
    said = words.ask(["cach"])
    assert said._count(("a.py", "often"), 1.0) == {}
    assert said._count(("a.py", "once"), 1.0)["cach"] > 1.2
