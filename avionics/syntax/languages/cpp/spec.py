"""How names of C++ work."""

from __future__ import annotations

from avionics.model.reasons import ReasonKind
from avionics.syntax.languages.distributions import of_header
from avionics.syntax.spec import LanguageSpec

SPEC = LanguageSpec(
    name="cpp",
    jumps=frozenset({"goto"}),
    module_system="c_includes",
    distribution=of_header,
    called_members=(
        r"begin|end|await_(?:ready|suspend|resume)|(?:initial|final)_suspend|return_(?:value|void)|yield_value|"
        r"get_return_object|unhandled_exception"
    ),
    implicit_members=True,
    overloads=True,
    # https://en.cppreference.com/w/cpp/language/sfinae
    conditional_functions=r"\b(?:decltype|enable_if\w*|requires|void_t)\b|\btypename\s[\w<>,\s]{0,200}::",
    silent_construction=True,
    late_locals=True,
    open_classes=True,
    static_types=True,
    dereferences=True,
    pointers=True,
    stub="cpp.hpp",
    linkage=True,
    text_mention_reason=ReasonKind.MACRO_TEXT,
)
