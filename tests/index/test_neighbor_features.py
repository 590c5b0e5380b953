"""What likely matches say for those close to them."""

from __future__ import annotations

import math

import pytest

from avionics.index.search.candidates import Candidate
from avionics.index.search.chunks import Chunk
from avionics.index.search.neighbor_features import Neighbor, neighbor_features
from avionics.index.search.query import read_query
from avionics.index.search.ranking import ScoredCandidate, arrange, rank_symbols
from avionics.model.facts import Span

CART = Neighbor("cart.py", 1, 5, "Cart", is_type=True)
TOTAL = Neighbor("cart.py", 10, 12, "Cart.total", calls=frozenset({"price_of"}))
PRICE = Neighbor("prices.py", 1, 3, "price_of")
OTHER = Neighbor("till.py", 1, 3, "Till.total")


def said(first: Neighbor, second: Neighbor) -> dict[str, float]:
    """What the first, all but certain, says for the second."""
    return {relation: round(how, 3) for relation, how in neighbor_features([first, second], [9.0, 0.0])[1].items()}


def test_a_class_speaks_for_its_methods_and_they_for_it() -> None:
    near = round(math.exp(-5 / 20), 3)
    assert said(CART, TOTAL) == {"same file": 1.0, "near": near, "held": 1.0}
    assert said(TOTAL, CART) == {"same file": 1.0, "near": near, "holds": 1.0}


def test_a_function_speaks_for_what_it_calls_and_what_calls_it() -> None:
    assert said(TOTAL, PRICE) == {"called": 1.0}
    assert said(PRICE, TOTAL) == {"calls": 1.0}


def test_another_of_the_same_name_is_a_namesake() -> None:
    assert said(TOTAL, OTHER) == {"namesake": 1.0}


def test_parts_of_modules_have_no_name_in_common() -> None:
    assert said(Neighbor("a.py", 1, 9), Neighbor("b.py", 1, 9)) == {}


def test_how_much_is_said_follows_from_how_likely_it_is() -> None:
    company = neighbor_features([TOTAL, PRICE, OTHER], [1.0, 1.0, 0.5])
    share = 1 / (2 + math.exp(-3))
    assert company[1]["called"] == pytest.approx(share)
    assert company[0]["namesake"] == pytest.approx(share * math.exp(-3))


def test_nothing_says_nothing() -> None:
    assert neighbor_features([], []) == []


def test_of_two_equal_matches_the_one_that_the_best_calls_comes_first(workspace) -> None:
    opened = workspace(
        {
            "a.py": "def settle_invoice_payment(invoice):\n    return round_two(invoice)\n",
            "m.py": "def round_one(invoice):\n    return invoice\n",
            "n.py": "def round_two(invoice):\n    return invoice\n",
        }
    )
    ranking = rank_symbols(opened.code, read_query("settle payment of an invoice"), opened.source.text)
    assert [each.symbol for each in ranking.symbols] == ["settle_invoice_payment", "round_two", "round_one"]


def test_company_does_not_change_the_file_that_comes_first() -> None:
    def scored(file: str, line: int, strength: float, **company: float) -> ScoredCandidate:
        candidate = Candidate(file, Chunk(0, Span(line, line + 3)), {}, 1.0, 0.0, strength, strength)
        return ScoredCandidate(candidate, {"stems": strength}, {}, company)

    best, own, other = scored("a.py", 1, 1.0), scored("a.py", 9, 0.9, held=1.0), scored("b.py", 1, 0.9, called=2.0)
    ordered = [(each.candidate.file, each.candidate.chunk.span.start_line) for each in arrange([best, own, other])]
    assert other.score > own.score > best.score
    assert ordered[0] == ("a.py", 9)
    assert arrange([]) == []
