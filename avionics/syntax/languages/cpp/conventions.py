"""The conventions of C++."""

from __future__ import annotations

from avionics.syntax.conventions import Conventions, FileNames
from avionics.syntax.languages.c.conventions import DEFINITION_LINES, IMPLICIT, LINKED_CODE, TESTS, UNREAD_CODE
from avionics.syntax.languages.c.preprocessor import list_branches

CONVENTIONS = Conventions(
    files=FileNames(
        private_suffixes=(".cc", ".cpp", ".cxx"), have_includes=True, unread_code=UNREAD_CODE, linked_code=LINKED_CODE
    ),
    tests=TESTS,
    implicit=IMPLICIT,
    names_owners=True,
    definition_lines=DEFINITION_LINES + r"|[ \t]+(?:[A-Za-z_][\w:<>,*&]*[ \t]+)*~?(\w+)\([^;=]*\)[^;=()]*\{?[ \t]*$",
    list_branches=list_branches,
)
