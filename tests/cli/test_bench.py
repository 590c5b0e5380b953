"""`avionics bench`: times, certainty and ledgers of a user's repository, losing rows first."""

from __future__ import annotations

import json
import shutil

import pytest

from avionics.cli.bench import BenchRow
from avionics.cli.main import main

FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return 1\n",
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().total()\n",
}


def test_a_repository_is_measured(directory, capsys, tmp_path):
    root = directory(FILES)
    assert main(["bench", str(root), "--symbols", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    ledgers = document["ledgers"]
    assert (ledgers["symbols"], ledgers["adding_up"]) == (3, 3)
    assert not (tmp_path / "cache").exists()
    if shutil.which("rg"):
        assert (ledgers["searched"], ledgers["same_as_search"]) == (3, 3)
        assert {row["other"] for row in document["rows"]} >= {"rg --word-regexp"}
    ratios = [
        row["milliseconds"] / max(row["other_milliseconds"], 1.0) if row["other"] else 0.0 for row in document["rows"]
    ]
    assert ratios == sorted(ratios, reverse=True)


def test_it_reads_as_a_table(directory, capsys):
    assert main(["bench", "--repo", str(directory(FILES)), "--symbols", "2"]) == 0
    printed = capsys.readouterr().out
    assert "usages of a symbol" in printed
    assert "2 symbols: " in printed


@pytest.mark.parametrize(("other", "ratio"), [("", 0.0), ("rg", 2.0)])
def test_a_row_without_a_rival_has_no_ratio(other, ratio):
    assert BenchRow("task", 10.0, 12.0, other, 5.0).ratio == ratio
