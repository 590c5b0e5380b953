"""The conventions of Kotlin."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse, NamingString, StoredClasses
from avionics.syntax.languages.java.conventions import (
    BRIDGE,
    BUILT_NAMES,
    CALLED_MEMBERS,
    CLASS_LISTING,
    FINDING_BASES,
    HARMLESS_ANNOTATIONS,
    MEMBER_LISTING,
    NAMED_IN_ANNOTATION,
    NATIVE_CALLS,
    PRIVATE_LISTING,
    SPECIAL_NAMES,
    TEST_FILES,
    TESTS,
    UNREAD_CODE,
)

_PROPERTIES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE})


def _list_accessors(of: Symbol) -> tuple[str, ...]:
    """Return the names by which Java reads and writes a property."""
    if of.kind not in _PROPERTIES:
        return ()
    name = of.name[0].upper() + of.name[1:]
    return (f"get{name}", f"set{name.removeprefix('Is')}")


CONVENTIONS = Conventions(
    stored=StoredClasses(
        modules=late_pattern(
            r"(?:javax|jakarta)\.persistence|springframework\.data|hibernate|\broom\b|jetbrains\.exposed"
        ),
        bases=late_pattern(r"(?:\w+\.)*(?:Table|IdTable|IntIdTable|LongIdTable|UUIDTable)\b.*"),
        decorators=late_pattern(r"(?:\w+\.)*(?:Entity|Table|Document|MappedSuperclass)\b"),
    ),
    files=FileNames(tests=TEST_FILES, unread_code=UNREAD_CODE),
    tests=TESTS,
    offered=late_pattern(r"(?!(?:[a-z]{1,12} ){0,5}internal )"),
    implicit=ImplicitUse(
        class_listing=CLASS_LISTING,
        member_listing=MEMBER_LISTING,
        private_listing=PRIVATE_LISTING,
        finding_bases=FINDING_BASES,
        bridge=BRIDGE,
        library_members=CALLED_MEMBERS,
        harmless_decorators=HARMLESS_ANNOTATIONS | {"JvmStatic", "JvmOverloads", "JvmField", "JvmName"},
        naming_strings=(NamingString('"NAME"'), NAMED_IN_ANNOTATION),
        built_names=BUILT_NAMES,
        native_calls=NATIVE_CALLS,
        special_names=SPECIAL_NAMES,
        unnamed_members=late_pattern(r"(?:[a-z]{1,12} ){0,6}?annotation class\b.{0,800}"),
        value_classes=late_pattern(r"(?:[a-z]{1,12} ){0,6}?(?:data|value) class\b"),
        hidden_methods=late_pattern(r"(?:[a-z]{1,12} ){0,6}?private\b"),
        native_methods=late_pattern(r"(?:[a-z]{1,12} ){0,6}?external\b"),
        has_private_underscore=False,
        run_functions=frozenset({"main", "premain", "agentmain"}),
        list_other_names=_list_accessors,
    ),
    is_name_first=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+[ \t]+)*(?:fun|class|interface|object)[ \t]+(?:<[^>]*>[ \t]*)?(?:[A-Za-z0-9_<>?]+\.)?(\w+)"
    ),
)
