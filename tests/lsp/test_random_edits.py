"""After any edits the server answers as one that was started on the same text."""

from __future__ import annotations

import pytest

from tests.lsp.random_edits import compare


@pytest.mark.parametrize("seed", [1, 2])
def test_after_random_edits_answers_are_those_of_a_fresh_workspace(seed, start, tmp_path):
    files = ["shop/cart.py", "shop/app.py", "native/list.c"]
    assert compare(start(), tmp_path, seed, edits=120, each=12, files=files) == 30
