"""Read the commands that one file declares or writes down: a manifest, a makefile, a workflow, a guide."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from avionics.model.facts import line_of
from avionics.syntax.manifests import get_table, read_json, read_toml

_MAKE_RULE = re.compile(r"^([A-Za-z0-9][\w.-]*(?:[ \t]+[A-Za-z0-9][\w.-]*){0,5})[ \t]*::?(?![=:])", re.M)
_JUST_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?=[ \t:])[^\n:=]{0,120}:(?!=)", re.M)
_SECTION = re.compile(r"^\[([^\]\n]+)\][ \t]*$", re.M)
_SESSION = re.compile(r"^@nox\.session\b(?:[^\n]*\n){1,12}?def[ \t]+(\w+)", re.M)
_RAKE_TASK = re.compile(r"^[ \t]*task[ \t(]+:?[\"']?([\w:]+)", re.M)
_YAML_KEY = re.compile(r"^  ([\w:-]+):[ \t]*$", re.M)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
_PROMPT = re.compile(r"^[ \t]*(?:\$|>|%)[ \t]+(?=\S)")
_INLINE = re.compile(r"`([^`\n]{3,120})`")
_RUN = re.compile(r"^([ \t]*)(?:-[ \t]+)?(?:run|script|command):[ \t]*(.*)$")
_ITEM = re.compile(r"[ \t]*+-[ \t]++(?![\w-]+:(?:[ \t]|$))[\"']?(\S.*)")
_BLOCK_MARK = re.compile(r"[|>][+-]?[ \t]*\Z")
_COMMENT = re.compile(r"^#+:?[ \t]*(?:[\w-]+[ \t]+-[ \t]+)?(.+)$")
_MAX_COMMAND = 140
_MAX_TASKS = 400
"""The limit for one file; a makefile with more targets has been written by a program."""

PROGRAMS = re.compile(
    r"(?:(?:sudo|poetry run|pipenv run|uv run|hatch run|pdm run|pnpm exec|bundle exec|npx|env|\w+=\S+)[ ]+)*"
    r"(?:\./)?(?:make|just|task|npm|npx|pnpm|yarn|bun|deno|node|cargo|cross|go|gotestsum|pytest|py\.test|tox|nox|python3?"
    r"(?=[ ]+-m|[ ]+[\w/.-]*\w+\.\w+)|pip3?|uv|uvx|poetry|pdm|hatch|uvicorn|gunicorn|mvn|mvnw|gradle"
    r"|gradlew|ant|sbt|dotnet|cmake|ctest|ninja|meson|configure|bundle|rake|rails|bin/\w+|rspec|composer|php|phpunit"
    r"|artisan|docker(?:-compose)?|podman|vagrant|nix(?:-shell|-build)?|ruff|black|mypy|flake8|eslint|prettier|tsc"
    r"|golangci-lint|gofmt|pre-commit|alembic|manage\.py|bazel|buck2?|scons|autogen\.sh|(?:scripts?|tools|hack|ci)/[\w.-]+)"
    r"(?=[ ]|\Z)"
)
"""The beginning of a command that developers type into a shell to work on a project."""


class ProjectTask(Struct, frozen=True):
    """A command with which developers work on a project.

    Attributes:
        file: Where it is declared or written.
        name: Its name; "" where only the command is written.
        typed: The command as developers type it: `make test`.
        body: The command that it runs in turn, if that is another one; else "".
        help: The comment that describes it.
        is_usual: Whether the file only shows which tool builds the project, and the command comes from the tool.
    """

    file: str
    line: int
    name: str
    typed: str
    body: str = ""
    help: str = ""
    is_usual: bool = False


Reader = Callable[[str, str], Iterator[ProjectTask]]


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_COMMAND else f"{text[: _MAX_COMMAND - 1]}…"


def read_makefile(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the targets of a makefile that are not files, each with the first line that it runs."""
    lines = text.split("\n")
    phony = set(re.findall(r"[\w.-]+", " ".join(re.findall(r"^\.PHONY[ \t]*:(.*)$", text, re.M))))
    for match in _MAKE_RULE.finditer(text):
        at = line_of(text, match.start())
        before = lines[at - 3 if lines[at - 2].startswith(".") else at - 2]
        above = _COMMENT.match(before) if at > 1 else None
        needs = lines[at - 1].partition(":")[2].partition("##")[0].strip()
        below = _list_recipe(lines[at:]) or needs
        comment = lines[at - 1].partition("##")[2].strip()
        for name in match[1].split():
            if name in phony or "." not in name:
                help_text = comment or (above[1] if above else "")
                yield ProjectTask(path, at, name, f"make {name}", _shorten(below), _shorten(help_text))


