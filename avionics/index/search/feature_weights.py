"""Weights: how much each kind of evidence says, fitted on commits whose change is known.

`tests/bench/fit_search.py` prints these tables; docs/research/search-experiments.md says how they were tested. Evidence
is between 0 and
about 1, so weights compare. What texts name outright is too rare in commits to be fitted, and tests and vendored code
are never what a case asks for: `said`, `literal`, `frame`, `title name` and `aside` are set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILE: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.24, "whole": 0.2, "best": 0.26, "best three": 0.37, "covered": 0.12, "path": 0.08, "file name": 0.13,
        "topic": 0.3, "names": 0.28, "pairs": 0.15, "aside": -0.15, "said": 0.3,
    }
)  # fmt: skip
"""A file as a whole."""

PASSAGE: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.66, "whole": 0.05, "name": 0.11, "topic": 0.08, "pairs": 0.15, "module": -0.35, "aside": -0.15,
        "literal": 0.3, "frame": 1.0, "title name": 0.3, "name said": 0.24, "file": 0.65,
    }
)  # fmt: skip
"""A passage of it; `file` is what its file came to."""

NEIGHBOR_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"same file": -0.2, "near": 0.08, "holds": 0.25, "held": 0.3, "namesake": -0.28, "calls": 0.21, "called": 0.16}
)
"""What the likeliest others say for a passage that stands to them in such a relation."""
