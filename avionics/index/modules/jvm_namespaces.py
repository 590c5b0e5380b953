"""Namespaces: files declare their namespace, and imports name types by it (Java, C#, Kotlin, PHP).

A dotted name leads from a namespace to a class in it and to nested classes: `a.b.Outer.Inner`. The class by which Java
reaches the functions of a file of Kotlin (`UtilKt` for `Util.kt`) stands for the namespace of the file. If several
projects of a workspace declare a name, the importer's own project comes first. A project is what is above `src`, as in
Maven and Gradle, so that tests see the code they test.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from msgspec import Struct, structs

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.cached_method import cached_method, uncut_method
from avionics.index.model.memo import Memo
from avionics.index.model.values import External, Module
from avionics.index.modules.protocol import ModuleSystem
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, Symbol, line_of
from avionics.model.naming import as_namespace, as_written, fold_name, is_namespace

_NAME = "jvm_namespaces"
_ROOT = "."
"""The name of the module that contains the outermost namespaces, whose own members no other file sees."""

_FALLBACK = ".."
"""The name of the module in which PHP looks for a function or constant that a file's own namespace lacks."""

_SEEING_OUTWARDS = (".cs",)
"""Languages whose files see the namespaces around their own."""

_FALLING_BACK = (".php",)
"""Languages in which an unqualified name may also be a global function or constant."""

_DIRECTORY_FREE = (".cs", ".php")
"""Languages whose directories need not match their namespaces."""

_PREFIX_LEFT_OUT = (".kt", ".kts")
"""Languages whose directories may leave out the namespace that all files of a project share."""
_SCRIPT = ".kts"
"""A script, whose host gives it an object: its members need no receiver."""
_COMPANION = "Companion"
_PACKAGE = re.compile(r"^\ufeff?[ \t]*package[ \t]++([\w.]++)", re.MULTILINE)

_PACKAGE_OF_CLASS = re.compile(r"(?:[a-z_]\w*\.)+(?=[A-Z])")
"""The package before the name of a class."""

_SOURCES = re.compile(r"(?:^|/)src/\w{1,60}+/(?:java|kotlin|scala|groovy)$")
"""A directory that holds packages."""

_KEYWORD = "namespace"
_NAMESPACE = re.compile(r"^\ufeff?[ \t]*namespace[ \t]+([\w.\\]+)([ \t]*;)?", re.MULTILINE)
"""The declaration of a namespace, with the semicolon of one for the whole file."""
_OUTERMOST = re.compile(r"\n(?:(?:\w+[ \t]+)*(?:class|struct|interface|enum|record)[ \t]|namespace[ \t]*\{)")
"""The beginning of a definition at the left edge of a file, so that no namespace in braces contains it."""

_GLOBAL = re.compile(r"^\ufeff?[ \t]*global[ \t]+using[ \t]+(?:static[ \t]+)?([\w.]+)[ \t]*;", re.MULTILINE)
_INCLUDED = re.compile(r"<Using\s+Include=\"([\w.]+)\"")
_IMPLICIT = re.compile(r"<ImplicitUsings>\s*(?:enable|true)\s*<", re.IGNORECASE)
_IMPLICIT_NAMES = (
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Net.Http.Json",
    "System.Threading",
    "System.Threading.Tasks",
    "Microsoft.AspNetCore.Builder",
    "Microsoft.AspNetCore.Hosting",
    "Microsoft.AspNetCore.Http",
    "Microsoft.AspNetCore.Routing",
    "Microsoft.Extensions.Configuration",
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Extensions.Hosting",
    "Microsoft.Extensions.Logging",
)
"""The namespaces that files see where a project has implicit usings; a program adds its own extensions to them.

The kind of project decides which of them it sees. In one that does not see a namespace, a name of it is an error unless
the file imports it, so that seeing all of them gives no name another meaning.
"""

_VALUES = frozenset({SymbolKind.FUNCTION, SymbolKind.CONSTANT, SymbolKind.VARIABLE})

_MAX_ASKED = 300
"""If more files contain the last word of a namespace, the namespaces of all files are read. Of those with the first
word of a package, only so many are read."""

_FACADE, _FACADE_FILES = "Kt", (".kt", ".kts")
_NAMED_FACADE = re.compile(r"@file:(?:\[\s*)?(?:kotlin\.jvm\.)?JvmName\(\s*(?:name\s*=\s*)?\"(\w+)\"")

