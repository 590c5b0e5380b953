"""get_index_stats tells what is known and how fresh it is."""

from __future__ import annotations

import re

from msgspec import structs

from avionics.index.facts.snapshot import hash_blob
from avionics.model.results import Coverage
from avionics.store.codec import ParseFailure
from avionics.tools.answers.answer import to_result
from avionics.tools.internal.workspace.get_index_stats import (
    FailureItem,
    IndexStatsAnswer,
    LanguageItem,
    get_index_stats,
)


def test_the_sums_are_those_of_the_files(workspace):
    opened = workspace({"a.py": "class A:\n    def f(self): pass\n", "b/c.py": "x = 1\n", "README.md": "# Hi\n"})
    answer = get_index_stats(opened)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", answer.refreshed)
    assert answer.store_bytes > 0
    assert structs.replace(answer, refreshed="", store_bytes=0) == IndexStatsAnswer(
        files=3,
        symbols=3,
        lines=3,
        skipped=0,
        store=str(opened.settings.cache_directory / "facts.sqlite"),
        store_bytes=0,
        refreshed="",
        coverage=Coverage(found=3, shown=3),
        languages=(LanguageItem("python", 2),),
    )


def test_an_edit_is_seen(workspace):
    opened = workspace({"a.py": "x = 1\n"})
    before = get_index_stats(opened)
    (opened.root / "a.py").write_text("x = 1\ny = 2\n")
    assert (before.symbols, get_index_stats(opened).symbols) == (1, 2)


def test_files_that_gave_no_facts_are_listed_with_the_reason(workspace):
    opened = workspace({"a.py": "x = 1\n", "b.py": "y = 1\n"})
    opened.store.writer.add([((hash_blob(b"y = 1\n"), "python"), ParseFailure("RuntimeError: too deep"))])
    answer = get_index_stats(opened)
    assert answer.failures == (FailureItem("b.py", 1, "RuntimeError: too deep"),)
    assert "b.py:1 RuntimeError: too deep" in to_result(answer).text


def test_an_empty_workspace_has_nothing(workspace):
    result = to_result(get_index_stats(workspace({}))).to_dict()
    assert (result["status"], result["data"]["files"]) == ("not_found", 0)
