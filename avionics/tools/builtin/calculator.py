"""Calculator: evaluate a mathematical expression as a tree of known operations, never as code.

`^` is power, as in mathematics. Integers stay exact up to a bound; no expression takes long.
"""

from __future__ import annotations

import ast
import cmath
import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from pydantic import Field

from avionics.model.enums import ToolDomain
from avionics.model.errors import UsageError
from avionics.tools.base import BaseTool, ToolInput

MAX_EXPRESSION_CHARACTERS: Final = 1_000
MAX_DEPTH: Final = 150
"""A deeper expression is not written by hand, and Python's stack ends soon after."""

MAX_BITS: Final = 4_096
"""The limit of integers, so that every operation is fast; a float ends at 1,024."""

MAX_ARGUMENTS: Final = 100
MAX_FACTORIAL: Final = 170
"""The largest argument whose factorial fits into a float."""

_TOO_LARGE: Final = "the number is too large; numbers with a fraction end at 1.8e308, whole ones at 4,096 bits"

Number: TypeAlias = int | float | complex


def calculate(expression: str) -> int | float | str:
    """Return the value of an expression such as `2 + 2 * (5 / 3)`; a complex one as text, `2 + 3i`.

    Raise `UsageError` if it is not an expression, uses an unknown name, or its value is not finite or too large.
    """
    if len(expression) > MAX_EXPRESSION_CHARACTERS:
        raise _refusal(f"the expression is longer than {MAX_EXPRESSION_CHARACTERS} characters")
    try:
        tree = ast.parse(expression.strip().replace("^", "**"), mode="eval")
        value = _evaluate(tree.body, 0)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise _refusal(f"not an expression ({error})") from None
    except OverflowError as error:
        reason = _TOO_LARGE if "float" in str(error) or "range" in str(error) else str(error)
        raise _refusal(reason) from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise _refusal(str(error)) from None
    return _plain(value)


class CalculatorInput(ToolInput):
    """What to calculate."""

    expression: str = Field(
        description="The mathematical expression to evaluate (e.g., '2 + 2 * (5 / 3)')",
        max_length=MAX_EXPRESSION_CHARACTERS,
    )


class CalculatorTool(BaseTool):
    """Calculates an expression: `{"result": 12}`."""

    name = "CalculatorTool"
    description = "Calculates the result of a mathematical expression."
    category = ToolDomain.SYSTEM
    input_model = CalculatorInput
    examples = (
        {"input": {"expression": "sqrt(16) + 2^3"}, "output": {"result": 12}},
        {"input": {"expression": "(10 + 5) / 3"}, "output": {"result": 5}},
    )

    def _execute(self, input_data: CalculatorInput) -> dict[str, Any]:
        return {"result": calculate(input_data.expression)}


def _power(base: Number, exponent: Number) -> Number:
    """Return `base ** exponent`; reject a huge result before computing it."""
    if isinstance(base, int) and isinstance(exponent, int):
        if base.bit_length() * abs(exponent) > MAX_BITS and abs(base) > 1:
            raise OverflowError("the power is too large")
        return base**exponent if exponent >= 0 else float(base) ** exponent
    result: Number = base**exponent
    return result


def _root(value: Number) -> Number:
    """Return the square root, complex if necessary."""
    if not isinstance(value, complex) and value >= 0:
        return math.sqrt(value)
    return cmath.sqrt(value)


def _natural_logarithm(value: Number) -> Number:
    """Return the logarithm to the base e, and take no other base."""
    return math.log(_real(value))


def _mean(*values: Number) -> Number:
    """Return the arithmetic mean; that of whole numbers is exact where it is whole."""
    if not values:
        raise ValueError("mean takes at least one number")
    return _divide(sum(values), len(values))


def _divide(left: Number, right: Number) -> Number:
    """Return the quotient; that of whole numbers is exact where it is whole."""
    if isinstance(left, int) and isinstance(right, int) and right and left % right == 0:
        return left // right
    return left / right


def _factorial(value: Number) -> int:
    """Return `n!` for a whole n within the limit."""
    if not isinstance(value, int) or not 0 <= value <= MAX_FACTORIAL:
        raise ValueError(f"factorial takes a whole number from 0 to {MAX_FACTORIAL}")
    return math.factorial(value)


