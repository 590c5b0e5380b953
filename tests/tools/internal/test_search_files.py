"""search_files finds files by name."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.model.results import complete
from avionics.tools.internal.files.search_files import FoundFileItem, SearchFilesAnswer, search_files

PATHS = ("src/user_service.py", "src/user.py", "docs/user.md", "src/users/models.py", "tests/test_user.py", "app.py")
FILES = dict.fromkeys(PATHS, "")


def found(workspace, query):
    return [(item.file, item.reason) for item in search_files(workspace(FILES), query).results]


def test_the_surest_match_comes_first(workspace):
    assert found(workspace, "user") == [
        ("src/user.py", "name without extension"),
        ("docs/user.md", "name without extension"),
        ("src/user_service.py", "start of the name"),
        ("tests/test_user.py", "part of the name"),
        ("src/users/models.py", "part of the path"),
    ]


@pytest.mark.parametrize(
    ("query", "file", "reason"),
    [
        ("app.py", "app.py", "path"),
        ("User.py", "src/user.py", "name"),
        ("users/models.py", "src/users/models.py", "end of the path"),
        ("UserService", "src/user_service.py", "same letters"),
        ("user service", "src/user_service.py", "same letters"),
        ("src/modles.py", "src/users/models.py", "similar"),
    ],
)
def test_a_query_finds(workspace, query, file, reason):
    assert found(workspace, query)[0] == (file, reason)


def test_an_answer_is_whole(workspace):
    assert search_files(workspace(FILES), "/app.py") == SearchFilesAnswer(
        "/app.py", complete(1), (FoundFileItem("app.py", "path", 1.0),)
    )


def test_nothing_like_it_is_nothing(workspace):
    assert found(workspace, "zzzzzz") == []


def test_an_empty_or_endless_query_is_refused(workspace):
    for query in ("", " / ", "x" * 1_000):
        with pytest.raises(UsageError, match="not a file name"):
            search_files(workspace(FILES), query)
