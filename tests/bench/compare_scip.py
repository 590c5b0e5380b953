"""Compare two SCIP exports of the same directory, to tell whether a change of the code changes what is exported.

    python tests/bench/compare_scip.py BEFORE AFTER

Prints how many documents are equal byte by byte, and of the others the occurrences and symbols that only one of them
has. The exit code is 0 if both exports say the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Hashable, Iterator
from pathlib import Path

from avionics.scip.schema import CLASSES

_MAX_SHOWN = 10
"""The differences of a document that are printed."""


def read_documents(path: Path) -> dict[str, bytes]:
    """Return path → document of an index, encoded."""
    message = CLASSES["Index"].FromString(path.read_bytes())
    return {each.relative_path: each.SerializeToString() for each in message.documents}


def iter_statements(encoded: bytes) -> Iterator[Hashable]:
    """Yield each occurrence and each symbol of a document as text."""
    document = CLASSES["Document"].FromString(encoded)
    yield document.language, document.position_encoding
    for each in (*document.occurrences, *document.symbols):
        yield str(each).replace("\n", " ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    asked = parser.parse_args()
    before, after = read_documents(asked.before), read_documents(asked.after)
    same = sum(after.get(path) == encoded for path, encoded in before.items())
    print(f"{same} of {len(before)} documents are equal byte by byte; {len(after.keys() - before.keys())} are new")
    is_different = before.keys() != after.keys()
    for path, encoded in before.items():
        old, new = set(iter_statements(encoded)), set(iter_statements(after.get(path, b"")))
        if old == new:
            continue
        is_different = True
        print(f"{path}: {len(old - new)} only before, {len(new - old)} only after")
        for sign, those in (("-", old - new), ("+", new - old)):
            for each in sorted(map(str, those))[:_MAX_SHOWN]:
                print("  ", sign, each)
    sys.exit(is_different)


if __name__ == "__main__":
    main()