def _round(value: Number, digits: Number = 0) -> Number:
    """Return the value rounded to some digits after the point."""
    if not isinstance(digits, int) or not -308 <= digits <= 308:
        raise ValueError("round takes a whole number of digits")
    return round(_real(value), digits)


def _real(value: Number) -> int | float:
    """Return the value if it has no imaginary part."""
    if isinstance(value, complex):
        raise TypeError("not defined for complex numbers")
    return value


def _of_reals(function: Callable[..., Number]) -> Callable[..., Number]:
    """Return a function whose arguments must be real."""
    return lambda *values: function(*map(_real, values))


_OPERATORS: Final[Mapping[type[ast.operator], Callable[[Any, Any], Number]]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: _divide,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
        ast.Pow: _power,
    }
)
_SIGNS: Final[Mapping[type[ast.unaryop], Callable[[Any], Number]]] = MappingProxyType(
    {ast.UAdd: operator.pos, ast.USub: operator.neg}
)
_CONSTANTS: Final[Mapping[str, Number]] = MappingProxyType(
    {"pi": math.pi, "e": math.e, "tau": math.tau, "phi": (1 + 5**0.5) / 2, "i": 1j}
)
_OF_REALS = ("acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "degrees", "exp", "floor", "gcd", "hypot",
             "lcm", "log10", "log2", "radians", "sin", "sinh", "tan", "tanh", "trunc")  # fmt: skip
_FUNCTIONS: Final[Mapping[str, Callable[..., Number]]] = MappingProxyType(
    {name: _of_reals(getattr(math, name)) for name in _OF_REALS}
    | {
        "abs": abs,
        "factorial": _factorial,
        "log": _of_reals(math.log),
        "ln": _natural_logarithm,
        "max": _of_reals(max),
        "mean": _mean,
        "min": _of_reals(min),
        "mod": _of_reals(operator.mod),
        "pow": _power,
        "round": _round,
        "sqrt": _root,
        "sum": lambda *values: sum(values),
    }
)


def _evaluate(node: ast.expr, depth: int) -> Number:
    """Return the value of a node; reject any other kind of node."""
    if depth > MAX_DEPTH:
        raise RecursionError("nested too deep")
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return _bounded(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _evaluate(node.left, depth + 1), _evaluate(node.right, depth + 1)
        return _bounded(_OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_evaluate(node.operand, depth + 1))
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, node.args, depth)
    raise _refusal(f"{ast.unparse(node)[:40]!r} is not supported")


def _call(name: str, arguments: list[ast.expr], depth: int) -> Number:
    """Return the value of a function call."""
    if name not in _FUNCTIONS:
        raise _refusal(f"unknown function {name[:40]!r}")
    if len(arguments) > MAX_ARGUMENTS:
        raise _refusal(f"{name} takes at most {MAX_ARGUMENTS} arguments")
    return _bounded(_FUNCTIONS[name](*(_evaluate(argument, depth + 1) for argument in arguments)))


def _bounded(value: Number) -> Number:
    """Return the value, unless it is an integer that would make the next operation slow."""
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise OverflowError("the number is too large")
    return value


def _plain(value: Number) -> int | float | str:
    """Return the value for JSON: whole floats as integers, complex numbers as text."""
    if isinstance(value, int):
        return value
    if not cmath.isfinite(value):
        raise _refusal("Evaluation resulted in a non-finite number or unsupported type.")
    if isinstance(value, complex):
        return _plain(value.real) if value.imag == 0 else _complex_text(value)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _complex_text(value: complex) -> str:
    """Return a text such as `2 + 3i`."""
    imaginary = "" if abs(value.imag) == 1 else f"{abs(value.imag):.15g}"
    sign = "-" if value.imag < 0 else ""
    if value.real == 0:
        return f"{sign}{imaginary}i"
    return f"{value.real:.15g} {sign or '+'} {imaginary}i"


def _refusal(reason: str) -> UsageError:
    """Return the error for an expression."""
    return UsageError(
        f"Calculation failed: {reason}", hint=f"numbers, + - * / % ^ ( ), and {', '.join(sorted(_FUNCTIONS))}"
    )
