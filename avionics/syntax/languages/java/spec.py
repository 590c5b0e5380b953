"""How names of Java work."""

from __future__ import annotations

from avionics.syntax.languages.distributions import of_java_package
from avionics.syntax.languages.standard_members import read_standard_members
from avionics.syntax.spec import LanguageSpec

BUILTIN_NAMES = frozenset(
    {
        "Appendable", "ArithmeticException", "ArrayIndexOutOfBoundsException", "ArrayStoreException",
        "AssertionError", "AutoCloseable", "Boolean", "BootstrapMethodError", "Byte", "CharSequence",
        "Character", "Class", "ClassCastException", "ClassCircularityError", "ClassFormatError", "ClassLoader",
        "ClassNotFoundException", "ClassValue", "CloneNotSupportedException", "Cloneable", "Comparable",
        "Deprecated", "Double", "Enum", "EnumConstantNotPresentException", "Error", "Exception",
        "ExceptionInInitializerError", "Float", "FunctionalInterface", "IO", "IllegalAccessError",
        "IllegalAccessException", "IllegalArgumentException", "IllegalCallerException",
        "IllegalMonitorStateException", "IllegalStateException", "IllegalThreadStateException",
        "IncompatibleClassChangeError", "IndexOutOfBoundsException", "InheritableThreadLocal",
        "InstantiationError", "InstantiationException", "Integer", "InternalError", "InterruptedException",
        "Iterable", "LayerInstantiationException", "LinkageError", "Long", "MatchException", "Math", "Module",
        "ModuleLayer", "NegativeArraySizeException", "NoClassDefFoundError", "NoSuchFieldError",
        "NoSuchFieldException", "NoSuchMethodError", "NoSuchMethodException", "NullPointerException", "Number",
        "NumberFormatException", "Object", "OutOfMemoryError", "Override", "Package", "Process",
        "ProcessBuilder", "ProcessHandle", "Readable", "Record", "ReflectiveOperationException", "Runnable",
        "Runtime", "RuntimeException", "RuntimePermission", "SafeVarargs", "ScopedValue", "SecurityException",
        "SecurityManager", "Short", "StackOverflowError", "StackTraceElement", "StackWalker", "StrictMath",
        "String", "StringBuffer", "StringBuilder", "StringIndexOutOfBoundsException", "SuppressWarnings",
        "System", "Thread", "ThreadDeath", "ThreadGroup", "ThreadLocal", "Throwable", "TypeNotPresentException",
        "UnknownError", "UnsatisfiedLinkError", "UnsupportedClassVersionError", "UnsupportedOperationException",
        "VerifyError", "VirtualMachineError", "Void", "WrongThreadException",
    }
)  # fmt: skip
"""The classes of java.lang, which every file sees."""

SPEC = LanguageSpec(
    name="java",
    jumps=frozenset({"break", "continue"}),
    marks_overrides=True,
    builtin_names=BUILTIN_NAMES,
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
