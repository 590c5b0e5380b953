"""Find the names that a string in Python code may refer to."""

from __future__ import annotations

import functools
import re

from avionics.late_pattern import late_pattern
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import field_of
from avionics.syntax.engine.uses import UsesBuilder
from avionics.syntax.languages.python.conventions import NAMESPACES
from avionics.syntax.languages.python.textual import SENTENCE

_NAME_LIKE = late_pattern(r"[.:]?[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*\Z")
_PATTERN = late_pattern(r"(?=.*[A-Za-z]{3})(?=.*\*)[\w*]+\Z")
_GAP = late_pattern(r"%\(?\w*\)?s|\{\w*\}")
_EXAMPLE = late_pattern(r"^[ \t]*(?:>>>|\.\.\.) (.*)$", re.M)
_CALLED = late_pattern(r"\b([A-Za-z_]\w*+)\(")
_PASSED = late_pattern(r"[(,]\s*([A-Za-z_]\w*+)\s*(?=[,)])")
"""The names that calls are given alone: `app.push(shop)`."""
_READ_MEMBER = late_pattern(r"\w\.([A-Za-z_]\w*)")
_DEFINED = late_pattern(r"\b(?:def|class) +([A-Za-z_]\w*)")
_IMPORTED = late_pattern(r"\bimport ([\w ,.*]+)")
_ENTRY = late_pattern(
    r"^[ \t]*+[\w.-]++[ \t]*+=[ \t]*+[A-Za-z_][\w.]*+:([A-Za-z_]\w*+)[\w.]*+[ \t]*+(?:\[[^\]\n]*+\][ \t]*+)?$", re.M
)
"""An entry point of a package: `shop = shop.cli:main [extra]`."""
_TEMPLATE = late_pattern(r"\{[{%](.{0,400}?)[%}]\}")
_FIELD = late_pattern(r"(?<!\{)\{\w*(?:\[[^\[\]{}]*\])?((?:\.\w+)+)")
"""The attributes that a format string reads: `{0.size}`."""
_WORD = late_pattern(r"[A-Za-z_]\w*")
_LAST = late_pattern(r"[.:]")
_MAX_NAME_LENGTH = 100
_MAX_CODE_LENGTH = 200
_KEYWORDS = frozenset(
    {
        "and", "as", "assert", "async", "await", "case", "class", "const", "def", "del", "elif", "else",
        "except", "exec", "for", "from", "function", "global", "if", "import", "in", "is", "lambda", "let",
        "match", "new", "nonlocal", "not", "or", "print", "raise", "return", "select", "type", "var", "while",
        "with", "yield",
    }
)  # fmt: skip
_TWO_WORDS = late_pattern(r"(?i)\b([a-z]{2,})(?= ([a-z]{2}\w*))")
_STATEMENTS = late_pattern(r"[\n;]|[^=!<>]=[^=]")
_NAMESPACE = late_pattern(NAMESPACES.encode())
_LOOKUPS = frozenset({"get", "pop", "setdefault"})
_NAMING_CALLS = frozenset(
    {
        "TypeVar", "TypeVarTuple", "ParamSpec", "NewType", "TypeAliasType", "NamedTuple", "TypedDict", "namedtuple",
        "ContextVar", "getLogger",
    }
)  # fmt: skip
"""Calls of the standard library that are given the name under which their result is displayed."""
_PARAMETER_CALLS = frozenset({"parametrize"})
"""Calls that take names of parameters; names of fixtures only with `indirect`."""
_EXPORTS = "__all__"
_ASSIGNMENTS = frozenset({"assignment", "augmented_assignment"})
_EXPORTING_CALLS = frozenset({"__all__.append", "__all__.extend"})
_COLLECTIONS = frozenset({"list", "set", "tuple", "parenthesized_expression"})


def mention_text(uses: UsesBuilder, node: Node, text: str, *, is_doc: bool) -> None:
    """Record the names that a string may contain, as a key or as any text; `*` in `text` stands for a computed part.

    `is_doc` says whether the string is a statement of its own.
    """
    names = _collect_names(text, is_doc=is_doc)
    if names and _NAME_LIKE.match(text) is None and _is_prose(uses, node, text):
        names.clear()
    names.update(name for field in _FIELD.findall(text) for name in field[1:].split("."))
    if not names or _names_no_definition(uses, node):
        return
    is_key = _is_key(uses, node) and not _has_namespaces(uses.source.content)
    found = uses.keys if is_key else uses.strings
    line = uses.source.place(node)[0]
    for name in sorted(names):  # In any order, equal bytes would have different facts in every process.
        found[name].append(line)


