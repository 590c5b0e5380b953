"""Run git commands on a private copy of the repository's references, so that its configuration is not obeyed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from avionics.cancellation import check_cancelled, on_cancel
from avionics.history.layout import require_layout
from avionics.history.private import PrivateDirectory
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError, MissingDependencyError, UsageError
from avionics.model.naming import did_you_mean
from avionics.sandbox.landlock import program_paths, start_sandboxed
from avionics.sandbox.limits import limit_child
from avionics.settings import Settings

if TYPE_CHECKING:
    from subprocess import Popen

MAX_OUTPUT_BYTES = 64_000_000
"""The limit of one command's output; 2,000 versions of a thousand-line class are smaller."""

_MAX_REVISION_CHARACTERS = 250
_SHORT_ID = late_pattern(r"[0-9a-f]{4,39}")
_NAMED = ("refs/tags/", "refs/heads/")
_MAX_COMPLAINT_BYTES = 100_000
_ENVIRONMENT = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    # The only commit made here is one of the staged changes; fixed dates give it the same id every time.
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_COMMITTER_DATE": "@0 +0000",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "",
}


class GitRefusedError(HistoryError):
    """Git failed; the message is git's."""


class GitRepository:
    """The repository whose work tree is at `root`, a resolved path, opened at the first command."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self._settings = settings
        self._lock = threading.Lock()
        self._private: PrivateDirectory | None = None

    @property
    def private(self) -> PrivateDirectory:
        """Return the private git directory, up to date. Raise `HistoryError` if the history cannot be read."""
        with self._lock:
            if self._private is None:
                self._private = PrivateDirectory(require_layout(self.root), self._settings.cache_directory)
            try:
                self._private.refresh()
            except OSError as error:
                raise HistoryError(f"the git directory cannot be read: {error}") from error
            return self._private

    def run(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> bytes:
        """Return the output of a git command, given some standard input.

        A caller's text is never passed where an option could be. `index` is used instead of the repository's own. Raise
        `GitRefusedError` if Git failed; `HistoryError` if it took too long or printed too much, or there is no history.
        """
        with self.stream(*arguments, given=given, index=index) as output:
            content = output.read(MAX_OUTPUT_BYTES + 1)
            if len(content) > MAX_OUTPUT_BYTES:
                raise HistoryError(
                    f"git {arguments[0]} printed more than {MAX_OUTPUT_BYTES // 1_000_000} MB",
                    hint="narrow the question to a path or fewer lines",
                )
        return content

    def run_text(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> str:
        """Return the decoded output; see `run`."""
        return self.run(*arguments, given=given, index=index).decode("utf-8", "surrogateescape")

    @contextlib.contextmanager
    def stream(self, *arguments: str, given: bytes = b"", index: Path | None = None) -> Iterator[IO[bytes]]:
        """Stream the output of a git command; the command is killed unless it is read to its end."""
        private = self.private
        with tempfile.TemporaryFile(dir=private.path) as standard_input:
            standard_input.write(given)
            standard_input.seek(0)
            process = self._start(private, arguments, standard_input, index)
            assert process.stdout is not None
            assert process.stderr is not None
            expired = threading.Event()
            watchdog = threading.Timer(self._settings.git_timeout_seconds, _expire, (process, expired))
            complaint = bytearray()
            drain = threading.Thread(target=_drain, args=(process.stderr, complaint))
            watchdog.start()
            drain.start()
            try:
                with on_cancel(process.kill):
                    yield process.stdout
                    process.wait()
            finally:
                watchdog.cancel()
                process.kill()
                process.wait()
                drain.join()
                process.stdout.close()
                process.stderr.close()
        check_cancelled()
        if expired.is_set():
            seconds = self._settings.git_timeout_seconds
            raise HistoryError(f"git {arguments[0]} took longer than {seconds:g} s", hint="ask about fewer lines")
        if process.returncode != 0:
            raise _refusal(arguments[0], bytes(complaint), private.path)

    def start(self, *arguments: str) -> Popen[bytes]:
        """Start a git command with pipes for input and output; its standard error is discarded. The caller ends it."""
        process = self._start(self.private, arguments, subprocess.PIPE, None)
        threading.Thread(target=_discard, args=(process.stderr,), daemon=True, name="avionics-git").start()
        return process

    def get_head(self) -> str | None:
        """Return HEAD's commit; None before the first commit."""
        return self.private.head_oid or None

    def require_commit(self, revision: str) -> str:
        """Return the commit of a branch, a tag, or an abbreviated or full id; `1.2` may also mean the tag `v1.2`.

        Raise `UsageError` if there is no such revision, or several; the hint names similar ones.
        """
        if revision and not revision.startswith("-") and len(revision) <= _MAX_REVISION_CHARACTERS:
            self._require_one(revision)
            if revision in {"HEAD", self.get_head()} and (head := self.get_head()):
                return head
            with contextlib.suppress(GitRefusedError):
                asked = f"{require_argument(revision)}^{{commit}}"
                return self.run_text("rev-parse", "--verify", "--quiet", "--end-of-options", asked).strip()
            if (tag := self.get_tag(revision)) and tag != revision:
                return self.require_commit(tag)
        raise UsageError(f"no such revision: {revision[:_MAX_REVISION_CHARACTERS]}", hint=self._hint_of(revision))

    def get_tag(self, name: str) -> str | None:
        """Return the tag of this name, or of this version with a `v` before it; None if there is neither."""
        names = (name, f"v{name}") if name[:1].isdigit() else (name,)
        return next((each for each in names if f"refs/tags/{each}" in self.private.refs), None)

    def _require_one(self, revision: str) -> None:
        """Reject a name of both a branch and a tag: git would choose the tag and print a warning that nobody sees."""
        full = [f"{start}{revision}" for start in _NAMED if f"{start}{revision}" in self.private.refs]
        if len({self.private.refs[name] for name in full}) > 1:
            raise UsageError(f"{revision} is both a tag and a branch", hint=f"say which: {' or '.join(full)}")

    def close(self) -> None:
        """Remove the private directory; a later command creates a new one."""
        with self._lock:
            if self._private is not None:
                self._private.close()
            self._private = None

    def _hint_of(self, revision: str) -> str:
        """Return the branches and tags with the most similar names."""
        if _SHORT_ID.fullmatch(revision) and (commits := self._commits_starting(revision)):
            return f"several commits start with this: {', '.join(commits[:5])}"
        import difflib

        names = [name.split("/", 2)[2] for name in self.private.refs if name.count("/") >= 2]
        near = difflib.get_close_matches(revision[:_MAX_REVISION_CHARACTERS], names, n=5, cutoff=0.5)
        if near:
            return did_you_mean(near)
        if self.private.is_shallow:
            return "this is a shallow clone without older commits; `git fetch --unshallow` fetches them"
        return "name a branch, a tag or a commit id"

    def _commits_starting(self, prefix: str) -> list[str]:
        """Return the abbreviated ids of the commits that start with a prefix."""
        found = self.run_text("rev-parse", f"--disambiguate={prefix}").split()
        checked = self.run_text("cat-file", "--batch-check", given="".join(f"{oid}\n" for oid in found).encode())
        lines = [line.split(" ") for line in checked.split("\n")]
        return [line[0][:12] for line in lines if line[1:2] == ["commit"]]

    def _start(
        self, private: PrivateDirectory, arguments: tuple[str, ...], standard_input: BinaryIO | int, index: Path | None
    ) -> Popen[bytes]:
        """Start git in a fresh environment that inherits nothing: a GIT_ variable can name a program or a file."""
        program = self._program
        places = {
            "GIT_DIR": str(private.path),
            "GIT_WORK_TREE": str(private.tree),
            "GIT_INDEX_FILE": str(index or private.path / "index"),
            "GIT_CEILING_DIRECTORIES": str(private.path),
            "HOME": str(private.tree),
        }

        def start() -> Popen[bytes]:
            command, pipe = [program, "--no-pager", *arguments], subprocess.PIPE
            environment = _ENVIRONMENT | places
            return subprocess.Popen(
                command, cwd=private.tree, env=environment, stdin=standard_input, stdout=pipe, stderr=pipe
            )

        readable = (private.layout.common_directory / "objects", *program_paths(program))
        try:
            process = start_sandboxed(start, readable, (private.path,))
        except OSError as error:
            raise HistoryError(f"git {arguments[0]} could not be started: {error.strerror}") from error
        limit_child(process.pid)
        return process

    @cached_property
    def _program(self) -> str:
        """Return the absolute path of git, never one inside the workspace."""
        found = shutil.which("git") or ""
        if not found:
            raise MissingDependencyError("git is not installed", hint="install git and put it on PATH")
        if not os.path.isabs(found) or Path(os.path.realpath(found)).is_relative_to(self.root):
            raise MissingDependencyError(
                f"the first git on PATH, {found}, is inside the workspace and cannot be trusted",
                hint="put the directory of the real git first on PATH",
            )
        return found


