"""How names of Kotlin work."""

from __future__ import annotations

from avionics.late_pattern import late_pattern
from avionics.syntax.languages.distributions import of_java_package
from avionics.syntax.languages.java.spec import BUILTIN_NAMES
from avionics.syntax.spec import LanguageSpec

_CALLED = (
    r"(?:plus|minus|times|div|rem|mod)(?:Assign)?|unary(?:Plus|Minus)|not|inc|dec|range(?:To|Until)|contains|[gs]et"
    r"|invoke|compareTo|equals|hashCode|toString|iterator|hasNext|next|component\d+|[gs]etValue|provideDelegate"
)
"""The functions that operators, loops, destructuring and delegation call."""

_SMART_CASTS = (
    r"\bNAME\s*+(?:!?is|as\??)\s++[\w.]*[A-Z(]|\bwhen\s*+\([^()\n]*\bNAME\s*+\)"
    r"|\b(?:assert|require|check)\w*+\s*+(?:<[^<>\n]*>)?\([^()\n]*\bNAME\b"
)

_BUILTIN_TYPES = frozenset(
    {
        "AbstractCollection", "AbstractIterator", "AbstractList", "AbstractMap", "AbstractMutableCollection",
        "AbstractMutableList", "AbstractMutableMap", "AbstractMutableSet", "AbstractSet",
        "AccessDeniedException", "Annotation", "AnnotationRetention", "AnnotationTarget", "Any", "Array",
        "ArrayDeque", "ArrayList", "BooleanArray", "BooleanIterator", "BuilderInference", "ByteArray",
        "ByteIterator", "Char", "CharArray", "CharCategory", "CharDirectionality", "CharIterator",
        "CharProgression", "CharRange", "CharacterCodingException", "Charsets", "ClosedFloatingPointRange",
        "ClosedRange", "Collection", "Comparator", "ConcurrentModificationException",
        "ConsistentCopyVisibility", "ContextFunctionTypeParams", "DeepRecursiveFunction", "DeepRecursiveScope",
        "DeprecatedSinceKotlin", "DeprecationLevel", "DoubleArray", "DoubleIterator", "DslMarker",
        "ExperimentalMultiplatform", "ExperimentalStdlibApi", "ExperimentalSubclassOptIn",
        "ExperimentalUnsignedTypes", "ExposedCopyVisibility", "ExtensionFunctionType",
        "FileAlreadyExistsException", "FileSystemException", "FileTreeWalk", "FileWalkDirection", "FloatArray",
        "FloatIterator", "Function", "Grouping", "HashMap", "HashSet", "HexFormat", "IndexedValue", "Int",
        "IntArray", "IntIterator", "IntProgression", "IntRange", "Iterator", "JvmDefault",
        "JvmDefaultWithCompatibility", "JvmDefaultWithoutCompatibility", "JvmExposeBoxed", "JvmField",
        "JvmInline", "JvmMultifileClass", "JvmName", "JvmOverloads", "JvmRecord", "JvmSerializableLambda",
        "JvmStatic", "JvmSuppressWildcards", "JvmSynthetic", "JvmWildcard", "KotlinNullPointerException",
        "KotlinVersion", "Lazy", "LazyThreadSafetyMode", "LinkedHashMap", "LinkedHashSet", "List",
        "ListIterator", "LongArray", "LongIterator", "LongProgression", "LongRange", "Map", "MatchGroup",
        "MatchGroupCollection", "MatchNamedGroupCollection", "MatchResult", "Metadata", "MustBeDocumented",
        "MustUseReturnValues", "MutableCollection", "MutableIterable", "MutableIterator", "MutableList",
        "MutableListIterator", "MutableMap", "MutableSet", "NoSuchElementException", "NoSuchFileException",
        "NoWhenBranchMatchedException", "NotImplementedError", "Nothing", "OnErrorAction", "OpenEndRange",
        "OptIn", "OptionalExpectation", "OverloadResolutionByLambdaReturnType", "Pair", "ParameterName",
        "PublishedApi", "PurelyImplements", "RandomAccess", "Regex", "RegexOption", "Repeatable", "ReplaceWith",
        "RequiresOptIn", "Result", "Retention", "Sequence", "SequenceScope", "Set", "ShortArray",
        "ShortIterator", "SinceKotlin", "Strictfp", "SubclassOptInRequired", "Suppress", "Synchronized",
        "Target", "Throws", "Transient", "Triple", "TypeCastException", "Typography", "UByte", "UByteArray",
        "UInt", "UIntArray", "UIntProgression", "UIntRange", "ULong", "ULongArray", "ULongProgression",
        "ULongRange", "UShort", "UShortArray", "UninitializedPropertyAccessException", "Unit", "UnsafeVariance",
        "Volatile", "WasExperimental",
    }
)  # fmt: skip
"""The classes that every file of Kotlin sees beside those of java.lang."""

_PACKAGES = frozenset({"android", "androidx", "com", "java", "javax", "kotlin", "kotlinx", "org"})
"""The beginnings of most packages, which code may name without an import."""

_OF_OBJECT = frozenset(
    {
        "equals", "hashCode", "toString",
    }
)  # fmt: skip
"""The members of kotlin.Any."""

SPEC = LanguageSpec(
    name="kotlin",
    outside_members={"Object": _OF_OBJECT},
    has_partial_grammar=True,
    marks_overrides=True,
    called_members=_CALLED,
    module_system="jvm_namespaces",
    distribution=of_java_package,
    implicit_members=True,
    late_locals=True,
    smart_casts=_SMART_CASTS,
    receiving_lambdas=True,
    bound_names=late_pattern(r"(?![A-Z])"),
    builtin_names=_PACKAGES | _BUILTIN_TYPES | BUILTIN_NAMES,
    overloads=True,
    outward_overloads=True,
    non_virtual_members=r"[^(]*\bprivate\b",
    open_classes=True,
    declared_again=r"(?:[a-z]{1,12} ){0,6}(?:expect|actual) ",
    infix_functions=r"(?:[a-z]{1,12} ){0,6}infix ",
    stub="kotlin.kt",
)
