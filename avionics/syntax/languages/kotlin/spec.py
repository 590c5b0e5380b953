"""How names of Kotlin work."""

from __future__ import annotations

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
    overloads=True,
    outward_overloads=True,
    non_virtual_members=r"[^(]*\bprivate\b",
    open_classes=True,
    stub="kotlin.kt",
)
