"""How names of Java work."""

from __future__ import annotations

from avionics.syntax.languages.distributions import of_java_package
from avionics.syntax.languages.standard_members import read_standard_members
from avionics.syntax.spec import LanguageSpec

_BUILTIN_NAMES = frozenset(
    {
        "Appendable", "AutoCloseable", "Boolean", "Byte", "CharSequence", "Character", "Class", "ClassLoader",
        "Cloneable", "Comparable", "Deprecated", "Double", "Enum", "Error", "Exception", "Float",
        "FunctionalInterface", "IllegalArgumentException", "IllegalStateException", "IndexOutOfBoundsException",
        "Integer", "InterruptedException", "Iterable", "Long", "Math", "Module", "NullPointerException", "Number",
        "NumberFormatException", "Object", "Override", "Process", "ProcessBuilder", "Readable", "Record",
        "Runnable", "Runtime", "RuntimeException", "SafeVarargs", "Short", "StackTraceElement", "String",
        "StringBuffer", "StringBuilder", "SuppressWarnings", "System", "Thread", "ThreadLocal", "Throwable",
        "UnsupportedOperationException", "Void",
    }
)  # fmt: skip
"""The classes of java.lang that code is likeliest to name."""

SPEC = LanguageSpec(
    name="java",
    jumps=frozenset({"break", "continue"}),
    marks_overrides=True,
    builtin_names=_BUILTIN_NAMES,
    outside_members=read_standard_members("java"),
    module_system="jvm_namespaces",
    distribution=of_java_package,
    doc_files=("package-info.java",),
    implicit_members=True,
    late_locals=True,
    is_extended_elsewhere=True,
    overloads=True,
    non_virtual_members=r"[^(]*\b(?:private|static)\b",
    separate_functions=True,
    stub="java.java",
    stub_roots=("java",),
)
