"""Neovim on real repositories: does it show what the engine knows?

    python tests/bench/bench_neovim.py DIR…

In a copy of each checkout, Neovim opens a file without a screen and without an index, goes from a usage to its
definition, lists the references, renames the symbol, and writes a line that no grammar takes. The symbol is drawn,
seeded by the name of DIR, from functions and classes whose usages are completely known. Each answer is compared with
that of the engine on the same files.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition
from avionics.settings import Settings
from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer, explore_symbol_usage
from avionics.workspace import Workspace
from tests.lsp.neovim import run_neovim

_NAME = "renamed_by_the_bench"
_BROKEN = "broken = = ( ] }"
_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.CLASS})


def draw(workspace: Workspace, seed: str) -> tuple[Definition, ExploreSymbolUsageAnswer]:
    """Return a definition with two to forty usages, in other files too, that are completely known."""
    files = [file for file in workspace.code.files if role_of(file) is FileRole.PRODUCT]
    found = [
        Definition(file, symbol, at)
        for file in files
        for at, symbol in enumerate(workspace.code.facts(file).symbols)
        if symbol.kind in _KINDS and len(symbol.name) > 3
    ]
    random.Random(seed).shuffle(found)
    for each in found:
        answer = explore_symbol_usage(workspace, each.name, each.file, each.line)
        others = {usage.file for usage in answer.usages} - {each.file}
        is_whole = answer.coverage.certainty is Certainty.EXACT and len(answer.definitions) == 1
        if others and is_whole and 2 <= len(answer.usages) <= 40:
            return each, answer
    sys.exit(f"{seed}: no such symbol")


def measure(root: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch).resolve() / root.name
        shutil.copytree(root, copy, symlinks=True, ignore_dangling_symlinks=True)
        with Workspace.open(copy, Settings(cache_directory=Path(scratch) / "other")) as workspace:
            definition, answer = draw(workspace, root.name)
            usage = next(each for each in answer.usages if each.file != definition.file)
            text = workspace.source.text(usage.file).split("\n")[usage.line - 1]
        at = [usage.line, len(text[: usage.column].encode())]
        started = time.perf_counter()
        seen = run_neovim(
            Path(scratch), root=str(copy), file=usage.file, at=at, renamed_at=at, name=_NAME, broken=_BROKEN
        )
        seconds = time.perf_counter() - started
    lines = {f"{each.file}:{each.line}" for each in answer.usages}
    checks = {
        "definition": seen.get("definition") == [f"{definition.file}:{definition.line}"],
        "references": set(seen.get("references", ())) == lines,
        "rename": set(seen.get("renamed", ())) == lines | {f"{definition.file}:{definition.line}"},
        "diagnostics": seen.get("diagnostic") == "avionics",
    }
    told = ", ".join(f"{what} {'right' if right else 'WRONG'}" for what, right in checks.items())
    print(f"{root.name}: {definition.symbol.qualname}, {len(lines)} lines: {told}; {seconds:.1f} s in all", flush=True)
    if not all(checks.values()):
        print(f"    engine {sorted(lines)}\n    Neovim {seen}")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for each in sys.argv[1:]:
        measure(Path(each).resolve())


if __name__ == "__main__":
    main()
