"""tree_structure shows directories and their sizes."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.results import complete
from avionics.tools.internal.files.tree_structure import TreeItem, TreeStructureAnswer, tree_structure

FILES = {
    "README.md": "one\ntwo",
    "java/com/acme/app/Main.java": "a\n",
    "java/com/acme/app/web/View.java": "a\nb\n",
    "java/com/acme/lib/logo.png": b"\0\n",
}


def test_directories_that_hold_only_another_are_left_out(workspace):
    assert tree_structure(workspace(FILES)) == TreeStructureAnswer(
        ".",
        5,
        complete(5),
        (
            TreeItem(".", 4, 5, 15, folded=False),
            TreeItem("java/com/acme", 3, 3, 8, folded=False),
            TreeItem("java/com/acme/app", 2, 3, 6, folded=False),
            TreeItem("java/com/acme/app/web", 1, 2, 4, folded=False),
            TreeItem("java/com/acme/lib", 1, 0, 2, folded=False),
        ),
    )


def test_depth_folds_what_lies_deeper(workspace):
    answer = tree_structure(workspace(FILES), "java", depth=1)
    assert answer.directories == (TreeItem("java", 3, 3, 8, folded=False), TreeItem("java/com", 3, 3, 8, folded=True))


def test_a_wide_tree_is_shown_as_deep_as_stays_readable(workspace):
    files = {f"d{number}/e{inner}/f.py": "" for number in range(20) for inner in range(10)}
    assert len(tree_structure(workspace(files)).directories) == 1 + 20


def test_an_empty_workspace_is_an_empty_tree(workspace):
    answer = tree_structure(workspace({}))
    assert answer.directories == (TreeItem(".", 0, 0, 0, folded=False),)
    assert answer.coverage.status is Status.SUCCESS
