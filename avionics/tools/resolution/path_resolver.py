"""Resolve the paths, places and scopes that callers write."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from avionics.index.model.file_roles import find_package_files, is_directory_file, is_product, role_of
from avionics.index.model.values import Module
from avionics.late_pattern import late_pattern
from avionics.model.errors import UsageError
from avionics.model.facts import Import
from avionics.model.mappings import group_pairs
from avionics.model.naming import did_you_mean
from avionics.syntax.registry import LANGUAGES, get_language

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree

_PLACE = late_pattern(r"(?P<path>[^:\s]+):(?P<line>[1-9]\d{0,6})(?::\d+)?")
_MAX_NAMED_WORDS = 3
"""Words that may name a directory."""
_MIN_PART = 3
"""Characters; a shorter part of a path occurs in nearly every path."""
WRITTEN_ROUTE = late_pattern(r"(?<!\S)(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?/[\w:{}<>*./\[\]-]*[\w}>*\]]")
"""A route in a sentence."""


def parse_place(text: str) -> tuple[str, int] | None:
    """Return the path and the line of `path:line` or `path:line:column`; None for other text."""
    match = _PLACE.fullmatch(text)
    return (match["path"], int(match["line"])) if match else None


def require_code_file(code: CodeIndex, source: SourceTree, text: str) -> str:
    """Return the path of a file in a supported language, with or without a line: `src/app.py:12`.

    A package directory resolves to its `__init__.py`. Raise `UsageError` if there is no such file, or its language is
    not supported.
    """
    path, place = source.resolve(text), parse_place(text)
    if place is not None and not code.has_file(path):
        path = source.resolve(place[0])
    for candidate in (path, *find_package_files(path)):
        if code.has_file(candidate):
            return candidate
    if path in code.snapshot.entries:
        hint = f"supported: {', '.join(LANGUAGES)}; read_code shows any text"
        raise UsageError(f"{path!r} is in an unsupported language", hint=hint)
    if _is_directory(code, path):
        raise UsageError(f"{path!r} is a directory", hint="name a file in it; map_module shows directories")
    raise _build_missing_error(source, path, code)


def get_directory(code: CodeIndex, source: SourceTree, text: str) -> str | None:
    """Return the path of a directory with code that is not a Python package; else None."""
    path = source.resolve(text)
    is_package = any(code.has_file(each) for each in find_package_files(path))
    return path if _is_directory(code, path) and not is_package and not code.has_file(path) else None


def get_named_path(code: CodeIndex, text: str) -> str | None:
    """Return the file or directory with the path in a text; None for a name, which could be that of a symbol."""
    path = text.removeprefix("./").rstrip("/")
    if path in code.snapshot.entries:
        return path if "/" in text or "." in path else None
    return path if "/" in text and _is_directory(code, path) else None


def require_scope(code: CodeIndex, source: SourceTree, text: str | None) -> str:
    """Return the path to search in, "" for everything. Raise `UsageError` if it is no directory or file."""
    path = source.resolve(text or ".")
    if path == ".":
        return ""
    if path in code.snapshot.entries or _is_directory(code, path):
        return path
    raise _build_missing_error(source, path, code)


def require_module(code: CodeIndex, source: SourceTree, text: str) -> str:
    """Return the path of a directory, file, module or namespace. Raise `UsageError` if there is none."""
    from avionics.index.model.values import Module

    place = source.resolve(text.strip())
    if place in code.snapshot.entries or _is_directory(code, place):
        return place
    code.load_facts(code.files)
    stem = place.rpartition(".")[0] if get_language(place) else place
    dotted = stem.replace("/", ".")
    named = [file for file in code.files if code.dotted_name(file) in {dotted, place}]
    homes = Counter(
        file.rpartition("/")[0] or "."
        for file in code.files
        if place in {code.facts(file).package, code.dotted_name(file)} and is_product_place(file)
    )
    if homes and (not named or len(named) > 1):
        return homes.most_common(1)[0][0]
    module = code.modules.module_named(dotted)
    if isinstance(module, Module):
        named.insert(0, module.file or module.directory)
    if named:
        chosen = min(named, key=lambda file: (role_of(file), named.index(file)))
        directory = chosen.rpartition("/")[0]
        return directory if directory and is_directory_file(chosen) else chosen
    same = {each for file in code.files if (each := _get_above(file, place)) and is_product_place(each)}
    if len(same) == 1:
        return same.pop()
    near = _find_near_modules(code, source, place)
    hint = did_you_mean(near, "`avionics map` without a path maps the whole workspace")
    raise UsageError(f"no directory, file or module {text!r}", hint=hint)


def get_named_place(code: CodeIndex, words: str) -> str:
    """Return the directory, with a slash, or the file with code whose last parts up to three words are, in any order.

    "tcp transport" is `transport/tcp/`, `tcp_transport.py` or `net/tcp/transport.go`. Return "" if none or several are.
    """
    wanted = frozenset(words.lower().split())
    if not 0 < len(wanted) <= _MAX_NAMED_WORDS:
        return ""
    size, found = len(wanted), set[str]()
    for file in (each for each in code.files if is_product(each)):
        *directories, name = file.split("/")
        parts = [*directories, *re.split(r"[_-]", name.partition(".")[0])]
        ends = (end for end in range(size, len(directories) + 1) if _are_words(directories[end - size : end], wanted))
        found |= {f"{'/'.join(directories[:end])}/" for end in ends}
        if _are_words(parts[-size:], wanted):
            found.add(file)
    outermost = {each for each in found if not any(each != other and each.startswith(other) for other in found)}
    return outermost.pop() if len(outermost) == 1 else ""


def _are_words(parts: list[str], words: frozenset[str]) -> bool:
    return len(parts) == len(words) and frozenset(map(str.lower, parts)) == words


def is_product_place(path: str) -> bool:
    """Return whether a directory or file is neither a test nor generated or vendored code."""
    return is_product(path) and is_product(f"{path}/file")


def get_prefix(source: SourceTree, text: str | None) -> str:
    """Return a path, which may no longer exist, in git's notation; "" for the whole workspace.

    Raise `UsageError` if the text is not a path, or leads out of the workspace.
    """
    path = source.resolve(text or ".")
    return "" if path == "." else path


def is_hosted(path: str) -> bool:
    """Return whether a path begins with the name of a host: `example.org/shop/cart`."""
    host, slash, _ = path.partition("/")
    return bool(slash) and "." in host.strip(".")


def get_imported(code: CodeIndex, path: str) -> str:
    """Return the directory or file that an import path of some host means: `example.org/shop/cart`; "" if none."""
    if not is_hosted(path):
        return ""
    importers = {get_language(file): file for file in code.files}
    for file in importers.values():
        found = code.modules.find(Import(path, "", "", 0, 0), file)
        if isinstance(found, Module) and (found.file or found.directory):
            return found.file or found.directory
    return ""


def find_paths(paths: Iterable[str], text: str) -> tuple[str, ...]:
    """Return the paths that match a text in the strictest way that has matches; () if the text cannot be a path.

    From best to worst: the whole path, its end, a file name without suffix, part of a file name, part of a path.
    """
    wanted = text.strip().strip("/").removeprefix("./").lower()
    if not wanted or any(mark in wanted for mark in " \t\n:*?("):
        return ()
    by_rank = group_pairs((_match_rank(path.lower(), wanted), path) for path in paths)
    by_rank.pop(0, None)
    best = by_rank[min(by_rank)] if by_rank else ()
    return tuple(sorted(best, key=lambda path: (role_of(path), path.count("/"), len(path), path)))


def _match_rank(path: str, wanted: str) -> int:
    """Return the strictness of a match, 1 for the strictest; 0 for no match."""
    if wanted not in path:
        return 0
    if path == wanted:
        return 1
    if path.endswith(f"/{wanted}"):
        return 2
    if f"/{path}".rpartition(".")[0].endswith(f"/{wanted}"):
        return 3
    if len(wanted) < _MIN_PART:
        return 0
    return 4 if wanted in path.rpartition("/")[2] else 5


def _get_above(file: str, place: str) -> str:
    """Return the directory above a file whose path ends with a place; "" if there is none."""
    before, found, _ = f"/{file}".rpartition(f"/{place}/")
    return f"{before}/{place}".strip("/") if found else ""


def _is_directory(code: CodeIndex, path: str) -> bool:
    """Return whether there are files below the path."""
    return path == "." or path in code.snapshot.directories


def _find_near_modules(code: CodeIndex, source: SourceTree, place: str) -> tuple[str, ...]:
    """Return the directories, files and modules most similar to one that does not exist."""
    directories = {path.rpartition("/")[0] for path in code.snapshot.entries} - {""}
    last = place.replace(".", "/").rpartition("/")[2]
    same = sorted((each for each in directories if each.rpartition("/")[2] == last), key=len)
    modules = {code.dotted_name(file) for file in code.files}
    known = (*source.find_near(place), *directories, *modules)
    from difflib import get_close_matches

    return tuple(dict.fromkeys((*same, *get_close_matches(place, known, n=3))))[:3]


def _build_missing_error(source: SourceTree, path: str, code: CodeIndex) -> UsageError:
    """Return the error for a path that does not exist; its hint names similar ones, or where a symbol is defined."""
    near = source.find_near(path)
    named = code.find_definitions(path) if path.isidentifier() else ()
    if named:
        first = min(named, key=lambda each: role_of(each.file))
        hint = f"a {first.kind.value} of this name is in {first.file}; name that file, or ask for the symbol's usages"
        return UsageError(f"no file or directory named {path!r}", hint=hint)
    hint = did_you_mean(near, "`avionics map` lists the files")
    return UsageError(f"no file or directory named {path!r}", hint=hint)
