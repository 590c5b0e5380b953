"""JavaScript and TypeScript modules: relative paths, path aliases, and packages of the workspace."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from posixpath import normpath

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method
from avionics.index.model.file_roles import iter_upwards
from avionics.index.model.values import External, Module
from avionics.index.modules.js_manifests import Manifests, is_private
from avionics.index.modules.protocol import ModuleSystem
from avionics.late_pattern import late_pattern
from avionics.model.facts import COMPUTED, Import
from avionics.model.mappings import group_pairs
from avionics.model.naming import fold_name

_ENDINGS = (
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte",
)  # fmt: skip
_SOURCE_ENDINGS = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_REQUIRING = (".cjs", ".cts")
_TYPED = (".ts", ".mts", ".cts")
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_SCRIPTS = (".js", ".mjs", ".cjs", ".jsx")
_PAIRED_ENDINGS = ((".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs"))
_DECLARE = "declare"
"""A text in every file that adds members to types of other modules."""
_FILES_THRESHOLD = 32
"""For fewer files, or fewer than names, it is faster to read the additions of each than to look each name up."""
_IS_MODULE = late_pattern(r"^(?:import|export)\b", re.M)
_DECLARED = late_pattern(r"^[ \t]*declare\s+module\s+['\"]([^'\"\n]+)['\"]", re.MULTILINE)
_IS_GLOBAL = late_pattern(r"\bdeclare\s+global\b")
_AS_NAMESPACE = late_pattern(r"^export\s+as\s+namespace\s+([\w$]+)", re.M)
_WORD = late_pattern(r"[A-Za-z_$][\w$]*")

_AUTO_IMPORTED = late_pattern(
    r"(?:\A|/)(?:composables|utils|hooks|stores?|shared/(?:utils|types))/|(?P<server>(?:\A|/)server/utils/)"
)
"""Directories of which builds import what is exported, those of Nuxt's server only for its server."""
_SERVER = "server"

_LISTING_WORDS = ("glob", "globEager", "context", "readdir", "readdirSync")
"""Words, one of which is in each file that loads all modules of a directory."""
_LISTING = late_pattern(
    r"""\b(?:import\.meta\.glob(?:Eager)?|require\.context)(?:<[^\n()]{0,80}>)?\(\s*+(?:\[\s*+)?['"`](?P<path>[^'"`*\n]*)""",
    needs=("import.meta.glob", "require.context"),
)
_READING = late_pattern(
    r"""\breaddir(?:Sync)?\(\s*(?P<own>__dirname\b|import\.meta\.dirname\b|['"]\./?['"])?""", needs=("readdir",)
)
_QUOTED = late_pattern(r"""['"`](?:\.{1,2}/|/)?(?P<path>[\w-]+(?:/[\w-]+)*)/?['"`]""")
_COMPUTED_LOADING = late_pattern(
    r"""\b(?:require|import)\(\s*(?:[A-Za-z_$][\w$.]*\s*[)+(\[]|['"][^'"\n]*['"]\s*\+|`[^`\n]*\$\{)"""
)

_WEB_ROOTS = ("", "public/", "static/", "src/")
"""Directories that pages and bundlers may serve as `/`."""

_BUILD_DIRECTORIES = ("build", "dist", "lib", "out")
"""Directories of build output, whose index is built from another one."""


