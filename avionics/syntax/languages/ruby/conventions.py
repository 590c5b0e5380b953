"""The conventions of Ruby."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions

CONVENTIONS = Conventions(
    definition_lines=r"[ \t]*(?:def[ \t]+(?:self\.)?|class[ \t]+|module[ \t]+)(\w+[?!]?)",
)
