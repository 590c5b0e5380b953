"""A place apart for hostile repositories, the doors they are asked through, and what must hold whatever is there."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import pty
import re
import resource
import select
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "OUTSIDE_7f3a9cSECRET"
NOBODY = 65534

DENIED = {"permission_denied", "approval_required", "not_enabled", "rejected"}
INVALID = {"validation_error", "parameter_error", "usage_error", "outside_workspace", "config_error"}
DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""What moves a terminal's cursor or reader: control characters, direction overrides, tag characters."""


def is_open_to_all(path: Path) -> bool:
    """Whether an ordinary user may reach and read it."""
    real = path.resolve()
    return all(place.stat().st_mode & 0o001 for place in real.parents) and bool(real.stat().st_mode & 0o004)


def get_python_of_all() -> str | None:
    """A Python of this version that an ordinary user may run, with our packages; None when there is none."""
    packages = Path(sysconfig.get_path("purelib"))
    own = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not (is_open_to_all(ROOT) and is_open_to_all(packages)):
        return None
    candidates = (sys.executable, f"/usr/bin/{own}", f"/usr/local/bin/{own}")
    return next((each for each in candidates if Path(each).exists() and is_open_to_all(Path(each))), None)


PYTHON_OF_ALL = get_python_of_all() if os.geteuid() == 0 else None
USERS = (0, NOBODY) if PYTHON_OF_ALL else (0,)
"""0 is whoever runs the tests; where that is root, everything holds for an ordinary user too."""


def python_of(user: int) -> str:
    return (PYTHON_OF_ALL or sys.executable) if user else sys.executable


@attrs.frozen
class Said:
    """What a process said and cost; the processor time is that of its children too."""

    code: int
    out: bytes
    err: bytes
    cpu_seconds: float
    rss_mb: float
    left: tuple[str, ...]


@attrs.frozen
class Arena:
    """Directories that an ordinary user may reach: hostile repositories, and what lies outside of them."""

    base: Path

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    @property
    def canary(self) -> Path:
        return self.base / "canary"

    @property
    def program(self) -> Path:
        return self.base / "bin" / "inj.sh"

    def prepare(self) -> None:
        self.base.chmod(0o755)
        for name in ("outside/dir", "canary", "bin", "repos/control-evil"):
            (self.base / name).mkdir(parents=True)
        for name in (
            "outside/secret.txt",
            "outside/secret.py",
            "outside/dir/secret.py",
            "repos/control-evil/secret.py",
        ):
            (self.base / name).write_text(f"{TOKEN} = 1\n")
        self.canary.chmod(0o777)
        self.program.write_text(f'#!/bin/sh\necho "$0 $@" >> {self.canary}/sprung-$$\ncat\n')
        self.program.chmod(0o755)

    def fill(self, value: Any, root: Path) -> Any:
        """A parameter with the places it names."""
        if isinstance(value, Mapping):
            if set(value) == {"$path"}:
                return os.fsdecode(bytes.fromhex(value["$path"]))
            return {key: self.fill(item, root) for key, item in value.items()}
        if not isinstance(value, str):
            return [self.fill(item, root) for item in value] if isinstance(value, list) else value
        places = {"ROOT": root, "OUTSIDE": self.outside, "BIN": self.program.parent, "CANARY": self.canary,
                  "REL_OUT": os.path.relpath(self.outside, root)}  # fmt: skip
        for name, place in places.items():
            value = value.replace(f"{{{name}}}", str(place))
        return value

    def environment(self, cache: Path, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "AVIONICS_"))}
        return {**kept, "AVIONICS_CACHE_DIR": str(cache), "HOME": str(self.base / "home"), "PYTHONSAFEPATH": "1",
                "PYTHONPATH": f"{ROOT}{os.pathsep}{sysconfig.get_path('purelib')}", **more}  # fmt: skip

    def fingerprint(self, *roots: Path) -> dict[str, tuple[object, ...]]:
        """Entry → what it is, byte by byte where it is a file."""
        found: dict[str, tuple[object, ...]] = {}
        for root in roots:
            for directory, names, files in os.walk(os.fsencode(root)):
                for name in names + files:
                    path = os.path.join(directory, name)
                    status = os.lstat(path)
                    if stat.S_ISREG(status.st_mode) and status.st_size < 100_000:
                        with open(path, "rb") as file:
                            content = hashlib.sha1(file.read()).hexdigest()
                    else:
                        content = os.fsdecode(os.readlink(path)) if stat.S_ISLNK(status.st_mode) else ""
                    found[os.fsdecode(path)] = (status.st_mode, status.st_mtime_ns, status.st_size, content)
        return found

    def sprung(self) -> list[str]:
        return [path.read_text() for path in self.canary.iterdir()]


class Watch:
    """Tells what is opened in directories that nobody may look into (inotify)."""

    OPENED = 0x20 | 0x1

    def __init__(self, *directories: Path) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._library.inotify_init1(os.O_NONBLOCK)
        for directory in directories:
            for place in (directory, *directory.rglob("*")):
                self._library.inotify_add_watch(self._descriptor, os.fsencode(place), self.OPENED)

    def has_seen(self) -> bool:
        """Whether anything was opened since the last question."""
        with contextlib.suppress(BlockingIOError):
            return bool(os.read(self._descriptor, 65_536))
        return False

    def close(self) -> None:
        os.close(self._descriptor)


