"""Neovim without a screen starts the server, jumps, lists references, renames, and shows diagnostics."""

from __future__ import annotations

import pytest

from tests.conftest import write_files
from tests.lsp.conftest import FILES
from tests.lsp.neovim import read_version, run_neovim


@pytest.mark.skipif(read_version() < (0, 7), reason="Neovim 0.7 or newer is not installed")
def test_neovim_jumps_lists_references_renames_and_shows_diagnostics(tmp_path):
    root = write_files(tmp_path.resolve() / "repository", FILES)
    asked = {"file": "shop/app.py", "at": [5, 12], "renamed_at": [4, 4], "name": "start", "broken": "broken = (1"}
    assert run_neovim(tmp_path, root=str(root), **asked) == {
        "definition": ["shop/cart.py:9"],
        "references": ["shop/app.py:1", "shop/app.py:5", "tests/test_cart.py:1", "tests/test_cart.py:5"],
        "renamed": ["shop/app.py:4"],
        "diagnostic": "avionics",
    }
