"""Merge the orders of the ancestors of several classes (C3, https://docs.python.org/3/howto/mro.html)."""

from __future__ import annotations

from avionics.index.model.values import ClassType


def merge_orders(sequences: list[list[ClassType]]) -> list[ClassType]:
    """Return the C3 linearisation; if no consistent order exists, the first candidate is taken."""
    pending = [list(dict.fromkeys(sequence)) for sequence in sequences if sequence]
    order: list[ClassType] = []
    while pending:
        heads = [sequence[0] for sequence in pending]
        good = next((head for head in heads if not any(head in sequence[1:] for sequence in pending)), heads[0])
        order.append(good)
        pending = [[entry for entry in sequence if entry != good] for sequence in pending]
        pending = [sequence for sequence in pending if sequence]
    return order
