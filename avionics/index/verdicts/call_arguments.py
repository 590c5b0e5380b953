"""Which parameters the calls of a function pass, and which calls another parameter list would break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.verdicts.call_mismatches import CallMismatches, Misfit, get_misfit
from avionics.index.verdicts.comparison import VersionPair
from avionics.model.enums import ReferenceKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition, Usage
from avionics.syntax.call_sites import Position, read_calls, read_signatures
from avionics.syntax.engine.call_shapes import CallShape, CallSignature

_OBJECTS = ("self", "cls")


class PassedCall(Struct, frozen=True):
    """What one call passes.

    Attributes:
        usage: The call.
        passed: The names of the parameters it passes, in the order of the declaration; "…" for what cannot be told.
        misfit: Why it does not fit another parameter list; None where it fits, or none was asked about.
    """

    usage: Usage
    passed: tuple[str, ...]
    misfit: Misfit | None = None


class CallArguments:
    """Reads the calls of the functions of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._callees = CallMismatches(VersionPair(code, code, ()))

    def read_signature(self, definition: Definition, changed: str = "") -> CallSignature | None:
        """Return what a function takes, or would take with another parameter list; None where it cannot be read."""
        text = self._code.read_text(definition.file)
        place = (definition.line, definition.symbol.column)
        if changed:
            written = changed.encode("utf-8", "replace").decode("utf-8")
            text = _replace_parameters(text, place, definition.name, written)
        content = text.encode("utf-8", "surrogateescape")
        return read_signatures(content, self._code.facts(definition.file).language, [place]).get(place)

    def list_passed(
        self, definition: Definition, usages: Iterable[Usage], changed: CallSignature | None = None
    ) -> tuple[PassedCall, ...]:
        """Return what the calls among some usages pass, in their order.

        Args:
            definition: The function.
            usages: Its proven usages.
            changed: The parameter list that calls are compared with.
        """
        signature = self.read_signature(definition)
        calls = [usage for usage in usages if usage.role is ReferenceKind.CALL]
        if signature is None:
            return ()
        shapes: dict[str, Mapping[Position, CallShape]] = {}
        for file in dict.fromkeys(usage.file for usage in calls):
            content = self._code.read_text(file).encode("utf-8", "surrogateescape")
            places = [(usage.line, usage.column) for usage in calls if usage.file == file]
            shapes[file] = read_calls(content, self._code.facts(file).language, places)
        found = []
        for usage in calls:
            shape = shapes[usage.file].get((usage.line, usage.column))
            if shape is None:
                found.append(PassedCall(usage, ("…",)))
                continue
            is_bound = self._is_bound(definition, usage, signature)
            calls_grammar = self._code.resolver.scopes.spec(usage.file).calls
            misfit = None
            if changed is not None:
                has_names = bool(calls_grammar and calls_grammar.named_arguments)
                misfit = get_misfit(changed, shape, is_bound=is_bound, has_names=has_names)
            found.append(PassedCall(usage, _name_passed(signature, shape, is_bound=is_bound), misfit))
        return tuple(found)

    def _is_bound(self, definition: Definition, usage: Usage, signature: CallSignature) -> bool:
        """Return whether the receiver, or the new object, is the first declared parameter."""
        for callee in (
            self._callees.find_callees(usage.file, reference)
            if (reference := self._get_reference(definition, usage))
            else ()
        ):
            if callee.definition == definition:
                return callee.is_bound
        return bool(signature.parameters) and signature.parameters[0].name in _OBJECTS

    def _get_reference(self, definition: Definition, usage: Usage) -> Reference | None:
        references = self._code.uses(usage.file).references.get(definition.name, ())
        return next((each for each in references if (each.line, each.column) == (usage.line, usage.column)), None)


def _name_passed(signature: CallSignature, shape: CallShape, *, is_bound: bool) -> tuple[str, ...]:
    """Return the names of the parameters that a call passes."""
    parameters = signature.parameters[1:] if is_bound else signature.parameters
    given = shape.positional - (1 if signature.has_receiver and shape.is_through_type else 0)
    by_position = [each for each in parameters if not each.is_named_only and each.gathers != "**"]
    named = [each.name or f"#{at}" for at, each in enumerate(by_position[: max(0, given)], 1)]
    order = {each.name: at for at, each in enumerate(parameters)}
    keywords = sorted(shape.keywords, key=lambda name: order.get(name, len(order)))
    return (*named, *(name for name in keywords if name not in named), *(("…",) if shape.is_open else ()))


def _replace_parameters(text: str, place: Position, name: str, changed: str) -> str:
    """Return a text with another parameter list after the name of a function."""
    lines = text.split("\n")
    start = sum(len(line) + 1 for line in lines[: place[0] - 1]) + place[1] + len(name)
    opened = text.find("(", start)
    end, depth = opened, 0
    while 0 <= end < len(text):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            break
        end += 1
    given = changed.strip().removeprefix("(").removesuffix(")").strip()
    before = text[opened + 1 : end].split(",", maxsplit=1)[0].strip()
    if before.partition(":")[0].strip() in _OBJECTS and given.split(",")[0].strip() != before:
        given = f"{before}, {given}" if given else before
    return f"{text[: opened + 1]}{given}{text[end:]}" if opened >= 0 else text
