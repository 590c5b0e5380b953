"""The shell tool: one program, no shell, bounded by the operating system."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import avionics
from avionics.sandbox.confinement import get_confinement
from avionics.settings import Settings
from avionics.tools.builtin.shell import ShellTool
from tests.timing import wait_until

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's means are Linux's")


@pytest.fixture
def root(directory):
    return directory({"a.txt": "one\n", "src/b.txt": "two\n"})


@pytest.fixture
def run(root):
    tool = ShellTool(root)
    return lambda command, **arguments: tool.execute(command=command, **arguments)


def naps(number):
    """Return a program of this test's own that sleeps for a day, as it stands on a command line."""
    return f"sleep {number}.{os.getpid()}"


def alive(command, *, is_itself=False):
    """Whether a process with the command line is there, or, with `is_itself`, one that has nothing before it."""
    marker = command.replace(" ", "\0").encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # a process may end between being listed and being read
            line = path.read_bytes()
            if line.startswith(marker) if is_itself else marker in line:
                return True
    return False


def test_a_program_runs_in_the_root(run):
    assert run("cat a.txt 'src/b.txt'").data | {"not_confined": None} == {
        "exit_code": 0,
        "stdout": "one\ntwo\n",
        "stderr": "",
        "truncated": False,
        "not_confined": None,
    }


def test_no_shell_reads_the_command(run, root):
    assert run("echo $HOME; rm a.txt > x | `id` $(id) *").data["stdout"] == "$HOME; rm a.txt > x | `id` $(id) *\n"
    assert (root / "a.txt").exists()


def test_a_failing_program_says_its_exit_code(run):
    output = run("cat missing")
    assert (output.success, output.data["exit_code"]) == (True, 1)
    assert "missing" in output.data["stderr"]
    missing = run("no-such-program")
    assert (missing.success, "could not be started" in missing.error) == (False, True)


@pytest.mark.parametrize("name", ["SIGABRT", "SIGKILL", "SIGSEGV", "SIGTERM"])
def test_a_program_that_a_signal_ends_is_an_error_also_when_it_sends_the_signal_itself(run, name):
    crashed = run(f"{sys.executable} -c 'import os, signal; os.kill(os.getpid(), signal.{name})'")
    assert (crashed.success, crashed.error) == (False, f"the program was ended by {name}")


def test_the_working_directory_lies_inside_the_root(run, root, tmp_path):
    assert run("cat b.txt", working_dir="src").data["stdout"] == "two\n"
    (root / "out").symlink_to(tmp_path)
    for path in ("..", "/", "out", "missing", "a.txt"):
        assert not run("pwd", working_dir=path).success


@pytest.mark.parametrize("timeout", [0, -1, 300.5, "x", None])
def test_a_timeout_is_at_most_300_seconds(run, timeout):
    assert run("true", timeout=timeout).metadata["error_type"] == "ValidationError"
    assert run("true", timeout=300).success


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /", "rm -fr /*", "sudo rm -r -f /", "bash -c 'rm -rf /'", "rm -rf ~", "dd if=/dev/zero of=/dev/sda",
        "mkfs /dev/sda", "mkfs.ext4 /dev/sda", "/sbin/mkfs.xfs x", "format c:", ":(){ :|:& };:",
        "bash -c 'bomb() { bomb | bomb & }; bomb'",
    ],
)  # fmt: skip
def test_dangerous_patterns_are_refused(run, command):
    output = run(command)
    assert not output.success
    assert "is not allowed" in output.error


@pytest.mark.parametrize(
    "command", ["rm -rf build", "git log --format=%H", "ruff format x", "grep 'if=' a.txt", "ls /"]
)
def test_ordinary_commands_are_not_taken_for_dangerous(command):
    tool = ShellTool()
    tool._validate(tool.validate_input(command=command))


@pytest.mark.parametrize("command", ["", "   ", "'open", "''", "a\0b"])
def test_what_names_no_program_is_refused(run, command):
    assert not run(command).success


def test_an_endless_program_and_its_children_are_killed(run, root):
    nap = naps(98761)
    (root / "sleep.sh").write_text(f"{nap} & {nap}")
    output = run("sh sleep.sh", timeout=0.5)
    assert output.metadata["error_type"] == "DeadlineExceededError"
    assert output.error == "the program did not end within 0.5 s and was killed"
    assert not alive(nap)


def test_children_left_behind_are_killed(run, root):
    nap = naps(98762)
    (root / "leave.sh").write_text(f"({nap} &) ; echo done")
    assert run("sh leave.sh").data["stdout"] == "done\n"
    assert not alive(nap)


@linux
def test_children_that_leave_the_process_group_are_killed(run):
    if not get_confinement().namespaces:
        pytest.skip("no process namespaces here")
    nap = naps(98763)
    run(f"setsid sh -c '{nap} & {nap}' &", timeout=0.5)
    assert not alive(nap)


@linux
def test_a_program_ends_with_the_process_that_ran_it(root, tmp_path):
    nap = naps(98764)
    code = (
        f"from avionics.tools.builtin.shell import ShellTool\nprint(ShellTool({str(root)!r}).execute(command={nap!r}))"
    )
    here = Path(avionics.__file__).parents[1]
    # What is killed cannot remove its temporary directory.
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=here, env=environment, stdout=subprocess.PIPE, text=True
    ) as host:
        # What starts the program has its words on its own command line before it has tied it to the host.
        wait_until(lambda: alive(nap, is_itself=True) or host.poll() is not None, "the program runs")
        assert host.poll() is None, host.stdout.read()
        host.kill()
    wait_until(lambda: not alive(nap), "the program has ended")


def test_huge_output_is_cut(run):
    output = run("head -c 5000000 /dev/zero")
    assert (len(output.data["stdout"]), output.data["truncated"]) == (100_000, True)


def test_none_of_our_environment_is_passed_on(root, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "planted")
    output = ShellTool(root, environment={"GIVEN": "yes"}).execute(command="env")
    assert "planted" not in output.data["stdout"]
    assert "GIVEN=yes\n" in output.data["stdout"]


def test_programs_are_not_looked_for_in_the_root(root):
    (root / "ls").write_text("#!/bin/sh\necho planted\n")
    (root / "ls").chmod(0o755)
    assert "planted" not in ShellTool(root, Settings()).execute(command="ls").data["stdout"]


@linux
def test_nothing_outside_the_root_is_written(run, root, tmp_path):
    if not get_confinement().landlock:
        pytest.skip("no Landlock here")
    assert run(f"touch {tmp_path}/outside.txt").data["exit_code"] == 1
    assert not (tmp_path / "outside.txt").exists()
    assert run("touch inside.txt").data["exit_code"] == 0
    assert (root / "inside.txt").exists()


@linux
def test_nothing_of_ours_outside_the_root_is_read(run, tmp_path):
    if not get_confinement().landlock:
        pytest.skip("no Landlock here")
    (tmp_path / "key").write_text("planted")
    assert run(f"cat {tmp_path}/key").data["stdout"] == ""


def test_the_answer_says_what_is_not_confined(run):
    said = run("true").data["not_confined"]
    assert "memory and disk space of all its processes together" in said
    assert ("network" in " ".join(said)) == (not get_confinement().namespaces)
