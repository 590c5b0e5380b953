"""Find the parameters that the calls of a function pass, and the calls that another parameter list would break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.verdicts.calls.callees import Callees
from avionics.index.verdicts.calls.misfits import Misfit, get_misfit
from avionics.index.verdicts.comparison import VersionPair
from avionics.late_pattern import late_pattern
from avionics.model.enums import ReferenceKind
from avionics.model.facts import Reference
from avionics.model.knowledge import Definition, Usage
from avionics.syntax.argument_texts import ParameterList
from avionics.syntax.call_sites import Position, read_calls, read_parameter_lists, read_signatures
from avionics.syntax.engine.call_shapes import CallShape, CallSignature

_OBJECTS = ("self", "cls")
_RECEIVER = late_pattern(rb"(?:self|cls)\b[^,)]*|&\s*(?:'\w+\s+)?(?:mut\s+)?self|mut\s+self")
"""The receiver of a method, written as its first parameter."""


class PassedCall(Struct, frozen=True):
    """The arguments of one call.

    Attributes:
        passed: The names of the parameters that get an argument, in the order of the declaration; "…" for unknown ones.
        misfit: Why the call does not fit another parameter list; None if it fits, or if there is no other list.
    """

    usage: Usage
    passed: tuple[str, ...]
    misfit: Misfit | None = None


class CallArguments:
    """Reads the calls of the functions of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._callees = Callees(VersionPair(code, code, ()))

    def read_signature(self, definition: Definition, changed: str = "") -> CallSignature | None:
        """Return the signature of a function, with another parameter list if given; None if it cannot be read."""
        content = self._code.read_content(definition.file)
        language, place = self._code.facts(definition.file).language, (definition.line, definition.symbol.column)
        if changed:
            listed = read_parameter_lists(content, language, [place]).get(place)
            if listed is None:
                return None
            start, end = listed.span
            content = content[:start] + write_parameters(listed, changed) + content[end:]
        return read_signatures(content, language, [place]).get(place)

    def list_passed(
        self, definition: Definition, usages: Iterable[Usage], changed: CallSignature | None = None
    ) -> tuple[PassedCall, ...]:
        """Return the arguments of the calls among some usages, in order."""
        signature = self.read_signature(definition)
        calls = [usage for usage in usages if usage.role is ReferenceKind.CALL]
        if signature is None:
            return ()
        shapes: dict[str, Mapping[Position, CallShape]] = {}
        for file in dict.fromkeys(usage.file for usage in calls):
            content = self._code.read_content(file)
            places = [(usage.line, usage.column) for usage in calls if usage.file == file]
            shapes[file] = read_calls(content, self._code.facts(file).language, places)
        found = []
        for usage in calls:
            shape = shapes[usage.file].get((usage.line, usage.column))
            if shape is None:
                found.append(PassedCall(usage, ("…",)))
                continue
            is_bound = self._is_bound(definition, usage, signature)
            calls_grammar = self._code.resolver.scopes.rules(usage.file).calls
            misfit = None
            if changed is not None:
                has_names = bool(calls_grammar and calls_grammar.named_arguments)
                misfit = get_misfit(changed, shape, is_bound=is_bound, has_names=has_names)
            found.append(PassedCall(usage, _name_passed(signature, shape, is_bound=is_bound), misfit))
        return tuple(found)

    def _is_bound(self, definition: Definition, usage: Usage, signature: CallSignature) -> bool:
        """Return whether the receiver, or the new object, is the first declared parameter."""
        reference = self._get_reference(definition, usage)
        for callee in self._callees.find(usage.file, reference) if reference is not None else ():
            if callee.definition == definition:
                return callee.is_bound
        return bool(signature.parameters) and signature.parameters[0].name in _OBJECTS

    def _get_reference(self, definition: Definition, usage: Usage) -> Reference | None:
        return self._code.uses(usage.file).get_reference(definition.name, usage.line, usage.column)


def _name_passed(signature: CallSignature, shape: CallShape, *, is_bound: bool) -> tuple[str, ...]:
    """Return the names of the parameters that a call passes."""
    parameters = signature.parameters[1:] if is_bound else signature.parameters
    given = shape.positional - (1 if signature.has_receiver and shape.is_through_type else 0)
    by_position = [each for each in parameters if not each.is_named_only and each.gathers != "**"]
    named = [each.name or f"#{at}" for at, each in enumerate(by_position[: max(0, given)], 1)]
    order = {each.name: at for at, each in enumerate(parameters)}
    keywords = sorted(shape.keywords, key=lambda name: order.get(name, len(order)))
    is_full = len(named) == len(parameters) and not any(each.gathers for each in parameters)
    further = ("…",) if (shape.is_open or shape.gives_rest) and not is_full else ()
    return (*named, *(name for name in keywords if name not in named), *further)


def write_parameters(listed: ParameterList, changed: str) -> bytes:
    """Return the text of a changed parameter list; a receiver (`self`) that it leaves out stays first."""
    given = changed.encode("utf-8", "surrogateescape").strip()
    if given.startswith(b"(") and given.endswith(b")"):
        given = given[1:-1].strip()
    first = listed.first.encode("utf-8", "surrogateescape")
    declared = _RECEIVER.fullmatch(first)
    if declared is not None and not _RECEIVER.match(given):
        return first + b", " + given if given else first
    return given
