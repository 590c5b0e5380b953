"""What a layout answers: which files an import means, and what a file sees without importing it.

Knows: the questions.
Does not know: any answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from avionics.index.glances import Glances
from avionics.index.values import External, Module
from protocols.facts import FileFacts, Import


class LayoutSource(Protocol):
    """What a layout may look at."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path of the snapshot, sorted: manifests and files of no known language too."""
        ...

    @property
    def files(self) -> tuple[str, ...]:
        """The paths whose language is known, sorted."""
        ...

    def has_file(self, path: str) -> bool:
        """Whether the snapshot has facts of the file."""
        ...

    def facts(self, path: str) -> FileFacts:
        """The outline of a file."""
        ...

    @property
    def glances(self) -> Glances:
        """What is quickly known of many files."""
        ...

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """The files in which the identifier occurs, sorted."""
        ...

    def files_defining(self, folded: str, /) -> tuple[str, ...]:
        """The files that define a symbol of that folded name (`protocols.naming.fold_name`)."""
        ...

    def read_text(self, path: str) -> str:
        """The text of a small file such as a manifest; "" where it cannot be read."""
        ...


class Layout(Protocol):
    """How one family of languages lays code out in files. Built once a snapshot, with a `LayoutSource`."""

    private_prefix: str
    """Names that start so are not taken by star imports; "" where there is no such rule."""

    def find(self, found: Import, importer: str) -> Module | External:
        """The module an import in the importing file takes its name from (or is, where it takes none)."""
        ...

    def submodule(self, module: Module, name: str) -> Module | None:
        """The module of that name inside a module, or None."""
        ...

    def files_of(self, module: Module, name: str) -> tuple[str, ...]:
        """The files whose top level may bind the name for a module that is no file: some of a package's.

        For "" all files of a package that is imported as a whole.
        """
        ...

    def ambient(self, file: str) -> tuple[Module, ...]:
        """What a file sees without importing it by name, nearest first: its package, its includes."""
        ...

    def counterparts(self, file: str, name: str) -> tuple[str, ...]:
        """Other files where what a file declares by that name may be declared, or be given a member so named, too.

        A stub, a prototype, a part of the same class; a Go receiver, a Rust `impl`.
        """
        ...

    def dotted_name(self, path: str) -> str:
        """The name a file is imported by."""
        ...

    def mentions(self, path: str) -> tuple[str, ...]:
        """Words of which a file that imports this one contains at least one; () where an importer writes none."""
        ...


@runtime_checkable
class OpenLayout(Protocol):
    """A layout whose types are given members in other files than those that may declare them again."""

    def additions(self, file: str, name: str) -> tuple[str, ...]:
        """The other files where a type of `file` may be given a member of that name; bases, for the type's own name."""
        ...


@runtime_checkable
class SightLayout(Protocol):
    """A layout by which a file sees what the files see that it includes."""

    def sight(self, targets: Sequence[str], files: Iterable[str]) -> Mapping[str, int]:
        """File → which of the targets it sees, as bits in their order; files that see none are left out."""
        ...


@runtime_checkable
class ProgramLayout(Protocol):
    """A layout whose manifests name programs."""

    def program_name(self, path: str) -> str:
        """What the program that begins with a file is called; "" where none does."""
        ...


@runtime_checkable
class DeclaringLayout(Protocol):
    """A layout in which one file may declare the types of what another holds: `index.d.ts` beside `index.js`."""

    def declared_beside(self, file: str) -> tuple[str, ...]:
        """The file that declares the same as the given one, or holds what that declares; () where there is none."""
        ...


@runtime_checkable
class GivingLayout(Protocol):
    """A layout in which what a file binds may belong to another module: an exported macro to its crate's root."""

    def given_from(self, module: Module, name: str) -> tuple[str, ...]:
        """The other files whose top level binds the name for a module."""
        ...
