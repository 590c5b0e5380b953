"""Signatures that take every call that another one takes."""

from __future__ import annotations

import itertools

import pytest

from avionics.index.verdicts.calls.misfits import get_misfit, takes_all
from avionics.syntax.engine.call_shapes import CallParameter, CallShape, CallSignature

_KINDS = (
    {},
    {"is_optional": True},
    {"is_named_only": True},
    {"is_named_only": True, "is_optional": True},
    {"is_unnamed_only": True},
    {"gathers": "*"},
    {"gathers": "**"},
)


def _list_signatures():
    parameters = [CallParameter(name, **kind) for name in "ab" for kind in _KINDS]
    lists = [some for count in range(3) for some in itertools.product(parameters, repeat=count)]
    return [CallSignature(some) for some in lists if len({each.name for each in some}) == len(some)]


@pytest.mark.parametrize("has_names", [True, False])
def test_what_takes_all_fits_every_call_that_fitted(has_names):
    signatures = _list_signatures()
    names = ((), ("a",), ("b",), ("a", "b")) if has_names else ((),)
    shapes = [
        CallShape(count, given, is_open=is_open, gives_rest=gives_rest)
        for count, given, is_open, gives_rest in itertools.product(range(4), names, (False, True), (False, True))
    ]
    asked = list(itertools.product(shapes, (False, True)))
    fits = {
        each: {
            at
            for at, (shape, is_bound) in enumerate(asked)
            if get_misfit(each, shape, is_bound=is_bound, has_names=has_names) is None
        }
        for each in signatures
    }
    wider = [
        (one, other)
        for one, other in itertools.product(signatures, repeat=2)
        if one != other and takes_all(one, other, has_names=has_names)
    ]
    assert wider
    assert [pair for pair in wider if not fits[pair[0]] <= fits[pair[1]]] == []
