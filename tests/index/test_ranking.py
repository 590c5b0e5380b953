from __future__ import annotations

import pytest

from avionics.index.search import candidates
from avionics.index.search.chunks import Source, chunk_file
from avionics.index.search.exact_mentions import find_files_ending
from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.model.reasons import Reason, ReasonKind

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
    cut = chunk_file(Source(FILES["shop/cart.py"], "python", facts))
    found = [
        (facts.symbols[p.symbol].qualname if p.symbol >= 0 else "", p.span.start_line, p.span.end_line)
        for p in cut.chunks
    ]
    assert found == [
        ("Cart", 6, 10),
        ("Cart.__init__", 11, 12),
        ("Cart.total", 14, 16),
        ("Cart.checkout", 18, 24),
        ("", 1, 5),
    ]
    assert [number for number, _ in cut.iter_chunks("charg")] == [3]
    assert [number for number, _ in cut.iter_chunks("=tax_rate")] == [4]


def test_a_comment_right_above_a_function_belongs_to_it(workspace):
    text = "x = 1\n\n# sends the invoice\n# by mail\ndef post():\n    pass\n"
    facts = workspace({"a.py": text}).code.facts("a.py")
    assert [number for number, _ in chunk_file(Source(text, "python", facts)).iter_chunks("invoic")] == [0]


def test_the_larger_functions_within_a_large_one_are_chunks_of_their_own(workspace):
    inner = "    def patch(node):\n" + "        node.visit()\n" * 6
    text = "def create_renderer():\n" + inner + "    pass\n" * 120 + "    return patch\n"
    opened = workspace({"a.py": text})
    best = rank_symbols(opened.code, read_query("patch node visit"), opened.source.text).symbols[0]
    assert (best.symbol, best.start_line, best.end_line) == ("create_renderer.patch", 2, 8)


def test_after_the_first_results_every_file_gets_its_turn(workspace):
    long = "".join(f"def order_item_{n}(order, item):\n    return order.item\n\n\n" for n in range(40))
    opened = workspace({"big/order.py": long, "small/other.py": "def ship():\n    return order\n"})
    ranking = rank_symbols(opened.code, read_query("order item"), opened.source.text)
    files = [each.file for each in ranking.symbols]
    assert 10 <= files.index("small/other.py") <= 11


def test_an_exact_name_is_first(rank):
    assert names(rank("checkout"))[0] == ("shop/cart.py", "Cart.checkout")
    assert names(rank("Cart.total"))[0] == ("shop/cart.py", "Cart.total")
    assert rank("Cart.total").symbols[0].reasons[0].kind is ReasonKind.NAMED


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
    assert best.reasons == (Reason(ReasonKind.FIELD_MATCH, subject="doc"),)
    words = Reason(ReasonKind.BODY_MATCH, subject="empty, ValueError, raised")
    assert rank("ValueError raised: empty").symbols[0].reasons == (words,)


def test_an_error_message_leads_to_where_it_is_raised(rank):
    assert names(rank("ValueError: the cart is empty"))[0] == ("shop/cart.py", "Cart.checkout")


def test_traceback_frames_come_first_though_their_lines_have_moved(rank):
    text = 'Boom\n  File "/srv/lib/shop/payment.py", line 3, in charge\n  File "/x/other.py", line 9, in nothing'
    best = rank(text).symbols[0]
    assert (best.symbol, best.reasons[0].kind) == ("Gateway.charge", ReasonKind.IN_TRACEBACK)


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


def test_a_misspelt_name_leads_to_the_name_most_like_it(rank):
    first = rank("empty cart in chekcout").symbols[0]
    assert (first.symbol, first.reasons[0].kind) == ("Cart.checkout", ReasonKind.SIMILAR_NAME)