def _list_recipe(lines: list[str]) -> str:
    """Return the commands of a recipe, the indented lines at the beginning, without comments and messages."""
    found = []
    for line in lines:
        if line.strip() and not line.startswith(("\t", " ")):
            break
        if command := line.strip().lstrip("@-"):
            found.append(command)
    return "; ".join(each for each in found if not each.startswith(("#", "echo ")))


def read_justfile(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the recipes of a justfile."""
    lines = text.split("\n")
    for match in _JUST_RECIPE.finditer(text):
        at = line_of(text, match.start())
        if match[1] in {"set", "export", "alias", "import", "mod"} or lines[at - 1].startswith((" ", "\t")):
            continue
        above = _COMMENT.match(lines[at - 2]) if at > 1 else None
        yield ProjectTask(
            path, at, match[1], f"just {match[1]}", _shorten(_list_recipe(lines[at:])), above[1] if above else ""
        )


def read_scripts(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the scripts of a package of JavaScript, or of PHP."""
    known = read_json(text)
    is_php = path.endswith("composer.json")
    manager = "composer" if is_php else str(known.get("packageManager", "npm")).partition("@")[0]
    start = max(0, text.find('"scripts"'))
    for name, body in get_table(known, "scripts").items():
        at = text.find(json.dumps(name), start)
        words = name if manager == "yarn" or (not is_php and name in {"test", "start"}) else f"run {name}"
        commands = body if isinstance(body, list) else [body] if isinstance(body, str) else []
        command = "; ".join(map(str, commands))
        yield ProjectTask(path, line_of(text, at) if at >= 0 else 1, name, f"{manager} {words}", _shorten(command))


def read_sections(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the environments of tox, which a file with sections declares."""
    lines = text.split("\n")
    for match in _SECTION.finditer(text):
        kind, _, name = match[1].partition(":")
        if kind != "testenv":
            continue
        at = line_of(text, match.start())
        block = "\n".join(lines[at:]).split("\n[", 1)[0]
        commands = re.search(r"^commands[ \t]*=[ \t]*(.*(?:\n[ \t]+.*)*)", block, re.M)
        yield ProjectTask(
            path, at, name or "test", f"tox -e {name}" if name else "tox", _shorten(commands[1] if commands else "")
        )


def read_sessions(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the sessions of nox, each of which is a function with a decorator."""
    for match in _SESSION.finditer(text):
        yield ProjectTask(path, line_of(text, match.start(1)), match[1], f"nox -s {match[1]}")


def read_project(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the tasks that a Python project declares: scripts of its tools, its own commands, its tests, its build."""
    known = read_toml(text)
    lines = text.split("\n")

    def find(words: str) -> int:
        return next((at for at, line in enumerate(lines, 1) if words in line), 1)

    tables = (("poe", "tasks", "poe "), ("pdm", "scripts", "pdm run "), ("taskipy", "tasks", "task "))
    for tool, table, typed in tables:
        for name, body in get_table(known, "tool", tool, table).items():
            yield ProjectTask(path, find(f"{name} ="), name, f"{typed}{name}", _shorten(str(body)))
    for env in get_table(known, "tool", "hatch", "envs"):
        for name, body in get_table(known, "tool", "hatch", "envs", env, "scripts").items():
            within = "" if env == "default" else f"{env}:"
            yield ProjectTask(path, find(f"{name} ="), name, f"hatch run {within}{name}", _shorten(str(body)))
    for name, body in (get_table(known, "project", "scripts") or get_table(known, "tool", "poetry", "scripts")).items():
        yield ProjectTask(path, find(f"{name} ="), f"start {name}", name, _shorten(str(body)), is_usual=True)
    if get_table(known, "tool", "pytest"):
        yield ProjectTask(path, find("[tool.pytest"), "test", "pytest", is_usual=True)
    if get_table(known, "build-system"):
        yield ProjectTask(path, find("[build-system]"), "build", "python -m build", is_usual=True)
        yield ProjectTask(path, find("[build-system]"), "install", "pip install -e .", is_usual=True)


def read_crate(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the commands of cargo for a package or a workspace."""
    known = read_toml(text)
    if not (known.get("package") or known.get("workspace")):
        return
    at = next((at for at, line in enumerate(text.split("\n"), 1) if line.startswith(("[package]", "[workspace]"))), 1)
    for name in ("build", "test", "run"):
        if name != "run" or known.get("package"):
            yield ProjectTask(path, at, "start" if name == "run" else name, f"cargo {name}", is_usual=True)


def _read_usual(*commands: tuple[str, str]) -> Reader:
    def read(path: str, _text: str) -> Iterator[ProjectTask]:
        for name, typed in commands:
            yield ProjectTask(path, 1, name, typed, is_usual=True)

    return read


def read_maven(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the usual phases of Maven, and a command that starts the program if a plugin provides it."""
    at = line_of(text, max(0, text.find("<build>")))
    for name, typed in (("test", "mvn test"), ("build", "mvn package")):
        yield ProjectTask(path, at, name, typed, is_usual=True)
    if (plugin := text.find("spring-boot-maven-plugin")) >= 0:
        yield ProjectTask(path, line_of(text, plugin), "start", "mvn spring-boot:run", is_usual=True)


def read_gradle(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the usual tasks of Gradle, and a command that starts the program if a plugin provides it."""
    for name, typed in (("test", "./gradlew test"), ("build", "./gradlew build")):
        yield ProjectTask(path, 1, name, typed, is_usual=True)
    started = re.search(r"org\.springframework\.boot|\bapplication\b", text)
    if started:
        typed = "./gradlew bootRun" if "spring" in started[0] else "./gradlew run"
        yield ProjectTask(path, line_of(text, started.start()), "start", typed, is_usual=True)


def read_cmake(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the commands by which CMake builds a project and, if it has tests, runs them."""
    yield ProjectTask(path, 1, "build", "cmake -B build && cmake --build build", is_usual=True)
    tests = re.search(r"enable_testing|add_test|include\s*\(\s*CTest", text)
    if tests:
        yield ProjectTask(path, line_of(text, tests.start()), "test", "ctest --test-dir build", is_usual=True)


def read_manager(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the commands of the script that manages a web project."""
    at = text.find("execute_from_command_line")
    for name, typed in (("start", "runserver"), ("migrate", "migrate"), ("test", "test")) if at >= 0 else ():
        yield ProjectTask(path, line_of(text, at), name, f"python {path.rpartition('/')[2]} {typed}", is_usual=True)


def read_rakefile(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the tasks of Rake."""
    for match in _RAKE_TASK.finditer(text):
        yield ProjectTask(path, line_of(text, match.start(1)), match[1], f"rake {match[1]}")


def read_taskfile(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the tasks of a Taskfile."""
    for match in _YAML_KEY.finditer(text, max(0, text.find("\ntasks:"))):
        yield ProjectTask(path, line_of(text, match.start(1)), match[1], f"task {match[1]}")


def read_workflow(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the commands that a workflow of a build server runs."""
    block, is_listing = -1, False
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip())
        run = _RUN.match(line)
        if run:
            block = indent if not run[2] or _BLOCK_MARK.search(run[2]) else -1
            is_listing = not run[2]
            if run[2] and block < 0:
                yield from _iter_typed(path, number, run[2].strip("\"'"))
        elif block >= 0 and line.strip() and indent <= block and not (is_listing and line.lstrip().startswith("-")):
            block = -1
        elif block >= 0:
            item = _ITEM.match(line)
            yield from _iter_typed(path, number, item[1] if item else line.strip())


def read_guide(path: str, text: str) -> Iterator[ProjectTask]:
    """Yield the commands that a guide writes as code: in blocks, after a prompt, or alone within backticks."""
    is_code = False
    for at, line in enumerate(text.split("\n"), 1):
        if _FENCE.match(line):
            is_code = not is_code
        elif is_code or line.startswith(("    ", "\t")) or _PROMPT.match(line):
            yield from _iter_typed(path, at, _PROMPT.sub("", line).strip())
        else:
            for each in _INLINE.findall(line):
                yield from _iter_typed(path, at, each)


def _iter_typed(path: str, line: int, command: str) -> Iterator[ProjectTask]:
    """Yield the command of a line, if it begins with a program for developers and is not a sentence."""
    if PROGRAMS.match(command) and " " in command.strip():
        yield ProjectTask(path, line, "", _shorten(command.partition(" #")[0]))


_READERS_BY_NAME: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"(?:GNUm|[mM])akefile\Z"), read_makefile),
    (re.compile(r"\.?[jJ]ustfile\Z"), read_justfile),
    (re.compile(r"(?:package|composer)\.json\Z"), read_scripts),
    (re.compile(r"tox\.ini\Z"), read_sections),
    (re.compile(r"noxfile\.\w+\Z"), read_sessions),
    (re.compile(r"[tT]askfile\.ya?ml\Z"), read_taskfile),
    (re.compile(r"Rakefile\Z"), read_rakefile),
    (re.compile(r"pyproject\.toml\Z"), read_project),
    (re.compile(r"Cargo\.toml\Z"), read_crate),
    (re.compile(r"go\.mod\Z"), _read_usual(("test", "go test ./..."), ("build", "go build ./..."))),
    (re.compile(r"pom\.xml\Z"), read_maven),
    (re.compile(r"build\.gradle(?:\.\w+)?\Z"), read_gradle),
    (re.compile(r"CMakeLists\.txt\Z"), read_cmake),
    (re.compile(r"meson\.build\Z"), _read_usual(("build", "meson setup build"), ("test", "meson test -C build"))),
    (re.compile(r"(?<![\w.-])[\w.-]+\.sln\Z"), _read_usual(("build", "dotnet build"), ("test", "dotnet test"))),
    (re.compile(r"(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml\Z"), _read_usual(("start", "docker compose up"))),
    (re.compile(r"manage\.\w+\Z"), read_manager),
)  # fmt: skip
WORKFLOW = re.compile(
    r"\A(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.travis\.yml|\.circleci/config\.yml"
    r"|azure-pipelines\.yml|\.woodpecker(?:/[^/]+)?\.ya?ml|\.drone\.yml|appveyor\.yml|\.cirrus\.yml)\Z"
)
GUIDE = re.compile(
    r"(?:^|/)(?:CONTRIBUTING|HACKING|DEVELOP(?:MENT|ING|ERS?)?|BUILD(?:ING)?|INSTALL|TESTING|README|CLAUDE|AGENTS)"
    r"(?:\.(?:md|rst|txt|adoc|markdown))?\Z|\A(?:docs?|documentation)/[^/]+\.(?:md|rst|adoc)\Z",
    re.IGNORECASE,
)


def get_task_reader(path: str) -> Reader | None:
    """Return the function that reads the commands of a file; None for other files."""
    if WORKFLOW.search(path):
        return read_workflow
    if GUIDE.search(path):
        return read_guide
    name = path.rpartition("/")[2]
    return next((reader for pattern, reader in _READERS_BY_NAME if pattern.match(name)), None)


def read_tasks(path: str, text: str) -> tuple[ProjectTask, ...]:
    """Return the commands of a file, in order; () if it has none or is generated."""
    reader = get_task_reader(path)
    found = tuple(reader(path, text)) if reader is not None else ()
    return found if len(found) <= _MAX_TASKS else ()
