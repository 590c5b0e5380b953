"""How names of Kotlin work."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.distributions import of_java_package
from avionics.syntax.spec import LanguageSpec

_CALLED = (
    r"(?:plus|minus|times|div|rem|mod)(?:Assign)?|unary(?:Plus|Minus)|not|inc|dec|range(?:To|Until)|contains|[gs]et"
    r"|invoke|compareTo|equals|hashCode|toString|iterator|hasNext|next|component\d+|[gs]etValue|provideDelegate"
)
"""What operators, loops, destructuring and delegation call by their names."""

_SMART_CASTS = (
    r"\bNAME\s*+(?:!?is|as)\b|\bwhen\s*+\([^()\n]*\bNAME\s*+\)"
    r"|\b(?:assert|require|check)\w*+\s*+(?:<[^<>\n]*>)?\([^()\n]*\bNAME\b"
)

_PACKAGES = frozenset({"android", "androidx", "com", "java", "javax", "kotlin", "kotlinx", "org"})
"""The beginnings of most packages, which code may name without an import."""

SPEC = LanguageSpec(
    name="kotlin",
    marks_overrides=True,
    called_members=_CALLED,
    module_system="jvm_namespaces",
    distribution=of_java_package,
    implicit_members=True,
    late_locals=True,
    smart_casts=_SMART_CASTS,
    receiving_lambdas=True,
    bound_names=late_pattern(r"(?![A-Z])"),
    builtin_names=_PACKAGES,
    overloads=True,
    outward_overloads=True,
    non_virtual_members=r"[^(]*\bprivate\b",
    open_classes=True,
    stub="kotlin.kt",
)
