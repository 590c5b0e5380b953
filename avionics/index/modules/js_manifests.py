"""Manifests of JavaScript workspaces: how `package.json` and `tsconfig.json` resolve specifiers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from posixpath import normpath
from typing import Any

from msgspec import Struct

from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import iter_upwards
from avionics.late_pattern import late_pattern

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_STRING_OR_COMMENT = late_pattern(r'("(?>(?:[^"\\]++|\\.)*)(?:"|\Z))|/\*.*?(?:\*/|\Z)|//[^\n]*', re.S)
_TRAILING_COMMA = late_pattern(r",(\s*[}\]])")
_ENTRY_FIELDS = ("source", "types", "typings", "module", "main", "browser")
_IMPORT_CONDITIONS = ("source", "development", "types", "import", "module", "default", "require", "node", "browser")
_REQUIRE_CONDITIONS = ("source", "development", "types", "require", "node", "module", "default", "import", "browser")
_BUILD_DIRECTORY = late_pattern(r"(^|/)(dist|build|lib|esm|cjs|out|es)(/(esm|cjs|es))?/")
_SOURCE = late_pattern(r"(^|/)src/([^/]+/)*[^/]+\.[cm]?[jt]sx?$")
_WORD = late_pattern(r"[A-Za-z_$][\w$]*")
_MAX_EXTENDS = 8
"""The limit of configurations that extend one another; only a cycle is deeper."""
_BUNDLER = late_pattern(
    r"(?:\A|/)(?:vite|vitest|nuxt|webpack|rollup|rspack|rsbuild|astro|svelte|quasar|electron\.vite|craco|vue|metro|babel"
    r"|next)(?:\.\w+)?\.config\.[cm]?[jt]s$"
)
_ALIASES = late_pattern(r"\balias(?:es)?\s*[:=]\s*[\[{]")
_ALIAS = late_pattern(
    r"(?:\bfind\s*:\s*)?(?P<quote>['\"`]?)(?P<name>[@~#$\w/-]{1,60})(?P=quote)\s*(?::|,\s*replacement\s*:)\s*"
    r"(?:(?:new\s+)?[\w.]++\s*\(\s*|(?:__dirname|import\.meta\.dirname|process\.cwd\(\))\s*,\s*){0,5}"
    r"['\"`](?P<target>[\w./@-]{1,200})['\"`]"
)
"""`'@': path.resolve(__dirname, './src')`, `{ find: '#db', replacement: fileURLToPath(new URL('./db', …)) }`."""
_MAX_ALIASES = 4_000
"""The number of characters after `alias` that are searched for aliases."""
_PROJECT_SPECIFIER = late_pattern(r"(?:[@~]{1,2}/|#|\$(?!(?:app|env)/))(?P<path>[\w.@/[\]-]+)")
"""A specifier that cannot be the name of a package: `@/parts`, `~/parts`, `#parts`, `$lib/parts`.

