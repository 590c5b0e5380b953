"""What `python.execute` and `shell.execute` run cannot leave the sandbox, or the answer says what is not confined."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from avionics.sandbox import confinement
from avionics.sandbox.confinement import ConfinedProgram, Confinement, get_confinement, run_confined
from avionics.tools.builtin.python import PythonTool
from avionics.tools.builtin.shell import ShellTool
from tests.hostile.arena import NOBODY, USERS, python_of
from tests.timing import HOUR_SECONDS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's means are Linux's")
ATTEMPTS = Path(__file__).with_name("escape_attempts.py")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def outside(tmp_path):
    """A victim file, its directory and a listening socket, none of which the sandbox may reach."""
    tmp_path.chmod(0o755)
    directory = tmp_path / "outside"
    directory.mkdir()
    victim = directory / "victim"
    victim.write_text("secret")
    victim.chmod(0o600)
    os.setxattr(victim, "user.kept", b"1")
    os.utime(victim, (5, 5))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(directory / "socket"))
        server.listen()
        yield victim
    assert (victim.read_text(), victim.stat().st_mode & 0o7777, victim.stat().st_mtime) == ("secret", 0o600, 5)
    assert os.getxattr(victim, "user.kept") == b"1"
    assert sorted(each.name for each in directory.iterdir()) == ["socket", "victim"]


def arguments_of(victim):
    return [str(victim), str(victim.parent), str(victim.parent / "socket"), str(os.getpid())]


def require_means():
    if not get_confinement().is_complete:
        pytest.skip("this system confines less, and says so")


def test_python_code_stays_inside(outside):
    require_means()
    code = f"import sys\nsys.argv[1:] = {arguments_of(outside)!r}\n{ATTEMPTS.read_text()}"
    found = json.loads(PythonTool().execute(code=code).data["stdout"])
    assert found["tried"] >= 60
    assert found["succeeded"] == []


def test_programs_stay_inside(outside, tmp_path):
    require_means()
    root = tmp_path / "root"
    root.mkdir()
    (root / "attempts.py").write_text(ATTEMPTS.read_text())
    command = " ".join([sys.executable, "attempts.py", *arguments_of(outside)])
    found = json.loads(ShellTool(root).execute(command=command).data["stdout"])
    assert found["tried"] >= 60
    assert found["succeeded"] == []
    assert not [each for each in root.iterdir() if each.stat().st_mode & 0o6000]


def test_without_read_only_mounts_no_metadata_is_changed_at_all(outside, monkeypatch):
    require_means()
    plain = tuple(word for word in get_confinement().namespaces if word not in ("--keep-caps", "--mount"))
    monkeypatch.setattr(
        confinement, "get_confinement", lambda: Confinement(plain, get_confinement.__wrapped__().landlock, True, False)
    )
    code = f"import sys\nsys.argv[1:] = {arguments_of(outside)!r}\n{ATTEMPTS.read_text()}"
    outcome = run_confined(ConfinedProgram((sys.executable, "-I", "-c", code)))
    assert json.loads(outcome.stdout)["succeeded"] == []


@pytest.mark.skipif(len(USERS) < 2, reason="needs root, and a Python that an ordinary user may run")
def test_an_ordinary_users_programs_stay_inside(tmp_path):
    base = tmp_path / "base"
    base.mkdir(mode=0o755)
    for parent in (base, *base.parents):
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001 and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    victim = base / "victim"
    victim.write_text("secret")
    os.chown(victim, NOBODY, NOBODY)
    os.chown(base, NOBODY, NOBODY)
    victim.chmod(0o600)
    script = (
        "import sys\nfrom avionics.sandbox.confinement import ConfinedProgram, get_confinement, run_confined\n"
        "print(get_confinement().is_complete)\n"
        f"code = open({str(ATTEMPTS)!r}).read()\n"
        "program = ConfinedProgram((sys.executable, '-I', '-c', code, *sys.argv[1:]))\n"
        "print(run_confined(program).stdout)"
    )
    done = subprocess.run(
        [python_of(NOBODY), "-c", script, *arguments_of(victim)],
        user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, cwd="/", check=True,
        env={"PYTHONPATH": os.pathsep.join([str(ROOT), *(each for each in sys.path if "site-packages" in each)])},
    )  # fmt: skip
    is_complete, _, found = done.stdout.decode().partition("\n")
    if is_complete != "True":
        pytest.skip("this system confines an ordinary user's programs less, and says so")
    assert json.loads(found)["succeeded"] == []


HUNGRY = {
    "fork bomb": "import os\nwhile True:\n try: os.fork()\n except OSError: pass",
    "threads": "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
    "memory": "x = [bytearray(10**9) for _ in range(50)]",
    "one large file": "f = open('x', 'wb')\nwhile True: f.write(bytes(10**7))",
    "a sparse file": "open('x', 'wb').truncate(10**15)",
    "output": "while True: print('x' * 10**6)",
    "processor": "while True: pass",
    "orphan": "import os, time\nif not os.fork():\n os.setsid()\n time.sleep(99)",
}


@pytest.mark.parametrize("name", HUNGRY)
def test_what_takes_everything_is_ended(name):
    require_means()
    output = PythonTool().execute(code=HUNGRY[name], timeout=1)
    assert not output.success or output.data["exit_code"] != 0 or name == "orphan"


@pytest.mark.skipif(os.geteuid() != 0, reason="the kernel limits the processes of an ordinary user")
def test_processes_of_the_machine_are_not_those_of_a_program_that_is_not_apart_yet(monkeypatch):
    """On a busy machine a program was counted before it had a namespace of its own, and ended for all the others."""
    require_means()
    late = attrs.evolve(
        get_confinement(), namespaces=("sh", "-c", 'sleep 0.3; exec "$@"', "sh", *get_confinement().namespaces)
    )
    monkeypatch.setattr(confinement, "get_confinement", lambda: late)
    monkeypatch.setattr(confinement, "MAX_PROCESSES", 4)
    crowd = [subprocess.Popen(["sleep", str(HOUR_SECONDS)]) for _ in range(5)]
    try:
        outcome = run_confined(ConfinedProgram((sys.executable, "-I", "-c", "print('ran')")))
    finally:
        for each in crowd:
            each.kill()
            each.wait()
    assert (outcome.exit_code, outcome.stdout) == (0, "ran\n")
