"""Weights: how much each kind of evidence says, fitted on commits whose change is known.

`tests/bench/fit_search.py` prints these tables; docs/search.md says how they were tested. Evidence is between 0 and
about 1, so weights compare. What texts name outright is too rare in commits to be fitted, and tests and vendored code
are never what a case asks for: `said`, `literal`, `frame`, `title name` and `aside` are set by hand.

Knows: numbers.
Does not know: how evidence is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILE: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.31, "whole": 0.29, "best": 0.31, "best three": 0.4, "covered": 0.09, "path": 0.12, "file name": 0.16,
        "topic": 0.32, "names": 0.15, "pairs": 0.12, "aside": -0.15, "said": 0.3,
    }
)  # fmt: skip
"""A file as a whole."""

PASSAGE: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.77, "whole": 0.09, "name": 0.06, "topic": 0.1, "pairs": 0.13, "module": -0.35, "aside": -0.15,
        "literal": 0.3, "frame": 1.0, "title name": 0.3, "name said": 0.3, "file": 0.72,
    }
)  # fmt: skip
"""A passage of it; `file` is what its file came to."""