_DIRECTORY_MATCHES = (".java", ".kt", ".kts")
_SUFFIXES = (*_DIRECTORY_MATCHES, *_DIRECTORY_FREE)


class _DeclaredNamespaces(Struct, frozen=True):
    """The namespaces that a file declares, each with its line, and whether a definition is outside of all of them."""

    namespaces: tuple[tuple[int, str], ...]
    has_outermost: bool


class JvmNamespaces(ModuleSystem):
    """The namespaces of a snapshot, looked up by the names that files define."""

    extends_any_type = True
    exports_imports = False

    def __init__(self, source: FactSource) -> None:
        self._source = source
        self._directories: defaultdict[str, set[str]] = defaultdict(set)
        for path in source.files:
            directory = path.rpartition("/")[0] if path.endswith(_DIRECTORY_MATCHES) else ""
            while directory and directory not in self._directories[directory.rpartition("/")[2]]:
                if _SOURCES.search(directory):
                    break  # `java` of `src/main/java` is no package.
                self._directories[directory.rpartition("/")[2]].add(directory)
                directory = directory.rpartition("/")[0]
        self._global_modules: Memo[str, tuple[Module, ...]] = Memo(self._find_everywhere, ())
        self._builds = [path for path in source.paths if path.endswith((".csproj", "Directory.Build.props"))]

    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the namespace from which an import takes its name, with the nested classes still to be followed."""
        return self.get_seen_outwards(imported, importer) or self._find(imported, importer)

    def get_seen_outwards(self, imported: Import, importer: str) -> Module | None:
        """Return the nearest namespace around an import of C# that contains the beginning of its name.

        The global one comes last, for an unqualified name.
        """
        if imported.line < 1 or not importer.endswith(_SEEING_OUTWARDS):
            return None
        is_within = any(line <= imported.line for line, _ in self._declared_in(importer).namespaces)
        namespaces = _list_outwards(self._package_at(importer, imported.line)) if is_within else ()
        around = [*namespaces]
        if namespaces and imported.name == "*":
            # A `using` within a namespace may begin in a namespace that the file uses outside of it.
            stars = (each.module for each in self._source.facts(importer).imports if each.name == "*")
            around += [each for each in stars if each != imported.module]
            around += [each.name for each in self._used_everywhere(importer)]
        for outer in around:
            within = structs.replace(imported, module=f"{outer}.{imported.module}".removesuffix("."))
            module = self._find(within, importer)
            if isinstance(module, Module):
                return module
        bare = None if imported.module else self._find(imported, importer)
        return bare if isinstance(bare, Module) else None

    def _find(self, imported: Import, importer: str) -> Module | External:
        parts = imported.module.split(".")
        if importer.endswith(_PREFIX_LEFT_OUT):
            # The members of a companion without a name of its own are those of its class.
            parts = [each for each in parts if each != _COMPANION]
        for end in range(len(parts), 0, -1):
            namespace, inner = ".".join(parts[:end]), tuple(parts[end:])
            wanted = inner[0] if inner else imported.name
            is_found = self._is_namespace(namespace) if wanted in {"", "*"} else self._defines(namespace, wanted)
            # `use App\Pages` names a namespace, of which code takes `Pages\Home`.
            may_be_namespace = not inner and wanted not in {"", "*"} and importer.endswith(_DIRECTORY_FREE)
            if is_found or (may_be_namespace and self._is_namespace(f"{namespace}.{wanted}".lstrip("."))):
                return _module(namespace, _project_of(importer), inner)
            if self._is_facade(namespace, wanted):
                return _module(namespace, _project_of(importer), inner[1:])
            if importer.endswith(_FACADE_FILES) and self._declares_in(importer, namespace, wanted):
                # A file may import what is within its own private classes.
                return structs.replace(_module(namespace, _project_of(importer), inner), file=importer)
        is_bare = self._defines("", parts[0])
        return _module("", _project_of(importer), tuple(parts)) if is_bare else External(imported.module)

    def is_named_alone(self, inner: Module, file: str) -> bool:
        """Return whether a name is that of an outermost package, or of the class that stands for a file of Kotlin."""
        if file.endswith(_DIRECTORY_FREE) or inner.name in self._packages(file):
            return True
        return "." not in inner.name and self._begins_package(inner.name)

    @cached_method
    def _begins_package(self, name: str) -> bool:
        """Return whether the package of some file of Java or Kotlin begins with a name."""
        having = (each for each in self._source.files_with_word(name) if each.endswith(_DIRECTORY_MATCHES))
        return any(self._source.facts(each).package.partition(".")[0] == name for each in islice(having, _MAX_ASKED))

    def submodule(self, module: Module, name: str) -> Module | None:
        if module.file or module.inner:
            return None
        if name == as_namespace(""):
            return _module("", module.directory)
        name = as_written(name)
        inner = name if module.name in {"", _ROOT} else f"{module.name}.{name}"
        if self._is_namespace(inner):
            return _module(inner, module.directory)
        return _module(module.name, module.directory) if self._is_facade(module.name, name) else None

    def _is_facade(self, namespace: str, name: str) -> bool:
        """Return whether a name is the class by which Java reaches the functions of a file of Kotlin."""
        return any(self._package_at(file, 1) == namespace for file in self._facades.get(name, ()))

    @cached_property
    def _facades(self) -> Mapping[str, Sequence[str]]:
        """Return the name of a class such as `UtilKt` → the files that it may stand for."""
        files = [file for file in self._source.files if file.endswith(_FACADE_FILES)]
        named = frozenset(self._source.files_with_word("JvmName")) if files else frozenset()
        found: defaultdict[str, list[str]] = defaultdict(list)
        for file in files:
            stem = file.rpartition("/")[2].rpartition(".")[0]
            match = _NAMED_FACADE.search(self._source.read_text(file)) if file in named else None
            found[match[1] if match is not None else f"{stem[:1].upper()}{stem[1:]}{_FACADE}"].append(file)
        return found

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files that define a name in the namespace; only those of the importer's project, if any."""
        if is_namespace(name):
            return ()
        if module.name == _FALLBACK:
            found = self._files_defining("", as_written(name)) if name else ()
            return tuple(file for file in found if self._has_value(file, as_written(name)))
        files = (
            self._files_defining(module.name, as_written(name))
            if name
            else self._files_by_namespace.get(module.name, ())
        )
        own = tuple(file for file in files if _project_of(file) == module.directory)
        return own or files

    @cached_method
    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the namespace of the file, in C# also those around it, then the module of the outermost ones."""
        project, names = _project_of(file), self._packages(file)
        for package in names if file.endswith(_SEEING_OUTWARDS) else ():
            names = (*names, *_list_outwards(package)[1:])
        names = (*names, "") if file.endswith(_SEEING_OUTWARDS) else names
        names = (*names, _FALLBACK if file.endswith(_FALLING_BACK) else _ROOT)
        seen = tuple(_module(name, project) for name in dict.fromkeys(names))
        return (*seen[:-1], *self._used_everywhere(file), seen[-1])

    def _packages(self, file: str) -> tuple[str, ...]:
        """Return the namespaces that a file declares, the outermost one if it has definitions outside of any."""
        declared = self._declared_in(file)
        found = [*(name for _, name in declared.namespaces), *([""] if declared.has_outermost else ())]
        first = self._source.facts(file).package
        return tuple(dict.fromkeys((first, *(found if len(found) > 1 else ()))))

    @cached_method
    def _declared_in(self, file: str) -> _DeclaredNamespaces:
        """Return the namespaces that the lines of a file declare, if its language allows several."""
        if not (file.endswith(_DIRECTORY_FREE) and self._source.facts(file).package):
            return _DeclaredNamespaces((), has_outermost=False)
        text = self._source.read_text(file)
        declared = tuple(_iter_namespaces(text))
        is_whole = any(each[2] for each in declared)
        has_outermost = bool(declared) and not is_whole and _OUTERMOST.search(f"\n{text}") is not None
        return _DeclaredNamespaces(
            tuple((line_of(text, each.start(1)), _dotted(each[1])) for each in declared), has_outermost
        )

    def _package_at(self, file: str, number: int) -> str:
        """Return the namespace that a line of a file is in: the last one above, or none at the left edge."""
        packages = self._packages(file)
        if len(packages) == 1:
            return packages[0]
        if "" in packages and not self._source.read_line(file, number)[:1].isspace():
            return ""
        above = [name for line, name in self._declared_in(file).namespaces if line <= number]
        return above[-1] if above else _dotted(packages[0])

    def sees_addition(self, file: str, other: str, name: str) -> bool:
        """Return whether a file of Kotlin is in the package of an extension, or imports it."""
        if not file.endswith(_PREFIX_LEFT_OUT):
            return True
        facts, package = self._source.facts(file), self._source.facts(other).package
        is_imported = any(each.module == package and each.name in {name, "*"} for each in facts.imports)
        return facts.package == package or is_imported

    def may_declare(self, file: str, name: str) -> bool:
        """Return whether a name may be a member of a script's host object: `rootProject` in a Gradle script."""
        return file.endswith(_SCRIPT) and name[:1].islower() and not self._begins_package(name)

    def is_lost(self, file: str, name: str) -> bool:
        """Return whether a class that no file declares, but a build may generate, would be in a workspace namespace.

        Except in C#, a name that nothing brings to a file is one of the file's own namespace.
        """
        namespace, dot, _ = name.rpartition(".")
        if not dot:
            if file.endswith(_SEEING_OUTWARDS) or not name[:1].isupper() or not self._source.facts(file).package:
                return False
            return not self._has_outside_star(file)
        if not file.endswith(_DIRECTORY_FREE):
            match = _PACKAGE_OF_CLASS.match(name)
            namespace = match[0].removesuffix(".") if match is not None else ""
        return bool(namespace) and self._is_namespace(namespace)

    @cached_method
    def _has_outside_star(self, file: str) -> bool:
        """Return whether a file imports all classes of a package from outside."""
        stars = (each for each in self._source.facts(file).imports if each.name == "*")
        return any(isinstance(self.find(each, file), External) for each in stars)

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files of the same language that define the name; a Java class is in one file."""
        suffix = file[file.rfind(".") :]
        if suffix == ".java":
            return ()
        candidates = self._source.files_defining(fold_name(as_written(name)))
        return tuple(other for other in candidates if other != file and other.endswith(suffix))

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        if not file.endswith(".java"):
            return self.counterparts(file, name)
        candidates = self._source.files_defining(fold_name(as_written(name)))
        return tuple(other for other in candidates if other.endswith(_PREFIX_LEFT_OUT))

    def dotted_name(self, path: str) -> str:
        """Return the namespace of a file, and its name."""
        package = self._source.facts(path).package
        stem = path.rpartition("/")[2].rpartition(".")[0]
        return f"{package}.{stem}" if package else stem

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return the names of its outermost declarations; files of its own namespace need no import."""
        names = [symbol.name for symbol in self._source.facts(path).symbols if symbol.parent < 0]
        return tuple(dict.fromkeys(names))

    def _used_everywhere(self, file: str) -> tuple[Module, ...]:
        """Return the modules that all files of a C# project see through `global using` and `<Using Include>`."""
        home = self._project_home(file) if file.endswith(_SEEING_OUTWARDS) else None
        return () if home is None else self._global_modules(home)

    def _find_everywhere(self, home: str) -> tuple[Module, ...]:
        """Return the modules that build files, or files below a directory, make visible to all of its files."""
        inside = [each for each in self._source.files_with_word("global") if each.startswith(home)]
        texts = [(each, _GLOBAL) for each in inside if each.endswith(_SEEING_OUTWARDS)]
        builds = [each for each in self._builds if home.startswith(each.rpartition("/")[0])]
        texts += [(each, _INCLUDED) for each in builds]
        names = [name for each, pattern in texts for name in pattern.findall(self._source.read_text(each))]
        if any(_IMPLICIT.search(self._source.read_text(each)) for each in builds):
            names += _IMPLICIT_NAMES
        found = (
            self.find(Import(name, "*", "", 0, 0), f"{home}{_SEEING_OUTWARDS[0]}") for name in dict.fromkeys(names)
        )
        return tuple(module for module in found if isinstance(module, Module))

    def _project_home(self, file: str) -> str | None:
        """Return the directory of a C# file's project, with a slash: the nearest one with a project file."""
        homes = (build.rpartition("/")[0] for build in self._builds if build.endswith(".csproj"))
        around = [f"{home}/" if home else "" for home in homes if not home or file.startswith(f"{home}/")]
        return max(around, key=len, default=None)

    def _defines(self, namespace: str, name: str) -> bool:
        return bool(self._files_defining(namespace, name))

    def _files_defining(self, namespace: str, name: str) -> tuple[str, ...]:
        """Return the files of a namespace that define the name at the top level, so that other files see it."""
        return self._map_defining(name).get(namespace, ())

    @uncut_method
    def _map_defining(self, name: str) -> Mapping[str, tuple[str, ...]]:
        """Map each namespace to its files that define a name at the top level, so that other files see it."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for file in self._source.files_defining(fold_name(name)):
            # Other files do not see what is private in a file of Kotlin, which itself sees it as a name in its scope.
            is_hiding = file.endswith(_FACADE_FILES)
            for each in self._list_named(file, name) if file.endswith(_SUFFIXES) else ():
                if each.exported or not is_hiding:
                    found[self._package_at(file, each.line)][file] = None
        return {namespace: tuple(files) for namespace, files in found.items()}

    def _declares_in(self, file: str, namespace: str, name: str) -> bool:
        """Return whether a file defines a name in a namespace, which other files need not see."""
        return any(self._package_at(file, each.line) == namespace for each in self._list_named(file, name))

    def _list_named(self, file: str, name: str) -> list[Symbol]:
        """Return the definitions of a name at the top level of a file."""
        return [each for each in self._source.facts(file).symbols if each.parent < 0 and each.name == name]

    def _has_value(self, file: str, name: str) -> bool:
        """Return whether a file defines a function or constant of the name at the top level."""
        return any(each.kind in _VALUES for each in self._list_named(file, name))

    @cached_property
    def _files_by_namespace(self) -> Mapping[str, tuple[str, ...]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for file in self._source.files:
            for package in self._packages(file) if file.endswith(_SUFFIXES) else ():
                found[package].append(file)
        return {name: tuple(files) for name, files in found.items()}

    @cached_method
    def _is_namespace(self, name: str) -> bool:
        """Return whether some file declares the namespace, or one within it."""
        path, last = name.replace(".", "/"), name.rpartition(".")[2]
        is_laid_out = any(at == path or at.endswith(f"/{path}") for at in self._directories.get(last, ()))
        return is_laid_out or self._is_declared(name, last)

    def _is_declared(self, name: str, last: str) -> bool:
        """Return whether a file declares the namespace, whatever its directory."""
        if "_declared" in vars(self):
            return name in self._namespaces_left_out or name in self._declared
        candidates = [file for file in self._source.files_with_word(last) if file.endswith(_DIRECTORY_FREE)]
        if len(candidates) > _MAX_ASKED:
            return name in self._namespaces_left_out or name in self._declared
        packages = (package for file in candidates for package in self._packages(file))
        return name in self._namespaces_left_out or any(
            each == name or each.startswith(f"{name}.") for each in packages
        )

    @cached_property
    def _declared(self) -> frozenset[str]:
        """Return the namespaces that files declare, and those around them."""
        return frozenset(around for each in self._files_by_namespace for around in _list_outwards(each))

    @cached_property
    def _namespaces_left_out(self) -> frozenset[str]:
        """Return the namespaces of files of Kotlin, whose directories need not name them, and those around these."""
        files = [file for file in self._source.files if file.endswith(_PREFIX_LEFT_OUT)]
        found = {match[1] for file in files if (match := _PACKAGE.search(self._source.read_text(file))) is not None}
        return frozenset(around for each in found for around in _list_outwards(each))


def _list_outwards(namespace: str) -> tuple[str, ...]:
    """Return a namespace, followed by those around it; () for the outermost one."""
    parts = namespace.split(".") if namespace else []
    return tuple(".".join(parts[:end]) for end in range(len(parts), 0, -1))


def _iter_namespaces(text: str) -> Iterator[re.Match[str]]:
    """Yield the declarations of namespaces in a text."""
    at = text.find(_KEYWORD)
    while at >= 0:
        if (declared := _NAMESPACE.match(text, text.rfind("\n", 0, at) + 1)) is not None:
            yield declared
        at = text.find(_KEYWORD, at + len(_KEYWORD))


def _dotted(namespace: str) -> str:
    """Return a namespace with dots between its parts."""
    return namespace.replace("\\", ".")


def _module(namespace: str, project: str, inner: tuple[str, ...] = ()) -> Module:
    """Return a namespace as files of a project see it."""
    return Module("", project, namespace, inner, _NAME)


def _project_of(path: str) -> str:
    """Return the directory of a file's project, above its sources."""
    return f"/{path}".partition("/src/")[0].lstrip("/") if "/src/" in f"/{path}" else ""


SYSTEM = JvmNamespaces
