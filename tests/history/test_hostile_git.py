"""Repositories are written by strangers: nothing they name runs, nothing leads out, nothing in them changes."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys

import pytest

from avionics.history.history import History
from avionics.model.errors import AvionicsError, HistoryError, MissingDependencyError
from avionics.tools.composite.explain_code_history import explain_code_history
from avionics.tools.internal.workspace.git_blame import git_blame
from avionics.tools.internal.workspace.git_diff import git_diff
from avionics.tools.internal.workspace.git_log import git_log
from avionics.tools.standalone.git_status import git_status

ASKED = {
    "status": lambda read: read.get_status(["a.py", "new.py"]),
    "commits": lambda read: read.find_commits("a.py", limit=5, follow=True, counts=True),
    "all commits": lambda read: read.find_commits(limit=5, counts=True),
    "word": lambda read: read.find_commits(limit=5, word="x"),
    "story": lambda read: read.get_line_story("a.py", 1, 1),
    "blame": lambda read: read.find_blame("a.py"),
    "together": lambda read: read.find_co_changes(read.find_commits("a.py", limit=5), "a.py"),
    "work tree": lambda read: read.find_differences(),
    "revisions": lambda read: read.find_differences("", "HEAD~1", "HEAD"),
    "tree": lambda read: [read.read_blob(entry.oid) for entry in read.list_tree("HEAD", sizes=True).values()],
}
"""Every question the package answers."""


@pytest.fixture
def trap(tmp_path):
    """A program that leaves a mark when it runs, and the mark."""
    mark = tmp_path / "sprung"
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {mark}\ncat\n")
    program.chmod(0o755)
    return program, mark


def ask_everything(read):
    for question in ASKED.values():
        question(read)


@pytest.fixture
def trapped(git_repository, trap, tmp_path):
    """A repository whose configuration, attributes, hooks and aliases all name the trap, with work under way."""
    program, mark = trap
    repository = git_repository({"a.py": "x = 1\n", "b.txt": "x\n"})
    attributes = "* filter=evil diff=evil textconv=evil merge=evil\n"
    repository.commit("second", {"a.py": "x = 2\n", ".gitattributes": attributes, ".mailmap": "A <a@b> <c@d>\n"})
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy",
        "core.alternateRefsCommand", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean",
        "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "pager.log", "pager.diff", "pager.status",
        "pager.blame", "gpg.program", "gpg.ssh.program", "credential.helper", "interactive.diffFilter",
        "uploadpack.packObjectsHook", "sequence.editor", "trace2.eventTarget",
    ):  # fmt: skip
        repository.git("config", key, str(program))
    for name in ("log", "status", "blame", "diff", "ls-files", "rev-parse", "version"):
        repository.git("config", f"alias.{name}", f"!{program}")
    for key, value in (
        ("filter.evil.required", "true"),
        ("log.showSignature", "true"),
        ("core.hooksPath", str(tmp_path / "hooks")),
        ("include.path", str(tmp_path / "included")),
        ("blame.ignoreRevsFile", str(tmp_path / "included")),
    ):
        repository.git("config", key, value)
    (tmp_path / "included").write_text(f"[core]\n\tfsmonitor = {program}\n")
    for directory in (tmp_path / "hooks", repository.root / ".git" / "hooks"):
        directory.mkdir(exist_ok=True)
        for hook in (
            "post-index-change",
            "fsmonitor-watchman",
            "pre-auto-gc",
            "reference-transaction",
            "post-checkout",
        ):
            shutil.copy(program, directory / hook)
    (repository.root / ".git" / "info" / "attributes").write_text(attributes)
    (repository.root / "a.py").write_text("x = 3\n")
    (repository.root / "new.py").write_text("x = 4\n")
    mark.unlink(missing_ok=True)
    yield repository.root
    shutil.rmtree(tmp_path / "hooks")
    subprocess.run(["git", "status"], cwd=repository.root, capture_output=True, check=False)
    assert mark.exists(), "the traps would have sprung"


def test_nothing_the_repository_names_is_run(trapped, trap, history, fingerprint):
    before = fingerprint(trapped)
    read = history(trapped)
    ask_everything(read)
    assert [each.added for each in read.find_differences()[0]] == [1]
    assert not trap[1].exists()
    assert fingerprint(trapped) == before


@pytest.mark.parametrize(
    ("ask", "arguments"),
    [
        (git_status, {}),
        (git_log, {"path": "a.py"}),
        (git_blame, {"path": "a.py"}),
        (git_diff, {}),
        (git_diff, {"base": "HEAD~1", "head": "HEAD"}),
        (explain_code_history, {"path": "a.py"}),
        (explain_code_history, {"symbol": "x"}),
    ],
)
def test_no_tool_runs_what_the_repository_names(trapped, trap, workspace, fingerprint, ask, arguments):
    before = fingerprint(trapped)
    assert ask(workspace(root=trapped), **arguments).coverage.found
    assert not trap[1].exists()
    assert fingerprint(trapped) == before


def test_missing_objects_are_not_fetched(git_repository, history, trap, tmp_path):
    program, mark = trap
    origin = git_repository({"a.py": "x = 1\n" * 50}, name="origin")
    origin.commit("second", {"a.py": "x = 2\n" * 50})
    origin.git("config", "uploadpack.allowFilter", "true")
    root = tmp_path / "repository"
    origin.git("clone", "--quiet", "--no-local", "--filter=blob:none", "--no-checkout", str(origin.root), str(root))
    partial = git_repository(name="repository")
    partial.git("config", "remote.origin.url", f"ext::{program} %S")
    partial.git("config", "remote.origin.uploadpack", str(program))
    partial.git("config", "protocol.ext.allow", "always")
    read = history(root)
    assert [commit.subject for commit in read.find_commits("a.py", limit=5)] == ["second", "first"]
    with pytest.raises(HistoryError) as caught:
        read.find_commits("a.py", limit=5, counts=True)
    assert "partial clone" in caught.value.hint
    assert not mark.exists()


def test_nothing_of_the_caller_s_environment_reaches_git(git_repository, trap, tmp_path):
    program, mark = trap
    repository = git_repository({"a.py": "x = 1\n"})
    repository.commit("second", {"a.py": "x = 2\n"})
    code = (
        "import sys; from pathlib import Path; from avionics.settings import Settings;"
        "from avionics.history.history import History;"
        "read = History.open(Path(sys.argv[1]), Settings(cache_directory=Path(sys.argv[2])));"
        "read.find_differences('', 'HEAD~1', 'HEAD'); read.get_status([]);"
        "print(read.find_commits(limit=1)[0].subject);"
        "read.close()"
    )
    environment = os.environ | {
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "nothing"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "nothing"),
        "GIT_EXTERNAL_DIFF": str(program),
        "GIT_PAGER": str(program),
        "GIT_SSH_COMMAND": str(program),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(program),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={program}'",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_LITERAL_PATHSPECS": "0",
        "LC_ALL": "de_DE.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", code, str(repository.root), str(tmp_path / "cache")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("second\n", "")
    assert not mark.exists()


def test_a_git_planted_in_the_workspace_is_not_run(git_repository, history, trap, monkeypatch):
    program, mark = trap
    repository = git_repository({"a.py": "x = 1\n"})
    for name in ("git", "env"):
        shutil.copy(program, repository.root / name)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    read = history(repository.root)
    assert not read.is_available()
    with pytest.raises(MissingDependencyError, match="inside the workspace"):
        read.require_available()
    assert not mark.exists()


def test_without_git_the_error_says_how_to_get_it(git_repository, history, monkeypatch, tmp_path):
    repository = git_repository({"a.py": "x = 1\n"})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match="git is not installed"):
        history(repository.root).find_commits(limit=1)


def test_pipes_and_links_in_the_work_tree_are_not_opened(git_repository, history, fingerprint, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "b.py").write_text("SECRET\n")
    repository = git_repository({"a.py": "1\n", "dir/b.py": "1\n", "c.py": "1\n"})
    repository.commit("second", {"a.py": "2\n"})
    shutil.rmtree(repository.root / "dir")
    (repository.root / "dir").symlink_to(secret)
    (repository.root / "c.py").unlink()
    os.mkfifo(repository.root / "c.py")
    for name in (".gitignore", ".gitattributes", ".mailmap", ".git/info/exclude", ".git/info/grafts"):
        path = repository.root / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    before = fingerprint(repository.root)
    read = history(repository.root)
    ask_everything(read)
    assert [(each.path, each.change) for each in read.get_status([]).unstaged] == [
        ("c.py", "deleted"),
        ("dir/b.py", "deleted"),
    ]
    assert "SECRET" not in str(read.find_differences())
    assert "SECRET" not in str(read.find_blame("dir/b.py"))
    assert fingerprint(repository.root) == before


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "shallow", "objects/pack/x.pack", "refs/heads/main"])
def test_a_pipe_in_the_git_directory_is_refused_or_left_out(git_repository, history, name):
    repository = git_repository({"a.py": "1\n"})
    path = repository.root / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    read = history(repository.root)
    for question in ASKED.values():
        with contextlib.suppress(AvionicsError):
            question(read)


def test_a_damaged_repository_gives_errors_a_person_can_act_on(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    repository.commit("second", {"a.py": "2\n"})
    for path in (repository.root / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
            path.write_bytes(b"garbage")
    read = history(repository.root)
    for question in list(ASKED.values())[1:]:
        with pytest.raises(AvionicsError, match=r".{10}"):
            question(read)


def test_a_repository_further_up_is_named_and_not_opened(git_repository, history):
    repository = git_repository({"sub/a.py": "1\n"})
    read = history(repository.root / "sub")
    assert not read.is_available()
    with pytest.raises(HistoryError, match="no git history here") as caught:
        read.find_commits(limit=1)
    assert caught.value.hint == f"the top of the repository is {repository.root}: open the workspace there"


def test_a_directory_without_history_says_so(tmp_path, history):
    with pytest.raises(HistoryError, match="no git history here"):
        history(tmp_path).find_commits(limit=1)


def test_a_worktree_is_read(git_repository, history, fingerprint):
    repository = git_repository({"a.py": "1\n"})
    worktree = repository.root.parent / "worktree"
    repository.git("worktree", "add", "--quiet", "-b", "topic", str(worktree))
    (worktree / "a.py").write_text("2\n")
    before = fingerprint(repository.root)
    read = history(worktree)
    status = read.get_status([])
    assert (status.branch, [each.path for each in status.unstaged]) == ("topic", ["a.py"])
    assert fingerprint(repository.root) == before


def test_a_submodule_is_read(git_repository, history):
    inner = git_repository({"a.py": "1\n"}, name="inner")
    outer = git_repository({"b.py": "1\n"}, name="outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    outer.commit("submodule")
    assert [commit.subject for commit in history(outer.root / "sub").find_commits(limit=5)] == ["first"]
    read = history(outer.root)
    assert read.get_status([]).unstaged == ()
    assert [each.path for each in read.find_differences("", "HEAD~1", "HEAD")[0]] == [".gitmodules", "sub"]


@pytest.mark.parametrize("target", ["{victim}/.git", "../victim/.git", "{victim}/.git/worktrees/w", "/dev", "\0", ""])
def test_a_git_file_that_is_not_linked_back_is_refused(git_repository, history, tmp_path, target):
    victim = git_repository({"secret.py": "1\n"}, name="victim")
    victim.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "w"))
    root = tmp_path / "hostile"
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {target.format(victim=victim.root)}\n")
    read = history(root)
    with pytest.raises(HistoryError, match="does not link back"):
        read.find_commits(limit=1)


def test_a_forged_worktree_cannot_borrow_another_repository(git_repository, history, tmp_path):
    victim = git_repository({"secret.py": "1\n"}, name="victim")
    root = tmp_path / "hostile"
    own = root / "g" / "worktrees" / "w"
    own.mkdir(parents=True)
    (root / ".git").write_text("gitdir: g/worktrees/w\n")
    (own / "gitdir").write_text(f"{root}/.git\n")
    (own / "commondir").write_text(f"{victim.root}/.git\n")
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("objects", "refs"):
        (root / "g" / name).symlink_to(victim.root / ".git" / name)
    with pytest.raises(HistoryError, match="not usable"):
        history(root).find_commits(limit=1)


def test_objects_kept_elsewhere_are_not_followed(git_repository, history, tmp_path):
    victim = git_repository({"secret.py": "1\n"}, name="victim")
    borrower = git_repository(name="repository")
    (borrower.root / ".git/objects/info/alternates").write_text(f"{victim.root}/.git/objects\n")
    (borrower.root / ".git/refs/heads/main").write_text(f"{victim.git('rev-parse', 'HEAD')}\n")
    with pytest.raises(HistoryError, match="borrows objects"):
        history(borrower.root).find_commits(limit=1)


def test_references_cannot_spoil_the_copy(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    head = repository.git("rev-parse", "HEAD")
    heads = repository.root / ".git" / "refs" / "heads"
    for name in ("new\nline", "spa ce", "lock.lock", "-dash", "symbolic"):
        (heads / name).write_text(f"{head}\n")
    (heads / "symbolic").write_text("ref: ../../../../etc/passwd\n")
    (heads / "link").symlink_to("/etc/passwd")
    (repository.root / ".git" / "packed-refs").write_text(
        f"# pack-refs\n{head} refs/tags/v1\ngarbage\n{head} HEAD\n^x\n"
    )
    read = history(repository.root)
    assert read.require_commit("v1") == head
    assert [commit.subject for commit in read.find_commits(limit=5)] == ["first"]


def test_replaced_commits_are_not_believed(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    first = repository.git("rev-parse", "HEAD")
    forged = repository.commit("forged")
    repository.git("reset", "--quiet", "--hard", first)
    repository.git("replace", first, forged)
    assert [commit.subject for commit in history(repository.root).find_commits(limit=5)] == ["first"]


def test_a_shallow_clone_is_read_and_said_to_be_one(git_repository, history):
    origin = git_repository({"a.py": "1\n"}, name="origin")
    origin.commit("second", {"a.py": "2\n"})
    root = origin.root.parent / "repository"
    origin.git("clone", "--quiet", "--depth=1", f"file://{origin.root}", str(root))
    read = history(root)
    assert ([commit.subject for commit in read.find_commits(limit=5)], read.is_shallow) == (["second"], True)
    assert not history(origin.root).is_shallow


def test_the_private_directory_is_outside_the_workspace_and_removed(git_repository, settings, monkeypatch):
    import tempfile

    repository = git_repository({"a.py": "1\n"})
    monkeypatch.setattr(tempfile, "tempdir", str(repository.root))
    read = History.open(repository.root, settings)
    read.get_status([])
    kept = [path.name for path in settings.cache_directory.iterdir()]
    assert len(kept) == 1
    assert sorted(path.name for path in repository.root.iterdir()) == [".git", "a.py"]
    read.close()
    assert list(settings.cache_directory.iterdir()) == []
    assert read.get_head()
    read.close()


def test_nothing_runs_and_git_is_not_imported_until_something_is_asked(tmp_path):
    code = (
        "import sys; from pathlib import Path; from avionics.settings import Settings;"
        "from avionics.history.history import History;"
        "History.open(Path(sys.argv[1]), Settings(cache_directory=Path(sys.argv[1]))).close();"
        "print('git' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
