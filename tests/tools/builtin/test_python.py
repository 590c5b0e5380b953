"""The Python tool: an isolated interpreter, bounded by the operating system."""

from __future__ import annotations

import sys

import pytest

from avionics.model.enums import Permission
from avionics.sandbox import confinement
from avionics.sandbox.confinement import ConfinedProgram, Confinement, get_confinement, list_unconfined
from avionics.tools.builtin import shell
from avionics.tools.builtin.python import PythonTool
from tests.timing import GROWING_SECONDS, HOUR_SECONDS

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's means are Linux's")


def run(code, **arguments):
    output = PythonTool(**arguments.pop("tool", {})).execute(code=code, **arguments)
    return output.data if output.success else output


def test_what_the_code_prints_is_the_answer():
    data = run("import os\nprint(6 * 7, os.listdir('.'))")
    assert (data["exit_code"], data["stdout"], data["stderr"]) == (0, "42 ['main.py']\n", "")


def test_text_of_any_kind_goes_through():
    assert run("print('äß→\U0001f600')")["stdout"] == "äß→\U0001f600\n"


def test_an_error_in_the_code_is_shown():
    data = run("1 / 0")
    assert data["exit_code"] == 1
    assert data["stderr"].endswith("ZeroDivisionError: division by zero\n")


def test_the_interpreter_is_isolated():
    assert run("import sys; print(sys.flags.isolated, '' in sys.path)")["stdout"] == "1 False\n"


def test_nothing_of_our_environment_or_directory_is_there(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "planted")
    monkeypatch.chdir(tmp_path)
    data = run("import os; print(os.environ, os.getcwd())")
    assert "planted" not in data["stdout"]
    assert str(tmp_path) not in data["stdout"]


def test_what_the_code_writes_is_removed():
    from pathlib import Path

    data = run("import os; os.makedirs('/'.join(['d'] * 300)); print(os.getcwd())")
    assert data["exit_code"] == 0
    assert not Path(data["stdout"].strip()).exists()


@pytest.mark.parametrize("timeout", [0, 301])
def test_a_timeout_is_at_most_300_seconds(timeout):
    assert run("", timeout=timeout).metadata["error_type"] == "ValidationError"


def test_endless_code_is_ended_and_its_last_words_are_passed_on():
    for seconds in GROWING_SECONDS:
        output = run(f"import time\nprint('here', flush=True)\ntime.sleep({HOUR_SECONDS})", timeout=seconds)
        if "here" in output.error:
            break
    assert output.error == f"the program did not end within {seconds:g} s and was killed; it last said: here"


def test_code_that_ignores_signals_is_ended():
    code = "import signal, time\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\ntime.sleep(1000)"
    assert not run(code, timeout=0.5).success


@linux
def test_memory_is_limited():
    assert "MemoryError" in run("x = bytearray(10**11)")["stderr"]


def test_files_are_limited_in_size():
    assert "File too large" in run("open('big', 'wb').truncate(10**9)")["stderr"]


def test_a_flood_of_output_is_cut():
    data = run("import sys\nsys.stdout.write('x' * 10**7)\nsys.stderr.write('y' * 10**7)")
    assert (len(data["stdout"]), len(data["stderr"]), data["truncated"]) == (100_000, 100_000, True)


@linux
def test_a_fork_bomb_ends():
    if not get_confinement().namespaces:
        pytest.skip("no process namespaces here")
    assert not run("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass", timeout=1).success


@linux
def test_there_is_no_network():
    if not get_confinement().namespaces:
        pytest.skip("no network namespaces here")
    code = "import socket\nprint(socket.if_nameindex())\nsocket.create_connection(('127.0.0.1', {port}), 2)"
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        data = run(code.format(port=server.getsockname()[1]))
        assert data["stdout"] == "[(1, 'lo')]\n"
        assert data["exit_code"] == 1
        allowed = run(code.format(port=server.getsockname()[1]), tool={"network": True})
        assert (allowed["exit_code"], allowed["stderr"]) == (0, "")


@linux
def test_our_files_are_neither_read_nor_written(tmp_path):
    if not get_confinement().landlock:
        pytest.skip("no Landlock here")
    (tmp_path / "key").write_text("planted")
    data = run(f"print(open({str(tmp_path / 'key')!r}).read())")
    assert "PermissionError" in data["stderr"]
    assert "Error: [Errno" in run(f"open({str(tmp_path / 'new')!r}, 'w')")["stderr"]
    assert not (tmp_path / "new").exists()
    assert (
        run(f"print(open({str(tmp_path / 'key')!r}).read())", tool={"readable": (tmp_path,)})["stdout"] == "planted\n"
    )


@linux
def test_our_other_processes_are_out_of_reach():
    if not (get_confinement().namespaces and get_confinement().landlock):
        pytest.skip("no namespaces here")
    import os

    data = run(
        f"import os\ntry: os.kill({os.getpid()}, 0)\nexcept OSError as e: print(e)\nopen('/proc/{os.getpid()}/environ')"
    )
    assert "No such process" in data["stdout"]
    assert "PermissionError" in data["stderr"]


@pytest.mark.parametrize(
    ("means", "network", "expected"),
    [
        (Confinement(("unshare",), 7, True, True), False, ()),
        (Confinement(("unshare",), 7, True, False), False, ()),
        (Confinement(("unshare",), 7, True, True), True, ()),
        (
            Confinement((), 7, True),
            False,
            (
                "network beyond TCP",
                "processes that leave their process group outlive the call",
                "the number of processes",
            ),
        ),
        (Confinement(("unshare",), 0, True), False, ("reading and writing files that our own user may",)),
        (
            Confinement((), 0),
            True,
            (
                "reading and writing files that our own user may",
                "processes that leave their process group outlive the call",
                "the number of processes",
                "Unix sockets that lie in the file system",
                "debugging its own processes, and namespaces of its own",
                "modes, owners, times and attributes of files that our own user may change",
            ),
        ),
    ],
)
@linux
def test_what_does_not_hold_is_said(monkeypatch, means, network, expected):
    monkeypatch.setattr(confinement, "get_confinement", lambda: means)
    monkeypatch.setattr(shell, "get_confinement", lambda: means)
    always = {"memory and disk space of all its processes together"}
    assert set(list_unconfined(ConfinedProgram(("true",), network=network))) == {*expected, *always}
    needed = PythonTool().required_permissions
    assert (Permission.UNCONFINED in needed) == (not means.is_complete)


def test_code_still_runs_where_the_system_offers_nothing(monkeypatch):
    monkeypatch.setattr(confinement, "get_confinement", lambda: Confinement((), 0))
    assert run("print(1)")["stdout"] == "1\n"
