"""Find the condition under which a line runs, if it is in the body of one plain `if`."""

from __future__ import annotations

from avionics.syntax.engine.grammars import Node

MAX_CONDITION = 40
"""Longer conditions are not plain, because a label should be short."""

_FUNCTIONS = ("function", "method", "lambda", "closure", "arrow", "constructor", "class")
"""The beginnings of the types of nodes whose bodies run separately."""


def read_condition(root: Node, offset: int) -> str:
    """Return `if CONDITION` or `unless CONDITION` for the code at an offset in bytes; "" if no plain one applies.

    Only the innermost condition of the same function is read. A loop's condition is not one.
    """
    child = root.descendant_for_byte_range(offset, offset + 1)
    while child is not None and child.parent is not None:
        parent = child.parent
        kind = parent.type
        if kind.startswith(_FUNCTIONS) and parent.child_by_field_name("body") is not None:
            return ""
        condition = parent.child_by_field_name("condition")
        if condition is not None and kind.startswith(("if", "elif", "elsif")) and child != condition:
            return _write(parent, child, condition)
        child = parent
    return ""


def _write(parent: Node, child: Node, condition: Node) -> str:
    text = (condition.text or b"").decode("utf-8", "replace").strip()
    if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1]:
        text = text[1:-1].strip()
    others = parent.children_by_field_name("alternative")
    if child in others:
        word = "unless"
    elif child.start_byte > condition.end_byte:
        word = "if"
    else:
        return ""
    is_plain = 0 < len(text) <= MAX_CONDITION and "\n" not in text and (word == "if" or len(others) == 1)
    return f"{word} {text}" if is_plain else ""
