"""The calculator: seed 002's examples, and expressions that mean harm."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.tools.builtin.calculator import CalculatorTool, calculate
from tests.timing import within_cost


@pytest.mark.parametrize("example", CalculatorTool.examples, ids=lambda example: example["input"]["expression"])
def test_the_declared_examples_give_the_declared_results(example):
    assert CalculatorTool().execute(**example["input"]).data == example["output"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(16) + 2^3", 12),
        ("(10 + 5) / 3", 5),
        ("2 + 2 * (5 / 3)", 2 + 2 * (5 / 3)),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2^-1", 0.5),
        ("7 % 4 + 7 // 2", 6),
        ("2^100", 2**100),
        ("2^1024", 2**1024),
        ("ln(e)", 1),
        ("log10(1000)", 3),
        ("factorial(5)", 120),
        ("mean(1, 2, 6)", 3),
        ("mean(1, 2)", 1.5),
        ("round(2.5)", 2),
        ("round(3.5)", 4),
        ("max(1, 2, 3) - min(4, 5)", -1),
        ("round(2.567, 2)", 2.57),
        ("log(8, 2)", 3),
        ("sqrt(-4)", "2i"),
        ("sqrt(-4) * sqrt(-4)", -4),
        ("2 + 3 * i", "2 + 3i"),
        ("2 - i", "2 - i"),
    ],
)
def test_an_expression_has_its_value(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize("expression", ["1 / 0", "10.0^400", "exp(1000)", "log(0)", "0^-1", "1e308 * 10", "i / 0"])
def test_what_has_no_finite_value_fails(expression):
    with pytest.raises(UsageError, match=r"^Calculation failed: "):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "", "2 +", "x", "'a'", "True", "1 if 1 else 2", "[1]", "(1).real", "__import__('os')", "max.__class__",
        "(lambda: 1)()", "sqrt(x=1)", "sqrt(*[1])", "eval('1')", "abs(1, 2)", "f'{1}'", "a := 1", "1 < 2", "1 | 2",
    ],
)  # fmt: skip
def test_what_is_no_mathematics_is_refused(expression):
    with pytest.raises(UsageError, match=r"^Calculation failed: "):
        calculate(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "9^9^9^9", "2^10000000", "10^4000 * 10^4000", "factorial(100000)", "(-2)^99999999", "1 << 10", "9" * 1001,
        "(" * 400 + "1" + ")" * 400, "-" * 900 + "1", "+".join("1" * 490), "2^2^2^2^2^2", "lcm(2^4000+1, 2^4000-1)",
        "round(1.5, 10^9)", "2.0^(10^300)",
    ],
)  # fmt: skip
def test_a_catastrophic_expression_is_refused_at_once(expression):
    def refuse():
        with pytest.raises(UsageError, match=r"^Calculation failed: "):
            calculate(expression)

    within_cost(10, refuse)


def test_a_refusal_is_an_output_that_says_why():
    output = CalculatorTool().execute(expression="1 / 0")
    assert (output.success, output.error) == (False, "Calculation failed: division by zero")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("9007199254740993 / 1", 9007199254740993),
        ("3^200 / 3^199", 3),
        ("7 / 2", 3.5),
        ("mean(9007199254740993, 9007199254740993)", 9007199254740993),
    ],
)
def test_division_of_whole_numbers_is_exact_where_it_is_whole(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("10^400 * 1.0", "the number is too large; numbers with a fraction end at 1.8e308"),
        ("exp(1000)", "the number is too large"),
        ("2^5000", "the power is too large"),
        ("mean()", "mean takes at least one number"),
        ("1 / 0", "division by zero"),
    ],
)
def test_a_number_that_cannot_be_says_why(expression, reason):
    with pytest.raises(UsageError, match=f"Calculation failed: {reason}"):
        calculate(expression)
