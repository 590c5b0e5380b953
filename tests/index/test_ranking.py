from __future__ import annotations

import pytest

from avionics.index.passages import count_passage_words, find_owned_lines, plan_passages
from avionics.index.pins import find_files_ending
from avionics.index.query import read_query
from avionics.index.ranking import rank_symbols

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": '''"""The cart."""

TAX_RATE = 0.2


class Cart:
    """What a customer wants to buy."""

    currency = "EUR"

    def __init__(self):
        self.items = []

    def total(self):
        """Sum the prices of all items."""
        return sum(item.price for item in self.items)

    def checkout(self, gateway):
        def charge(amount):
            return gateway.charge(amount)

        if not self.items:
            raise ValueError("the cart is empty")
        return charge(self.total())
''',
    "shop/payment.py": '''from shop.cart import Cart


class Gateway:
    def charge(self, amount):
        """Take money from the customer."""
        return self.client.post("/charge", amount)

    def refund(self, payment):
        return self.client.post("/refund", payment)
''',
    "shop/copy_of_payment.py": "class Other:\n    def refund(self, payment):\n"
    '        return self.client.post("/refund",   payment)\n',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_cart_total():\n    assert Cart().total() == 0\n",
    "shop/_vendor/cart.py": "def cart_total(cart):\n    return cart.total\n",
}


@pytest.fixture
def rank(workspace):
    opened = workspace(FILES)

    def ranked(text, limit=100, scope=None):
        return rank_symbols(opened.code, read_query(text), opened.source.text, scope=scope, limit=limit)

    return ranked


def names(ranking):
    return [(each.file, each.symbol) for each in ranking.symbols]


def test_a_file_is_cut_into_functions_class_headers_and_the_rest(workspace):
    facts = workspace(FILES).code.facts("shop/cart.py")
    passages = plan_passages(facts)
    found = [
        (facts.symbols[p.symbol].qualname if p.symbol >= 0 else "", p.span.start_line, p.span.end_line)
        for p in passages
    ]
    assert found == [
        ("Cart", 6, 10),
        ("Cart.__init__", 11, 12),
        ("Cart.total", 14, 16),
        ("Cart.checkout", 18, 24),
        ("", 1, 5),
    ]
    words = count_passage_words(FILES["shop/cart.py"], find_owned_lines(facts, passages))
    assert words.postings["charg"] == ((3, 3),)
    assert words.postings["=tax_rate"] == ((4, 1),)


def test_an_exact_name_is_first(rank):
    assert names(rank("checkout"))[0] == ("shop/cart.py", "Cart.checkout")
    assert names(rank("Cart.total"))[0] == ("shop/cart.py", "Cart.total")
    assert rank("Cart.total").symbols[0].reasons[0] == "named"


def test_words_of_documentation_and_body_find_a_function_and_say_so(rank):
    best = rank("sum the prices").symbols[0]
    assert (best.file, best.start_line, best.end_line, best.symbol, best.kind) == (
        "shop/cart.py",
        14,
        16,
        "Cart.total",
        "method",
    )
    assert best.signature == "def total(self)"
    assert best.reasons == ("doc",)
    assert rank("ValueError raised: empty").symbols[0].reasons == ("body: empty, ValueError, raised",)


def test_an_error_message_leads_to_where_it_is_raised(rank):
    assert names(rank("ValueError: the cart is empty"))[0] == ("shop/cart.py", "Cart.checkout")


def test_traceback_frames_come_first_though_their_lines_have_moved(rank):
    text = 'Boom\n  File "/srv/lib/shop/payment.py", line 3, in charge\n  File "/x/other.py", line 9, in nothing'
    best = rank(text).symbols[0]
    assert (best.symbol, best.reasons[0]) == ("Gateway.charge", "traceback")


def test_a_module_value_that_is_named_is_found_with_its_own_line(rank):
    best = rank("TAX_RATE default").symbols[0]
    assert (best.symbol, best.kind, best.start_line, best.end_line) == ("TAX_RATE", "constant", 3, 3)


def test_tests_and_vendored_code_come_after_product_code(rank):
    found = [file for file, _ in names(rank("cart total"))]
    assert found.index("shop/cart.py") < found.index("tests/test_cart.py")
    assert found.index("shop/cart.py") < found.index("shop/_vendor/cart.py")


def test_copies_of_a_function_are_one_result(rank):
    refunds = [name for file, name in names(rank("refund payment")) if name.endswith("refund")]
    assert refunds == ["Gateway.refund"]


def test_a_scope_leaves_out_everything_else(rank):
    assert {file for file, _ in names(rank("cart", scope="tests"))} == {"tests/test_cart.py"}


def test_words_that_are_nowhere_are_named(rank):
    ranking = rank("cart zzyzx")
    assert ranking.unknown == ("zzyzx",)
    assert ranking.symbols
    assert rank("zzyzx").symbols == ()


def test_the_same_question_has_the_same_answer_and_a_limit_takes_the_first(rank):
    assert rank("cart total") == rank("cart total")
    assert names(rank("cart total", limit=2)) == names(rank("cart total"))[:2]


def test_a_file_that_is_gone_is_passed_over(workspace):
    opened = workspace(FILES)
    code = opened.code
    (opened.root / "shop/payment.py").unlink()
    ranking = rank_symbols(code, read_query("refund payment"), opened.source.text)
    assert "shop/payment.py" not in {each.file for each in ranking.symbols}


def test_paths_written_elsewhere_are_found_by_their_end():
    files = ("src/app/core.py", "src/web/core.py", "lib/core.py", "lib/x/core.py", "solo.py")
    assert find_files_ending(files, "/usr/lib/python3/app/core.py") == ("src/app/core.py",)
    assert find_files_ending(files, "C:\\work\\web\\core.py") == ("src/web/core.py",)
    assert find_files_ending(files, "/elsewhere/core.py") == ()
    assert find_files_ending(files, "solo.py") == ("solo.py",)
    assert find_files_ending(files, "none.py") == ()
