"""The conventions of Kotlin."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse
from avionics.syntax.languages.java.conventions import HARMLESS_ANNOTATIONS, TEST_FILES, TESTS

CONVENTIONS = Conventions(
    files=FileNames(tests=TEST_FILES),
    tests=TESTS,
    implicit=ImplicitUse(
        harmless_decorators=HARMLESS_ANNOTATIONS | {"JvmStatic", "JvmOverloads", "JvmField", "JvmName"}
    ),
    is_name_first=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+[ \t]+)*(?:fun|class|interface|object)[ \t]+(?:<[^>]*>[ \t]*)?(?:[A-Za-z0-9_<>?]+\.)?(\w+)"
    ),
)
