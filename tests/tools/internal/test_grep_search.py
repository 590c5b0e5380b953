"""grep_search finds lines by regular expression."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model.enums import Certainty
from avionics.model.errors import SourceError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, complete
from avionics.source.paths import SkipReason
from avionics.tools.answers.next_step import suggest_same
from avionics.tools.internal.files.grep_search import GrepSearchAnswer, MatchItem, grep_search

FILES = {"src/a.py": "def run():\n    return Run\n", "src/b.ts": "run()\n", "c.py": "RUN\nrun\n", "d.bin": b"run\0"}


def test_matching_lines_are_cited(workspace):
    assert grep_search(workspace(FILES), r"\brun\b") == GrepSearchAnswer(
        r"\brun\b",
        "ripgrep",
        3,
        complete(3),
        (
            MatchItem("c.py", 2, 0, "run"),
            MatchItem("src/a.py", 1, 4, "def run():"),
            MatchItem("src/b.ts", 1, 0, "run()"),
        ),
    )


def test_a_search_stays_within_path_and_glob(workspace):
    opened = workspace(FILES)
    found = [(match.file, match.line) for match in grep_search(opened, "run", path="src", glob="*.py").matches]
    assert found == [("src/a.py", 1)]
    assert len(grep_search(opened, "run", path="c.py", case_sensitive=False).matches) == 2


def test_a_limit_is_at_least_what_there_is(workspace):
    answer = grep_search(workspace(FILES), "run", limit=1)
    assert answer.coverage == Coverage(1, 1, Certainty.AT_LEAST, reasons=(Reason(ReasonKind.MATCH_LIMIT, 1),))


def test_a_file_too_large_to_parse_is_searched(workspace):
    opened = workspace({"large.txt": "walk\n" * 600_000 + "run\n", "a.py": "run = 1\n"})
    for _ in range(2):  # without the index, then with it
        found = grep_search(opened, "run")
        assert [(match.file, match.line) for match in found.matches] == [("a.py", 1), ("large.txt", 600_001)]
        assert found.coverage == complete(2)
        assert grep_search(opened, "run", glob="*.py").coverage == complete(1)
        opened.index()


def test_a_file_too_large_to_search_makes_the_count_a_lower_bound(workspace):
    opened = workspace({"large.txt": "run\n" * 600_000, "a.txt": "run"})
    opened.source.settings = structs.replace(opened.source.settings, max_searched_bytes=2_100_000)
    answer = grep_search(opened, "run")
    skipped = Reason(ReasonKind.FILES_SKIPPED, subject=SkipReason.TOO_LARGE.value, detail="large.txt")
    assert answer.coverage == Coverage(1, 1, Certainty.AT_LEAST, reasons=(skipped,))


def test_nothing_found_suggests_ignoring_case(workspace):
    assert grep_search(workspace(FILES), "rUn").coverage == Coverage(
        0, 0, next=suggest_same("to match other cases too", case_sensitive=False)
    )
    assert grep_search(workspace(FILES), "none", case_sensitive=False).coverage == Coverage(0, 0)


def test_a_bad_pattern_glob_or_path_is_refused(workspace):
    opened = workspace(FILES)
    with pytest.raises(UsageError, match="look-around"):
        grep_search(opened, "a(?=b)")
    with pytest.raises(UsageError, match="not a glob"):
        grep_search(opened, "a", glob="[")
    with pytest.raises(SourceError, match="there is no file '-fx'"):
        grep_search(opened, "a", path="-fx")
