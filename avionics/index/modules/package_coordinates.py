"""Package coordinates: under which names and versions a repository publishes its code, according to its manifests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, structs

from avionics.late_pattern import late_pattern
from avionics.syntax.manifests import get_table, read_json, read_toml

_VERSION_TEXT = late_pattern(r"""^__version__\s*=\s*["']([^"']+)["']""", re.M)
_SETUP_FIELD = {
    field: late_pattern(rf"""^[^\S\n]*+{field}\s*=\s*["']?([^"'\s,)]+)["']?""", re.M) for field in ("name", "version")
}
_GO_MODULE = late_pattern(r'^[ \t]*module[ \t]+"?([^\s"]+)', re.M)
_XML_FIELD = r"<{0}>\s*([^<\s]+)\s*</{0}>"
_XML_NESTED = late_pattern(r"<(parent|dependencies|dependencyManagement|build|profiles|plugins)>")
_PYTHON_SOURCE = late_pattern(r"(?:src/|lib/)?([A-Za-z_]\w*)(?:/__init__\.pyi?|\.py)\Z")
_NOT_PUBLISHED = frozenset({"tests", "test", "docs", "doc", "examples", "example", "setup", "conftest", "noxfile"})

LANGUAGE_NAMES: Mapping[str, str] = {
    "cpp": "CPP", "csharp": "CSharp", "javascript": "JavaScript", "php": "PHP", "typescript": "TypeScript",
}  # fmt: skip
"""Languages that SCIP does not call by their capitalised names."""


class Coordinates(Struct, frozen=True):
    """A package that a repository publishes.

    Attributes:
        manager: The package manager, as SCIP indexers name it.
        version: "" if the manifest leaves it to a build.
        roots: The names under which code elsewhere imports it: top-level modules, a module path, a crate.
    """

    manager: str
    name: str
    version: str
    directory: str
    roots: tuple[str, ...] = ()


_INSTALLED = re.compile(r"(?<!packages/)\bnode_modules/")


def find_coordinates(paths: Iterable[str], read_text: Callable[[str], str]) -> tuple[Coordinates, ...]:
    """Return the packages of a repository, one for each manifest that names one, outermost first."""
    everything = tuple(paths)
    by_place: dict[tuple[str, str], Coordinates] = {}
    for path in sorted(everything, key=lambda each: (each.count("/"), each)):
        directory, _, name = path.rpartition("/")
        read = _READERS.get(name)
        if read is None or _INSTALLED.search(path) or "/testdata/" in f"/{path}":
            continue
        coordinates = read(read_text(path))
        if coordinates is None or (coordinates.manager, directory) in by_place:
            continue
        inside = _below(everything, directory) if coordinates.manager == "python" else ()
        version = coordinates.version or _get_python_version(inside, directory, coordinates.name, read_text)
        roots = coordinates.roots or tuple(_python_roots(inside))
        by_place[coordinates.manager, directory] = structs.replace(
            coordinates, directory=directory, version=version, roots=roots
        )
    return tuple(by_place.values())


def get_package(packages: Iterable[Coordinates], manager: str, path: str) -> Coordinates | None:
    """Return the innermost package of a manager whose directory contains a path."""
    best: Coordinates | None = None
    for each in packages:
        is_above = not each.directory or path.startswith(f"{each.directory}/")
        if each.manager == manager and is_above and (best is None or len(each.directory) >= len(best.directory)):
            best = each
    return best


def manager_of(module_system: str) -> str:
    """Return the package manager of a language's module system; "" if it has none."""
    return _MANAGERS.get(module_system, "")


def root_of_import(module_system: str, module: str, distribution: Callable[[str], str] | None) -> str:
    """Return the root under which an import from outside finds its package, "" for the standard library.

    `distribution` returns the package that most likely provides a module.
    """
    found = distribution(module) if distribution is not None else ""
    # Only the manifest of a module shows which part of an import path is its name.
    return module if found and _MANAGERS.get(module_system) == "gomod" else found


def _read_pyproject(text: str) -> Coordinates | None:
    manifest = read_toml(text)
    return _read_name_and_version("python", get_table(manifest, "project") or get_table(manifest, "tool", "poetry"))


def _read_setup(text: str) -> Coordinates | None:
    name, version = (_SETUP_FIELD[field].search(text) for field in ("name", "version"))
    if name is None:
        return None
    is_literal = version is not None and version[1][:1].isdigit()
    return Coordinates("python", name[1], version[1] if version is not None and is_literal else "", "")


