"""Name the files that may hold a contract."""

from __future__ import annotations

CONTRACT_FILES = ("avionics.toml", "pyproject.toml")
"""Where a contract is looked for, in this order."""
