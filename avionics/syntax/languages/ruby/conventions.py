"""What users of Ruby agree on."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions

CONVENTIONS = Conventions()
