"""glob_files finds files by path pattern."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, complete
from avionics.tools.answers.items import NameItem
from avionics.tools.internal.files.glob_files import GlobFilesAnswer, PathItem, glob_files

FILES = {"src/app.py": "", "src/web/view.tsx": "", "setup.py": ""}


def test_files_that_match_are_listed_by_path(workspace):
    assert glob_files(workspace(FILES), "**/*.{py,tsx}") == GlobFilesAnswer(
        "**/*.{py,tsx}", complete(3), (PathItem("setup.py"), PathItem("src/app.py"), PathItem("src/web/view.tsx"))
    )


def test_the_pattern_starts_from_the_directory(workspace):
    assert glob_files(workspace(FILES), "*/*.tsx", path="src").files == (PathItem("src/web/view.tsx"),)


def test_nothing_found_names_similar_paths(workspace):
    assert glob_files(workspace(FILES), "src/ap.py") == GlobFilesAnswer(
        "src/ap.py",
        Coverage(0, 0, reasons=(Reason(ReasonKind.FILES_IGNORED),)),
        near=(NameItem("src/app.py"),),
    )


def test_what_is_no_pattern_is_refused(workspace):
    with pytest.raises(UsageError, match="not a glob"):
        glob_files(workspace(FILES), "[a")
