"""Find the fields that named arguments set: `Cart(total=1)`."""

from __future__ import annotations

from avionics.index.model.values import ClassType, FunctionType, InstanceType, Types, UnknownType, Variable
from avionics.index.types.calls.parameters import ParameterInference
from avionics.index.types.context import InferenceContext
from avionics.model.enums import ExpressionKind
from avionics.model.facts import Expression, Reference
from avionics.syntax.registry import conventions_of


def find_fields(
    inference: InferenceContext, parameters: ParameterInference, file: str, reference: Reference, callee: Expression
) -> tuple[tuple[Variable, ...], bool]:
    """Return the fields that `field=…` sets in a call of a constructor, and whether these are all that it may set.

    Parameters are no definitions.
    """
    place = (file, reference.scope, reference.line)
    kinds, rules, records = inference.infer(callee, *place), conventions_of(file).records, inference.records
    if rules.in_header:
        kinds = _list_copied(inference, kinds, callee, place)
        is_known = bool(kinds)
    else:
        is_known = callee.name not in conventions_of(file).implicit.forwarding_calls
    found: list[Variable | None] = []
    for kind in kinds:
        is_known = is_known and not isinstance(kind, UnknownType)
        of = kind if isinstance(kind, ClassType) else None
        if isinstance(kind, FunctionType):
            of = parameters.get_unpacked(kind, reference.name)
        if of is not None:
            found.append((records.get_in_header if rules.in_header else records.get_field)(of, reference.name))
    return tuple(each for each in found if each is not None), is_known


def _list_copied(inference: InferenceContext, kinds: Types, callee: Expression, place: tuple[str, int, int]) -> Types:
    """Return the classes of the objects that a call copies, by a member that no text declares; else the same types."""
    is_copy = (
        callee.kind is ExpressionKind.ATTRIBUTE and callee.name in conventions_of(place[0]).records.copying_members
    )
    if not is_copy or any(isinstance(kind, FunctionType) for kind in kinds):
        return kinds
    copied = inference.infer(callee.parts[0], *place)
    return tuple(kind.of if isinstance(kind, InstanceType) else kind for kind in copied)
