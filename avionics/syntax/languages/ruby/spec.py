"""How names of Ruby work."""

from __future__ import annotations

import re

from avionics.syntax.languages.distributions import of_library
from avionics.syntax.spec import LanguageSpec

_CALLED = (
    r"initialize(?:_copy|_dup|_clone)?|method_missing|respond_to_missing\?|const_missing|to_(?:s|str|a|ary|h|hash|i|int"
    r"|proc|sym|r|c|f|path|enum|json|yaml|param)|inspect|each(?:_pair)?|call|coerce|hash|eql\?|succ|exception|backtrace"
    r"|message|marshal_(?:dump|load)|_dump|_load|init_with|encode_with|as_json|included|extended|prepended|inherited"
    r"|(?:singleton_)?method_(?:added|removed|undefined)|append_features|extend_object|const_added|deconstruct(?:_keys)?"
    r"|\W+|(?:BasicObject|Object|Kernel|Module|Class|Integer|Float|Numeric|String|Symbol|Array|Hash|Range|Proc|Method|Regexp"
    r"|MatchData|Time|Date|DateTime|File|Dir|IO|NilClass|TrueClass|FalseClass|Struct|Set|Enumerable|Comparable|Exception"
    r"|StandardError|Thread|Process|Math|Random|Rational|Complex|Enumerator|Pathname|Logger|ERB)"
)
"""Names that the language and its core call, and core classes to which code adds members."""

_OF_OBJECT = frozenset(
    {
        "class", "clone", "define_singleton_method", "display", "dup", "enum_for", "eql?", "equal?", "extend",
        "freeze", "frozen?", "hash", "inspect", "instance_of?", "instance_variable_defined?", "instance_variable_get",
        "instance_variable_set", "instance_variables", "is_a?", "itself", "kind_of?", "method", "methods", "nil?",
        "object_id", "private_methods", "protected_methods", "public_method", "public_methods", "public_send",
        "remove_instance_variable", "respond_to?", "send", "singleton_class", "singleton_method", "singleton_methods",
        "tap", "then", "to_enum", "to_s", "yield_self",
    }
)  # fmt: skip
"""The public methods of Object and Kernel."""

SPEC = LanguageSpec(
    name="ruby",
    outside_members={"Object": _OF_OBJECT},
    called_members=_CALLED,
    module_system="ruby_requires",
    distribution=of_library,
    implicit_members=True,
    outer_members=re.compile(r"[A-Z]"),
    class_sides=True,
    setters="=",
    late_locals=True,
    open_classes=True,
)
