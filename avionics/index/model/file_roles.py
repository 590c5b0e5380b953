"""Places: what a path says about how much its code matters to a question.

Knows: how projects name tests, generated and vendored code.
Does not know: contents.
"""

from __future__ import annotations

import functools
import re
from enum import IntEnum

_TEST = re.compile(
    r"(^|/)(tests|__tests__|testdata|src/\w*[tT]est\w*)/|^(test|testing|specs?)/|(^|/)[^/]*[.](Unit|Integration)?Tests?/"
    r"|(^|/)[^/]*[a-z]Tests?\.(java|kt|cs)$|(^|/)test/.*\.(?!pyi?$)\w+$"
    r"|(^|/)(test_[^/]*|[^/]*_test|[^/]*\.(test|spec)(-d)?|conftest|tests)\.\w+$|(^|/)([\w.-]+-tests?|test-[\w-]+)/"
)
_VENDORED = re.compile(
    r"(^|/)(_?vendor(ed)?|third_party|node_modules|site-packages|external|deps)/|\.min\.\w+$"
    r"|-\d+(\.\d+)+(\.\w+)*\.js$|(^|/)(jquery|underscore|lodash|bootstrap)(\.\w+)*\.js$"
)
_GENERATED = re.compile(
    r"(^|/)migrations/\d{4}_\w+\.py$|(^|/)generated/|_pb2(_grpc)?\.pyi?$|\.generated\."
    r"|\.pb(\.\w+)?\.go$|(^|/)zz_generated|_gen\.go$"
)
_ASIDE = re.compile(
    r"(^|/)(docs?|examples?|bench(es|marks?)|fuzz|scripts?)/|^tools/|(^|/)((setup|ez_setup)\.py|build\.rs)$|(^|/)branches/"
)


class FileRole(IntEnum):
    """How near to the product a file is; answers put lower ones first."""

    PRODUCT = 0
    AUXILIARY = 1
    TEST = 2
    GENERATED = 3
    VENDORED = 4


@functools.lru_cache(maxsize=100_000)
def role_of(path: str) -> FileRole:
    """What the path says of its file."""
    if _VENDORED.search(path):
        return FileRole.VENDORED
    if _GENERATED.search(path):
        return FileRole.GENERATED
    if _TEST.search(path):
        return FileRole.TEST
    return FileRole.AUXILIARY if _ASIDE.search(path) else FileRole.PRODUCT


def is_product(path: str) -> bool:
    """Return whether a file is neither a test nor generated or vendored code."""
    return role_of(path) <= FileRole.AUXILIARY
