"""The conventions of C."""

from __future__ import annotations

import re
from collections.abc import Sequence

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import (
    PLAIN_STRINGS,
    REMARKS,
    Conventions,
    FileNames,
    ImplicitUse,
    ScriptStrings,
    Wrapping,
)
from avionics.syntax.languages.c.preprocessor import list_branches
from avionics.syntax.testing import TestConventions, TestRunner

_QUEUES = "(?:S?LIST|S?TAILQ|SIMPLEQ|CIRCLEQ|RB|SPLAY)"
"""The macros of `sys/queue.h` and `sys/tree.h`."""
_OF_TREES = "(?:PROTOTYPE|GENERATE)(?:_[A-Z]+)?"
TESTS = TestConventions(
    names=re.compile("test|Test|TEST|SCENARIO"),
    marks=re.compile(r"\b(?:test|Test|[CU]TEST|(?:BOOST_AUTO_|MU_|START_|TYPED_)?TEST(?:_[FP]|_CASE|_METHOD)?)\b"),
    runners=(TestRunner(("ctest", "--test-dir", "build", "-R", "{tests}"), "{stem}", "|", file="CMakeLists.txt"),),
    parts=re.compile(r"\b[A-Z][A-Z0-9_]{2,200}[ \t]*\(\s*\"(?P<title>[^\"\\\n]+)\""),
)
_TRAIT_TYPES = frozenset(
    {
        "iterator_category", "iterator_concept", "value_type", "difference_type", "pointer", "reference",
        "element_type", "size_type", "const_pointer", "const_reference", "iterator", "const_iterator",
        "reverse_iterator", "const_reverse_iterator", "key_type", "mapped_type", "allocator_type", "is_transparent",
        "is_always_equal", "rebind", "other", "promise_type", "argument_type", "first_argument_type",
        "second_argument_type", "result_type", "type", "char_type", "int_type", "off_type", "pos_type",
        "state_type", "traits_type", "comparison_category", "propagate_on_container_copy_assignment",
        "propagate_on_container_move_assignment", "propagate_on_container_swap", "rep", "period", "duration",
        "time_point", "is_clock", "container_type",
    }
)  # fmt: skip
"""What `std::iterator_traits`, `std::allocator_traits` and their like read of a class of C++."""
IMPLICIT = ImplicitUse(
    trait_types=_TRAIT_TYPES,
    # https://docs.gtk.org/gobject/func.DEFINE_TYPE.html
    joined_ends=re.compile(
        r"_(?:(?:class_|default_|instance_)?init|(?:class_)?finalize|get_type|quark|parent_class)\Z"
    ),
    script_strings=ScriptStrings(
        ('R"',),
        late_pattern(
            rf"""{REMARKS}|(?P<script>R"(?P<end>[^()\\\s"]{{0,16}})\((?>(?:[^)]++|\)(?!(?P=end)"))*))(?:\)(?P=end)")?"""
            rf"""|{PLAIN_STRINGS}|'(?:[^'\\\n]|\\.)'"""
        ),
    ),
    plain_macros=re.compile(
        r"\b(?:G_(?:DEFINE|DECLARE|IMPLEMENT)_\w+|Q_\w+|(?:[A-Z]{1,20}_){0,3}TESTS?(?:_\w+)?"
        r"|(?:[A-Z]{1,20}_){0,3}(?:ASSERT|CHECK|EXPECT|REQUIRE|FAIL|UNUSED)(?:_\w+)?)"
    ),
    # https://www.swig.org/Doc4.3/SWIG.html#SWIG_nn47
    wrapping=Wrapping((".i", ".swg", ".swig"), late_pattern(r'^[ \t]*%include\s{1,9}["<]([^">\n]{1,300})[">]', re.M)),
    first_fields=re.compile(r"\b(?:const\s+)?(?:struct\s+\w++|[A-Z][A-Z\d_]*+[a-z]\w*+)\s+\w+\s*;?"),
    run_functions=frozenset({"main", "wmain", "WinMain", "wWinMain", "DllMain", "LLVMFuzzerTestOneInput"}),
    special_names=re.compile(
        r"__\w*__|(?:Java|PyInit|luaopen|Init)_\w+|JNI_On(?:Unl|L)oad|LLVMFuzzer(?:TestOneInput|Initialize)|DllMain"
    ),
    run_marks=re.compile(
        r"__attribute(?:__)?\s?\(\([^;]{0,80}\b(?:__)?(?:con|de)structor\b"
        r"|__attribute(?:__)?\s?\(\([^;]{0,80}\b(?:__)?(?:used|retain|section|interrupt)\b|\[\[(?:gnu|clang)::(?:con|de)structor\b"
    ),
    # `T a = {1, 2}`, `T a[] = {{1, 2}}`, `(T *)buffer`, and the size of T where nothing is allocated or cleared.
    ordered_fields=(
        r"\bNAME\s++[\w#]++(?>(?:\[[^\]\n]{0,80}\])*)\s*+=\s*+\{(?>(?:\s*+\{)?)\s*+(?![.}\[\s]|0\s*+\}|\w++\s*+:)"
        r"|\(\s*+(?:const\s++)?(?:struct\s++|union\s++)?NAME\s*+\*++\s*+\)\s*+[\w(&]"
        r"|^(?![^\n]*(?:[aA]lloc|ALLOC|[nN]ew|NEW|memset|zero|free|create))"
        r"[^\n]*\bsizeof\s*+\(\s*+(?:struct\s++|union\s++)?NAME\s*+\)"
    ),
    # `} table[] = {{1, 2}, …`, `} first = {1, 2}`
    listed_values=late_pattern(
        r"\s{0,80}(?:\w{1,80}\s{1,80}){0,3}\w{1,80}\s{0,9}(?:\[[^\]\n]{0,80}\]\s{0,9}){0,3}=\s{0,9}\{\s{0,80}"
        r"(?:\{\s{0,80})?(?![.}\[\s]|0\s{0,9}\})"
    ),
    layout_uses=re.compile(r"__attribute(?:__)?\s?\(\([^;\n]{0,80}\bpacked|#[ \t]*pragma[ \t]+pack\b"),
    sized_fields=re.compile(
        r"(?:(?:const|volatile) )?(?:[a-z]{1,9}_|__)?(?:[usx]|u?int_?|u_int|[bl]e|aligned_u)(?:8|16|32|64)(?:_t)?\b.*"
        r"|(?:(?:un)?signed )?char [^\]\n]{1,80}\].*"
    ),
    member_macros=re.compile(
        r"(?:__builtin_)?offsetof|container_of|(?:S?LIST|S?TAILQ|SIMPLEQ|CIRCLEQ|RB|SPLAY|HASH|LL|DL|CDL)_[A-Z_]+"
        r"|h?list_(?:first_|last_|next_|prev_)?entry\w*|h?list_for_each\w*"
    ),
    tag_macros=(
        re.compile(rf"{_QUEUES}_(?:HEAD|ENTRY|{_OF_TREES})"),
        re.compile(rf"{_QUEUES}_(?:HEAD|LAST|PREV|{_OF_TREES})"),
        re.compile(rf"{_QUEUES}_(?:FOREACH_REVERSE(?:_SAFE)?|SWAP)|S(?:LIST|TAILQ)_REMOVE|S?LIST_CONCAT|LIST_PREV"),
    ),
)
"""Names with two underscores belong to the compiler; others are looked up by name when a library is loaded."""
DEFINITION_LINES = (
    r"(?:[A-Za-z_][\w \t*&:<>,~]*[ \t*&:])?(\w+)[ \t]*\([^;]*$"
    r"|[ \t]*(?:typedef[ \t]+)?(?:struct|class|enum|union)[ \t]+(\w+)[^;()]*$|#[ \t]*define[ \t]+(\w+)"
)
UNREAD_CODE = re.compile(
    r"\.(?:mm?|y|yy|ypp|yxx|l|ll|lex|lpp|re|rl|gperf|leg|peg|lemon|pyx|pxd|pxi|xs|swg|i|inc|rc|vala|vapi|swift|zig|nim|d"
    r"|chs|hsc|cl|metal|ino|pde|bt)$|\.(?:[ch]|cc|[ch]pp|[ch]xx|hh)\.\w+$"
)
VIEWS = re.compile(r"\.(?:ui|glade|qml|blp)$")
VIEWED = re.compile(r"\bQ_(?:OBJECT|GADGET|NAMESPACE)|\bQML_|[Gg][Tt][Kk]")
LINKED_CODE = re.compile(r"\.(?:[sS]|sx|asm|nasm|x|(?:ld|lds)(?:\.\w+)?|mli?|hs|f|f90|F90|pas|ad[bs])$")
_LINKED = frozenset({SymbolKind.FUNCTION, SymbolKind.VARIABLE})


