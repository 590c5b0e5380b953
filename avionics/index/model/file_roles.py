"""Classify files by their paths: product, auxiliary, test, generated or vendored code."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import islice, takewhile
from typing import Protocol

from avionics.late_pattern import late_pattern
from avionics.syntax.registry import LANGUAGES, conventions_of, get_conventions

_TEST = late_pattern(
    r"(^|/)(tests|__(tests|mocks)__|testdata|e2e|src/(it|\w*[tT]est\w*))/|^(t|i?tests?|testing|specs?|unittests?|integration)/"
    r"|(^|/)[^/]*[.](Unit|Integration)?Tests?/|(^|/)([\w.-]+[-_]tests?|test-[\w-]+)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|[^/]*\.(test|spec)(-d)?|conftest|tests)\.\w+$",
    needs=("test", "Test", "mocks__/", "e2e/", "src/it/", "t/", "spec", "integration"),
)
MOUNT = "dependency"
"""The directory in which other repositories are mounted, by number, for a question across several repositories."""

_VENDORED = late_pattern(
    r"(^|/)(_?vendor(ed)?|third_party|(?<!packages/)node_modules|site-packages|external|deps)/|\.min\.\w+$",
    needs=("vendor", "third_party/", "node_modules/", "site-packages/", "external/", "deps/", ".min."),
)
"""`packages/node_modules` is left out: a repository may keep its own packages there, to use them without installing."""
_GENERATED = late_pattern(r"(^|/)generated/|\.generated\.|(^|/)generated\.\w+$", needs=("generated",))
_GENERATED_MARK = late_pattern(
    r"@generated\b|<auto-?generated\b|\b(?:auto|automatically |machine )-?generated\b"
    r"|\bgenerated (?:by|from|with|using)\b",
    re.IGNORECASE,
)
_KEPT_MARK = late_pattern(r"<auto-?generated\b|\bdo not (?:edit|modify|change)\b|@generated\b", re.IGNORECASE)
_LEADING_COMMENT = late_pattern(r"\s*+(?:\Z|[/*#<;\"'-])")
_MAX_LEADING_LINES = 20
_AUXILIARY = late_pattern(
    r"(^|/)(docs?|examples?|fuzz(?:ing|ers?)?|scripts?)/|(^|(?<!src)/)bench(es|marks?)?/|^tools/|(^|/)branches/|(^|/)configure$",
    needs=("doc", "example", "fuzz", "script", "bench", "tools/", "branches/", "configure"),
)
"""The patterns above are for every language; `avionics.syntax.conventions.FileNames` has what a language adds."""


class FileRole(IntEnum):
    """How close a file is to the product; answers list product files first."""

    PRODUCT = 0
    AUXILIARY = 1
    TEST = 2
    GENERATED = 3
    VENDORED = 4


@functools.lru_cache(maxsize=100_000)
def role_of(path: str) -> FileRole:
    """Return the role of a file, or of a directory, by its path."""
    names = conventions_of(path).files
    if _VENDORED.search(path) or names.vendored.search(path):
        return FileRole.VENDORED
    if _GENERATED.search(path) or names.generated.search(path):
        return FileRole.GENERATED
    is_in_test_directory = names.has_test_directories and ("/test/" in f"/{path}" and "." in path.rpartition("/")[2])
    if _TEST.search(path) or names.tests.search(path) or is_in_test_directory:
        return FileRole.TEST
    # A hidden directory at the root configures a tool, as `.github` and `.vscode` do.
    is_hidden = path.startswith(".") and "/" in path
    is_auxiliary = is_hidden or _AUXILIARY.search(path) or names.auxiliary.search(path)
    return FileRole.AUXILIARY if is_auxiliary else FileRole.PRODUCT


def is_marked_generated(lines: Sequence[str]) -> bool:
    """Return whether the comment at the beginning of a file says that a tool writes it and nobody should edit it."""
    leading = takewhile(_LEADING_COMMENT.match, islice(lines, _MAX_LEADING_LINES))
    text = "\n".join(leading)
    return _GENERATED_MARK.search(text) is not None and _KEPT_MARK.search(text) is not None


def is_directory_file(path: str) -> bool:
    """Return whether a file represents its directory, as `__init__.py` and `index.ts` do."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return stem in conventions_of(path).files.directory_stems


def iter_upwards(directory: str) -> Iterator[str]:
    """Yield a directory and those above it, the root, "", last."""
    while directory:
        yield directory
        directory = directory.rpartition("/")[0]
    yield ""


def find_package_files(directory: str) -> tuple[str, ...]:
    """Return the paths of files that would represent a directory, or a package in it, in any language."""
    return tuple(
        f"{directory}/{stem}{suffix}".removeprefix("./")
        for language, suffixes in LANGUAGES.items()
        for names in (get_conventions(language).files,)
        for stem in (*names.directory_stems, *names.root_stems)
        for suffix in suffixes
    )


def is_declaration_file(path: str) -> bool:
    """Return whether a file only declares definitions of other files, as a stub does."""
    return path.endswith(conventions_of(path).files.declaration_suffixes)


def is_product(path: str) -> bool:
    """Return whether a file is neither a test nor generated or vendored code."""
    return role_of(path) <= FileRole.AUXILIARY


class Placed(Protocol):
    """Something at a line of a file."""

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...


def role_and_place(item: Placed) -> tuple[FileRole, str, int]:
    """Return the sort key by which product code comes first, and then files and lines are in order."""
    return role_of(item.file), item.file, item.line


def stem_of(file: str) -> str:
    """Return the last part of the name a file is imported by."""
    directory, _, name = file.rpartition("/")
    stem = name.rsplit(".", 1)[0]
    return directory.rpartition("/")[2] if stem == "__init__" else stem


def get_mount(path: str) -> str:
    """Return the directory of the mounted repository that contains a path, "" if none does."""
    first, _, rest = path.partition("/")
    number = rest.partition("/")[0]
    return f"{MOUNT}/{number}" if first == MOUNT and number.isdigit() else ""
