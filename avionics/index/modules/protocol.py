"""The protocol of a module system: the files an import resolves to, and what is visible without an import."""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from avionics.index.facts.fact_source import FactSource
from avionics.index.model.file_roles import is_directory_file
from avionics.index.model.values import External, Module
from avionics.model.facts import Import


class ModuleSystem(abc.ABC):
    """How a family of languages lays out modules in files. Built once per snapshot."""

    private_prefix: ClassVar[str] = ""
    """Star imports skip names with this prefix; "" if the languages have no such rule."""

    extends_any_type: ClassVar[bool] = False
    """Whether any file may add members to any type, including types declared outside the workspace."""

    exports_imports: ClassVar[bool] = True
    """Whether what a file imports may be imported from it."""

    shares_functions: ClassVar[bool] = False
    """Whether a function at the top level of a file is one of every object, whichever file loads it."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    @abc.abstractmethod
    def find(self, imported: Import, importer: str) -> Module | External:
        """Return the module that an import takes a name from (`from a import b`) or imports as a whole (`import a`)."""

    def get_seen_outwards(self, imported: Import, importer: str) -> Module | None:
        """Return the module from which an import takes a name without naming the module, or None.

        In C#, `using` within `namespace Shop` may mean a namespace of `Shop`.
        """
        return None

    def find_all(self, imported: Import, importer: str) -> tuple[Module | External, ...]:
        """Return every module that an import may mean, if conditions of the build choose one of several."""
        return (self.find(imported, importer),)

    def is_named_alone(self, inner: Module, file: str) -> bool:
        """Return whether a file may name a module by its last part alone, because it sees the module around it."""
        return True

    def submodule(self, module: Module, name: str) -> Module | None:
        """Return the module of that name inside a module, or None."""
        return None

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """Return the files whose top level may bind the name, for a module that spans several files.

        With "" as the name, return all files of a package that is imported as a whole.
        """
        return (module.file,) if module.file else ()

    def ambient(self, file: str) -> tuple[Module, ...]:
        """Return the modules visible in a file without an import, nearest first: its package, its includes."""
        return ()

    def is_of_library(self, name: str) -> bool:
        """Return whether a module of this name, if one file declares it, adds to that of a library."""
        return False

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files that may declare the same name again, or add members to it.

        Examples are a stub, a prototype, another part of a partial class, a Go receiver and a Rust `impl`.
        """
        return ()

    def list_mistaken(self, file: str) -> tuple[tuple[str, int], ...]:
        """Return the files and lines whose import may mean a file, although it is taken for another one."""
        return ()

    def sees_addition(self, file: str, other: str, name: str) -> bool:
        """Return whether a file sees a member of that name that another one adds to a type at its top level."""
        return True

    def may_declare(self, file: str, name: str) -> bool:
        """Return whether a file that this one is not known to see may declare a name that is unbound here."""
        return False

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """Return the other files that may add a member of that name to a type declared in `file`."""
        return self.counterparts(file, name)

    @abc.abstractmethod
    def dotted_name(self, path: str) -> str:
        """Return the name a file is imported by."""

    def mentions(self, path: str) -> tuple[str, ...]:
        """Return words of which every importer of the file contains at least one; () if importers need none."""
        return ()

    def directories_of(self, path: str) -> tuple[str, ...]:
        """Return the directories that resolve to a file when they are imported; files in them need not name it."""
        return (path.rpartition("/")[0],) if is_directory_file(path) else ()

    def select_naming(self, path: str, files: Sequence[str]) -> Sequence[str]:
        """Return those of some files, which have a word of `mentions`, that by their other words can import a file."""
        return files

    def list_packages_around(self, path: str) -> tuple[str, ...] | None:
        """Return the files of the packages around a file: code that imports one may reach the file by its name.

        Return None if files of the language may use each other's definitions without importing anything.
        """
        return None

    def declared_beside(self, file: str) -> tuple[str, ...]:
        """Return the file that declares the same module, such as `index.d.ts` for `index.js`, or ()."""
        return ()

    def list_unlocated(self, file: str) -> tuple[tuple[str, Import], ...]:
        """Return the imports of a file's package that match none of its files, each with the importing file."""
        return ()

    def is_lost(self, file: str, name: str) -> bool:
        """Return whether a dotted name that resolves to nothing begins in the workspace, and so is no external name."""
        return False

    def declares_beside(self, file: str, name: str) -> bool:
        """Return whether a name that an import seems to bind in a file is declared by another file of its package."""
        return False

    def may_bring(self, file: str) -> bool:
        """Return whether names that are not in the index may be in scope in a file, through star imports or macros."""
        return False

    def get_first_read(self, file: str, files: Collection[str]) -> str | None:
        """Return which of some files is read first where a file includes them; None if it includes none."""
        return None

    def includers(self, file: str) -> tuple[str, ...]:
        """Return the files that include the text of a file without a module of its own, as Rust's `include!` does."""
        return ()

    def is_declared(self, name: str) -> bool:
        """Return whether the workspace declares a module that has no file: `declare module "a"`."""
        return False

    def list_bringing(self, file: str, name: str) -> tuple[str, ...]:
        """Return the files from which a build brings an exported name into a file that does not import it."""
        return ()

    def may_be_brought(self, file: str) -> bool:
        """Return whether a build may bring exported names into a file that does not import them."""
        return False

    def is_listed(self, file: str) -> bool:
        """Return whether code loads a file as one of all in a directory, and has what it exports without its name."""
        return False

    def is_root(self, file: str) -> bool:
        """Return whether a build compiles a file without another file that declares it, as the root of a crate."""
        return False

    def program_name(self, path: str) -> str:
        """Return the name that a manifest gives the program starting in the file, or ""."""
        return ""

    def given_from(self, module: Module, name: str) -> tuple[str, ...]:
        """Return other files whose top level binds the name for a module, such as a crate's exported macros."""
        return ()

    def map_included(self, targets: Sequence[str], files: Iterable[str]) -> Mapping[str, int] | None:
        """Return file → bit set of the targets that it includes, directly or not; None if files include nothing.

        Bit i stands for `targets[i]`. Files that include no target are left out.
        """
        return None

    def list_seeing(self, files: Sequence[str]) -> frozenset[str] | None:
        """Return the files and all that include them, directly or not; None if still others may see their names."""
        return None

    def may_see_more(self, file: str) -> bool:
        """Return whether a file includes, directly or not, a file of the same project that the workspace lacks."""
        return False

    def included(self, file: str) -> tuple[str, ...] | None:
        """Return the files that a file includes itself, or None if its imports have to be read from its outline."""
        return None