def rank_visibility(path: str, symbol: Symbol) -> int:
    """Rank how few other files can see what a C file or header declares.

    All files can see a function or variable with external linkage, or a header of the whole tree (0). Part of the tree
    sees a header in an `include` directory below (1). No other file sees what is private to a file (2).
    """
    if path.endswith(".c"):
        return 0 if symbol.exported and symbol.parent < 0 and symbol.kind in _LINKED else 2
    return int("/include/" in path)


_ACCESS_OR_BRACE = late_pattern(
    r"""//[^\n]*+|/\*(?>[\s\S]*?(?:\*/|\Z))|"(?>(?:[^"\\\n]++|\\.)*)"?|'(?>(?:[^'\\\n]++|\\.)*)'?"""
    r"|(?P<access>(?:^|(?<=[{};:]))[ \t]*+(?:public|protected|private|signals|Q_SIGNALS)\b"
    r"[ \t]*+(?:slots|Q_SLOTS)?[ \t]*+:(?!:))|[{}]",
    re.MULTILINE,
)


def is_private(lines: Sequence[str], holder: Symbol, member: Symbol) -> bool:
    """Return whether the last access specifier in the body of a class before a member is `private`.

    Headers of C++ are called like those of C.
    """
    is_hidden, depth = holder.signature.startswith("class"), 0
    text = "\n".join((*lines[holder.line - 1 : member.line - 1], lines[member.line - 1][: member.column]))
    for found in _ACCESS_OR_BRACE.finditer(text, holder.column):
        if found["access"] is not None and depth == 1:
            is_hidden = "private" in found[0]
        depth += (found[0] == "{") - (found[0] == "}")
    return is_hidden


CONVENTIONS = Conventions(
    files=FileNames(
        private_suffixes=(".c",),
        have_includes=True,
        unread_code=UNREAD_CODE,
        linked_code=LINKED_CODE,
        views=VIEWS,
        viewed=VIEWED,
    ),
    tests=TESTS,
    implicit=IMPLICIT,
    names_owners=True,
    rank_visibility=rank_visibility,
    definition_lines=DEFINITION_LINES,
    list_branches=list_branches,
    is_hidden=is_private,
)
