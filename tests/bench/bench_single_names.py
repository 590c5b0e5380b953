"""List what to read first when "complete" is doubted: names that are defined once, and mentions said to mean another.

    python tests/bench/bench_single_names.py REPOSITORY [--symbols 200] [--seed 1]

Takes a random sample of the definitions whose names nothing else in the repository has. If an answer about one claims
to be complete although code mentions the name as something from outside, either a library has the name too or the
inference is at fault. Prints each such definition with its mentions, to be read by hand, and how many there are. Word
grep finds every one of these mentions, and every use of a library's name as well; its share is printed beside.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import is_product
from avionics.index.model.values import Variable
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition, UsageReport
from avionics.model.naming import called
from avionics.settings import Settings
from avionics.workspace import Workspace

_MIN_LENGTH = 6
"""Shorter names are those of too many things in libraries."""
_MAX_SHOWN = 3


def list_single(code: CodeIndex) -> list[Definition]:
    """Return the definitions of product code whose names no other definition has."""
    every = [each for file in code.files for each in code.iter_definitions(file)]
    counts = Counter(each.name for each in every)
    return [
        each
        for each in every
        if counts[each.name] == 1
        and len(each.name) >= _MIN_LENGTH
        and each.kind is not SymbolKind.MODULE
        and is_product(each.file)
    ]


def iter_doubtful(code: CodeIndex, definition: Definition, report: UsageReport) -> Iterator[str]:
    """Yield the lines of code that mention a name, and are neither a usage nor a use of a variable of that name."""
    known = {(definition.file, definition.line), *((each.file, each.line) for each in report.usages)}
    for file in filter(code.has_file, code.files_with_word(definition.name)):
        references = code.uses(file).references
        for each in (*references.get(definition.name, ()), *references.get(called(definition.name), ())):
            targets = code.resolver.resolve(file, each).targets
            if (file, each.line) not in known and not any(isinstance(target, Variable) for target in targets):
                yield f"{file}:{each.line}  {code.read_lines(file)[each.line - 1].strip()[:100]}"


def main() -> None:
    """Print the claims to be read."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        settings = structs.replace(Settings.from_environment(), cache_directory=Path(cache))
        with Workspace.open(options.repository.resolve(), settings) as workspace:
            code = workspace.code
            single = list_single(code)
            asked = random.Random(options.seed).sample(single, min(options.symbols, len(single)))
            claims = doubtful = agreed = 0
            for each in asked:
                report = code.usages(each)
                ledger = report.ledger
                if report.certainty is not Certainty.EXACT or ledger is None:
                    continue
                claims += 1
                agreed += ledger.mentions == ledger.definitions + ledger.usages
                lines = list(iter_doubtful(code, each, report)) if ledger.others else []
                doubtful += bool(lines)
                if lines:
                    print(f"{each.file}:{each.line} {each.kind.value} {each.symbol.qualname}: {len(lines)} to read")
                    print(*(f"    {line}" for line in lines[:_MAX_SHOWN]), sep="\n")
    print(f"{len(asked)} of {len(single)} names defined once, {claims} claims, {doubtful} to read")
    print(f"word grep alone agrees with {agreed} of the claims")


if __name__ == "__main__":
    main()
