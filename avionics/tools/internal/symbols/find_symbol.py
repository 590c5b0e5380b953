"""find_symbol: definitions by name.

Knows: names, and how they may be misremembered.
Does not know: who uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.model.enums import Certainty, SymbolKind
from avionics.model.errors import UsageError
from avionics.model.knowledge import Definition
from avionics.model.results import Attempt, Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.fallback_chain import FallbackChain
from avionics.tools.answers.items import SymbolItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import find_folded, find_near, find_prefixed, require_scope

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_START = "the start of the name"
_MAX_PREFIXED = 50
"""So many names of the same start are listed."""


@attrs.frozen
class FindSymbolAnswer:
    """The definitions, by the surest way that found any."""

    name: str
    kind: SymbolKind | None
    scope: str
    way: str
    coverage: Coverage
    attempts: tuple[Attempt, ...]
    symbols: tuple[SymbolItem, ...] = part("")
    near: tuple[SymbolItem, ...] = part("near names")

    def headline(self) -> str:
        """How many there are, and by which way."""
        if not self.way:
            kind = f" as {self.kind.value}" if self.kind else ""
            return f"nothing defines {self.name!r}{kind}{f' within {self.scope}' if self.scope else ''}"
        return f"{self.name!r}: {self.coverage.found} by {self.way}"


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
        name: A name, a dotted name such as Class.method, or file:name.
        kind: Only definitions of this kind.
        scope: A directory or file to stay within.
    """
    if not name.strip():
        raise UsageError("the name is empty", hint="give name='Class.method'")
    code, within, ladder = workspace.code, require_scope(workspace, scope), FallbackChain()

    def keep(found: tuple[Definition, ...]) -> tuple[Definition, ...]:
        return tuple(each for each in found if kind is None or each.kind == kind)

    ways = {
        "exact name": lambda: keep(code.find_definitions(name, scope=within)),
        "the name without regard to case and underscores": lambda: keep(find_folded(code, name, within)),
        _START: lambda: keep(find_prefixed(code, name, _MAX_PREFIXED, within)),
    }
    for way, find in ways.items():
        found = ladder.try_step(way, find)
        if found:
            # Names of one start are cut before their kind is looked at.
            is_cut = way == _START and (kind is not None or len(found) >= _MAX_PREFIXED)
            coverage = Coverage(len(found), len(found), Certainty.AT_LEAST if is_cut else Certainty.EXACT)
            return FindSymbolAnswer(
                name, kind, within, way, coverage, ladder.attempts, tuple(map(SymbolItem.of, found))
            )
    near = ladder.try_step("near names", lambda: find_near(code, name))
    return FindSymbolAnswer(
        name, kind, within, "", Coverage(0, 0), ladder.attempts, near=tuple(map(SymbolItem.of, near))
    )
