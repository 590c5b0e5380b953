"""The conventions of Kotlin."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse
from avionics.syntax.languages.java.conventions import (
    HARMLESS_ANNOTATIONS,
    NATIVE_CALLS,
    TEST_FILES,
    TESTS,
    UNREAD_CODE,
)

CONVENTIONS = Conventions(
    files=FileNames(tests=TEST_FILES, unread_code=UNREAD_CODE),
    tests=TESTS,
    implicit=ImplicitUse(
        harmless_decorators=HARMLESS_ANNOTATIONS | {"JvmStatic", "JvmOverloads", "JvmField", "JvmName"},
        native_calls=NATIVE_CALLS,
    ),
    is_name_first=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+[ \t]+)*(?:fun|class|interface|object)[ \t]+(?:<[^>]*>[ \t]*)?(?:[A-Za-z0-9_<>?]+\.)?(\w+)"
    ),
)
