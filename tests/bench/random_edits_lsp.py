"""5,000 random edits in open buffers with requests in between; every answer must be that of a fresh workspace.

    python tests/bench/random_edits_lsp.py [EDITS] [SEED]

The suite does the same with fewer edits. Ends with an error at the first answer that differs, and prints its text.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.lsp.conftest import FILES, Editor, write
from tests.lsp.random_edits import compare


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch).resolve()
        editor = Editor([write(place / "repository", FILES)], place / "cache")
        try:
            files = ["shop/cart.py", "shop/app.py", "native/list.c"]
            compared = compare(editor, place / "fresh", seed, edits, 5, files)
        finally:
            editor.kill()
    print(f"{edits} edits, {compared} answers compared, none different")


if __name__ == "__main__":
    main()