def test_a_part_of_a_name_is_not_told_as_the_whole_name(workspace):
    opened = workspace(
        {"a.py": "def handle(tree):\n    return parse(tree, options)\n\n\ndef other():\n    return NoSuch\n"}
    )
    ranking = rank_symbols(opened.code, read_query("who calls parse_options_header"), opened.source.text)
    words = Reason(ReasonKind.BODY_MATCH, subject="options, parse")
    assert [(each.symbol, each.reasons) for each in ranking.symbols] == [("handle", (words,))]


def test_an_ordinary_word_is_no_misspelt_name(workspace):
    opened = workspace(
        {"a.py": "def bind(client, proxy):\n    return client\n\n\ndef client_ip(proxy):\n    return proxy\n"}
    )
    ranking = rank_symbols(opened.code, read_query("client ip behind a proxy"), opened.source.text)
    assert not [each for each in ranking.symbols if Reason(ReasonKind.SIMILAR_NAME) in each.reasons]


def test_a_name_that_nothing_has_is_not_answered_with_one_like_it(rank):
    assert rank("chekcout").symbols == ()


def test_a_word_that_is_no_name_here_but_stands_in_the_code_is_not_taken_for_a_misspelt_one(rank):
    assert not [each for each in rank("prices").symbols if Reason(ReasonKind.SIMILAR_NAME) in each.reasons]


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


def chunks_of(workspace, path, text):
    opened = workspace({path: text})
    facts = opened.code.facts(path)
    cut = chunk_file(Source(text, facts.language, facts))
    return [
        (facts.symbols[p.symbol].qualname, p.span.start_line, p.span.end_line, p.is_test)
        for p in cut.chunks
        if p.symbol >= 0
    ]


def test_a_named_type_is_a_chunk_and_an_interface_that_declares_is_one_whole(workspace):
    text = "export type Options = {\n  deep: boolean\n}\n\n"
    text += "export interface Host {\n  insert(el: Node): void\n  parent: Node\n}\n"
    assert chunks_of(workspace, "a.ts", text) == [("Options", 1, 3, False), ("Host", 5, 8, False)]


def test_tests_within_a_file_of_the_product_count_as_tests(workspace):
    text = "fn trim(line: &str) -> &str {\n    line\n}\n\n#[cfg(test)]\nmod tests {\n"
    text += "    fn trim_line() {\n        trim(x)\n    }\n}\n"
    assert chunks_of(workspace, "a.rs", text) == [("trim", 1, 3, False), ("tests.trim_line", 7, 9, True)]
    opened = workspace({"a.rs": text})
    found = rank_symbols(opened.code, read_query("trim line"), opened.source.text).symbols
    assert [each.symbol for each in found][:2] == ["trim", "tests.trim_line"]


def test_a_word_of_every_file_tells_its_few_functions_apart(workspace):
    other = "def load():\n    return cache\n\n\ndef a(x):\n    return x\n\n\ndef b(x):\n    return x\n"
    text = "def evict(entry):\n    return cache\n\n\ndef fill(entry):\n    return entry\n\n\n"
    text += "def keep(entry):\n    return entry\n"
    opened = workspace({"one.py": other, "two.py": text})
    found = rank_symbols(opened.code, read_query("cache of an entry"), opened.source.text).symbols
    assert found[0].symbol == "evict"


def test_where_very_many_files_have_a_word_rarer_ones_still_lead_to_theirs(workspace, monkeypatch):
    monkeypatch.setattr(candidates, "_FILES_THRESHOLD", 5)
    many = {f"part_{n}.py": f"def handle_{n}(request):\n    return request\n" for n in range(12)}
    some = {f"mail_{n}.py": f"def deliver_{n}(request, mail):\n    return mail\n" for n in range(6)}
    opened = workspace({**many, **some, "odd.py": "def quarantine(request, mail):\n    return mail\n"})
    ranking = rank_symbols(opened.code, read_query("quarantine the mail of a request"), opened.source.text)
    assert ranking.symbols[0].symbol == "quarantine"
    assert ranking.files_matched == 19
    assert ranking.files_read == 7
