"""Describe a place whose name no longer resolves."""

from __future__ import annotations

from msgspec import Struct

from avionics.index.model.values import Target
from avionics.index.verdicts.findings import Proof, Rule


class BrokenName(Struct, frozen=True):
    """A place whose name no longer resolves.

    Attributes:
        proof: Whether nothing else can provide the name.
        holder: The module (dotted) or class that should have the name; "" for a bare name.
        place: File, line and column in the version after.
        target: The target of the name before the change; None for a name that was never defined.
        module: For an import whose module is missing, the former file of the module.
        is_of_object: Whether it is a member of an object or a class, which cannot be imported.
    """

    rule: Rule
    proof: Proof
    name: str
    holder: str
    place: tuple[str, int, int]
    target: Target | None = None
    module: str = ""
    is_of_object: bool = False
