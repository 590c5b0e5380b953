"""The conventions of Ruby."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions

CONVENTIONS = Conventions()
