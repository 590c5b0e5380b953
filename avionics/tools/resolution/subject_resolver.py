"""Subjects: what a question is about: the file, the directory or the definition that a caller's words name.

Knows: how callers name things, and what stands near what they named.
Does not know: any tool.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import find_package_files, role_of
from avionics.index.model.values import Variable
from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.symbol_lookup import SymbolQuery, is_within
from avionics.model.enums import ScopeKind, SymbolKind
from avionics.model.errors import UsageError
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.syntax.registry import LANGUAGES

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_MAX_LINES = 20
"""Lines of a local name that are told: longer functions are read, not asked about."""
_MIN_PART = 3
"""Shorter parts of a path name nearly every file."""


def require_code_file(workspace: Workspace, text: str) -> str:
    """The path of a file whose facts are known; the directory of a package means its own file.

    Raises:
        UsageError: There is no such file, or its language is not known.
    """
    path = workspace.source.resolve(text)
    code = workspace.code
    for candidate in (path, *find_package_files(path)):
        if code.has_file(candidate):
            return candidate
    if path in code.snapshot.entries:
        known = ", ".join(LANGUAGES)
        raise UsageError(f"{path!r} is in no known language", hint=f"known: {known}; read_code shows any text")
    if _is_directory(code, path):
        raise UsageError(f"{path!r} is a directory", hint="name a file in it; map_module shows directories")
    raise _missing(workspace, path)


def require_scope(workspace: Workspace, text: str | None) -> str:
    """The path of a directory or file to stay within; "" for everything.

    Raises:
        UsageError: There is no such place.
    """
    path = workspace.source.resolve(text or ".")
    if path == ".":
        return ""
    if path in workspace.code.snapshot.entries or _is_directory(workspace.code, path):
        return path
    raise _missing(workspace, path)


def resolve_symbol(
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


@attrs.frozen
class Local:
    """A name within a function: the line that gives it a meaning, the function, and the lines that use it."""

    line: int
    holder: str
    lines: tuple[int, ...]


def find_locals(code: CodeIndex, file: str, symbol: str, line: int | None = None) -> tuple[Local, ...]:
    """The local variables and parameters of that name in a file, those that the line binds or uses first."""
    if not code.has_file(file):
        return ()
    uses, scopes, symbols = code.uses(file), code.uses(file).scopes, code.facts(file).symbols
    found = []
    for at in dict.fromkeys(binding.scope for binding in uses.bindings.get(symbol, ())):
        holder = at
        while holder >= 0 and scopes[holder].kind is not ScopeKind.FUNCTION:
            holder = scopes[holder].parent if scopes[holder].kind is not ScopeKind.CLASS else -1
        while holder >= 0 and scopes[holder].symbol < 0:
            holder = scopes[holder].parent
        bound = [each for each in uses.bindings[symbol] if each.scope == at]
        if holder < 0 or any(each.symbol >= 0 or each.imported >= 0 for each in bound):
            continue
        lines = sorted({each.line for each in uses.references.get(symbol, ()) if _means(code, file, each, at)})
        local = Local(bound[0].line, symbols[scopes[holder].symbol].qualname, tuple(lines[:_MAX_LINES]))
        found.append((line is not None and line not in {local.line, *lines}, local))
    return tuple(local for _, local in sorted(found, key=lambda each: each[0]))


def _means(code: CodeIndex, file: str, reference: Reference, scope: int) -> bool:
    """Whether a bare name means what a scope binds under it."""
    variable = Variable(file, scope, reference.name)
    return reference.receiver is None and variable in code.resolver.resolve(file, reference).targets


def find_near(code: CodeIndex, symbol: str, file: str | None = None, limit: int = 5) -> tuple[Definition, ...]:
    """Definitions a caller may have meant by a name that is none: those of the same file and container first."""
    wanted = SymbolQuery.read(symbol)
    found = dict.fromkeys(
        (
            *code.find_definitions(wanted.last),
            *code.names.find_folded(symbol),
            *code.names.find_similar(symbol, limit * 4),
            *code.names.find_prefixed(symbol, limit * 4),
        )
    )
    holder = f".{wanted.qualifier.rpartition('.')[2]}."

    def distance(each: Definition) -> tuple[bool, bool]:
        return each.file != file, wanted.qualifier != "" and holder not in f".{each.symbol.qualname}"

    return tuple(sorted(found, key=distance)[:limit])


def find_folded(code: CodeIndex, symbol: str, scope: str | None = None) -> tuple[Definition, ...]:
    """The definitions of a name without regard to case and underscores; what stands before the dot must hold them."""
    return _held(code, symbol, code.names.find_folded(symbol, scope=scope))


def find_prefixed(code: CodeIndex, symbol: str, limit: int, scope: str | None = None) -> tuple[Definition, ...]:
    """The definitions whose names start so; what stands before the dot must hold them."""
    return _held(code, symbol, code.names.find_prefixed(symbol, limit, scope=scope))


def find_top_level(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """The classes and functions that a file, or the files of a directory, define for others."""
    files = [file for file in code.files if is_within(file, path)]
    code.load_facts(files)
    every = (Definition(file, symbol, at) for file in files for at, symbol in enumerate(code.facts(file).symbols))
    return tuple(
        each for each in every if each.symbol.parent < 0 and (is_class(each.kind) or each.kind is SymbolKind.FUNCTION)
    )


def find_paths(paths: Iterable[str], text: str) -> tuple[str, ...]:
    """The paths that a text names, by the surest way that names any; none for text that is no path.

    Ways: the whole path; its end; a file name without suffix; part of a file name; part of a path.
    """
    wanted = text.strip().strip("/").removeprefix("./").lower()
    if not wanted or any(mark in wanted for mark in " \t\n:*?("):
        return ()
    by_rank: dict[int, list[str]] = {}
    for path in paths:
        by_rank.setdefault(_likeness(path.lower(), wanted), []).append(path)
    by_rank.pop(0, None)
    surest = by_rank[min(by_rank)] if by_rank else ()
    return tuple(sorted(surest, key=lambda path: (role_of(path), path.count("/"), len(path), path)))


def _likeness(path: str, wanted: str) -> int:
    """By which way a text names a path, 1 is the surest; 0 for by none."""
    if wanted not in path:
        return 0
    if path == wanted:
        return 1
    if path.endswith(f"/{wanted}"):
        return 2
    if f"/{path}".rpartition(".")[0].endswith(f"/{wanted}"):
        return 3
    if len(wanted) < _MIN_PART:
        return 0
    return 4 if wanted in path.rpartition("/")[2] else 5


def _held(code: CodeIndex, symbol: str, found: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Those of the definitions whose file and containers are the ones the caller wrote."""
    wanted = SymbolQuery.read(symbol)
    holder = fold_name(f".{wanted.qualifier}")
    return tuple(
        each
        for each in found
        if (not wanted.file or f"/{each.file}".endswith(f"/{wanted.file}"))
        and (
            not wanted.qualifier
            or fold_name(f".{code.dotted_name(each.file)}.{each.symbol.qualname}".rpartition(".")[0]).endswith(holder)
        )
    )


def _find_used(code: CodeIndex, path: str, symbol: str, line: int | None) -> tuple[Definition, ...]:
    """What the uses of a name in a file (on a line of it) mean."""
    found: dict[Definition, None] = {}
    for reference in code.uses(path).references.get(SymbolQuery.read(symbol).last, ()):
        if line is not None and reference.line != line:
            continue
        for target in code.resolver.resolve(path, reference).targets:
            definition = code.graph.get_definition(target) if isinstance(target, Variable) else None
            if definition is not None:
                found[definition] = None
    return tuple(found)


def _is_directory(code: CodeIndex, path: str) -> bool:
    """Whether files stand below the path."""
    return path == "." or any(each.startswith(f"{path}/") for each in code.snapshot.entries)


def _missing(workspace: Workspace, path: str) -> UsageError:
    near = workspace.source.find_near(path)
    hint = f"did you mean {', '.join(near)}?" if near else "map_module(path='.') shows what there is"
    return UsageError(f"there is no {path!r}", hint=hint)
