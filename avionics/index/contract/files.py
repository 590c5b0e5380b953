"""The names of files that may contain a contract."""

from __future__ import annotations

CONTRACT_FILES = ("avionics.toml", "pyproject.toml")
"""The files that may contain a contract, in order of preference."""
