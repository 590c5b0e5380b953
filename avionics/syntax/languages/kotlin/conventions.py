"""The conventions of Kotlin."""

from __future__ import annotations

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import Conventions, NamingString, Records, StoredClasses
from avionics.syntax.languages.java.conventions import CONVENTIONS as JAVA
from avionics.syntax.languages.java.conventions import HARMLESS_ANNOTATIONS, NAMED_IN_ANNOTATION

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
    files=structs.replace(JAVA.files, are_named_by_types=False),
    tests=JAVA.tests,
    records=Records(copying_members=frozenset({"copy"}), in_header=True),
    offered=late_pattern(r"(?!(?:[a-z]{1,12} ){0,5}internal )"),
    implicit=structs.replace(
        JAVA.implicit,
        constructing_words=(),
        harmless_decorators=HARMLESS_ANNOTATIONS | {"JvmStatic", "JvmOverloads", "JvmField", "JvmName"},
        # https://kotlinlang.org/docs/kotlin-doc.html#sample-identifier
        naming_strings=(
            NamingString('"NAME"'),
            NAMED_IN_ANNOTATION,
            NamingString(r"^\s*\*\s*@sample\s+(?:\w+\.)*NAME\b", is_linked=True, needs=("@sample",)),
        ),
        unnamed_members=late_pattern(r"(?:[a-z]{1,12} ){0,6}?annotation class\b.{0,800}|.{0,400}\.createUIComponents"),
        value_classes=late_pattern(r"(?:[a-z]{1,12} ){0,6}?(?:data|value) class\b"),
        native_methods=late_pattern(r"(?:[a-z]{1,12} ){0,6}?external\b"),
        list_other_names=_list_accessors,
    ),
    is_name_first=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+[ \t]+)*(?:fun|class|interface|object)[ \t]+(?:<[^>]*>[ \t]*)?(?:[A-Za-z0-9_<>?]+\.)?(\w+)"
    ),
)
