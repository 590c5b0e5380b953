"""list_files shows what lies directly in a directory."""

from __future__ import annotations

import pytest

from avionics.model.errors import OutsideWorkspaceError, SourceError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, complete
from avionics.source.paths import SkipReason
from avionics.tools.internal.files.list_files import DirectoryItem, FileItem, ListFilesAnswer, list_files


def test_the_root_is_listed_by_default(workspace):
    opened = workspace({"a.py": "x", "src/b.py": "", "src/web/c.py": "", ".gitignore": "dist/\n", "dist/x": ""})
    assert list_files(opened) == ListFilesAnswer(
        ".", complete(3), (DirectoryItem("src", 2),), (FileItem(".gitignore", 6), FileItem("a.py", 1))
    )


def test_what_was_skipped_here_is_said(workspace):
    opened = workspace({"src/b.py": "", "c.py": ""})
    (opened.root / "src" / "link.py").symlink_to("b.py")
    (opened.root / "elsewhere").symlink_to("c.py")
    answer = list_files(opened, "src/")
    skipped = Reason(ReasonKind.FILES_SKIPPED, subject=SkipReason.LINK.value, detail="src/link.py")
    assert answer.coverage == Coverage(1, 1, reasons=(skipped,))


def test_a_directory_that_is_not_there_or_outside_is_refused(workspace):
    opened = workspace({"src/b.py": ""})
    with pytest.raises(SourceError, match="there is no file 'nowhere'"):
        list_files(opened, "nowhere")
    with pytest.raises(OutsideWorkspaceError):
        list_files(opened, "../")
