"""The tests to run for a change."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty
from avionics.model.errors import UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.composite import tests_for_change as tool

SHOP = {
    "shop/core.py": "def price(x):\n    return x\n\n\ndef total(xs):\n    return sum(price(x) for x in xs)\n",
    "tests/test_core.py": "from shop.core import price, total\n\n\nclass TestCore:\n    def test_price(self):\n"
    "        assert price(1) == 1\n\n    def test_total(self):\n        assert total([1]) == 1\n",
    "tests/test_other.py": "def test_other():\n    pass\n",
}


@pytest.fixture
def repository(git_repository):
    return git_repository(SHOP)


def edit(repository, path, old, new):
    (repository.root / path).write_text(SHOP[path].replace(old, new))


def test_tests_are_named_as_a_runner_takes_them_with_why(repository, workspace):
    edit(repository, "shop/core.py", "return x\n", "return x + 1\n")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [each.run for each in answer.proven] == [
        "tests/test_core.py::TestCore::test_price",
        "tests/test_core.py::TestCore::test_total",
    ]
    assert answer.proven[0].why.startswith("uses price; mentions price")
    assert answer.proven[1].why.startswith("uses price through total")
    assert answer.summary == "1 changed symbol; 2 tests of 3 (67 %) to run"


@pytest.mark.parametrize(
    ("symbol", "runs"),
    [
        ("total", ["tests/test_core.py::TestCore::test_total"]),
        ("shop/core.py", ["tests/test_core.py::TestCore::test_price", "tests/test_core.py::TestCore::test_total"]),
    ],
)
def test_tests_of_a_change_that_is_only_planned(workspace, symbol, runs):
    answer = tool.tests_for_change(workspace(SHOP), symbol=symbol)
    assert sorted(each.run for each in answer.proven) == runs
    assert answer.title == symbol
    assert answer.commands[0].command.startswith("pytest ")


def test_a_planned_change_of_nothing_and_one_with_revisions_are_refused(workspace):
    opened = workspace(SHOP)
    with pytest.raises(UsageError, match="no symbol or file named 'totall'"):
        tool.tests_for_change(opened, symbol="totall")
    with pytest.raises(UsageError, match="cannot be combined"):
        tool.tests_for_change(opened, "HEAD~1", symbol="total")


def test_what_cannot_be_seen_is_said(repository, workspace):
    edit(repository, "shop/core.py", "def price", "LIMIT = print()\nprint(LIMIT)\n\n\ndef price")
    (repository.root / "setup.cfg").write_text("[x]\n")
    repository.git("add", "setup.cfg")
    coverage = tool.tests_for_change(workspace(root=repository.root)).coverage
    assert coverage.certainty is Certainty.AT_LEAST
    assert coverage.reasons == (
        Reason(ReasonKind.MODULE_CODE_CHANGED, subject="shop/core.py"),
        Reason(ReasonKind.INDIRECT_TEST_USE),
        Reason(ReasonKind.FILES_UNSUPPORTED, subject="setup.cfg"),
    )


def test_an_edited_test_is_to_run(repository, workspace):
    edit(repository, "tests/test_other.py", "pass", "assert True")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [(each.test, each.why) for each in answer.proven] == [("test_other", "the change edits it")]
    assert answer.likely == ()


def test_a_file_that_changed_together_speaks_for_its_tests(repository, workspace):
    for number in range(4):
        repository.commit(
            f"both {number}",
            {
                "shop/core.py": SHOP["shop/core.py"] + f"\n\ndef more_{number}(): ...\n",
                "tests/test_other.py": f"def test_other():\n    assert {number}\n",
            },
        )
    edit(repository, "shop/core.py", "return x\n", "return x + 1\n")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert "of a changed file's commits" in {each.test: each for each in answer.likely}["test_other"].why


def test_a_file_of_nameless_tests_is_named_once(git_repository, workspace):
    spec = "import { f } from './f'\nit('adds', () => f(1))\n"
    repository = git_repository({"src/f.ts": "export function f(a: number) {}\n", "tests/f.spec.ts": spec})
    (repository.root / "tests/f.spec.ts").write_text(spec.replace("f(1)", "f(2)"))
    (test,) = tool.tests_for_change(workspace(root=repository.root)).proven
    assert test.to_text() == "tests/f.spec.ts:1: the change edits it"


def test_nothing_changed_needs_no_test(repository, workspace):
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert (answer.proven, answer.likely, answer.coverage.certainty) == ((), (), Certainty.EXACT)


def test_tests_that_rust_has_beside_its_code_are_tests(git_repository, workspace):
    code = "pub fn add(a: u8) -> u8 {\n    a\n}\n"
    tests = (
        "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    fn helper() -> u8 {\n        add(1)\n    }\n\n"
        "    #[test]\n    fn adds() {\n        helper();\n    }\n\n    #[test]\n    fn other() {}\n}\n"
    )
    repository = git_repository({"Cargo.toml": '[package]\nname = "x"\n', "src/lib.rs": code + tests})
    (repository.root / "src/lib.rs").write_text(code.replace("    a\n", "    a + 1\n") + tests)
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [each.test for each in answer.proven] == ["tests.adds"]
    assert "of 2 (" in answer.summary


def test_scripts_of_tests_are_chosen_by_their_past_and_said_not_to_be_read(git_repository, workspace):
    files = {
        "src/a.c": "int one(void) { return 1; }\n",
        "tests/unit/a.tcl": "test one {}\n",
        "tests/b.tcl": "test two {}\n",
    }
    repository = git_repository(files)
    for number in range(2, 5):
        changed = {"src/a.c": f"int one(void) {{ return {number}; }}\n", "tests/unit/a.tcl": f"test one {number}\n"}
        repository.commit(f"one is {number}", changed)
    (repository.root / "src/a.c").write_text("int one(void) { return 9; }\n")
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [each.run for each in answer.likely] == ["tests/unit/a.tcl", "tests/b.tcl"]
    assert answer.likely[0].why == "its file is in 57 % of a changed file's commits"
    assert Reason(ReasonKind.TEST_SCRIPTS, 2, subject=".tcl") in answer.coverage.reasons
    (repository.root / "tests/b.tcl").write_text("test three {}\n")
    edited = tool.tests_for_change(workspace(root=repository.root))
    assert [(each.run, each.why) for each in edited.proven] == [("tests/b.tcl", "the change edits it")]
    assert edited.summary == "1 changed symbol; 2 tests of 2 (100 %) to run"


@pytest.mark.parametrize(("count", "expected"), [(2, "go test . -run '^(Test0|Test1)$'"), (40, "go test .")])
def test_many_tests_of_go_are_run_by_their_package_and_benchmarks_are_not_named(
    git_repository, workspace, count, expected
):
    tests = "".join(f"func Test{at}(t *testing.T) {{ Total() }}\n" for at in range(count))
    code = "package shop\n\nfunc Total() int { return 1 }\n"
    repository = git_repository(
        {
            "go.mod": "module example.com/shop\n",
            "cart.go": code,
            "cart_test.go": f"package shop\n\n{tests}func BenchmarkTotal(b *testing.B) {{ Total() }}\n"
            "func TestMain(m *testing.M) { Total() }\nfunc Testing() { Total() }\n",
        }
    )
    (repository.root / "cart.go").write_text(code.replace("1", "2"))
    answer = tool.tests_for_change(workspace(root=repository.root))
    assert [(each.command, each.tests) for each in answer.commands] == [(expected, count)]


def test_tests_of_go_without_names_are_run_by_their_package(workspace):
    files = {
        "go.mod": "module example.com/shop\n",
        "cart.go": "package shop\n\nfunc Total() int { return 1 }\n",
        "cart_test.go": 'package shop\n\nimport . "github.com/onsi/ginkgo/v2"\n\n'
        'var _ = Describe("Cart", func() {\n\tIt("adds", func() { Total() })\n})\n',
    }
    answer = tool.tests_for_change(workspace(files), symbol="Total")
    assert [each.file for each in answer.proven] == ["cart_test.go"]
    assert [each.command for each in answer.commands] == ["go test ."]


@pytest.mark.parametrize(
    ("files", "symbol", "expected"),
    [
        (
            {
                "Cart.cs": "public static class Cart { public static int Total(int a) => a; }\n",
                "CartTests.cs": "public class CartTests {\n    [Fact]\n    public void Adds() { Cart.Total(1); }\n}\n",
            },
            "Cart.Total",
            "dotnet test --filter 'FullyQualifiedName~CartTests.Adds'",
        ),
        (
            {
                "cart.php": "<?php\nfunction total($a) { return $a; }\n",
                "tests/CartTest.php": "<?php\nclass CartTest extends TestCase {\n"
                "    public function testAdds(): void { $this->expect(total(1)); }\n}\n",
            },
            "total",
            "vendor/bin/phpunit --filter CartTest::testAdds",
        ),
        (
            {
                "composer.json": '{"require-dev": {"pestphp/pest": "^3.0"}}\n',
                "cart.php": "<?php\nfunction total($a) { return $a; }\n",
                "tests/CartTest.php": "<?php\ntest('adds', function () {\n    expect(total(1))->toBe(1);\n});\n",
            },
            "total",
            "vendor/bin/pest tests/CartTest.php",
        ),
        (
            {
                "lib/cart.rb": "def total(a)\n  a\nend\n",
                "spec/cart_spec.rb": "require_relative '../lib/cart'\n\ndescribe 'Cart' do\n  it 'adds' do\n"
                "    expect(total(1)).to eq(1)\n  end\nend\n",
            },
            "total",
            "bundle exec rspec spec/cart_spec.rb",
        ),
        (
            {
                "lib/cart.rb": "def total(a)\n  a\nend\n",
                "test/cart_test.rb": "require_relative '../lib/cart'\n\nclass CartTest < Minitest::Test\n"
                "  def test_adds\n    assert_equal 1, total(1)\n  end\nend\n",
            },
            "total",
            "ruby -Ilib -Itest test/cart_test.rb",
        ),
        (
            {
                "Cart.kt": "package shop\n\nfun total(a: Int) = a\n",
                "CartTest.kt": "package shop\n\nclass CartTest {\n    @Test\n    fun `adds one`() { total(1) }\n}\n",
            },
            "total",
            "gradle test --tests 'CartTest.adds one'",
        ),
    ],
    ids=("dotnet", "phpunit", "pest", "rspec", "minitest", "gradle"),
)
def test_tests_are_run_by_the_runner_of_their_language(workspace, files, symbol, expected):
    answer = tool.tests_for_change(workspace(files), symbol=symbol)
    assert [each.command for each in answer.commands] == [expected]


def test_only_files_that_define_or_assert_something_are_tests_of_javascript(workspace):
    files = {
        "cart.js": "export function total() {\n  return 0;\n}\n",
        "test/cart.js": "import { total } from '../cart.js';\n\nassert(total() === 0);\n",
        "test/shop/page.js": "import { total } from '../../cart.js';\n\nexport const shown = total();\n",
        "test/vite.config.js": "import { total } from '../cart.js';\n\nexport default { test: total() };\n",
    }
    answer = tool.tests_for_change(workspace(files), symbol="total")
    assert [each.file for each in answer.proven] == ["test/cart.js"]