@functools.lru_cache(maxsize=4)
def _has_namespaces(content: bytes) -> bool:
    return _NAMESPACE.search(content) is not None


def _collect_names(text: str, *, is_doc: bool) -> set[str]:
    """Return the names that a string may contain: all of it, a pattern `on_*`, or those of code in it.

    Code calls, passes and imports names; names that it defines itself are left out.
    """
    if len(text) <= _MAX_NAME_LENGTH:
        if _NAME_LIKE.match(text):
            return {text, _LAST.split(text)[-1]}
        pattern = _GAP.sub("*", text)
        if _PATTERN.match(pattern):
            return {pattern}
    if is_doc:
        text = "\n".join(_EXAMPLE.findall(text))
    found = {name for name in _CALLED.findall(text) if len(name) < _MAX_NAME_LENGTH}
    if found and len(text) <= _MAX_CODE_LENGTH and not is_doc and SENTENCE.search(text.encode()) is None:
        found.update(_PASSED.findall(text))
    if is_doc:
        found.update(_READ_MEMBER.findall(text))
    found.difference_update(_DEFINED.findall(text))
    found.update(_ENTRY.findall(text))
    for imported in _IMPORTED.findall(text):
        found.update(_WORD.findall(imported))
    for template in _TEMPLATE.findall(text):
        found.update(_WORD.findall(template))
    return found


def _is_prose(uses: UsesBuilder, node: Node, text: str) -> bool:
    """Return whether a text is a sentence, as of a message, that mentions calls and is not code."""
    parent = node.parent
    if parent is not None and parent.type == "concatenated_string":
        text = " ".join(uses.source.of(part)[1:-1] for part in parent.named_children)
    is_sentence = _has_two_words(text) and _STATEMENTS.search(text) is None
    return is_sentence and _TEMPLATE.search(text) is None and _IMPORTED.search(text) is None


def _has_two_words(text: str) -> bool:
    """Return whether a text has two consecutive words that are not keywords, which code on one line does not have."""
    pairs = (match.groups() for match in _TWO_WORDS.finditer(text))
    return any(_KEYWORDS.isdisjoint(word.lower() for word in pair) for pair in pairs)


def _names_no_definition(uses: UsesBuilder, node: Node) -> bool:
    """Return whether a string names a parameter, or is the display name of an object: `TypeVar("T")`."""
    listed = node.parent if node.parent is not None and node.parent.type in _COLLECTIONS else node
    call = _get_call_around(listed)
    function = field_of(call, "function")
    if call is None or function is None or listed.prev_named_sibling is not None:
        return False
    name = uses.source.of(function).rpartition(".")[2]
    is_parameter = name in _PARAMETER_CALLS and "indirect" not in uses.source.of(call)
    return is_parameter or (listed == node and name in _NAMING_CALLS)


def _is_key(uses: UsesBuilder, node: Node) -> bool:
    """Return whether a string is a key of a mapping, `prices["total"]`, or an operand of a comparison."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "subscript":
        return parent.child_by_field_name("value") != node
    if parent.type == "pair":
        outside = parent.parent.parent if parent.parent is not None else None
        return parent.child_by_field_name("key") == node and (outside is None or outside.type != "dictionary_splat")
    if parent.type in _COLLECTIONS and parent.parent is not None:
        parent = parent.parent
    if parent.type == "comparison_operator":
        return True
    function = field_of(_get_call_around(node), "function")
    if function is None or function.type != "attribute" or node.prev_named_sibling is not None:
        return False
    return uses.source.of(function.child_by_field_name("attribute")) in _LOOKUPS


def is_exported(uses: UsesBuilder, node: Node) -> bool:
    """Return whether a string is an element of `__all__`."""
    parent = node.parent
    if parent is not None and parent.type in _COLLECTIONS:
        parent = parent.parent
    while parent is not None and parent.type == "binary_operator":
        parent = parent.parent
    if parent is not None and parent.type == "argument_list":
        return uses.source.of(field_of(parent.parent, "function")) in _EXPORTING_CALLS
    is_assigned = parent is not None and parent.type in _ASSIGNMENTS
    return is_assigned and uses.source.of(field_of(parent, "left")) == _EXPORTS


def _get_call_around(node: Node) -> Node | None:
    """Return the call that a node is an argument of."""
    arguments = node.parent
    return arguments.parent if arguments is not None and arguments.type == "argument_list" else None