def require_argument(text: str) -> str:
    """Return a text for a program. Raise `UsageError` if it contains a null character or a lone surrogate."""
    try:
        if "\0" not in text and os.fsencode(text):
            return text
    except UnicodeEncodeError:
        pass
    raise UsageError("the text cannot be passed to git", hint="remove null characters and lone surrogates")


def _expire(process: Popen[bytes], expired: threading.Event) -> None:
    """Kill a command that took too long."""
    expired.set()
    process.kill()


def _drain(stream: IO[bytes], into: bytearray) -> None:
    """Keep the first part of a command's error output and discard the rest, so that it does not block."""
    while chunk := stream.read(65536):
        into += chunk[: max(0, _MAX_COMPLAINT_BYTES - len(into))]


def _discard(stream: IO[bytes]) -> None:
    """Read a stream to its end, so that its writer does not block."""
    with stream:
        while stream.read(65536):
            pass


def _refusal(command: str, complaint: bytes, private: Path) -> GitRefusedError:
    """Build the error from git's own message, without the private directory, and a hint."""
    text = complaint.decode("utf-8", "replace").replace(f"{private}/", "")
    lines = [line for line in text.split("\n") if line]
    first = next((line for line in lines if line.startswith("fatal: ")), lines[0] if lines else "no reason given")
    is_missing = any(word in text for word in ("unable to read", "missing", "could not get object", "bad object"))
    hint = "objects are missing: a partial clone or a damaged repository; run `git fsck`" if is_missing else ""
    return GitRefusedError(f"git {command}: {first.removeprefix('fatal: ').removeprefix('error: ')}", hint=hint)
