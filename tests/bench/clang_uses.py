"""Print every use that clang sees of what a checkout declares in C and C++, one a line, as `JavaUses.java` does.

    python tests/bench/clang_uses.py DIR COUNT [OPTION…]

Needs `pip install libclang`; options are the compiler's. COUNT random sources are parsed with all directories of
headers, then as many headers that none of them includes. A row has file, line, column and name of the use, and file,
line and column of a declaration; there is one row for each declaration of the same entity. Types, members and macros of
C are one entity where one source sees both: two programs of a checkout may each have their `struct state`. Names in
macros count where they are written. What depends on a template's parameters is unknown.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from clang import cindex

_SOURCES = {".c": "c", ".cc": "c++", ".cpp": "c++", ".cxx": "c++"}
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".tcc")
_STANDARDS = {"c": "-std=gnu17", "c++": "-std=gnu++20"}
_PARSE_ALL = 0x1 | 0x200
"""Record macros; go on after a header that is missing."""
_TOKENS_OF_USES = frozenset(
    getattr(cindex.CursorKind, name)
    for name in (
        "TYPE_REF", "TEMPLATE_REF", "NAMESPACE_REF", "MEMBER_REF", "VARIABLE_REF", "DECL_REF_EXPR",
        "MEMBER_REF_EXPR", "CALL_EXPR", "MACRO_INSTANTIATION",
    )
)  # fmt: skip
_UNLINKED = frozenset(
    getattr(cindex.CursorKind, name)
    for name in (
        "STRUCT_DECL", "UNION_DECL", "ENUM_DECL", "TYPEDEF_DECL", "FIELD_DECL", "ENUM_CONSTANT_DECL",
        "MACRO_DEFINITION",
    )
)  # fmt: skip
"""What a source of C cannot share with another, but for the text of a header."""
Place = tuple[str, int, int]


class Table:
    """The declarations and uses of a checkout."""

    def __init__(self, root: Path, options: list[str]) -> None:
        self.root = root
        self.options = options
        self.read: set[str] = set()
        self._index = cindex.Index.create()
        self._seen: set[tuple[str, int, int, int]] = set()
        self._declared: defaultdict[str, set[Place]] = defaultdict(set)
        self._uses: set[tuple[str, Place, Place]] = set()

    def parse(self, file: str, language: str) -> None:
        """Read one source with all that it includes."""
        arguments = ["-x", language, _STANDARDS[language], *self.options]
        try:
            unit = self._index.parse(str(self.root / file), arguments, options=_PARSE_ALL)
        except cindex.TranslationUnitLoadError:
            print(f"{file} cannot be parsed", file=sys.stderr)
            return
        self.read |= {name for each in unit.get_includes() if (name := self._name(each.include.name))} | {file}
        is_outside = cindex.conf.lib.clang_Location_isInSystemHeader
        for top in unit.cursor.get_children():
            if is_outside(top.location):
                continue
            extent, path = top.extent, self._name(top.location.file.name if top.location.file else "")
            key = (path, extent.start.offset, extent.end.offset, top.kind.value)
            source = file if language == "c" else ""
            if path and key not in self._seen:
                self._seen.add(key)
                for cursor in top.walk_preorder():
                    self._add(cursor, source)
            elif path and source:
                self._add(top, source)

    def _add(self, cursor: Any, source: str) -> None:
        """Record a cursor, if it declares or uses something of the checkout."""
        try:
            kind = cursor.kind
        except ValueError:
            # The bindings do not know each kind of the library.
            return
        if kind.is_declaration() or kind == cindex.CursorKind.MACRO_DEFINITION:
            if (place := self._place(cursor.location)) and (identity := cursor.get_usr()):
                self._declared[f"{source} {identity}" if kind in _UNLINKED else identity].add(place)
        elif kind in _TOKENS_OF_USES and (target := cursor.referenced) is not None:
            used, declared, name = self._place(cursor.location), self._place(target.location), target.spelling
            name = name.split("<")[0]
            if used and declared and used != declared and self._is_named(used, name):
                self._uses.add((name, used, declared))

    def rows(self) -> Iterator[str]:
        """Yield what is printed."""
        entities = self._join_declarations()
        for name, used, declared in sorted(self._uses):
            homes = entities.get(declared, {declared})
            if used not in homes:
                for home in sorted(homes):
                    yield "\t".join(map(str, (self.root / used[0], *used[1:], name, self.root / home[0], *home[1:])))

    def _join_declarations(self) -> dict[Place, set[Place]]:
        """Return the declarations of the same entity, by each of them."""
        entities: dict[Place, set[Place]] = {}
        for places in self._declared.values():
            joined = set[Place]().union(places, *(entities.get(each, ()) for each in places))
            entities.update(dict.fromkeys(joined, joined))
        return entities

    def _place(self, location: Any) -> Place | None:
        """Return where something is written; None outside the checkout. Columns are from 0 and of characters."""
        file, line, column, _ = _spelled(location)
        if not (path := self._name(file)):
            return None
        written = _lines(self.root / path)[line - 1].encode()[: column - 1]
        return path, line, len(written.decode("utf-8", "replace"))

    def _is_named(self, place: Place, name: str) -> bool:
        line = _lines(self.root / place[0])[place[1] - 1][place[2] :]
        return line.startswith(name) and not line[len(name) :][:1].isidentifier()

    @cache  # noqa: B019
    def _name(self, file: str) -> str:
        path = Path(file).resolve() if file else Path("/")
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""


def _spelled(location: Any) -> tuple[str, int, int, int]:
    """Return where a location is spelled, which for the argument of a macro is where the argument stands."""
    file, line, column, offset = cindex.c_object_p(), cindex.c_uint(), cindex.c_uint(), cindex.c_uint()
    get = cindex.conf.lib.clang_getSpellingLocation
    get(location, *(cindex.byref(each) for each in (file, line, column, offset)))
    return (cindex.File(file).name if file else ""), line.value, column.value, offset.value


@cache
def _lines(path: Path) -> list[str]:
    return [*path.read_text("utf-8", "replace").split("\n"), ""]


def main() -> None:
    """Parse the checkout; print the rows."""
    root = Path(sys.argv[1]).resolve()
    files = sorted(each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file())
    files = [each for each in files if not each.startswith(".git/")]
    headers = [each for each in files if each.endswith(_HEADERS)]
    above = {root / each for file in headers for each in Path(file).parents}
    table = Table(root, [*(f"-I{each}" for each in sorted(above)), "-D_GNU_SOURCE", *sys.argv[3:]])
    chance, count = random.Random(root.name), int(sys.argv[2])
    sources = [each for each in files if Path(each).suffix in _SOURCES]
    for file in chance.sample(sources, min(count, len(sources))):
        table.parse(file, _SOURCES[Path(file).suffix])
    language = "c++" if any(_SOURCES.get(Path(each).suffix) == "c++" for each in files) else "c"
    unread = [file for file in headers if file not in table.read]
    for file in chance.sample(unread, min(count, len(unread))):
        table.parse(file, language)
    sys.stdout.writelines(f"{row}\n" for row in table.rows())


if __name__ == "__main__":
    main()
