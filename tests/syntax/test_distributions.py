"""What brings a module from outside is told by its name alone."""

from __future__ import annotations

import pytest

from avionics.syntax.registry import require_spec


@pytest.mark.parametrize(
    ("language", "module", "distribution"),
    [
        ("c", "stdio.h", ""),
        ("c", "sys/types.h", ""),
        ("cpp", "unordered_map", ""),
        ("cpp", "gtest/gtest.h", "gtest"),
        ("typescript", "node:path", ""),
        ("javascript", "fs/promises", ""),
        ("tsx", "@babel/types/deep", "@babel/types"),
        ("vue", "lodash/get", "lodash"),
        ("ruby", "net/http", ""),
        ("ruby", "rack/session", "rack"),
        ("php", "Psr.Http.Message", "Psr.Http"),
        ("php", "Exception", ""),
        ("java", "java.util", ""),
        ("java", "javax.swing", ""),
        ("java", "javax.cache", "javax"),
        ("java", "org.junit.jupiter", "org.junit"),
        ("kotlin", "kotlin.text", ""),
        ("csharp", "System.Text", ""),
        ("csharp", "Newtonsoft.Json", "Newtonsoft"),
        ("rust", "std.io", ""),
        ("rust", "serde.de", "serde"),
    ],
)
def test_the_package_of_a_module_is_told_by_its_name(language: str, module: str, distribution: str) -> None:
    find = require_spec(language).distribution
    assert find is not None
    assert find(module) == distribution
