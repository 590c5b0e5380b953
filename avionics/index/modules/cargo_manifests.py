"""Cargo manifests: which packages there are, which files their crates begin with, which of each other they use.

Knows: https://doc.rust-lang.org/cargo/reference/manifest.html.
Does not know: modules, what the files say.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from avionics.index.facts.fact_source import FactSource

_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_TARGETS = ("bin", "test", "example", "bench")
_FOUND = re.compile(r"(src/bin|tests|examples|benches)/(?:[^/]+\.rs|[^/]+/main\.rs)")
_SWITCHES = {"src/bin": "autobins", "tests": "autotests", "examples": "autoexamples", "benches": "autobenches"}


@attrs.frozen
class Package:
    """A package of the workspace.

    Attributes:
        name: As the manifest has it.
        directory: Where its manifest is.
        crate: The name its library is used by.
        library: The file its library begins with, "" for none.
        roots: The files its crates begin with.
        dependencies: Name in paths → name of the package, for packages that a path or the workspace gives.
        commands: Name of a program → the file it begins with.
    """

    name: str
    directory: str
    crate: str
    library: str
    roots: frozenset[str]
    dependencies: Mapping[str, str]
    commands: Mapping[str, str]


def read_packages(source: FactSource) -> tuple[Package, ...]:
    """Every package, innermost directories first."""
    manifests = {path: read_manifest(source.read_text(path)) for path in source.paths if _is_manifest(path)}
    shared: dict[str, Any] = {}
    for manifest in manifests.values():
        shared |= _table(_table(manifest, "workspace"), "dependencies")
    found = [_package(path, manifest, shared, source) for path, manifest in manifests.items() if "package" in manifest]
    return tuple(
        sorted(found, key=lambda package: (-package.directory.count("/") - bool(package.directory), package.directory))
    )


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == "Cargo.toml"


def read_manifest(text: str) -> dict[str, Any]:
    """A manifest's tables, none where it is no TOML."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(outer: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = outer.get(name)
    return found if isinstance(found, dict) else {}


def _package(path: str, manifest: dict[str, Any], shared: dict[str, Any], source: FactSource) -> Package:
    directory = path.rpartition("/")[0]
    name = str(_table(manifest, "package").get("name", ""))
    library = _table(manifest, "lib")
    file = _joined(directory, str(library.get("path", "src/lib.rs")))
    has_library = source.has_file(file)
    prefix = f"{directory}/" if directory else ""
    switched_off = {place for place, key in _SWITCHES.items() if _table(manifest, "package").get(key) is False}
    inside = {p: found for p in source.files if p.startswith(prefix) and (found := _FOUND.fullmatch(p, len(prefix)))}
    placed = {path for path, found in inside.items() if found[1] not in switched_off}
    targets = dict(_iter_targets(manifest, directory))
    mains = {name: _joined(directory, "src/main.rs")} if source.has_file(_joined(directory, "src/main.rs")) else {}
    bins = {_command(p): p for p in placed if p.startswith(f"{prefix}src/bin/")}
    told = {n: f for (kind, n), f in targets.items() if kind == "bin"}
    return Package(
        name=name,
        directory=directory,
        crate=str(library.get("name", name)).replace("-", "_"),
        library=file if has_library else "",
        roots=frozenset({*placed, *targets.values(), *mains.values(), *([file] if has_library else [])}),
        dependencies=dict(_iter_dependencies(manifest, shared)),
        commands={**{n: f for n, f in {**mains, **bins}.items() if f not in told.values()}, **told},
    )


def _command(path: str) -> str:
    """The name of a program by its place."""
    stem = path.removesuffix("/main.rs").removesuffix(".rs")
    return stem.rpartition("/")[2]


def _joined(directory: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(directory, path))


def _iter_targets(manifest: dict[str, Any], directory: str) -> Iterator[tuple[tuple[str, str], str]]:
    """The targets whose file the manifest says."""
    for kind in _TARGETS:
        written = manifest.get(kind)
        for target in written if isinstance(written, list) else ():
            if isinstance(target, dict) and "path" in target:
                yield (kind, str(target.get("name", ""))), _joined(directory, str(target["path"]))


def _iter_dependencies(manifest: dict[str, Any], shared: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The dependencies that lie in the workspace."""
    targets = _table(manifest, "target").values()
    for holder in (manifest, *(each for each in targets if isinstance(each, dict))):
        for table in _TABLES:
            for key, written in _table(holder, table).items():
                said = shared.get(key) if isinstance(written, dict) and written.get("workspace") else written
                if isinstance(said, dict) and "path" in said:
                    yield key.replace("-", "_"), str(said.get("package", key))
