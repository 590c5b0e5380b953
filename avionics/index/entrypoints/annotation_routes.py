"""Find the requests that a method handles from its annotations and those of its class.

The class declares the beginning of the path, and the method the rest and the HTTP methods; a call or annotation
elsewhere may put all routes of a program below a path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.call_arguments import is_commented, read_arguments, read_path
from avionics.index.entrypoints.decorator_texts import list_decorators
from avionics.index.model.file_roles import is_product
from avionics.late_pattern import late_pattern
from avionics.model.enums import is_class
from avionics.model.facts import Symbol
from avionics.syntax.entry_points import AnnotatedRoutes

_ANNOTATION = late_pattern(r"(?:[\w.]+\.)?(\w+)\s*(?:\((.*))?$", re.DOTALL)
_ARGUMENT_NAME = late_pattern(r"\s*+(\w++)\s*+(?:=(?!=)|:(?!:))\s*+")
_FINAL_LITERAL = late_pattern(r"[\"'`]([^\"'`$\n]*)[\"'`]\s*\Z")
_VERB = late_pattern(r"RequestMethod\.(\w+)|\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_CONTROLLER = late_pattern(r"Controller$")
_SOURCES = late_pattern(r"(?:^|(?<=/))(?:src|source)/")
_PATH_ARGUMENTS = frozenset({"", "value", "path", "uri", "uris"})
"""The arguments that contain paths; "" is the first one, without a name."""

Route = tuple[str, str, tuple[str, ...]]
"""The annotation as written, the path, the HTTP methods (() for all)."""


class AnnotatedPaths:
    """Finds the routes that annotations declare in one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._base_paths: dict[str, list[tuple[str, str, str]]] = {}

    def find_routes(self, file: str, method: Symbol, owner: Symbol | None, rules: AnnotatedRoutes) -> tuple[Route, ...]:
        """Return the routes that a method of a class handles; () if it handles none."""
        own = tuple(_parse_annotations(list_decorators(self._code, file, method)))
        verbs = [(each, rules.methods[name], text) for each, name, text in own if name in rules.methods]
        of_class = tuple(_parse_annotations(list_decorators(self._code, file, owner) if owner else ()))
        class_names = {name for _, name, _ in of_class}
        is_controller = owner is not None and _CONTROLLER.search(owner.name) and class_names.isdisjoint(rules.paths)
        if not verbs and is_controller and rules.results.search(method.signature):
            verbs = [("", (), "")]
        if not verbs or not class_names.isdisjoint(rules.clients):
            return ()
        ends_beside = [
            path for _, name, text in own if name in rules.method_paths for path in self._list_paths(file, text)
        ]
        path_annotation = next((name for name in rules.paths if name in class_names), None)
        starts = [
            path or "" for _, name, text in of_class if name == path_annotation for path in self._list_paths(file, text)
        ]
        has_base = rules.base_of in class_names
        base = (self._get_base_path(file, rules.base) if has_base else None) or ("", "")
        version = self._get_version(file, (*own, *of_class), rules) if has_base else ""
        routes: list[Route] = []
        for written, methods, text in verbs:
            http_methods = methods or tuple(
                dict.fromkeys(a or b for a, b in _VERB.findall(_given(text, "method") or _given(text, "methods")))
            )
            ends = [path for path in self._list_paths(file, text) or ends_beside or [""] if path is not None]
            if rules.unwritten and not starts and self._has_own_attribute(of_class):
                ends = [end for end in ends if end]
            paths = [_join_paths(start, end, method, owner, rules) for start in starts or [""] for end in ends]
            routes += [(written, _add_base_path(path, base, version), http_methods) for path in paths]
        return tuple(routes)

    def _has_own_attribute(self, annotations: Iterable[tuple[str, str, str]]) -> bool:
        """Return whether a class has an attribute of the program's own, which may declare its path."""
        names = (f"{name}Attribute" for _, name, _ in annotations)
        return any(is_class(each.kind) for name in names for each in self._code.find_definitions(name))

    def _list_paths(self, file: str, text: str) -> list[str | None]:
        """Return the paths that an annotation declares; None for an unknown path."""
        found: list[str | None] = []
        for name, value in _iter_arguments(text):
            if name in _PATH_ARGUMENTS:
                path = read_path(self._code, file, value)
                ending = _FINAL_LITERAL.search(value)
                found.append(path if path is not None or ending is None else ending[1])
        return found

    def _get_version(self, file: str, annotations: Iterable[tuple[str, str, str]], rules: AnnotatedRoutes) -> str:
        """Return the part of a path that declares the version, "" if there is none or it is unknown."""
        call = self._get_base_path(file, rules.versions)
        if call is None or "prefix" in call[1] or ("type" in call[1] and ".URI" not in call[1]):
            return ""
        versions = [
            _given(text.strip().strip("{}"), "version") or (text if name == "Version" else "")
            for _, name, text in annotations
        ]
        default = _given(call[1].strip().strip("{}"), "defaultVersion")
        version = read_path(self._code, file, next(filter(None, versions), default))
        return f"/v{version}" if version else ""

    def _get_base_path(self, file: str, rule: tuple[str, re.Pattern[str]] | None) -> tuple[str, str] | None:
        """Return the path and arguments of the one call that declares a path for a file's program, or None."""
        if rule is None:
            return None
        if rule[0] not in self._base_paths:
            self._base_paths[rule[0]] = list(self._iter_base_paths(*rule))
        meant = [each for each in self._base_paths[rule[0]] if file.startswith(each[0])]
        nearest = max((len(home) for home, _, _ in meant), default=0)
        found = {(path, rest) for home, path, rest in meant if len(home) == nearest}
        return next(iter(found)) if len(found) == 1 else None

    def _iter_base_paths(self, word: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
        """Yield the directory of each program, the path of its routes, and the arguments of the call."""
        for file in sorted(self._code.files_with_word(word)):
            text = self._code.read_text(file)
            for match in pattern.finditer(text) if is_product(file) else ():
                if is_commented(text, match.start()):
                    continue
                arguments = read_arguments(text, match.end() - 1)
                first, *_ = written = [text[slice(*each)].strip() for each in arguments] or [""]
                values = re.findall(rf"\b{re.escape(first)}\s*=\s*([^;\n]+)", text) if first.isidentifier() else []
                path = read_path(self._code, file, values[0] if len(values) == 1 else first)
                sources = _SOURCES.search(file)
                home = file[: sources.start()] if sources else file[: file.rfind("/") + 1]
                # Yield an unknown path as "": it also hides the path of an outer directory, which would be wrong here.
                yield home, f"/{path.strip('/')}" if path and path.strip("/") else "", " ".join(written)


def _parse_annotations(decorators: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each annotation as written, its name, and its arguments."""
    for each in decorators:
        match = _ANNOTATION.match(each)
        if match is not None:
            yield each, match[1], (match[2] or "").removesuffix(")")


def _iter_arguments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each argument of an annotation, and of each element of lists and objects in it."""
    for at, (name, value) in enumerate(_iter_pairs(text)):
        if not name and at:
            continue
        if value[:1] in "{[" and value[-1:] in "}]":
            for inner, each in _iter_pairs(value[1:-1]):
                yield inner or name, each
        elif value:
            yield name, value


def _iter_pairs(text: str) -> Iterator[tuple[str, str]]:
    for begin, end in read_arguments(f"({text})", 0):
        written = text[begin - 1 : end - 1]
        named = _ARGUMENT_NAME.match(written)
        yield (named[1], written[named.end() :].strip()) if named else ("", written.strip())


def _given(text: str, name: str) -> str:
    """Return the named argument of an annotation; "" if it has none."""
    return next((value for each, value in _iter_pairs(text) if each == name), "")


def _add_base_path(path: str, base: tuple[str, str], version: str) -> str:
    """Return a path below a version and the path that a call, given with its arguments, puts before all routes."""
    before = version if _is_excluded(path, base[1]) else base[0] + version
    return before if before and path == "/" else f"{before}{path}"


def _is_excluded(path: str, rest: str) -> bool:
    """Return whether the call that puts all routes below a path excludes, or may exclude, this one."""
    excluded = rest.partition("exclude")[2]
    listed = re.findall(r"[\"'`]/?([^\"'`\n]*)[\"'`]", excluded)
    return bool(excluded) and (not listed or path.strip("/") in listed or "*" in excluded or "(" in excluded)


def _join_paths(first: str, rest: str, method: Symbol, owner: Symbol | None, rules: AnnotatedRoutes) -> str:
    """Join both parts of a path; `[controller]` and `[action]` become the names of class and method (ASP.NET)."""
    parts = (rest,) if rules.alone and rules.alone.match(rest) else (first, rest)
    path = "/".join(part.strip("~/") for part in parts if part.strip("~/"))
    of = _CONTROLLER.sub("", owner.name) if owner is not None else ""
    if not path and of and rules.unwritten:
        path = "[controller]" if method.name == rules.unwritten else "[controller]/[action]"
    return f"/{path.replace('[controller]', of.lower()).replace('[action]', method.name.lower())}"
