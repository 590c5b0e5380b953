"""find_symbol: find definitions by name."""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from avionics.index.model.file_roles import is_declaration_file, role_of
from avionics.model.enums import SymbolKind
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import SymbolItem, symbol_items
from avionics.tools.answers.next_step import suggest_meant
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_scope
from avionics.tools.resolution.symbol_resolver import MAX_PREFIXED, PREFIX, Lookup, find_near, get_lookups
from avionics.workspace import Workspace


class FindSymbolAnswer(Struct, frozen=True):
    """The definitions, by the most certain way that found any."""

    name: str
    kind: SymbolKind | None
    scope: str
    way: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    symbols: tuple[SymbolItem, ...] = part("")
    near: tuple[SymbolItem, ...] = part("similar names")

    def headline(self) -> str:
        if not self.way:
            within = f" within {self.scope}" if self.scope else ""
            return f"no {self.kind.value if self.kind else 'symbol'} named {self.name!r}{within}"
        return f"{self.name!r}: {plural(self.coverage.found, 'definition')} by {self.way}"


@tool(
    ToolId.FIND_SYMBOL,
    accepts="a name, perhaps dotted",
    returns="its definitions, those of product code first",
    fallbacks=(ToolId.LOCATE,),
)
def find_symbol(
    workspace: Workspace, name: str, kind: SymbolKind | None = None, scope: str | None = None
) -> FindSymbolAnswer:
    """Find the definitions of a name.

    Args:
        name: A name, a dotted name such as Class.method, file:name or file:line.
        kind: Only definitions of this kind.
        scope: A directory or file to stay within.
    """
    if not name.strip():
        raise UsageError("the name is empty", hint="give name='Class.method'")
    code, fallbacks = workspace.code, FallbackChain()
    within = require_scope(code, workspace.source, scope)
    for way, find in get_lookups(code, name, within).items():
        found = fallbacks.try_step(way, partial(_find_of_kind, find, kind))
        if found:
            # The list of names with a prefix is cut before it is filtered by kind.
            is_cut = way == PREFIX and (kind is not None or len(found) >= MAX_PREFIXED)
            coverage = Coverage.of(len(found), is_exact=not is_cut)
            return FindSymbolAnswer(name, kind, within, way, coverage, fallbacks.attempts, symbol_items(found))
    near = fallbacks.try_step("near names", lambda: find_near(code, name))
    meant = suggest_meant(ToolId.FIND_SYMBOL, [each.symbol.qualname for each in near], "name", scope=scope)
    coverage = Coverage(0, 0, next=meant)
    return FindSymbolAnswer(name, kind, within, "", coverage, fallbacks.attempts, near=symbol_items(near))


def _find_of_kind(find: Lookup, kind: SymbolKind | None) -> tuple[Definition, ...]:
    """Return the definitions of a lookup that have the kind, or all of them if it is None; declaration files last."""
    found = [each for each in find() if kind is None or each.kind is kind]
    return tuple(sorted(found, key=lambda each: (role_of(each.file), is_declaration_file(each.file))))
