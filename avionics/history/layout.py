"""Find the git directory of a workspace.

The root must itself be the top of a work tree: git directories further up are named in the hint and not opened. A
`.git` file (worktree, submodule) is trusted only if its target links back to the root; otherwise a forged one could
make avionics read another repository.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from avionics.history.files import get_mode, is_directory, read_beneath
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError

SMALL_FILE_BYTES = 1_000_000
"""HEAD, config and link files are far smaller."""

_SECTION = late_pattern(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = late_pattern(r"([A-Za-z][\w-]*)\s*=\s*([^#;]*)")


class Layout(Struct, frozen=True):
    """A work tree, its own git directory, and the one it shares with other worktrees (often the same)."""

    root: Path
    git_directory: Path
    common_directory: Path


def require_layout(root: Path) -> Layout:
    """Return the layout of a work tree. Raise `HistoryError` if it has no git history that can be trusted."""
    dot_git = root / ".git"
    mode = get_mode(dot_git)
    if mode is None:
        raise HistoryError("no git history here", hint=_hint_of_missing(root))
    if stat.S_ISDIR(mode):
        return _checked(Layout(root, dot_git, dot_git))
    if stat.S_ISREG(mode):
        return _checked(_linked(root))
    raise HistoryError("no git history here", hint=".git is neither a directory nor a link file of git")


def read_plain_config(content: bytes) -> Mapping[str, str]:
    """Return the simple `section.name.key = value` lines of a git configuration; includes are not followed."""
    values: dict[str, str] = {}
    section = ""
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        text = line.strip()
        heading = _SECTION.match(text)
        if heading:
            name = heading[1].lower()
            section = f"{name}.{heading[2]}" if heading[2] is not None else name
            text = text[heading.end() :].strip()
        entry = _ENTRY.match(text)
        if entry:
            values[f"{section}.{entry[1].lower()}"] = entry[2].strip().strip('"')
    return values


def _hint_of_missing(root: Path) -> str:
    """Return the hint for a root without `.git`."""
    for parent in root.parents:
        if get_mode(parent / ".git") is not None:
            return f"the top of the repository is {parent}: open the workspace there"
    if get_mode(root / "HEAD") is not None and is_directory(root / "objects"):
        return "this is a bare repository: open a work tree of it"
    return "run `git init` here, or open the workspace at the top of a git work tree"


def _linked(root: Path) -> Layout:
    """Return the layout that a `.git` file names, if it links back."""
    content = read_beneath(root, ".git", SMALL_FILE_BYTES) or b""
    text = content.decode("utf-8", "surrogateescape").rstrip("\r\n")
    if text.startswith("gitdir: ") and "\0" not in text:
        target = Path(os.path.realpath(root / text.removeprefix("gitdir: ")))
        if target.parent.name == "worktrees" and _links_back(target, root):
            return Layout(root, target, target.parent.parent)
        if _is_submodule(target, root):
            return Layout(root, target, target)
    raise HistoryError(
        "no git history here: the .git file names a repository that does not link back to this directory",
        hint="if it is a moved worktree, run `git worktree repair`",
    )


def _links_back(target: Path, root: Path) -> bool:
    """Return whether a worktree's git directory names the root's `.git` file."""
    content = read_beneath(target, "gitdir", SMALL_FILE_BYTES) or b""
    text = content.decode("utf-8", "surrogateescape").rstrip("\r\n")
    return bool(text) and "\0" not in text and os.path.realpath(target / text) == str(root / ".git")


def _is_submodule(target: Path, root: Path) -> bool:
    """Return whether the git directory belongs to an enclosing repository and its work tree is the root."""
    keepers = [parent for parent in target.parents if parent.name == ".git" and parent.parent in root.parents]
    if not keepers:
        return False
    work_tree = read_plain_config(read_beneath(target, "config", SMALL_FILE_BYTES) or b"").get("core.worktree", "")
    return bool(work_tree) and os.path.realpath(target / work_tree) == str(root)


def _checked(layout: Layout) -> Layout:
    """Return the layout if its parts are real directories of a supported kind."""
    common = layout.common_directory
    for directory in (layout.git_directory, common, common / "objects", common / "refs"):
        if not is_directory(directory):
            raise HistoryError(
                f"the git directory is not usable: {directory} is not a directory",
                hint="run `git fsck` to see what is wrong",
            )
    if get_mode(common / "reftable") is not None:
        raise HistoryError(
            "references kept as reftable cannot be read", hint="`git refs migrate --ref-format=files` converts them"
        )
    if get_mode(common / "objects" / "info" / "alternates") is not None:
        raise HistoryError(
            "the repository borrows objects from elsewhere (objects/info/alternates), which is not supported",
            hint="run `git repack -a -d && rm .git/objects/info/alternates` to make it self-contained",
        )
    return layout
