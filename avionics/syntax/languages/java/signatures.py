"""Java calls and parameter lists, as a caller sees them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from avionics.late_pattern import late_pattern
from avionics.syntax.engine.call_shapes import CallGrammar, CallParameter, ExhaustiveMatch
from avionics.syntax.engine.grammars import Node
from avionics.syntax.languages.java.standard_packages import PACKAGES

BUILTIN_NAMES = frozenset(
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

_THROWABLE = (
    "getMessage getLocalizedMessage getCause initCause getStackTrace setStackTrace fillInStackTrace printStackTrace "
    "addSuppressed getSuppressed"
)
_COLLECTION = (
    "add addAll addFirst addLast ceiling clear clone comparator contains containsAll copyOf descendingIterator "
    "descendingSet element ensureCapacity first floor forEach get getFirst getLast headSet higher indexOf isEmpty "
    "iterator last lastIndexOf listIterator lower modCount of offer offerFirst offerLast parallelStream peek peekFirst "
    "peekLast poll pollFirst pollLast pop push remove removeAll removeFirst removeFirstOccurrence removeIf removeLast "
    "removeLastOccurrence removeRange replaceAll retainAll reversed set size sort spliterator stream subList subSet "
    "tailSet toArray trimToSize"
)
"""What the lists, sets and queues of java.util have between them, up to Java 25."""
_MAP = (
    "ceilingEntry ceilingKey clear clone comparator compute computeIfAbsent computeIfPresent containsKey containsValue "
    "copyOf descendingKeySet descendingMap entry entrySet firstEntry firstKey floorEntry floorKey forEach get "
    "getOrDefault headMap higherEntry higherKey isEmpty keySet lastEntry lastKey lowerEntry lowerKey merge "
    "navigableKeySet newHashMap newLinkedHashMap of ofEntries pollFirstEntry pollLastEntry put putAll putFirst "
    "putIfAbsent putLast remove removeEldestEntry replace replaceAll reversed sequencedEntrySet sequencedKeySet "
    "sequencedValues size subMap tailMap values"
)
_ASSERTIONS = (
    "assertAll assertArrayEquals assertDoesNotThrow assertEquals assertFalse assertInstanceOf assertIterableEquals "
    "assertLinesMatch assertNotEquals assertNotNull assertNotSame assertNull assertSame assertThat assertThrows "
    "assertThrowsExactly assertTimeout assertTimeoutPreemptively assertTrue fail"
)
"""What the classes of JUnit have whose members tests take over as a whole."""
_READER = (
    "close lines lock mark markSupported nullReader of read readAllAsString readAllLines readLine ready reset skip "
    "transferTo"
)
_INPUT = (
    "available close in mark markSupported nullInputStream read readAllBytes readNBytes reset skip skipNBytes "
    "transferTo"
)
_MEMBERS = {
    **dict.fromkeys(
        (
            "Collection", "SequencedCollection", "AbstractCollection", "List", "AbstractList", "AbstractSequentialList",
            "ArrayList", "LinkedList", "Set", "SortedSet", "NavigableSet", "AbstractSet", "HashSet", "LinkedHashSet",
            "TreeSet", "Queue", "Deque", "ArrayDeque", "PriorityQueue",
        ),
        _COLLECTION,
    ),
    **dict.fromkeys(
        ("Map", "SortedMap", "NavigableMap", "AbstractMap", "HashMap", "LinkedHashMap", "TreeMap", "ConcurrentMap"),
        _MAP,
    ),
    **dict.fromkeys(("org.junit.Assert", "org.junit.jupiter.api.Assertions"), _ASSERTIONS),
    **dict.fromkeys(("Reader", "BufferedReader"), _READER),
    **dict.fromkeys(("InputStream", "FilterInputStream"), _INPUT),
    "Writer": "append close flush lock nullWriter of write",
    **dict.fromkeys(("OutputStream", "FilterOutputStream"), "close flush nullOutputStream out write"),
    "BufferedOutputStream": "buf close count flush nullOutputStream out write",
    "ByteArrayOutputStream": (
        "buf close count flush nullOutputStream reset size toByteArray write writeBytes writeTo"
    ),
    "PrintStream": (
        "append charset checkError clearError close flush format nullOutputStream out print printf println setError "
        "write writeBytes"
    ),
    "java.util.TimerTask": "cancel run scheduledExecutionTime",
    "java.util.EventObject": "getSource source",
    "java.util.EventListener": "",
    "java.util.Enumeration": "asIterator hasMoreElements nextElement",
    "Executor": "execute",
    "java.util.concurrent.ThreadFactory": "newThread",
    "java.lang.reflect.InvocationHandler": "invoke invokeDefault",
    "java.io.Externalizable": "readExternal writeExternal",
    "java.nio.file.SimpleFileVisitor": "postVisitDirectory preVisitDirectory visitFile visitFileFailed",
    "java.nio.file.FileVisitor": "postVisitDirectory preVisitDirectory visitFile visitFileFailed",
    "ThreadLocal": "childValue get initialValue remove set withInitial",
    "ListIterator": "add forEachRemaining hasNext hasPrevious next nextIndex previous previousIndex remove set",
    "Comparator": (
        "compare comparing comparingDouble comparingInt comparingLong max min naturalOrder nullsFirst nullsLast "
        "reverseOrder reversed thenComparing thenComparingDouble thenComparingInt thenComparingLong"
    ),
    "CharSequence": "charAt chars codePoints compare getChars isEmpty length subSequence",
    "Appendable": "append",
    "Number": "byteValue doubleValue floatValue intValue longValue shortValue",
    "Function": "andThen apply compose identity",
    "BiFunction": "andThen apply",
    "Supplier": "get",
    "Consumer": "accept andThen",
    "Predicate": "and isEqual negate not or test",
    "Serializable": "",
    "Cloneable": "",
    "RandomAccess": "",
    "Comparable": "compareTo",
    "Iterable": "iterator forEach spliterator",
    "Iterator": "hasNext next remove forEachRemaining",
    "Runnable": "run",
    "Callable": "call",
    "Closeable": "close",
    "AutoCloseable": "close",
    "Flushable": "flush",
    "__Enum": "compareTo name ordinal getDeclaringClass describeConstable values valueOf",
    **dict.fromkeys(
        (
            "Throwable", "Exception", "Error", "RuntimeException", "IOException", "IllegalArgumentException",
            "IllegalStateException", "NullPointerException", "UnsupportedOperationException",
            "IndexOutOfBoundsException", "builtins.ArithmeticException", "builtins.AssertionError",
            "builtins.ClassCastException", "builtins.CloneNotSupportedException", "builtins.InterruptedException",
            "builtins.NumberFormatException", "builtins.ReflectiveOperationException", "builtins.SecurityException",
            "java.io.EOFException", "java.io.FileNotFoundException", "java.io.UncheckedIOException",
            "java.security.GeneralSecurityException", "java.util.ConcurrentModificationException",
            "java.util.NoSuchElementException", "java.util.concurrent.CancellationException",
            "java.util.concurrent.ExecutionException", "java.util.concurrent.TimeoutException",
        ),
        _THROWABLE,
    ),
}  # fmt: skip
OUTSIDE_MEMBERS = MappingProxyType(
    {**PACKAGES, **{name: frozenset(members.split()) for name, members in _MEMBERS.items()}}
)
"""The members of types of the standard library and of JUnit, without those of every object, and what packages have."""


def read_parameter(node: Node) -> Iterator[CallParameter]:
    """Yield the parameter of a node."""
    name = node.child_by_field_name("name")
    text = (getattr(name, "text", b"") or b"").decode("utf-8", "replace")
    gathers = "*" if node.type == "spread_parameter" else ""
    yield CallParameter(text, is_optional=bool(gathers), gathers=gathers)


def is_required(node: Node) -> bool:
    """Return whether a method has no body: that of an interface, or an abstract one."""
    if node.type != "method_declaration" or node.child_by_field_name("body") is not None:
        return False
    words = {child.type for each in node.children if each.type == "modifiers" for child in each.children}
    return not words & {"native", "static", "default", "private"}


def calls_base(node: Node) -> bool:
    """Return whether a constructor of a class names no other constructor that it calls."""
    body = node.child_by_field_name("body")
    if node.type != "constructor_declaration" or body is None or body.has_error:
        return False
    return all(each.type != "explicit_constructor_invocation" for each in body.named_children)


_TAKES_VALUE = frozenset(
    {
        "variable_declarator", "return_statement", "yield_statement", "argument_list", "assignment_expression",
        "lambda_expression", "parenthesized_expression", "binary_expression", "ternary_expression",
    }
)  # fmt: skip


_PATTERNS = frozenset({"type_pattern", "record_pattern"})


def read_match(node: Node) -> ExhaustiveMatch | None:
    """Return the switch of whose first case a node is a label; None where a case takes other values.

    Only a switch with a value or with patterns has to take every value.
    """
    while node.parent is not None and node.parent.type in {"scoped_type_identifier", *_PATTERNS, "pattern"}:
        node = node.parent
    case = node.parent.parent if node.parent is not None and node.parent.type == "switch_label" else None
    block = case.parent if case is not None else None
    switch = block.parent if block is not None else None
    cases = [each for each in block.named_children if not each.is_extra] if block is not None else []
    if switch is None or cases[0] != case or switch.has_error:
        return None
    is_value = switch.parent is not None and switch.parent.type in _TAKES_VALUE
    labels: list[Node] = []
    for each in (child for case in cases for child in case.children if child.type == "switch_label"):
        given = [child for child in each.named_children if not child.is_extra and child.type != "guard"]
        named = [_get_label(child) for child in given]
        if not named or not (is_value or given[0].type == "pattern"):
            return None
        for label in named:
            if label is None:
                return None
            labels.append(label)
    return ExhaustiveMatch.of(switch, labels)


def _get_label(given: Node) -> Node | None:
    """Return the name of the constant or the type that a case takes; None for any other value."""
    if given.type == "identifier":
        return given
    pattern = given.named_children[0] if given.type == "pattern" and given.named_children else None
    named = pattern.named_children[0] if pattern is not None and pattern.type in _PATTERNS else None
    while named is not None and named.type == "scoped_type_identifier":
        named = named.named_children[-1]
    return named if named is not None and named.type.endswith("identifier") else None


CALLS = CallGrammar(
    calls={
        "method_invocation": "name",
        "object_creation_expression": "type",
        "explicit_constructor_invocation": "constructor",
    },
    read_parameters=read_parameter,
    receivers=frozenset({"receiver_parameter"}),
    is_required=is_required,
    calls_base=calls_base,
    read_match=read_match,
    closed_type=late_pattern(r"(?<!-)\bsealed\s"),
)
