"""Find how a repository is tested, built or started: find the commands, those that a file declares first."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable

from msgspec import structs

from avionics.index.inventory.purpose import Purpose
from avionics.index.inventory.task_readers import GUIDE, WORKFLOW, ProjectTask, get_task_reader, read_tasks
from avionics.index.model.file_roles import FileRole, role_of

_TASK_NAMES = {
    Purpose.TEST: r"tests?|spec|specs|e2e|integration|unit|check|verify|testing|coverage",
    Purpose.BUILD: r"build|compile|all|dist|package|bundle|assemble",
    Purpose.START: r"start|run|serve|dev|launch|rundemo|runserver|watch",
    Purpose.CHECK: r"lint|linters?|check|checks|style|types?|typecheck|mypy|ruff|clippy|eslint|vet|checkformat|qa",
    Purpose.FORMAT: r"format|fmt|prettier|black|fix|style",
    Purpose.INSTALL: r"install|setup|deps|dependencies|bootstrap|develop|sync|init|prepare",
    Purpose.MIGRATE: r"migrate|migrations?|makemigrations|upgrade|schema|db",
    Purpose.RELEASE: r"release|publish|deploy|upload|ship",
    Purpose.DOCUMENT: r"docs?|documentation|site|sphinx|mkdocs|book",
    Purpose.MEASURE: r"bench|benches|benchmarks?|perf",
}
_LAST_WORDS = {Purpose.START: r"server|up|demo"}
"""Words that indicate a purpose only as the last part of a name: `server:build` starts no server."""
_OTHER_VERBS = frozenset({"list", "show", "print", "help", "clean", "remove", "delete", "update", "upgrade"})
"""First words of the names of commands that do something else to what they name: `list-build-tags`."""
_VAGUE_NAMES = {Purpose.TEST: r"check|verify"}
"""Words that may as well be for another purpose: `npm run check` often checks types only."""
_COMMANDS = {
    Purpose.TEST: r"\b(?:py\.?test|unittest|tox|nox|gotestsum|jest|vitest|mocha|ctest|rspec|phpunit)\b|nextest run"
    r"|\b(?:go|cargo|npm|yarn|pnpm|bun|dotnet|make|just|rake|mix|swift|deno|bazel|mvnw?|gradlew?|composer|meson)"
    r"(?: run| -\S+)* tests?\b|\b(?:make|just|mvnw?|gradlew?)(?: -\S+)* (?:verify|check)\b|\bmanage\.py test\b"
    r"|\bnpm t\b",
    Purpose.BUILD: r"\b(?:go|cargo|npm|yarn|pnpm|bun|dotnet|make|just|docker|bazel|gradlew?|cross|meson|ninja)"
    r"(?: run| -\S+)* (?:build|compile|assemble)\b|\bcmake\b|\bmvnw?(?: \S+)* (?:package|install)\b|\b-m build\b"
    r"|\btsc\b|\bmake\Z|\bninja\b|\bpoetry build|\buv build|\./configure",
    Purpose.START: r"\b(?:npm|yarn|pnpm|bun)(?: run| -\S+)* (?:start|dev|serve)\b"
    r"|\b(?:make|just|cargo|go|dotnet|gradlew?)(?: -\S+)* (?:start|run|dev|serve)\b|runserver|\b(?:uvicorn"
    r"|gunicorn|rails s|docker[ -]compose up"
    r"|docker run|spring-boot:run|bootRun|php -S|artisan serve)\b",
    Purpose.CHECK: r"\b(?:ruff(?: check)?|flake8|pylint|mypy|eslint|clippy|golangci-lint|go vet|pre-commit run"
    r"|stylelint"
    r"|checkstyle|lint|prettier --check|ruff format --check|fmt --check|black --check)\b",
    Purpose.FORMAT: r"\b(?:ruff format|black|prettier --write|gofmt|go fmt|cargo fmt|fmt)\b(?!.*--check)",
    Purpose.INSTALL: r"\b(?:pip3? install|npm (?:ci|install|i)|yarn install|pnpm (?:i|install)|uv sync"
    r"|poetry install|pdm install"
    r"|bundle install|composer install|go mod download|go get|make (?:install|deps|setup|develop))\b",
    Purpose.MIGRATE: r"\b(?:alembic upgrade|manage\.py (?:migrate|makemigrations)|db:migrate|sqlx migrate"
    r"|diesel migration"
    r"|prisma migrate|artisan migrate|goose|migrate)\b",
    Purpose.RELEASE: r"\b(?:twine upload|npm publish|cargo publish|poetry publish|goreleaser|docker push|uv publish)\b",
    Purpose.DOCUMENT: r"\b(?:mkdocs|sphinx-build|cargo doc|mdbook|typedoc|make (?:docs?|html)|docs:build)\b",
    Purpose.MEASURE: r"\b(?:cargo bench|go test .*-bench|asv|hyperfine|pytest .*benchmark)\b",
}
_PARTIAL = re.compile(r"(?:^| )(?:-p|--package|--bin|--features|--no-default-features|--filter|-k|--workspace=\S+)\b")
"""The options of a command for only a part of the project."""
_WORD_BOUNDARY = re.compile(r"[-_:./\s]+")
_NO_GUIDE = frozenset({Purpose.INSTALL})
"""Sections of guides that are for users of a program, not for its developers."""
_LOCKS = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"), ("bun.lock", "bun"))


def find_tasks(
    paths: Iterable[str], read_text: Callable[[str], str], purpose: Purpose, words: Collection[str]
) -> tuple[ProjectTask, ...]:
    """Return the commands for a purpose, best first: declared ones, then those of workflows, guides and build tools.

    Commands with one of the words (stems) come first.
    """
    known = frozenset(paths)
    chosen = sorted((path for path in known if get_task_reader(path)), key=lambda each: (each.count("/"), each))
    tasks = [
        _add_directory(each, known)
        for path in chosen
        if role_of(path) < FileRole.TEST or WORKFLOW.search(path)
        for each in read_tasks(path, read_text(path))
        if _has_purpose(each, purpose)
    ]
    wanted = frozenset(words)
    ranked = sorted(tasks, key=lambda each: _rank(each, purpose, wanted))
    first: dict[str, ProjectTask] = {}
    for each in ranked:
        first.setdefault(each.typed, each)
    return tuple(first.values())


def _is_word_for(word: str, purpose: Purpose) -> bool:
    """Return whether a word in lower case tells of a purpose, as `lint` and `linter` of checking the code."""
    return re.fullmatch(_TASK_NAMES[purpose], word) is not None


def _add_directory(task: ProjectTask, known: frozenset[str]) -> ProjectTask:
    """Return a task as it is typed at the top of the repository, with the package manager that the project uses."""
    home = posixpath.dirname(task.file)
    typed = task.typed
    if typed.startswith("npm "):
        above = [home, *(home.rsplit("/", depth)[0] for depth in range(1, home.count("/") + 1)), ""]
        manager = next((name for at in above for lock, name in _LOCKS if posixpath.join(at, lock) in known), "npm")
        words = typed.removeprefix("npm ")
        typed = f"{manager} {words.removeprefix('run ') if manager == 'yarn' else words}"
    if home and task.name and not WORKFLOW.search(task.file):
        typed = f"cd {home} && {typed}"
    return structs.replace(task, typed=typed)


def _has_purpose(task: ProjectTask, purpose: Purpose) -> bool:
    """Return whether a command is for a purpose, judged by its name or, if it has none, by its text."""
    if task.name:
        parts = [part.lower() for part in _WORD_BOUNDARY.split(task.name)]
        if parts[0] in _OTHER_VERBS and not _is_word_for(parts[0], purpose):
            return False
        is_last = purpose in _LAST_WORDS and re.fullmatch(_LAST_WORDS[purpose], parts[-1]) is not None
        return is_last or any(_is_word_for(part, purpose) for part in parts)
    if purpose in _NO_GUIDE and GUIDE.search(task.file) and "/" in task.file:
        return False
    return re.search(_COMMANDS[purpose], task.typed) is not None


def _rank(task: ProjectTask, purpose: Purpose, wanted: frozenset[str]) -> tuple[int, ...]:
    """Return a command's sort key: its words of the question, its source, its depth, and how well its name fits."""
    words = f"{' '.join(_WORD_BOUNDARY.split(task.name))} {task.typed} {task.body} {task.help}".lower()
    missing = sum(each not in words for each in wanted)
    if task.is_usual:
        group = 3
    elif task.name:
        group = 2 if _is_vague(task, purpose) else 0
    else:
        group = 1 if WORKFLOW.search(task.file) else 2
    named = _rank_name(task.name.lower(), purpose)
    depth = task.file.count("/") if task.name else int(_PARTIAL.search(task.typed) is not None)
    unnamed = sum(each not in f"{task.file} {task.name}".lower() for each in wanted)
    return missing, unnamed, group, depth, *named, task.line


def _rank_name(name: str, purpose: Purpose) -> tuple[int, bool]:
    """Return the place of the first word for a purpose that is a part of a name, and whether it is only a part.

    `test` comes before `test-packages`, and that before `coverage`.
    """
    parts = [name, *_WORD_BOUNDARY.split(name)]
    for place, word in enumerate(_TASK_NAMES[purpose].split("|")):
        matches = [re.fullmatch(word, part) is not None for part in parts]
        if any(matches):
            return place, not matches[0]
    return len(_TASK_NAMES[purpose]), True


def _is_vague(task: ProjectTask, purpose: Purpose) -> bool:
    """Return whether neither the name of a command nor what it runs tells that it is for a purpose."""
    vague = _VAGUE_NAMES.get(purpose)
    names = re.compile(_TASK_NAMES[purpose])
    clear = (part for part in map(str.lower, _WORD_BOUNDARY.split(task.name)) if names.fullmatch(part))
    if vague is None or any(re.fullmatch(vague, part) is None for part in clear):
        return False
    return re.search(rf"test|{_COMMANDS[purpose]}", f"{task.body} {task.help}", re.IGNORECASE) is None