def run_program(command: list[str], environment: Mapping[str, str], cwd: Path, user: int) -> Said:
    """A process run to its end, with what it used, its children too, and what it left running."""
    identity = {"user": user, "group": user, "extra_groups": []} if user else {}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True, **identity)  # fmt: skip
        timer = threading.Timer(PATIENCE_SECONDS, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        left = session_of(process.pid)
        # A child begins with its parent's peak: what does not go beyond that says nothing of the child.
        inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        peak = usage.ru_maxrss / 1000 if usage.ru_maxrss > inherited else 0.0
        return Said(process.returncode, out.read(), err.read(), usage.ru_utime + usage.ru_stime, peak, left)


COMMANDS = """
import json, os, sys
from avionics.cli.main import main
commands, place, canary = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
for number, (directory, words) in enumerate(commands):
    os.chdir(directory)
    for descriptor, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{place}/{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
    code = main(words)
    sys.stdout.flush(), sys.stderr.flush()
    with open(f"{place}/{number}.json", "w") as file:
        json.dump([code, os.listdir(canary)], file)
"""


@attrs.frozen
class Outcome:
    """What a command said, and the traps that had been sprung when it was over."""

    code: int
    out: bytes
    err: bytes
    sprung: frozenset[str]


def run_commands(arena: Arena, place: Path, commands: Sequence[tuple[Path, list[str]]], user: int = 0) -> list[Outcome]:
    """Commands run one after another, each in its directory, by one process, which leaves no other."""
    said = place / "said"
    for each in (said, place / "cache"):
        each.mkdir(exist_ok=True)
        os.chown(each, user or -1, user or -1)
    words = json.dumps([(str(directory), words) for directory, words in commands])
    program = [python_of(user), "-c", COMMANDS, words, str(said), str(arena.canary)]
    ended = run_program(program, arena.environment(place / "cache"), commands[0][0], user)
    assert (ended.code, ended.out, ended.err, ended.left) == (0, b"", b"", ())
    outcomes = []
    for stem in (said / str(number) for number in range(len(commands))):
        code, sprung = json.loads(stem.with_suffix(".json").read_text())
        texts = (stem.with_suffix(ending).read_bytes() for ending in (".out", ".err"))
        outcomes.append(Outcome(code, *texts, frozenset(sprung)))
    return outcomes


def session_of(pid: int) -> tuple[str, ...]:
    """The living processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == pid and fields[0] != "Z":
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
    return tuple(found)


def run_on_terminal(command: list[str], environment: Mapping[str, str], cwd: Path) -> str:
    """What a process writes to a pseudo-terminal; the carriage returns that the terminal itself adds are left out."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    pieces = []
    with contextlib.suppress(OSError):
        while select.select([ours], [], [], PATIENCE_SECONDS)[0] and (piece := os.read(ours, 65_536)):
            pieces.append(piece)
    os.close(ours)
    process.wait(PATIENCE_SECONDS)
    return b"".join(pieces).replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")


class McpServer:
    """A server process over standard input and output, asked one message at a time."""

    def __init__(self, arena: Arena, cache: Path, roots: Mapping[str, Path], user: int = 0, *options: str) -> None:
        identity = {"user": user, "group": user, "extra_groups": []} if user else {}
        words = [word for root in roots.values() for word in ("--repo", str(root))]
        self._names = dict(roots)
        self._count = 0
        self.process = subprocess.Popen(
            [python_of(user), "-m", "avionics.cli", "serve", "--profile", "all", "--results", "both", *words, *options],
            cwd=arena.base, env=arena.environment(cache), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, **identity,
        )  # fmt: skip

    def send(self, method: str, **params: Any) -> int:
        self._count += 1
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
        message = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": {"_meta": meta, **params}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._count

    def receive(self, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
        assert select.select([self.process.stdout], [], [], seconds)[0], "the server is silent"
        return json.loads(self.process.stdout.readline())

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        identity = self.send(method, **params)
        answer = self.receive()
        assert answer["id"] == identity
        return answer

    def call(self, tool: str, arguments: Mapping[str, Any], repository: str | None = None) -> dict[str, Any]:
        """The whole answer to a call; `repository` where the server has several."""
        given = dict(arguments)
        if repository is not None and len(self._names) > 1:
            given["repo"] = repository
        return self.ask("tools/call", name=tool, arguments=given)

    def close(self) -> Said:
        """What the process said at its end, and what it left."""
        try:
            out, err = self.process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return Said(self.process.returncode, out, err, 0.0, 0.0, session_of(self.process.pid))


def class_of(answer: Mapping[str, Any]) -> str:
    """The outcome as the cases name it."""
    if answer["status"] != "error":
        return answer["status"]
    kind = answer["error_type"]
    if kind in DENIED:
        return "denied"
    if kind == "tool_not_found":
        return "not_found"
    return "validation_error" if kind in INVALID else "error"


def judge(answer: Mapping[str, Any]) -> list[str]:
    """What is wrong with an answer, wherever it comes from."""
    faults = []
    text = json.dumps(answer, ensure_ascii=False)
    if TOKEN in text:
        faults.append("shows what lies outside")
    if "Traceback (most recent" in text:
        faults.append("shows a traceback")
    said = answer.get("error") or answer.get("message") or ""
    if answer["status"] != "success" and (len(said) < 10 or re.fullmatch(r"\w+(Error|Exception)?:?\s*", said)):
        faults.append(f"says nothing to act on: {said!r}")
    if answer.get("error_type") == "tool_error":
        faults.append(f"is a bug: {said}")
    return faults


def read_mcp(answer: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """The result and the text of an answer to a call; a refusal by the protocol counts as an invalid call."""
    if "error" in answer:
        return {"status": "error", "error": answer["error"]["message"], "error_type": "validation_error"}, ""
    result = answer["result"]
    return result["structuredContent"], "".join(block["text"] for block in result["content"])