In SvelteKit `$lib` is `src/lib`, and `$app` and `$env` are its own modules (https://svelte.dev/docs/kit/$lib).
"""
_SOURCE_HOMES = ("", "src", "app")
_AUTO_IMPORTERS = frozenset({"nuxt", "nuxt-nightly", "nitropack", "nitro", "wxt", "unimport", "unplugin-auto-import"})
"""Tools whose builds import names that code does not import (https://nuxt.com/docs/guide/concepts/auto-imports)."""
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies")


class Config(Struct, frozen=True):
    """A configuration: path patterns with their directory, and the base directory of bare specifiers."""

    patterns: tuple[tuple[str, tuple[str, ...]], ...] = ()
    base: str | None = None


class Manifests:
    """The manifests of a workspace, read at the first use."""

    def __init__(self, paths: tuple[str, ...], read: Callable[[str], str]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith(".json")) | _list_source_manifests(paths)
        self._bundlers = tuple(path for path in paths if ".config." in path and _BUNDLER.search(path))
        self._read = read
        self._configs: dict[str, Config] = {}

    def iter_aliased(self, specifier: str, directory: str) -> Iterator[str]:
        """Yield the paths to which the configuration nearest to a directory maps a specifier."""
        config = self._config_for(directory)
        yield from _iter_mapped(specifier, config.patterns)
        if config.base is not None and not self._depends_on(get_package_name(specifier), directory):
            yield normpath(f"{config.base}/{specifier}") if config.base else specifier
        yield from _iter_mapped(specifier, self._bundler_aliases)
        private = _PROJECT_SPECIFIER.fullmatch(specifier)
        home = next((each for each in iter_upwards(directory) if _join(each, "package.json") in self._paths), None)
        if private and home is not None:
            yield from (normpath(_join(_join(home, part), private["path"])) for part in _SOURCE_HOMES)

    @cached_property
    def _bundler_aliases(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the path patterns that the configurations of bundlers declare as aliases."""
        aliases: dict[str, tuple[str, ...]] = {}
        for path in self._bundlers:
            text, home = self._read(path), path.rpartition("/")[0]
            for start in _ALIASES.finditer(text):
                for each in _ALIAS.finditer(text, start.end(), start.end() + _MAX_ALIASES):
                    target = normpath(_join(home, each["target"].removeprefix("/")))
                    name = each["name"].removesuffix("/")
                    for pattern, replacement in ((name, target), (f"{name}/*", f"{target}/*")):
                        aliases[pattern] = tuple(dict.fromkeys((*aliases.get(pattern, ()), replacement)))
        return tuple(aliases.items())

    def iter_in_package(self, specifier: str, directory: str, *, required: bool) -> Iterator[str]:
        """Yield the paths that a specifier may refer to in a package; `required` for `require('…')`."""
        order = _REQUIRE_CONDITIONS if required else _IMPORT_CONDITIONS
        if specifier.startswith("#"):
            for home in iter_upwards(directory):
                imports = self._object(_join(home, "package.json")).get("imports")
                for target in _iter_targets(imports, specifier, order):
                    yield normpath(_join(home, target))
            return
        name = get_package_name(specifier)
        rest = specifier[len(name) + 1 :]
        for home in self._packages.get(name, ()):
            exports = self._object(_join(home, "package.json")).get("exports")
            for target in _iter_targets(exports, f"./{rest}" if rest else ".", order):
                yield from _iter_sources(home, target)
            yield from (_join(home, part) for part in ((rest, f"src/{rest}") if rest else ("", "src/index", "src")))

    def iter_entries(self, directory: str) -> Iterator[str]:
        """Yield the paths of a package's entry that its `package.json` names (`main`, `module`, `types`, …).

        The usual sources of a built entry follow it: `src/index` of `dist/index.js`.
        """
        manifest = self._object(_join(directory, "package.json"))
        targets = [target for field in _ENTRY_FIELDS if isinstance(target := manifest.get(field), str)]
        for target in targets:
            yield from _iter_sources(directory, target)
        if targets:
            yield _join(directory, "src/index")

    def iter_entry_groups(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield, for each entry of each package, the paths that its manifest names, and those of the usual index."""
        for homes in self._packages.values():
            for home in homes:
                exports = self._object(_join(home, "package.json")).get("exports")
                keys = [key for key in exports if key.startswith("./")] if isinstance(exports, dict) else []
                main = [
                    path
                    for target in _iter_targets(exports, ".", _IMPORT_CONDITIONS)
                    for path in _iter_sources(home, target)
                ]
                usual = tuple(_join(home, each) for each in ("index", "src/index", "src"))
                yield (*self.iter_entries(home), *main), usual
                for key in keys:
                    targets = _iter_targets(exports, key, _IMPORT_CONDITIONS)
                    yield tuple(path for target in targets for path in _iter_sources(home, target)), ()

    def names_of_entry(self, path: str) -> tuple[str, ...]:
        """Return the last word of the name of the package that a file is in: `core` of `@shop/core`; () for none."""
        return tuple(_WORD.findall(self.get_package(path))[-1:])

    def get_package(self, path: str) -> str:
        """Return the name of the package that contains a file; "" if there is none."""
        names = (
            self._object(_join(home, "package.json")).get("name") for home in iter_upwards(path.rpartition("/")[0])
        )
        return next((name for name in names if isinstance(name, str)), "")

    @cached_method
    def get_importing_home(self, directory: str) -> str | None:
        """Return the nearest package around a directory whose build adds imports, as with Nuxt; or None."""
        for home in iter_upwards(directory):
            manifest = self._object(_join(home, "package.json"))
            named = (given for field in _DEPENDENCIES if isinstance(given := manifest.get(field), dict))
            if any(not _AUTO_IMPORTERS.isdisjoint(each) for each in named):
                return home
        return None

    @cached_method
    def _depends_on(self, package: str, directory: str) -> bool:
        """Return whether the nearest manifest around a directory lists a package as a dependency."""
        home = next((each for each in iter_upwards(directory) if _join(each, "package.json") in self._paths), "")
        manifest = self._object(_join(home, "package.json"))
        named = (given for field in _DEPENDENCIES if isinstance(given := manifest.get(field), dict))
        return any(package in each for each in named)

    @cached_property
    def _packages(self) -> Mapping[str, tuple[str, ...]]:
        """Return the name of a package → its directories, nearest to the root first."""
        found: dict[str, list[str]] = {}
        for path in sorted(self._paths, key=lambda path: (path.count("/"), path)):
            home, _, file = path.rpartition("/")
            if file == "package.json":
                name = self._object(path).get("name")
                if isinstance(name, str):
                    found.setdefault(name, []).append(home)
        return {name: tuple(homes) for name, homes in found.items()}

    def _config_for(self, directory: str) -> Config:
        """Return the nearest `tsconfig.json` or `jsconfig.json` that maps specifiers to paths, or an empty one."""
        for home in iter_upwards(directory):
            for file in _CONFIGS:
                path = _join(home, file)
                if path in self._paths:
                    config = self._config(path, 0)
                    if config.patterns or config.base is not None:
                        return config
        return Config()

    def _config(self, path: str, depth: int) -> Config:
        """Return a configuration, or else the first of those it extends or references that maps specifiers."""
        if path not in self._configs:
            self._configs[path] = Config()
            self._configs[path] = self._read_config(path, depth)
        return self._configs[path]

    def _read_config(self, path: str, depth: int) -> Config:
        written = self._object(path)
        home = path.rpartition("/")[0]
        options = written.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        base = options.get("baseUrl")
        root = normpath(_join(home, base)) if isinstance(base, str) else None
        root = "" if root == "." else root
        patterns = options.get("paths")
        if isinstance(patterns, dict) or root is not None:
            mapped = patterns if isinstance(patterns, dict) else {}
            return Config(tuple(_iter_patterns(mapped, home if root is None else root)), root)
        others = [*_as_list(written.get("extends")), *_list_references(written.get("references"))]
        for other in others if depth < _MAX_EXTENDS else ():
            target = normpath(_join(home, other))
            for candidate in (target, f"{target}.json", f"{target}/tsconfig.json"):
                if candidate in self._paths:
                    config = self._config(candidate, depth + 1)
                    if config.patterns or config.base is not None:
                        return config
        return Config()

    @cached_method
    def _object(self, path: str) -> dict[str, Any]:
        """Return a manifest, {} if it does not exist or is invalid."""
        found = _parse(self._read(path)) if path in self._paths else None
        return found if isinstance(found, dict) else {}


def is_private(specifier: str) -> bool:
    """Return whether a specifier can only name a file of its own project, even if no configuration says which."""
    return _PROJECT_SPECIFIER.fullmatch(specifier) is not None


def _iter_mapped(specifier: str, patterns: tuple[tuple[str, tuple[str, ...]], ...]) -> Iterator[str]:
    """Yield the paths to which patterns map a specifier, those of the longest pattern first."""
    for pattern, targets in sorted(patterns, key=lambda pattern: -len(pattern[0].partition("*")[0])):
        head, star, tail = pattern.partition("*")
        if star and specifier.startswith(head) and specifier.endswith(tail):
            middle = specifier[len(head) : len(specifier) - len(tail)]
            yield from (normpath(target.replace("*", middle, 1)) for target in targets)
        elif specifier == pattern:
            yield from map(normpath, targets)


def _list_source_manifests(paths: tuple[str, ...]) -> frozenset[str]:
    """Return the manifests of packages that keep their scripts in `src`, listed or not.

    A manifest that a build also writes may be tracked by git although a rule ignores it.
    """
    # Most paths have no such part, and this check is twenty times faster than the pattern.
    homes = {path[: path.rindex("src/")] for path in paths if "src/" in path and _SOURCE.search(path)}
    return frozenset(f"{home}package.json" for home in homes)


def _parse(text: str) -> object:
    """Parse JSON with comments and trailing commas."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        plain = _TRAILING_COMMA.sub(r"\1", _STRING_OR_COMMENT.sub(lambda found: found[1] or "", text))
    try:
        return json.loads(plain)
    except (ValueError, RecursionError):
        return None


def _iter_patterns(given: dict[str, Any], home: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pattern, targets in given.items():
        yield pattern, tuple(_join(home, target) for target in _as_list(targets))


def _as_list(value: object) -> list[str]:
    """Return the strings of a value that is a string or a list."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]


def _list_references(value: object) -> list[str]:
    entries = value if isinstance(value, list) else []
    return [each["path"] for each in entries if isinstance(each, dict) and isinstance(each.get("path"), str)]


def _iter_targets(exports: object, key: str, order: tuple[str, ...]) -> Iterator[str]:
    """Yield the targets of a key in an `exports` or `imports` field, most likely source first."""
    if isinstance(exports, str) and key == ".":
        yield exports
    elif isinstance(exports, dict):
        if not any(name.startswith((".", "#")) for name in exports):
            yield from _iter_conditional(exports, order) if key == "." else ()
            return
        if key in exports:
            yield from _iter_conditional(exports[key], order)
        for name, value in exports.items():
            head, star, tail = name.partition("*")
            if star and key.startswith(head) and key.endswith(tail) and len(key) >= len(head) + len(tail):
                middle = key[len(head) : len(key) - len(tail)]
                yield from (target.replace("*", middle) for target in _iter_conditional(value, order))


def _iter_conditional(value: object, order: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of a value of `exports` under each of its conditions, in an order: `{"import": "./a.mjs"}`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _iter_conditional(each, order)
    elif isinstance(value, dict):
        for name in sorted(value, key=lambda name: order.index(name) if name in order else len(order)):
            yield from _iter_conditional(value[name], order)


def _iter_sources(home: str, target: str) -> Iterator[str]:
    """Yield a path of a manifest, and for a built file the usual places of its source: `src/a` for `dist/a.js`."""
    path = target.removeprefix("./")
    yield normpath(_join(home, path)) if path else home
    if _BUILD_DIRECTORY.search(path):
        source = _BUILD_DIRECTORY.sub(r"\1src/", path, count=1)
        yield normpath(_join(home, source))
        yield normpath(_join(home, re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", source)))


def get_package_name(specifier: str) -> str:
    """Return the name of the package that a specifier without a relative path begins with."""
    return "/".join(specifier.split("/")[: 2 if specifier.startswith("@") else 1])


def _join(directory: str, path: str) -> str:
    return f"{directory}/{path}" if directory and path else directory or path
