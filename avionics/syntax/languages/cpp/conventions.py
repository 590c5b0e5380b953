"""The conventions of C++."""

from __future__ import annotations

from msgspec import structs

from avionics.syntax.conventions import Conventions, FileNames
from avionics.syntax.languages.c.conventions import DEFINITION_LINES, IMPLICIT, LINKED_CODE, TESTS, UNREAD_CODE
from avionics.syntax.languages.c.preprocessor import list_branches

_TRAIT_TYPES = frozenset(
    {
        "iterator_category", "iterator_concept", "value_type", "difference_type", "pointer", "reference", "element_type",
        "size_type", "const_pointer", "const_reference", "iterator", "const_iterator", "reverse_iterator",
        "const_reverse_iterator", "key_type", "mapped_type", "allocator_type", "is_transparent", "is_always_equal",
        "rebind", "other", "promise_type", "argument_type", "first_argument_type", "second_argument_type", "result_type",
        "type", "char_type", "int_type", "off_type", "pos_type", "state_type", "traits_type", "comparison_category",
        "propagate_on_container_copy_assignment", "propagate_on_container_move_assignment",
        "propagate_on_container_swap", "rep", "period", "duration", "time_point", "is_clock", "container_type",
    }
)  # fmt: skip
"""What `std::iterator_traits`, `std::allocator_traits` and their like read of a class."""
CONVENTIONS = Conventions(
    files=FileNames(
        private_suffixes=(".cc", ".cpp", ".cxx"), have_includes=True, unread_code=UNREAD_CODE, linked_code=LINKED_CODE
    ),
    tests=TESTS,
    implicit=structs.replace(IMPLICIT, trait_types=_TRAIT_TYPES),
    names_owners=True,
    definition_lines=DEFINITION_LINES + r"|[ \t]+(?:[A-Za-z_][\w:<>,*&]*[ \t]+)*~?(\w+)\([^;=]*\)[^;=()]*\{?[ \t]*$",
    list_branches=list_branches,
)
