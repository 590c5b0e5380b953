"""Resolve the names of symbols that callers write, and find names similar to one that does not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.model.file_roles import role_of
from avionics.index.scopes.symbol_lookup import SymbolQuery, is_within
from avionics.model.enums import FUNCTIONS, ScopeKind, SymbolKind, is_class
from avionics.model.errors import UsageError
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition
from avionics.model.naming import did_you_mean, fold_name
from avionics.model.reasons import ReasonKind

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

MAX_PREFIXED = 50
"""Names with a common prefix that are listed."""

_MAX_LINES = 20
"""Lines listed for a local name; a longer function is better read."""

_MAX_COMPARED, _MAX_FILES = 12, 150
"""Definitions whose usages are counted to choose among them, and files that may mention their name."""
_MAX_COUNTED = 600
"""The maximum number of definitions times files that are read for that."""
_MAX_CLASSES, _MAX_LINEAGES = 4, 60
"""The maximum number of classes with one name whose usages are counted, and of those whose bases are compared."""

Lookup = Callable[[], tuple[Definition, ...]]

EXACT, FOLDED, PREFIX = "exact name", "name ignoring case and underscores", "name prefix"


def get_lookups(code: CodeIndex, name: str, scope: str | None) -> dict[str, Lookup]:
    """Return the ways to look a name up by their names, the most certain first."""
    return {
        EXACT: lambda: code.find_definitions(name, scope=scope),
        FOLDED: lambda: find_folded(code, name, scope),
        PREFIX: lambda: _keep_qualified(code, name, code.names.find_prefixed(name, MAX_PREFIXED, scope=scope)),
    }


def resolve_symbol(
    code: CodeIndex, symbol: str, path: str | None = None, line: int | None = None, scope: str | None = None
) -> tuple[Definition, ...]:
    """Return the definitions of a name, likeliest first; a variable may have several.

    The symbol is a name, a dotted name, `file:name` or `file:line`. A file (and a line of it) defines or uses the name;
    a use is followed to its definition. Definitions at or below the scope come first. Raise `UsageError` if the name is
    empty, or a line is given without a file.
    """
    if not symbol.strip():
        raise UsageError("the name is empty", hint="give symbol='Class.method'")
    if path is None:
        if line is not None:
            raise UsageError("a line needs its file", hint="add file='src/app.py'")
        return tuple(sorted(code.find_definitions(symbol), key=lambda each: not is_within(each.file, scope)))
    if line is None:
        return code.find_definitions(symbol, file=path) or _find_used(code, path, symbol, None)
    there = code.names.at(path, line, symbol)
    if there is not None and there.line == line:
        return (there,)
    return _find_used(code, path, symbol, line) or ((there,) if there is not None else ())


def rank_by_use(
    code: CodeIndex, named: tuple[Definition, ...], likely: Sequence[Definition] = ()
) -> tuple[Definition, ...]:
    """Return definitions of one name, the most used first among equally likely ones of product code.

    Usages are counted if that is fast, those of the classes if the methods have none; of many methods, the one that
    most of the others override comes first. `likely` are those that fit the request, by default all.
    """
    if len(named) > _MAX_CLASSES and is_class(named[0].kind):
        return _rank_classes(code, named, likely or named)
    if len(named) < 2:
        return named
    from avionics.index.analysis.symbol_usage import is_for_tests

    # A helper of tests may stand in the file that it tests.
    tested = [each for each in named if not is_for_tests(code, each)]
    named = (*tested, *(each for each in named if each not in tested))
    first = named[0]
    is_type = is_class(first.kind)
    if not (is_type or first.kind in FUNCTIONS):
        return named
    alike = (each for each in likely or named if (is_class(each.kind) if is_type else each.kind in FUNCTIONS))
    equal = [
        each for each in alike if role_of(each.file) is role_of(first.file) and (each in tested) is (first in tested)
    ]
    bodies = {code.graph.body_of(each) for each in equal}
    if len(bodies) < 2:
        return named
    files = len(code.files_with_word(first.name))
    if len(named) <= _MAX_COMPARED and files <= min(_MAX_FILES, _MAX_COUNTED // len(named)):
        counts = {each: _count_usages(code, each) for each in equal}
        if not any(counts.values()):
            counts = {each: _count_holder_usages(code, each) for each in equal}
        ranked = sorted(equal, key=lambda each: -counts[each])
    elif all(each.kind is SymbolKind.METHOD for each in equal):
        ranked = _rank_methods(code, equal)
    else:
        return _rank_classes(code, named, likely or named) if is_type else named
    return (*ranked, *(each for each in named if each not in ranked))


def _count_usages(code: CodeIndex, definition: Definition) -> int:
    """Return how many usages a definition has, those through a wrapper of it included."""
    report = code.usages(definition)
    return len(report.usages) + sum(each.reason.kind is ReasonKind.WRAPPED for each in report.unresolved)


def _count_holder_usages(code: CodeIndex, definition: Definition) -> int:
    """Return how many usages the class of a method has; 0 if it is in no class."""
    holder = code.get_parent(definition)
    return len(code.usages(holder).usages) if holder is not None and is_class(holder.kind) else 0


def _rank_methods(code: CodeIndex, methods: Sequence[Definition]) -> list[Definition]:
    """Return methods of one name: first those that most of the others override, then by the files naming the class."""
    holders = {each: code.get_parent(each) for each in methods}
    classes = [holder for holder in holders.values() if holder is not None and is_class(holder.kind)][:_MAX_LINEAGES]
    inherited = Counter(above for each in classes for above in code.graph.classes.ancestors(each)[0])
    names = {each: each.symbol.qualname.split(".")[-2:][0] for each in methods}
    named_in = {name: len(code.files_with_word(name)) for name in set(names.values())}

    def rank(each: Definition) -> tuple[int, int]:
        holder = holders[each]
        return -(inherited[holder] if holder is not None else 0), -named_in[names[each]]

    return sorted(methods, key=rank)


def _rank_classes(
    code: CodeIndex, named: tuple[Definition, ...], likely: Sequence[Definition]
) -> tuple[Definition, ...]:
    """Return the classes of one name: first the one that most of the others inherit from, then the most imported."""
    role = role_of(named[0].file)
    equal = [each for each in likely if is_class(each.kind) and role_of(each.file) is role][:_MAX_LINEAGES]
    subclasses = Counter(above for each in equal for above in code.graph.classes.ancestors(each)[0] if above in equal)
    imported = {each: _count_importers(code, each) for each in equal} if len(equal) <= _MAX_COMPARED else {}
    ranked = sorted(equal, key=lambda each: (-subclasses[each], -imported.get(each, 0)))
    return (*ranked, *(each for each in named if each not in ranked))


def _count_importers(code: CodeIndex, definition: Definition) -> int:
    """Return how many files contain the name of a definition, and import it or all names from its file."""
    having = frozenset(code.files_with_word(definition.name))
    links = (each for each in code.importers(definition.file) if each.file in having)
    return len({each.file for each in links if not each.names or {definition.name, "*"}.intersection(each.names)})


def find_near(code: CodeIndex, symbol: str, path: str | None = None, limit: int = 5) -> tuple[Definition, ...]:
    """Return similarly named definitions, near ones first, and types first for a capitalized name."""
    wanted = SymbolQuery.read(symbol)
    found = dict.fromkeys(
        (
            *code.find_definitions(wanted.last),
            *code.names.find_folded(symbol),
            *code.names.find_ending(symbol, limit),
            *code.names.find_similar(symbol, limit * 4),
            *code.names.find_prefixed(symbol, limit * 4),
        )
    )
    container = f".{wanted.qualifier.rpartition('.')[2]}."

    is_type = wanted.last[:1].isupper() and not wanted.last.isupper()

    def distance(each: Definition) -> tuple[bool, bool, bool]:
        is_other = is_type and not is_class(each.kind)
        return each.file != path, is_other, wanted.qualifier != "" and container not in f".{each.symbol.qualname}"

    return tuple(sorted(found, key=distance)[:limit])


def build_unknown(code: CodeIndex, symbol: str) -> UsageError:
    """Return the error that no symbol has a name, with the most similar names."""
    near = [each.label for each in find_near(code, symbol, limit=3)]
    hint = did_you_mean(near, "search for a word of it")
    return UsageError(f"no symbol named {symbol!r}", hint=hint)


def find_folded(code: CodeIndex, symbol: str, scope: str | None = None) -> tuple[Definition, ...]:
    """Return the definitions of a name, ignoring case and underscores, whose containers match its qualifier."""
    return _keep_qualified(code, symbol, code.names.find_folded(symbol, scope=scope))


def find_by_alias(code: CodeIndex, dotted: str) -> tuple[Definition, ...]:
    """Return the members of a module that files name by the alias of an import: `shop_views.index`."""
    alias = dotted.partition(".")[0]
    if alias == dotted or not dotted.replace(".", "").isidentifier():
        return ()
    files = sorted(code.files_with_word(alias), key=lambda file: (role_of(file), file))[:_MAX_FILES]
    code.load_facts(files)
    from avionics.index.entrypoints.handlers import module_named

    naming = (file for file in files if any(each.alias == alias for each in code.facts(file).imports))
    return next((found for file in naming if (found := module_named(code, file, dotted))), ())


def find_top_level(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the classes and functions of a file, or of the files of a directory, that no other one contains.

    Those in a namespace or in a module within the file are among them.
    """
    files = [file for file in code.files if is_within(file, path)]
    return tuple(
        each
        for each in code.iter_all_definitions(files)
        if (is_class(each.kind) or each.kind is SymbolKind.FUNCTION)
        and all(around.kind is SymbolKind.MODULE for around in code.facts(each.file).iter_around(each.symbol))
    )