def _read_cargo(text: str) -> Coordinates | None:
    manifest = read_toml(text)
    found = _read_name_and_version("cargo", get_table(manifest, "package"))
    if found is None:
        return None
    library = get_table(manifest, "lib").get("name")
    return structs.replace(found, roots=(library if isinstance(library, str) else found.name.replace("-", "_"),))


def _read_npm(text: str) -> Coordinates | None:
    found = _read_name_and_version("npm", read_json(text))
    return structs.replace(found, roots=(found.name,)) if found is not None else None


def _read_composer(text: str) -> Coordinates | None:
    found = _read_npm(text)
    return structs.replace(found, manager="composer", roots=()) if found is not None else None


def _read_go(text: str) -> Coordinates | None:
    found = _GO_MODULE.search(re.sub(r"//[^\n]*", "", text))
    return Coordinates("gomod", found[1], "", "", (found[1],)) if found is not None else None


def _read_maven(text: str) -> Coordinates | None:
    own = _drop_nested(text)
    inside, closed, _ = text.partition("<parent>")[2].partition("</parent>")
    parent = inside if closed else ""

    def get(field: str, *places: str) -> str:
        pattern = re.compile(_XML_FIELD.format(field))
        return next((match[1] for place in places if (match := pattern.search(place))), "")

    group, artifact = get("groupId", own, parent), get("artifactId", own)
    return Coordinates("maven", f"{group}:{artifact}", get("version", own, parent), "") if artifact else None


def _drop_nested(text: str) -> str:
    """Return a Maven manifest without nested elements whose names and versions are not the project's."""
    kept, at, unclosed = [], 0, set()
    for opened in _XML_NESTED.finditer(text):
        close = f"</{opened[1]}>"
        if opened.start() < at or close in unclosed:
            continue
        end = text.find(close, opened.end())
        if end < 0:
            unclosed.add(close)
            continue
        kept.append(text[at : opened.start()])
        at = end + len(close)
    return "".join((*kept, text[at:]))


_READERS: Mapping[str, Callable[[str], Coordinates | None]] = {
    "pyproject.toml": _read_pyproject,
    "setup.cfg": _read_setup,
    "setup.py": _read_setup,
    "package.json": _read_npm,
    "Cargo.toml": _read_cargo,
    "go.mod": _read_go,
    "pom.xml": _read_maven,
    "composer.json": _read_composer,
}
_MANAGERS: Mapping[str, str] = {
    "python_packages": "python",
    "js_modules": "npm",
    "rust_crates": "cargo",
    "go_packages": "gomod",
    "jvm_namespaces": "maven",
}


def _read_name_and_version(manager: str, fields: Mapping[str, Any]) -> Coordinates | None:
    name, version = fields.get("name"), fields.get("version")
    if not isinstance(name, str) or not name:
        return None
    return Coordinates(manager, name, version if isinstance(version, str) else "", "")


def _below(paths: Iterable[str], directory: str) -> tuple[str, ...]:
    """Return the paths below a directory, relative to it."""
    prefix = f"{directory}/" if directory else ""
    return tuple(path[len(prefix) :] for path in paths if path.startswith(prefix))


def _python_roots(inside: Iterable[str]) -> Iterator[str]:
    """Yield the top-level packages and modules that a distribution installs."""
    found: dict[str, bool] = {}
    for path in inside:
        matched = _PYTHON_SOURCE.match(path)
        if matched is not None and matched[1] not in _NOT_PUBLISHED:
            found[matched[1]] = found.get(matched[1], False) or "__init__" in path or path.startswith("src/")
    has_package = any(found.values())
    yield from (name for name, is_package in found.items() if is_package or not has_package)


def _get_python_version(inside: Iterable[str], directory: str, name: str, read_text: Callable[[str], str]) -> str:
    """Return the version that a distribution's package assigns to `__version__`; "" if it assigns none."""
    plain = name.lower().replace("-", "_")
    for prefix in ("src/", ""):
        for file in ("__init__.py", "__version__.py", "version.py", "_version.py"):
            path = f"{prefix}{plain}/{file}"
            if path in inside:
                found = _VERSION_TEXT.search(read_text(f"{directory}/{path}" if directory else path))
                if found is not None:
                    return found[1]
    return ""
