"""How names of C# work."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.distributions import first_part_but
from avionics.syntax.spec import LanguageSpec

_CALLED = (
    r"Deconstruct|Get(?:Async)?Enumerator|MoveNext(?:Async)?|Current|GetAwaiter|IsCompleted|(?:Unsafe)?OnCompleted"
    r"|GetResult|Add|Dispose(?:Async)?|GetPinnableReference|Slice|extension"
    r"|Select(?:Many)?|Where|Join|GroupJoin|(?:Order|Then)By(?:Descending)?|GroupBy|Cast"
)
"""Members that `foreach`, `await`, `from`, patterns, `using` and the braces after `new` call, and extension blocks."""

_BUILTIN_TYPES = frozenset({
    "bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "nint", "nuint", "object", "sbyte",
    "short", "string", "uint", "ulong", "ushort", "void",
})  # fmt: skip

_OF_OBJECT = frozenset(
    {
        "Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString",
    }
)  # fmt: skip
"""The members of System.Object."""

SPEC = LanguageSpec(
    name="csharp",
    outside_members={"Object": _OF_OBJECT},
    has_partial_grammar=True,
    has_conditions=True,
    marks_overrides=True,
    called_members=_CALLED,
    module_system="jvm_namespaces",
    distribution=first_part_but("System"),
    implicit_members=True,
    bound_names=late_pattern(r"(?![A-Z])"),
    builtin_names=_BUILTIN_TYPES,
    overloads=True,
    silent_construction=True,
    non_virtual_members=r"[^(]*\b(?:private|static)\b|(?![^(]*(?:\b(?:public|protected|internal|override)\b|\.))",
    open_classes=True,
    counts_parameters=True,
    omitted_end="Attribute",
    static_receivers=True,
    stub="csharp.cs",
)
