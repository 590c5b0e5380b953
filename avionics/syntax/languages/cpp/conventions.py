"""The conventions of C++."""

from __future__ import annotations

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.syntax.conventions import Conventions, FieldsByOrder, FileNames
from avionics.syntax.languages.c.conventions import (
    DEFINITION_LINES,
    IMPLICIT,
    LINKED_CODE,
    TESTS,
    UNREAD_CODE,
    VIEWED,
    VIEWS,
    is_private,
)
from avionics.syntax.languages.c.preprocessor import list_branches

_BY_ORDER = FieldsByOrder(
    unpacking_word="auto",
    # `auto& [key, value] = …`
    unpacking=late_pattern(r"\bauto\s{0,9}&{0,2}\s{0,9}\[([\w\s,]{1,400})\]\s{0,9}[=:]"),
    # `Row{1, 2}`, `Row row{1, 2}`; but not `struct Row {`, `: public Row {` and `-> Row {`
    made=(
        r"(?P<head>\b(?:class|struct|union|enum|namespace|public|private|protected|virtual)\s{1,9}|->\s{0,9})?"
        r"(?P<listed>[:,]\s{0,9})?\bNAME\b(?:<[^;{}()]{0,200}>)?(?:\s{1,9}\w{1,80})?(?P<blank>\s{0,9})\{\s{0,80}[^\s}.]"
    ),
    # `return {key, value};`
    listed_result=late_pattern(r"\breturn\s{0,9}\{\s{0,80}(?:[^\s}.]|\Z)"),
)
CONVENTIONS = Conventions(
    files=FileNames(
        private_suffixes=(".cc", ".cpp", ".cxx"),
        have_includes=True,
        unread_code=UNREAD_CODE,
        linked_code=LINKED_CODE,
        views=VIEWS,
        viewed=VIEWED,
    ),
    tests=TESTS,
    implicit=structs.replace(IMPLICIT, by_order=_BY_ORDER),
    names_owners=True,
    definition_lines=DEFINITION_LINES + r"|[ \t]+(?:[A-Za-z_][\w:<>,*&]*[ \t]+)*~?(\w+)\([^;=]*\)[^;=()]*\{?[ \t]*$",
    list_branches=list_branches,
    is_hidden=is_private,
)