class LocalName(Struct, frozen=True):
    """A name local to a function: the line that binds it, the function, and the lines that use it."""

    line: int
    function: str
    lines: tuple[int, ...]


def find_locals(code: CodeIndex, file: str, symbol: str, line: int | None) -> tuple[LocalName, ...]:
    """Return the local variables and parameters with a name in a file, those bound or used on the line first."""
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
        local = LocalName(bound[0].line, symbols[scopes[holder].symbol].qualname, tuple(lines[:_MAX_LINES]))
        found.append((line is not None and line not in {local.line, *lines}, local))
    return tuple(local for _, local in sorted(found, key=lambda each: each[0]))


def _means(code: CodeIndex, file: str, reference: Reference, scope: int) -> bool:
    """Return whether a bare name refers to the binding in a scope."""
    from avionics.index.model.values import Variable

    variable = Variable(file, scope, reference.name)
    return reference.receiver is None and variable in code.resolver.resolve(file, reference).targets


def _keep_qualified(code: CodeIndex, symbol: str, found: tuple[Definition, ...]) -> tuple[Definition, ...]:
    """Return the definitions whose file and containers match the qualifier."""
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
    """Return the definitions that the uses of a name in a file, or on a line of it, refer to.

    A line that binds the name again, as the other branch of a condition does, means the name's first definition.
    """
    from avionics.index.model.values import Variable

    found: dict[Definition, None] = {}
    for name in code.spec(path).list_bound(SymbolQuery.read(symbol).last):
        again = [b for b in code.uses(path).bindings.get(name, ()) if b.line == line and b.imported < 0]
        found |= dict.fromkeys(code.graph.list_definitions(Variable(path, each.scope, name) for each in again))
        for reference in code.uses(path).references.get(name, ()):
            if line is None or reference.line == line:
                found |= dict.fromkeys(code.graph.list_meant(path, reference))
    return tuple(found)
