"""The names of files that may contain a contract."""

from __future__ import annotations

CONTRACT_FILES = ("avionics.toml", "pyproject.toml")
"""Where a contract is looked for, in this order."""
