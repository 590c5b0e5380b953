"""How names of Ruby work."""

from __future__ import annotations

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

SPEC = LanguageSpec(
    name="ruby",
    called_members=_CALLED,
    module_system="ruby_requires",
    distribution=of_library,
    implicit_members=True,
    late_locals=True,
    open_classes=True,
)
