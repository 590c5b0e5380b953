"""What an unlucky or planted environment cannot make us do: variables, working directories, limits, closed streams."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.arena import NOBODY, PYTHON_OF_ALL, ROOT, TOKEN, class_of, judge, python_of
from tests.hostile.repositories import make
from tests.timing import PATIENCE_SECONDS

VARIABLES = {
    "RIPGREP_CONFIG_PATH": "{ROOT}/.ripgreprc",
    "GIT_DIR": "{ROOT}/../git_parent/.git",
    "GIT_WORK_TREE": "{OUTSIDE}",
    "GIT_COMMON_DIR": "{OUTSIDE}",
    "GIT_INDEX_FILE": "{OUTSIDE}/secret.txt",
    "GIT_OBJECT_DIRECTORY": "{OUTSIDE}",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{OUTSIDE}",
    "GIT_CONFIG_GLOBAL": "{ROOT}/planted.gitconfig",
    "GIT_CONFIG_SYSTEM": "{ROOT}/planted.gitconfig",
    "GIT_CONFIG": "{ROOT}/planted.gitconfig",
    "GIT_CONFIG_PARAMETERS": "'core.fsmonitor={BIN}/inj.sh'",
    "GIT_EXTERNAL_DIFF": "{BIN}/inj.sh",
    "GIT_DIFF_OPTS": "--unified=99999",
    "GIT_PAGER": "{BIN}/inj.sh",
    "PAGER": "{BIN}/inj.sh",
    "LESSOPEN": "|{BIN}/inj.sh %s",
    "GIT_EDITOR": "{BIN}/inj.sh",
    "GIT_SEQUENCE_EDITOR": "{BIN}/inj.sh",
    "EDITOR": "{BIN}/inj.sh",
    "VISUAL": "{BIN}/inj.sh",
    "BROWSER": "{BIN}/inj.sh",
    "GIT_SSH": "{BIN}/inj.sh",
    "GIT_SSH_COMMAND": "{BIN}/inj.sh",
    "GIT_PROXY_COMMAND": "{BIN}/inj.sh",
    "GIT_ASKPASS": "{BIN}/inj.sh",
    "SSH_ASKPASS": "{BIN}/inj.sh",
    "GIT_EXEC_PATH": "{ROOT}/bin",
    "GIT_TEMPLATE_DIR": "{ROOT}/bin",
    "GIT_TRACE": "{ROOT}/trace",
    "GIT_TRACE2": "{ROOT}/trace",
    "GIT_TRACE2_EVENT": "{ROOT}/trace",
    "GIT_TRACE_PACKET": "1",
    "GIT_NAMESPACE": "evil",
    "GIT_ATTR_SOURCE": "HEAD",
    "GIT_LITERAL_PATHSPECS": "0",
    "GIT_GLOB_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "0",
    "GIT_ALLOW_PROTOCOL": "ext:file",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",
    "GIT_REPLACE_REF_BASE": "refs/heads/",
    "GIT_DEFAULT_HASH": "sha256",
    "GIT_PYTHON_GIT_EXECUTABLE": "{BIN}/inj.sh",
    "GIT_PYTHON_TRACE": "full",
    "HOME": "{ROOT}",
    "XDG_CONFIG_HOME": "{ROOT}/.config",
    "BASH_ENV": "{BIN}/inj.sh",
    "ENV": "{BIN}/inj.sh",
    "TZ": "../../../../etc/passwd",
    "COLUMNS": "-1",
    "TERM": "\x1b[31m",
    "LC_ALL": "xx_YY.KOI8",
    "PYTHONWARNINGS": "error",
    "MALLOC_PERTURB_": "165",
}
"""Names that a shell, git, ripgrep, Python or a terminal heeds, each with what would harm."""

QUESTIONS = {
    "git_status": {},
    "git_diff": {},
    "explain_code_history": {"path": "src/app.py"},
    "grep_search": {"pattern": "class Cart"},
    "find_symbol": {"name": "Cart"},
}


@pytest.fixture(scope="module")
def planted(arena):
    """A repository with programs and configurations for the variables to point at."""
    root = make(arena, "git_fsmonitor")
    make(arena, "git_parent")
    for name in ("git", "rg", "bin/git", "bin/rg", "bin/git-status", "bin/git-log", "bin/python", "bin/sh"):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(arena.program.read_text())
        path.chmod(0o755)
    (root / ".ripgreprc").write_text(f"--pre={arena.program}\n--follow\n--no-ignore\n")
    traps = "".join(f"[core]\n{key} = {arena.program}\n" for key in ("fsmonitor", "pager", "sshCommand", "hooksPath"))
    for name in ("planted.gitconfig", ".gitconfig", ".config/git/config"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(traps)
    return root


@pytest.mark.parametrize("name", VARIABLES)
def test_no_variable_changes_an_answer(name, planted, arena, monkeypatch, request, untouched):
    monkeypatch.setenv(name, arena.fill(VARIABLES[name], planted))
    monkeypatch.chdir(planted)
    ask = request.getfixturevalue("ask")
    untouched(planted)
    for tool, given in QUESTIONS.items():
        answer = ask(planted, tool, **given)
        assert answer["class"] == "success", (tool, answer)
        assert "secret" not in json.dumps(answer["data"])


PATHS = (".", "", "bin", "{ROOT}/bin", ".:{ROOT}:{ROOT}/bin:/usr/bin:/bin", ":", "{ROOT}/nosuch", "~/bin")


@pytest.mark.parametrize("path", PATHS)
def test_no_program_of_the_repository_is_taken_for_ours(path, planted, arena, monkeypatch, request, untouched):
    monkeypatch.setenv("PATH", arena.fill(path, planted))
    monkeypatch.chdir(planted)
    ask = request.getfixturevalue("ask")
    untouched(planted)
    for tool, given in QUESTIONS.items():
        assert ask(planted, tool, **given)["class"] in {"success", "partial", "error"}, tool
    assert ask(planted, "grep_search", pattern="class Cart")["class"] == "success"


def limited(**limits: int) -> Callable[[], None]:
    """What a child does before it starts: less of everything."""

    def limit() -> None:
        for name, most in limits.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))

    return limit


def without(*streams: int) -> Callable[[], None]:
    def close() -> None:
        for stream in streams:
            os.close(stream)

    return close


def in_a_directory_that_is_gone() -> None:
    place = tempfile.mkdtemp()
    os.chdir(place)
    os.rmdir(place)


BEFORE: dict[str, Callable[[], None]] = {
    "few-descriptors": limited(NOFILE=24),
    "many-descriptors": limited(NOFILE=4_096),
    "small-files": limited(FSIZE=20_000),
    "no-files": limited(FSIZE=0),
    "little-memory": limited(AS=700_000_000),
    "little-time": limited(CPU=30),
    "small-stack": limited(STACK=512_000),
    "no-input": without(0),
    "no-errors": without(2),
    "gone": in_a_directory_that_is_gone,
    "mask": lambda: os.umask(0o777) and None,
}


@pytest.mark.parametrize("name", BEFORE)
def test_an_unlucky_process_answers_or_says_why_not(name, planted, arena, tmp_path, untouched):
    untouched(planted)
    words = [sys.executable, "-m", "avionics.cli", "run", "find_references", "-p", "symbol=Cart", "--repo",
             str(planted), "--json"]  # fmt: skip
    done = subprocess.run(words, env=arena.environment(tmp_path / "cache"), capture_output=True, check=False,
                          cwd=arena.base, preexec_fn=BEFORE[name], timeout=PATIENCE_SECONDS)  # fmt: skip
    answer = json.loads(done.stdout)
    assert judge(answer) == []
    assert class_of(answer) in ({"success", "partial"} if name not in {"few-descriptors", "little-memory"} else
                                {"success", "partial", "error"})  # fmt: skip
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(PYTHON_OF_ALL is None, reason="needs root, and a Python of all")
@pytest.mark.parametrize("name", ["cache", "unreadable", "no-home"])
def test_an_ordinary_user_may_lack_what_root_has(name, arena, tmp_path, untouched):
    root = make(arena, "control") if not (arena.base / "repos/control").exists() else arena.base / "repos/control"
    cache = arena.base / f"cache-of-nobody-{name}"
    cache.mkdir()
    environment = arena.environment(cache)
    if name != "cache":
        os.chown(cache, NOBODY, NOBODY)
    if name == "unreadable":
        (root / "src" / "hidden.py").write_text(f"{TOKEN} = 1\n")
        (root / "src" / "hidden.py").chmod(0)
    if name == "no-home":
        del environment["HOME"]
    untouched(root)
    words = [python_of(NOBODY), "-m", "avionics.cli", "run", "find_references", "-p", "symbol=Cart", "--repo",
             str(root), "--json"]  # fmt: skip
    done = subprocess.run(words, env=environment, capture_output=True, check=False, cwd=arena.base, user=NOBODY,
                          group=NOBODY, extra_groups=[], timeout=PATIENCE_SECONDS)  # fmt: skip
    answer = json.loads(done.stdout)
    assert judge(answer) == []
    assert class_of(answer) in {"success", "partial"}


def test_an_answer_that_nobody_can_take_is_no_crash(planted, arena, tmp_path):
    words = [sys.executable, "-m", "avionics.cli", "run", "read_code", "-p", "path=src/app.py", "--repo", str(planted)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, env=arena.environment(tmp_path / "cache"), stdout=full, stderr=subprocess.PIPE,
                              check=False, timeout=PATIENCE_SECONDS)  # fmt: skip
    assert done.returncode != 0
    assert b"Traceback" not in done.stderr
    assert done.stderr


@pytest.mark.parametrize("how", ["module", "script"])
def test_nothing_in_the_working_directory_is_imported_or_run(how, arena, tmp_path, untouched):
    root = make(arena, "hostile_config", f"planted-{how}")
    untouched(root)
    environment = arena.environment(tmp_path / "cache")
    program = "from avionics.cli.main import main; import sys; sys.exit(main())"
    script = tmp_path / "bin" / "avionics"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{program}\n")
    words = [sys.executable, str(script)] if how == "script" else [sys.executable, "-m", "avionics.cli"]
    if how == "module":
        # Python itself would look here for `avionics` before anything of ours could say not to.
        del environment["PYTHONSAFEPATH"]
        for name in ("avionics.py", "sitecustomize.py", "usercustomize.py"):
            (root / name).unlink(missing_ok=True)
        untouched(root)
    del environment["PATH"]
    environment["PATH"] = f".:bin:{root}:/usr/bin:/bin"
    asked = ["run", "find_symbol", "-p", "name=PLANTED_SYMBOL", "--json"]
    done = subprocess.run(
        [*words, *asked], env=environment, cwd=root, capture_output=True, check=False, timeout=PATIENCE_SECONDS
    )
    answer = json.loads(done.stdout)
    assert [item["file"] for item in answer["data"]["symbols"]] == ["real.py"]
    assert b"PLANTED_CONTENT" not in done.stdout
    assert Path(ROOT, "avionics").is_dir()
