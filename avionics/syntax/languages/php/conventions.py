"""The conventions of PHP."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions, ImplicitUse

CONVENTIONS = Conventions(
    implicit=ImplicitUse(harmless_decorators=frozenset({"Override", "Deprecated"}), constructors=("__construct",)),
    definition_lines=r"[ \t]*(?:[a-z]+[ \t]+)*(?:function|class|interface|trait|enum)[ \t]+&?(\w+)",
)
