"""Find the names by which repositories import each other: those that one publishes and another imports.

Java and Kotlin packages are known by their source directories, and C and C++ libraries by their public headers: neither
needs the coordinates of a manifest to be imported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator

from msgspec import structs

from avionics.index.modules.package_coordinates import Coordinates, find_coordinates, manager_of, root_of_import
from avionics.model.facts import Import

_HEADERS_BY = "headers"
"""The name in place of a package manager in C and C++."""

_INCLUDES = "c_includes"
_INCLUDE_LEVELS = frozenset({0, 1})
"""The levels of imports that include a file, in angle brackets or quotes; others are about namespaces."""

_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx)\Z")
_PUBLIC = "include/"
_JVM_SOURCE = re.compile(
    r"(?:(?P<project>.*?)/)?src/(?:\w*[mM]ain/)?(?:java|kotlin)/(?P<package>.+)/[^/]+\.(?:java|kt)\Z"
)
_CMAKE = re.compile(r"^[ \t]*project[ \t]*\([ \t]*([\w.+-]+)([^)]{0,300})\)", re.MULTILINE | re.IGNORECASE)
_CMAKE_VERSION = re.compile(r"\bVERSION[ \t]+([\w.]+)")
_MESON = re.compile(r"^project\(\s*'([^']+)'([^)]{0,300})", re.MULTILINE)
_MESON_VERSION = re.compile(r"\bversion[ \t]*:[ \t]*'([^']+)'")
_README = re.compile(r"README(?:\.\w+)?", re.IGNORECASE)
_TITLE_WORD, _SEPARATOR, _MAX_TITLE = re.compile(r"[\w.-]+"), re.compile(r"[/:]"), 200
_GRADLE = {field: re.compile(rf"""^[ \t]*+{re.escape(field)}[ \t]*+(?:=[ \t]*+)?["']([^"']+)["']""", re.MULTILINE)
           for field in ("group", "version", "rootProject.name")}  # fmt: skip


def find_published(everything: Iterable[str], read_text: Callable[[str], str]) -> tuple[Coordinates, ...]:
    """Return the coordinates that a repository publishes, each with the roots under which others import it."""
    paths = dict.fromkeys(everything).keys()
    listed = find_coordinates(paths, read_text)
    others = [each for each in listed if each.manager != "maven"]
    projects = {each.directory: each for each in listed if each.manager == "maven"}
    packages = dict(_iter_jvm_packages(paths))
    for directory in dict.fromkeys((*projects, *packages)):
        known = projects.get(directory) or _read_gradle(directory, paths, read_text)
        others.append(
            structs.replace(known, directory=directory, roots=tuple(_keep_outermost(packages.get(directory, ()))))
        )
    return (*others, *_find_c_libraries(paths, read_text))


def find_project_names(everything: Iterable[str], read_text: Callable[[str], str]) -> tuple[str, ...]:
    """Return what the manifests at the root call the project, or the package that the title of its README names."""
    paths = dict.fromkeys(everything).keys()
    listed = find_coordinates(paths, read_text)
    titles = [read_text(each).strip()[:_MAX_TITLE].partition("\n")[0] for each in paths if _README.fullmatch(each)]
    titled = {word.lower() for title in titles for word in _TITLE_WORD.findall(title)}
    packages = ((each.directory, _SEPARATOR.split(each.name)[-1]) for each in listed)
    names = [name for directory, name in packages if not directory or name.lower() in titled]
    names += (each.removesuffix(".gemspec") for each in paths if each.endswith(".gemspec") and "/" not in each)
    rows = (
        ("settings.gradle", _GRADLE["rootProject.name"]),
        ("settings.gradle.kts", _GRADLE["rootProject.name"]),
        ("CMakeLists.txt", _CMAKE),
        ("meson.build", _MESON),
    )
    found = (pattern.search(read_text(name)) for name, pattern in rows if name in paths)
    return tuple(dict.fromkeys((*names, *(each[1] for each in found if each))))


def get_imported_root(
    module_system: str, imported: Import, is_own: Callable[[str], bool], distribution: Callable[[str], str] | None
) -> tuple[str, str] | None:
    """Return the package manager and the root of a module that an import takes from elsewhere, or None.

    `is_own` returns whether the repository has a file whose path ends with that of an include; `distribution` returns
    the package that most likely provides a module.
    """
    if module_system == _INCLUDES:
        is_include = imported.level in _INCLUDE_LEVELS
        is_outside = is_include and distribution is not None and distribution(imported.module)
        return (_HEADERS_BY, imported.module.removeprefix("./")) if is_outside and not is_own(imported.module) else None
    manager = manager_of(module_system)
    root = root_of_import(module_system, imported.module, distribution) if manager and not imported.level else ""
    if not root or root.startswith("."):
        return None
    return manager, imported.module.replace(".", "/") if manager == "maven" else root


def _iter_jvm_packages(paths: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield the directory of each project, and the directories of the packages that it compiles."""
    found: dict[str, set[str]] = {}
    for path in paths:
        matched = _JVM_SOURCE.fullmatch(path) if path.endswith((".java", ".kt")) else None
        if matched is not None:
            found.setdefault(matched["project"] or "", set()).add(matched["package"])
    yield from found.items()


def _keep_outermost(directories: Iterable[str]) -> Iterator[str]:
    """Yield the directories that are below no other."""
    last = None
    for each in sorted(directories):
        if last is None or not each.startswith(f"{last}/"):
            last = each
            yield each


def _read_gradle(directory: str, paths: Collection[str], read_text: Callable[[str], str]) -> Coordinates:
    """Return the coordinates of a project that Gradle builds; by default its name is that of its directory."""
    prefix = f"{directory}/" if directory else ""
    scripts = [each for name in ("settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts")
               if (each := prefix + name) in paths]  # fmt: skip
    text = "\n".join(map(read_text, scripts))
    group, version, name = (match[1] if (match := _GRADLE[field].search(text)) else ""
                            for field in ("group", "version", "rootProject.name"))  # fmt: skip
    artifact = name or directory.rpartition("/")[2] or "root"
    return Coordinates("maven", f"{group}:{artifact}" if group else artifact, version, directory)


def _find_c_libraries(paths: Collection[str], read_text: Callable[[str], str]) -> tuple[Coordinates, ...]:
    """Return a library of C or C++ for each directory with public headers."""
    roots: dict[str, dict[str, None]] = {}
    for path in paths:
        if not _HEADER.search(path):
            continue
        before, separator, inside = f"/{path}".rpartition(f"/{_PUBLIC}")
        if separator:
            roots.setdefault(before.strip("/"), {})[inside.partition("/")[0]] = None
        elif path.count("/") <= 1:
            # Without an include directory, the top-level headers are public: `<lib.h>` or `<lib/lib.h>`.
            roots.setdefault("", {})[path] = None
    return tuple(
        structs.replace(_read_c_library(directory, paths, read_text), roots=tuple(names))
        for directory, names in sorted(roots.items())
    )


def _read_c_library(directory: str, paths: Collection[str], read_text: Callable[[str], str]) -> Coordinates:
    prefix = f"{directory}/" if directory else ""
    rows = (("CMakeLists.txt", _CMAKE, _CMAKE_VERSION), ("meson.build", _MESON, _MESON_VERSION))
    for name, project, version in rows:
        found = project.search(read_text(prefix + name)) if prefix + name in paths else None
        if found is not None:
            stated = version.search(found[2])
            return Coordinates(_HEADERS_BY, found[1], stated[1] if stated else "", directory)
    return Coordinates(_HEADERS_BY, directory.rpartition("/")[2] or "headers", "", directory)
