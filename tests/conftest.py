"""Real things for tests to stand on: directories, workspaces and git repositories."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import hypothesis
import pytest

from avionics.posix import get_fcntl
from avionics.scratch import ScratchDirectory
from avionics.settings import Settings

# Tests start hundreds of Python processes. Without stored bytecode, each would compile the product anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

Files = Mapping[str, str | bytes | None]

MEMORY = Path("/dev/shm")
ROOM_BYTES = 4_000_000_000
"""The directory of a test is deleted when it has passed; those of one moment take much less than this."""

# How fast examples come and run says how busy the machine is, and nothing of us.
hypothesis.settings.register_profile("avionics", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("avionics")


def write_files(root: Path, files: Files) -> Path:
    """Write `{path: text}` below a directory, which is made, and return it; None removes a file."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        if content is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
    return root


@attrs.frozen
class GitRepository:
    """A real git repository that obeys no configuration but its own."""

    root: Path

    def git(self, *arguments: str, date: str = "2024-01-01T00:00:00+00:00") -> str:
        """Run git in the repository and return what it printed. Raise `CalledProcessError` if it fails."""
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            # Each commit would start a process that looks whether there is anything to tidy up.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "maintenance.auto",
            "GIT_CONFIG_VALUE_0": "false",
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        }
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(
        self,
        message: str,
        files: Files | None = None,
        author: str = "Ada <ada@example.org>",
        date: str = "2024-01-01T00:00:00+00:00",
    ) -> str:
        """Write the files, commit everything and return the id of the commit."""
        write_files(self.root, files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--author", author, "--message", message, date=date)
        kind, _, branch = (self.root / ".git" / "HEAD").read_text().strip().rpartition(" ")
        return (self.root / ".git" / branch).read_text().strip() if kind else branch


def pytest_configure() -> None:
    """Have directories of tests in memory where there is room, unless told otherwise: on a disk, tests wait for it."""
    if not {"TMPDIR", "PYTEST_DEBUG_TEMPROOT"} & set(os.environ) and MEMORY.is_dir():
        system = os.statvfs(MEMORY)
        if system.f_bavail * system.f_frsize > ROOM_BYTES and not system.f_flag & (os.ST_NOEXEC | os.ST_RDONLY):
            os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Leave out of each collection of garbage what lives as long as the run: seven thousand tests and their modules."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run three workers on two cores: a third of the time tests wait for processes of their own."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker whole files, so that what a file's tests share is made once; all house rules share one parse."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = str(super()._split_scope(nodeid))
            return "house" if file.startswith("tests/house/test_") and "checkers" not in file else file

    # The order of collection ends with many small files, that of sizes with the few slowest tests.
    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def temporary_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have this run and its processes make temporary directories in one of its own; none may be left in it."""
    tmp_path_factory.getbasetemp()
    with ScratchDirectory("tests") as place, pytest.MonkeyPatch.context() as patch:
        place.chmod(0o711)
        patch.setenv("TMPDIR", str(place))
        patch.setattr(tempfile, "tempdir", str(place))
        yield
        left = [each.name for each in place.glob("avionics-*") if is_abandoned(each)]
    assert left == []


def is_abandoned(path: Path) -> bool:
    """Return whether the process that made a temporary directory has ended without removing it."""
    if get_fcntl() is None:
        return False
    descriptor = os.open(path, os.O_RDONLY)
    try:
        get_fcntl().flock(descriptor, get_fcntl().LOCK_EX | get_fcntl().LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings whose cache is the test's own, with a minute for each answer."""
    return Settings(cache_directory=tmp_path / "cache", answer_seconds=60.0)


@pytest.fixture
def directory(tmp_path: Path) -> Callable[[Files], Path]:
    """Return a function that writes files into a new directory and returns it: `directory({"a.py": "x = 1"})`."""
    return lambda files: write_files(tmp_path / "repository", files)


@pytest.fixture(scope="session")
def empty_git_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `.git` of a new repository; copying it takes a tenth of the time of a process of git."""
    repository = GitRepository(tmp_path_factory.mktemp("empty"))
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository.root / ".git"


def make_git_repository(root: Path, empty_git_directory: Path, files: Files | None = None) -> GitRepository:
    """Make a git repository, unless there is one, with the files in a commit; return it."""
    repository = GitRepository(write_files(root, {}))
    if not (root / ".git").exists():
        shutil.copytree(empty_git_directory, root / ".git")
    if files:
        repository.commit("first", files)
    return repository


@pytest.fixture
def git_repository(tmp_path: Path, empty_git_directory: Path) -> Callable[..., GitRepository]:
    """Return a function that makes a git repository with files in a first commit: `git_repository({"a.py": "x = 1"})`.

    `name` is that of its directory; without files it has no commit.
    """
    return lambda files=None, name="repository": make_git_repository(tmp_path / name, empty_git_directory, files)


@pytest.fixture
def workspace(tmp_path: Path, settings: Settings) -> Iterator[Callable[..., object]]:
    """Yield a function that opens a workspace of files, `workspace({"a.py": "x = 1"})`, or of a directory, `root=path`.

    All of them are closed after the test.
    """
    from avionics.workspace import Workspace

    opened = []

    def open_workspace(files: Files | None = None, root: Path | None = None) -> Workspace:
        opened.append(Workspace.open(write_files(root or tmp_path / "repository", files or {}), settings))
        return opened[-1]

    yield open_workspace
    for each in opened:
        each.close()
