"""The conventions of Java."""

from __future__ import annotations

import re

from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse, TestConventions, TestRunner

TEST_FILES = re.compile(r"[a-z]Tests?\.\w+$")
TESTS = TestConventions(
    marks=re.compile(r"\b(?:Test|ParameterizedTest|RepeatedTest)\b"),
    runners=(
        TestRunner(("mvn", "test", "-Dtest={tests}"), "{first}#{last}", ",", file="pom.xml"),
        TestRunner(("./gradlew", "test"), "{name}", file="gradlew", option="--tests"),
        TestRunner(("gradle", "test"), "{name}", option="--tests"),
    ),
)
HARMLESS_ANNOTATIONS = frozenset(
    {
        "Override", "Deprecated", "SuppressWarnings", "SafeVarargs", "FunctionalInterface", "Nullable", "NonNull",
        "NotNull", "Nonnull", "CheckReturnValue", "CanIgnoreReturnValue", "VisibleForTesting",
        "Retention", "Target", "Documented", "Inherited",
    }
)  # fmt: skip

DEFINITION_LINES = (
    r"[ \t]*(?:[\w@][\w<>,.?&@]*[ \t]+)+(\w+)[ \t]*\([^;=]*$"
    r"|[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|enum|record|struct|@interface)[ \t]+(\w+)"
)

CONVENTIONS = Conventions(
    files=FileNames(tests=TEST_FILES),
    tests=TESTS,
    implicit=ImplicitUse(harmless_decorators=HARMLESS_ANNOTATIONS),
    definition_lines=DEFINITION_LINES,
)
