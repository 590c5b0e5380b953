"""Cargo manifests: the packages, the root files of their crates, and their dependencies on each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.file_roles import get_mount
from avionics.late_pattern import late_pattern
from avionics.syntax.manifests import get_table, read_toml

_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS = ("bin", "test", "example", "bench")
_TARGET_FILE = late_pattern(r"(src/bin|tests|examples|benches)/(?:[^/]+\.rs|[^/]+/main\.rs)")
_DISCOVERY_KEYS = {"src/bin": "autobins", "tests": "autotests", "examples": "autoexamples", "benches": "autobenches"}


class Package(Struct, frozen=True):
    """A package of the workspace.

    Attributes:
        crate: The name under which its library is used.
        library: The root file of its library, "" for none.
        is_of_macros: Whether the library exports only procedural macros.
        roots: The root files of its crates.
        dependencies: Name in paths → name of the package, for packages in the workspace.
        released: The same for packages published elsewhere, which are named with a version.
        commands: Name of a program → its root file.
    """

    name: str
    directory: str
    crate: str
    library: str
    is_of_macros: bool
    roots: frozenset[str]
    dependencies: Mapping[str, str]
    released: Mapping[str, str]
    commands: Mapping[str, str]


def read_packages(source: FactSource) -> tuple[Package, ...]:
    """Return every package, innermost directories first."""
    manifests = {path: read_toml(source.read_text(path)) for path in source.paths if _is_manifest(path)}
    shared: dict[str, dict[str, Any]] = {}
    for path, manifest in manifests.items():
        declared = shared.setdefault(get_mount(path), {})
        declared |= get_table(manifest, "workspace", "dependencies")
    found = [
        _build_package(path, manifest, shared[get_mount(path)], source)
        for path, manifest in manifests.items()
        if "package" in manifest
    ]
    return tuple(
        sorted(found, key=lambda package: (-package.directory.count("/") - bool(package.directory), package.directory))
    )


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == "Cargo.toml"


def _build_package(path: str, manifest: dict[str, Any], shared: dict[str, Any], source: FactSource) -> Package:
    directory = path.rpartition("/")[0]
    name = str(get_table(manifest, "package").get("name", ""))
    library = get_table(manifest, "lib")
    file = join_path(directory, str(library.get("path", "src/lib.rs")))
    has_library = source.has_file(file)
    prefix = f"{directory}/" if directory else ""
    switched_off = {place for place, key in _DISCOVERY_KEYS.items() if get_table(manifest, "package").get(key) is False}
    discovered: set[str] = set()
    for each in source.files:
        match = _TARGET_FILE.fullmatch(each, len(prefix)) if each.startswith(prefix) else None
        if match is not None and match[1] not in switched_off:
            discovered.add(each)
    targets = dict(_iter_targets(manifest, directory))
    mains = {name: join_path(directory, "src/main.rs")} if source.has_file(join_path(directory, "src/main.rs")) else {}
    script = get_table(manifest, "package").get("build")
    scripts = [join_path(directory, script)] if isinstance(script, str) else []
    bins = {_program_name(p): p for p in discovered if p.startswith(f"{prefix}src/bin/")}
    binaries = {n: f for (kind, n), f in targets.items() if kind == "bin"}
    dependencies = tuple(_iter_dependencies(manifest, shared))
    return Package(
        name=name,
        directory=directory,
        crate=str(library.get("name", name)).replace("-", "_"),
        library=file if has_library else "",
        is_of_macros=True in (library.get("proc-macro"), library.get("proc_macro")),
        roots=frozenset({*discovered, *targets.values(), *mains.values(), *scripts, *([file] if has_library else [])}),
        dependencies={name: package for name, package, is_inside in dependencies if is_inside},
        released={name: package for name, package, is_inside in dependencies if not is_inside},
        commands={**{n: f for n, f in {**mains, **bins}.items() if f not in binaries.values()}, **binaries},
    )


def _program_name(path: str) -> str:
    """Return the name of a program by its path."""
    stem = path.removesuffix("/main.rs").removesuffix(".rs")
    return stem.rpartition("/")[2]


def join_path(directory: str, path: str) -> str:
    """Return a path that is relative to a directory as one of the workspace."""
    return posixpath.normpath(posixpath.join(directory, path))


def _iter_targets(manifest: dict[str, Any], directory: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the kind and name of each target whose file the manifest names, and that file."""
    for kind in _TARGETS:
        written = manifest.get(kind)
        for target in written if isinstance(written, list) else ():
            if isinstance(target, dict) and "path" in target:
                yield (kind, str(target.get("name", ""))), join_path(directory, str(target["path"]))


def _iter_dependencies(manifest: dict[str, Any], shared: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield the name of each dependency in paths, its package, and whether that is in the workspace."""
    targets = get_table(manifest, "target").values()
    for holder in (manifest, *(each for each in targets if isinstance(each, dict))):
        for table in _TABLES:
            for key, written in get_table(holder, table).items():
                requirement = shared.get(key) if isinstance(written, dict) and written.get("workspace") else written
                named = requirement if isinstance(requirement, dict) else {}
                yield key.replace("-", "_"), str(named.get("package", key)), "path" in named
