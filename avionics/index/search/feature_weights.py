"""The weights of features, fitted on commits with known changes.

`tests/bench/fit_search.py` prints these tables; docs/research/search-experiments.md says how they were tested. Features
are between 0 and about 1, so weights can be compared. What texts name explicitly is too rare in commits to be fitted,
and tests and vendored code are never the target, so `said`, `literal`, `frame`, `title name` and `aside` are set by
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

FILE_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.24, "whole": 0.2, "best": 0.26, "best three": 0.37, "covered": 0.12, "path": 0.08, "file name": 0.13,
        "topic": 0.3, "names": 0.28, "pairs": 0.15, "aside": -0.15, "said": 0.3,
    }
)  # fmt: skip
"""The features of a whole file."""

CHUNK_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "stems": 0.66, "whole": 0.05, "name": 0.11, "topic": 0.08, "pairs": 0.15, "module": -0.35, "aside": -0.15,
        "literal": 0.3, "frame": 1.0, "title name": 0.3, "name said": 0.24, "file": 0.65,
    }
)  # fmt: skip
"""The features of a chunk; `file` is the score of its file."""

NEIGHBOR_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "same file": -0.2, "near": 0.08, "holds": 0.25, "held": 0.3, "namesake": -0.28, "calls": 0.21, "called": 0.16,
        "changed with": 0.2,
    }
)  # fmt: skip
"""The features of the relations to the most likely other matches; `changed with` is set by hand, because the cases of
the fit have no history."""