class JsModules(ModuleSystem):
    """Resolves specifiers to files."""

    extends_any_type = True

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._manifests = Manifests(source.paths, source.read_text)
        self._names_asked: set[str] = set()

    def may_declare(self, file: str, name: str) -> bool:
        """Return whether a module declares a global name for itself (`export as namespace React`)."""
        return name in self._global_names

    @cached_property
    def _global_names(self) -> frozenset[str]:
        files = (path for path in self._source.files_with_word("namespace") if path.endswith(_TYPED))
        return frozenset(found for path in files for found in _AS_NAMESPACE.findall(self._source.read_text(path)))

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the file that a specifier means in the importing file."""
        directory = importer.rpartition("/")[0]
        file, required = (self._resolve(imported.module, directory, required=each) for each in (False, True))
        if required != file and self._is_required(imported, importer):
            file = required
        return Module(file) if file else External(imported.module)

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the file of a module, which is always one."""
        return ()

    def declared_beside(self, file: str) -> tuple[str, ...]:
        """Return a script's declaration files, or a declaration file's scripts: beside it or in the manifest."""
        for declared, script in _PAIRED_ENDINGS:
            for own, other in ((declared, script), (script, declared)):
                beside = file.removesuffix(own) + other
                if file.endswith(own) and self._source.has_file(beside):
                    return (beside,)
        return self._paired_files.get(file, ())

    @cached_property
    def _paired_files(self) -> Mapping[str, tuple[str, ...]]:
        """Return declaration file → scripts, and script → declaration files, as packages pair them."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for paths, usual in self._manifests.iter_entry_groups():
            named = [file for path in paths if (file := self._file_at(path))]
            declared = [file for file in named if file.endswith(_DECLARATIONS)]
            scripts = [file for file in named if file.endswith(_SCRIPTS)]
            scripts = scripts or [file for path in usual if (file := self._file_at(path)).endswith(_SCRIPTS)][:1]
            for declaration, script in product(declared, scripts):
                found[declaration][script] = found[script][declaration] = None
        return {file: tuple(others) for file, others in found.items()}

    def list_unlocated(self, file: str) -> tuple[tuple[str, Import], ...]:
        """Return unresolved imports that may mean a file: by its package, a module it declares, or another path."""
        package = self._manifests.get_package(file)
        names = [package] if package else []
        if file in self._files_declaring:
            names += self._list_declared(file)
        return (*(each for name in names for each in self._list_unlocated(name)), *self._iter_aliased(file))

    def _iter_aliased(self, file: str) -> Iterator[tuple[str, Import]]:
        """Yield the unresolved imports whose path ends like that of a file: by an unknown alias, or of build output."""
        *above, stem = _without_ending(file).split("/")
        stems = [*above[-1:], stem, *_BUILD_DIRECTORIES] if stem == "index" else [stem]
        words = {word for each in stems for word in _WORD.findall(each)[-1:]}
        ends = tuple(f"/{each}" for each in stems)
        for importer in sorted({path for word in words for path in self._source.files_with_word(word)}):
            for path, found in self._list_by_private_path(importer):
                if path.endswith(ends) and isinstance(self.find(found, importer), External):
                    yield importer, found

    @cached_method
    def _list_by_private_path(self, importer: str) -> tuple[tuple[str, Import], ...]:
        """Return the imports of a file that can only name project files, each after its path without the ending."""
        imports = self._source.facts(importer).imports if importer.endswith(_ENDINGS) else ()
        private = (each for each in imports if is_private(each.module) or each.module.startswith((".", "/")))
        return tuple((_without_ending(each.module), each) for each in private)

    @cached_method
    def _list_unlocated(self, package: str) -> tuple[tuple[str, Import], ...]:
        words = _WORD.findall(package)
        return tuple(
            (importer, imported)
            for importer in (self._source.files_with_word(words[-1]) if words else ())
            for imported in (self._source.facts(importer).imports if importer.endswith(_ENDINGS) else ())
            if imported.module == package or imported.module.startswith(f"{package}/")
            if isinstance(self.find(imported, importer), External)
        )

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the files that declare global names."""
        return self._globals

    @cached_method
    def is_declared(self, name: str) -> bool:
        """Return whether a file that imports files of the workspace declares a module: `declare module "a" {…}`."""
        words = _WORD.findall(name)
        naming = self._source.files_with_word(words[-1]) if words else ()
        return any(
            name in self._list_declared(file)
            and any(isinstance(self.find(each, file), Module) for each in self._source.facts(file).imports)
            for file in set(naming).intersection(self._files_declaring)
        )

    @cached_method
    def _list_declared(self, file: str) -> tuple[str, ...]:
        """Return the modules about which `declare module` says something in a file."""
        return tuple(_DECLARED.findall(self._source.read_text(file)))

    def list_bringing(self, file: str, name: str) -> tuple[str, ...]:
        """Return the files that export a name, or whose default export it is, in the usual places of its package.

        Where there are several, the order in which the build reads them decides, which is not known: then none.
        """
        home = self._manifests.get_importing_home(file.rpartition("/")[0])
        if home is None:
            return ()
        start = f"{home}/" if home else ""
        is_of_server = _SERVER in file[len(start) :].split("/")[:-1]
        exporting = [
            each
            for each in self._source.files_defining(fold_name(name))
            if each.startswith(start) and self._exports(each, name)
            if (place := _AUTO_IMPORTED.search(each, len(start))) and (is_of_server or not place["server"])
        ]
        return tuple(exporting) if len(exporting) == 1 else ()

    def _exports(self, file: str, name: str) -> bool:
        symbols = self._source.facts(file).symbols
        return any(each.exported and each.parent < 0 and each.name == name for each in symbols)

    def may_be_brought(self, file: str) -> bool:
        """Return whether a tool imports names for a file: one of its package's, or a plugin of a bundler."""
        return self._is_injected or self._manifests.get_importing_home(file.rpartition("/")[0]) is not None

    @cached_property
    def _is_injected(self) -> bool:
        """Return whether a configuration may give all files names: `new ProvidePlugin({…})`, esbuild's `inject`."""
        words = self._source.files_with_word
        return bool(words("ProvidePlugin")) or not set(words("esbuild")).isdisjoint(words("inject"))

    def is_listed(self, file: str) -> bool:
        """Return whether `import.meta.glob`, `require.context` or a loop over `readdir` loads a file's directory."""
        return any(f"/{each}/" in f"/{file}" for each in self._listed)

    @cached_property
    def _listed(self) -> frozenset[str]:
        """Return the directories of which code loads all modules, or how the paths of such directories end."""
        words = self._source.files_with_word
        files = {each for word in _LISTING_WORDS for each in words(word) if each.endswith(_ENDINGS)}
        found = (each.strip("/") for file in files for each in self._iter_listed(file))
        return frozenset(each for each in found if each.strip("."))

    def _iter_listed(self, file: str) -> Iterator[str]:
        """Yield the directories of which a file loads all modules."""
        text, home = self._source.read_text(file), file.rpartition("/")[0]
        for listed in _LISTING.finditer(text):
            path = listed["path"]
            # What is not relative begins at the root of some package, or with another name for one.
            above = f"{home}/{path}" if path.startswith(".") else path.partition("/")[2]
            yield normpath(f"{above}/" if path.endswith("/") else above.rpartition("/")[0])
        read = [each["own"] for each in _READING.finditer(text)]
        if not read or _COMPUTED_LOADING.search(text) is None:
            return
        if any(read):
            yield home
        for each in _QUOTED.finditer(text):
            path = normpath(f"{home}/{each['path']}")
            if path in self._directories:
                yield path

    @cached_property
    def _directories(self) -> frozenset[str]:
        return frozenset(above for file in self._source.files for above in iter_upwards(file.rpartition("/")[0]))

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """Return the files that add members of that name to types of other modules (`declare module 'x'`)."""
        self._names_asked.add(name)
        defining: Iterable[str] = self._files_declaring
        if len(self._files_declaring) > max(_FILES_THRESHOLD, len(self._names_asked)):
            defining = set(self._files_declaring).intersection(self._source.files_defining(fold_name(name)))
            return tuple(sorted(each for each in defining if each != file and name in self._names_added(each)))
        return tuple(each for each in self._augmented_by_name.get(name, ()) if each != file)

    @cached_property
    def _augmented_by_name(self) -> Mapping[str, Sequence[str]]:
        """Return name → the files that add members of that name to types of other modules, sorted."""
        return group_pairs((name, file) for file in sorted(self._files_declaring) for name in self._names_added(file))

    def dotted_name(self, path: str) -> str:
        """Return the path without its extension, or the directory whose index it is."""
        stem = _without_ending(path)
        return stem.removesuffix("/index") or stem

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the last word of the file's name or, for an index, of its directory's; or of its package's."""
        *above, stem = _without_ending(path).split("/")
        asked = above[-2:] if stem == "index" else [stem]
        words = [word for part in asked for word in _WORD.findall(part)[-1:]]
        return tuple(dict.fromkeys((*words, *self._manifests.names_of_entry(path))))

    def directories_of(self, path: str) -> tuple[str, ...]:
        """Return the directories whose index, or whose entry in a manifest, is the file."""
        same = (path, *self.declared_beside(path))
        return tuple(home for home in iter_upwards(path.rpartition("/")[0]) if self._file_at(home) in same)

    def _is_required(self, imported: Import, importer: str) -> bool:
        """Return whether a module is loaded by `require`, which may resolve to other files than `import`."""
        lines = self._source.read_lines(importer)[imported.line - 1 : imported.line]
        return importer.endswith(_REQUIRING) or any("require(" in line for line in lines)

    @cached_method
    def _resolve(self, specifier: str, directory: str, *, required: bool) -> str:
        """Return the file of a specifier, "" outside the workspace."""
        specifier = specifier.partition("?")[0]
        if COMPUTED in specifier:
            return self._get_computed(specifier, directory)
        if specifier.startswith("."):
            path = normpath(f"{directory}/{specifier}" if directory else specifier)
            return "" if path.startswith("..") else self._file_at("" if path == "." else path)
        if specifier.startswith("/"):
            places = (normpath(f"{home}/{root}{specifier}") for home in iter_upwards(directory) for root in _WEB_ROOTS)
            return next((file for path in places if (file := self._file_at(path.lstrip("/")))), "")
        packaged = self._manifests.iter_in_package(specifier, directory, required=required)
        candidates = (*self._manifests.iter_aliased(specifier, directory), *packaged)
        return next((file for path in candidates if (file := self._file_at(path))), "")

    def _get_computed(self, specifier: str, directory: str) -> str:
        """Return the only file whose path ends like a partly computed specifier: `./parts/${name}/index`.

        Return "" if there are several. A single name after the computed part is not enough, unless the part before it
        is a directory.
        """
        start, _, _ = specifier.partition(COMPUTED)
        end = normpath(specifier.rpartition(COMPUTED)[2].strip("/"))
        above = normpath(f"{directory}/{start.rpartition('/')[0]}")
        home = f"{above}/" if start.strip("./") and not above.startswith(("..", "/")) else ""
        if end.startswith(".") or not (home or "/" in end or start.startswith("..")):
            return ""
        end = f"/{_without_ending(end)}"
        named = self._by_last_name.get(end.rpartition("/")[2], ())
        names = {each for each in named if f"/{each}".endswith(end) and each.startswith(home)}
        return self._file_at(names.pop()) if len(names) == 1 else ""

    @cached_property
    def _by_last_name(self) -> Mapping[str, Sequence[str]]:
        """Return the last part of the names of modules → their names, which are paths without endings."""
        return group_pairs((name.rpartition("/")[2], name) for name in map(self.dotted_name, self._source.files))

    def _file_at(self, path: str) -> str:
        """Return the file of a path without extension, or of a directory."""
        if self._source.has_file(path) and path:
            return path
        stem, dot, ending = path.rpartition(".")
        for written in _SOURCE_ENDINGS.get(dot + ending, ()):
            if self._source.has_file(stem + written):
                return stem + written
        for ending in _ENDINGS if path else ():
            if self._source.has_file(path + ending):
                return path + ending
        for entry in self._manifests.iter_entries(path):
            if entry != path and (file := self._file_at(entry)):
                return file
        index = f"{path}/index" if path else "index"
        return next((index + found for found in _ENDINGS if self._source.has_file(index + found)), "")

    @cached_property
    def _globals(self) -> tuple[Module, ...]:
        """Return declaration files that are not modules, and files that declare global names."""
        declaring = [path for path in self._source.files if path.endswith(_DECLARATIONS)]
        found = [path for path in declaring if not _IS_MODULE.search(self._source.read_text(path))]
        for path in self._source.files_with_word("global"):
            is_code = path.endswith(_ENDINGS) and path not in found
            if is_code and _IS_GLOBAL.search(self._source.read_text(path)):
                found.append(path)
        return tuple(map(Module, found))

    @cached_property
    def _files_declaring(self) -> tuple[str, ...]:
        """Return the files that may add members to types of other modules."""
        return tuple(file for file in self._source.files_with_word(_DECLARE) if file.endswith(_ENDINGS))

    @cached_method
    def _names_added(self, path: str) -> frozenset[str]:
        """Return the names of modules and types that a file imports and also declares, and of their members."""
        facts = self._source.facts(path)
        imported = {(each.line, each.column) for each in facts.imports}
        own = {index for index, each in enumerate(facts.symbols) if (each.line, each.column) in imported}
        return frozenset(each.name for index, each in enumerate(facts.symbols) if index in own or each.parent in own)


def _without_ending(path: str) -> str:
    """Return the path without an extension of code."""
    ending = max((found for found in _ENDINGS if path.endswith(found)), key=len, default="")
    return path.removesuffix(ending)


SYSTEM = JsModules
