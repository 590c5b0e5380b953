"""Subjects: what a question is about: the file, the directory or the definition that a caller's words name.

Knows: how callers name things, and what stands near what they named.
Does not know: any tool.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from avionics.index.names import Wanted, is_within
from avionics.index.places import standing_of
from avionics.index.values import Variable
from avionics.syntax.spec import LANGUAGES
from protocols.errors import UsageError
from protocols.knowledge import Definition

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace


def require_code_file(workspace: Workspace, text: str) -> str:
    """The path of a file whose facts are known; the directory of a package means its own file.

    Raises:
        UsageError: There is no such file, or its language is not known.
    """
    path = workspace.source.resolve(text)
    code = workspace.code
    package = "__init__.py" if path == "." else f"{path}/__init__.py"
    for candidate in (path, package):
        if code.has_file(candidate):
            return candidate
    if path in code.snapshot.entries:
        known = ", ".join(LANGUAGES)
        raise UsageError(f"{path!r} is in no known language", hint=f"known: {known}; read_file shows any text")
    if _is_directory(code, path):
        raise UsageError(f"{path!r} is a directory", hint="name a file in it; map_module shows directories")
    raise _missing(workspace, path)


def require_scope(workspace: Workspace, text: str | None) -> str | None:
    """The path of a directory or file to stay within; None for everything.

    Raises:
        UsageError: There is no such place.
    """
    if text is None:
        return None
    path = workspace.source.resolve(text)
    if path == ".":
        return None
    if path in workspace.code.snapshot.entries or _is_directory(workspace.code, path):
        return path
    raise _missing(workspace, path)


def find_meant(
    workspace: Workspace, symbol: str, file: str | None = None, line: int | None = None, scope: str | None = None
) -> tuple[Definition, ...]:
    """The definitions that a name may mean, the most likely first; those of one variable may be several.

    A file (and line) is where the name is defined or used: a use is followed to what it means there.

    Args:
        workspace: Where to look.
        symbol: A name, a dotted name, or `file:name`.
        file: A file that defines or uses it.
        line: A line of that file.
        scope: Definitions at or below this path come first.

    Raises:
        UsageError: A line without a file, or a file that is not there.
    """
    if file is None:
        if line is not None:
            raise UsageError("a line needs its file", hint="give file='src/app.py' too")
        found = workspace.code.find_definitions(symbol)
        return tuple(sorted(found, key=lambda definition: not is_within(definition.file, scope)))
    path = require_code_file(workspace, file)
    code = workspace.code
    if line is None:
        return code.find_definitions(symbol, file=path) or _find_used(code, path, symbol, None)
    there = code.names.at(path, line, symbol)
    if there is not None and there.line == line:
        return (there,)
    return _find_used(code, path, symbol, line) or ((there,) if there is not None else ())


def find_near(code: CodeIndex, symbol: str, limit: int = 5) -> tuple[Definition, ...]:
    """Definitions a caller may have meant by a name that is none: those of the same container first."""
    wanted = Wanted.read(symbol)
    holder = wanted.qualifier.rpartition(".")[2]
    found = dict.fromkeys(
        (
            *code.find_definitions(wanted.last),
            *code.names.find_folded(symbol),
            *code.names.find_similar(symbol, limit * 4),
            *code.names.find_prefixed(symbol, limit * 4),
        )
    )
    if holder:
        ranked = sorted(found, key=lambda each: not f".{each.symbol.qualname}".endswith(f".{holder}.{each.name}"))
    else:
        ranked = list(found)
    return tuple(ranked[:limit])


def find_paths_like(paths: Iterable[str], text: str) -> tuple[str, ...]:
    """The paths that a file name or a part of a path names, surest first; none for text that is no path.

    A whole path comes before an end of one, then a file name without its suffix, then any part of a path.
    """
    wanted = text.strip().strip("/").lower()
    if not wanted or any(mark in wanted for mark in " \t\n:*?"):
        return ()
    ranked = []
    for path in paths:
        rank = _likeness(path.lower(), wanted)
        if rank:
            ranked.append((rank, standing_of(path), path.count("/"), len(path), path))
    return tuple(entry[-1] for entry in sorted(ranked))


def _likeness(path: str, wanted: str) -> int:
    """How a path is named by a text, 1 is surest; 0 for not at all."""
    if wanted not in path:
        return 0
    if path == wanted:
        return 1
    if path.endswith(f"/{wanted}"):
        return 2
    name = path.rpartition("/")[2]
    if name.partition(".")[0] == wanted or f"/{path}".rpartition(".")[0].endswith(f"/{wanted}"):
        return 3
    return 4 if wanted in name else 5


def _find_used(code: CodeIndex, path: str, symbol: str, line: int | None) -> tuple[Definition, ...]:
    """What the uses of a name in a file (on a line of it) mean."""
    found: dict[Definition, None] = {}
    for reference in code.uses(path).references.get(Wanted.read(symbol).last, ()):
        if line is not None and reference.line != line:
            continue
        for target in code.resolver.resolve(path, reference).targets:
            definition = code.graph.find_definition(target) if isinstance(target, Variable) else None
            if definition is not None:
                found[definition] = None
    return tuple(found)


def _is_directory(code: CodeIndex, path: str) -> bool:
    """Whether files stand below the path."""
    return path == "." or any(each.startswith(f"{path}/") for each in code.snapshot.entries)


def _missing(workspace: Workspace, path: str) -> UsageError:
    near = workspace.source.find_near(path)
    hint = f"did you mean {', '.join(near)}?" if near else "glob_files and tree_structure show what there is"
    return UsageError(f"there is no {path!r}", hint=hint)
