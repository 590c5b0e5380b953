"""5,000 random edits in open buffers with requests in between; every answer must be that of a fresh workspace.

    python tests/bench/random_edits_lsp.py [EDITS] [SEED] [DIR SUFFIX]

The edits are made in three files of a small example, or in four of those with a suffix in a copy of DIR. The suite does
the same with fewer edits. Ends with an error at the first answer that differs, and prints its text.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conftest import write_files
from tests.lsp.conftest import FILES, Editor
from tests.lsp.random_edits import compare


def draw_files(root: Path, suffix: str, seed: int) -> list[str]:
    """Four files that are neither tiny nor huge."""
    found = [path for path in sorted(root.rglob(f"*{suffix}")) if 200 < path.stat().st_size < 30_000]
    return [path.relative_to(root).as_posix() for path in random.Random(seed).sample(found, min(4, len(found)))]


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch).resolve()
        root, files = place / "repository", ["shop/cart.py", "shop/app.py", "native/list.c"]
        if len(sys.argv) > 4:
            shutil.copytree(sys.argv[3], root, symlinks=True)
            files = draw_files(root, sys.argv[4], seed)
        else:
            write_files(root, FILES)
        editor = Editor([root], place / "cache")
        try:
            compared = compare(editor, place / "fresh", seed, edits, 5, files)
        finally:
            editor.kill()
    print(f"{edits} edits, {compared} answers compared, none different")


if __name__ == "__main__":
    main()
