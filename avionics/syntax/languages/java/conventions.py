"""The conventions of Java."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import (
    LIBRARY_MEMBERS,
    PLAIN_STRINGS,
    REMARKS,
    BuiltNames,
    Conventions,
    Decorators,
    FileNames,
    ImplicitUse,
    NamingString,
    ScriptStrings,
    StoredClasses,
    Visibility,
)
from avionics.syntax.testing import TestConventions, TestRunner

TEST_FILES = re.compile(r"[a-z]Tests?\.\w+$")
UNNAMED_MEMBERS = re.compile(
    r"[\w ]{0,100}@interface\b.{0,400}\.(?:value|message|groups|payload)|.{0,400}\.createUIComponents"
)
"""The element that `@Limit(3)` sets, those that the validation of beans requires, and what IntelliJ's forms call."""
SPECIAL_NAMES = re.compile(
    r"serialVersionUID|serialPersistentFields|(?:read|write)(?:Object|External)|readObjectNoData|readResolve|writeReplace"
    r"|[A-Z]\w{0,80}BeanInfo"
)
"""The names that serialization uses, and of the classes that describe a bean, found by its name."""
UNREAD_CODE = re.compile(
    r"\.(?:scala|sc|groovy|gradle|gvy|clj|cljc|aj|jsp|jspx|jspf|tagx?|ftlh?|vm|drl|jjt?|g4|g|stg|flex|jflex|cup|y|xtend|rl"
    r"|jrxml|xhtml|jelly|bsh|(?:java|kt)\.\w+)$"
)
VIEWS = re.compile(r"\.fxml$")
VIEWED = re.compile(r"\bjavafx\b")
IMPORTING = re.compile(r"^import[ \t]+(?:static[ \t]+)?(?:\w+\.)+[\w*]+;?[ \t]*$", re.MULTILINE)
TESTS = TestConventions(
    marks=re.compile(r"\b(?:Test|ParameterizedTest|RepeatedTest)\b"),
    runners=(
        TestRunner(("mvn", "test", "-Dtest={tests}"), "{first}#{last}", ",", file="pom.xml", many="{first}"),
        TestRunner(("./gradlew", "test"), "{name}", file="gradlew", option="--tests", many="{first}"),
        TestRunner(("gradle", "test"), "{name}", option="--tests", many="{first}"),
    ),
)
NATIVE_CALLS = re.compile(r"\bcom\.sun\.jna\b|\bjava\.lang\.foreign\b|\bkotlinx\.cinterop\b")
GIVEN_MARKS = late_pattern(
    r"[(,]\s*(?:final )?@(?P<mark>(?:Json|Xml|Bson|Yaml)\w+|SerializedName|Observes\w*|Value|Named|Qualifier|Assisted"
    r"|ConfigProperty|(?:Path|Request|Query|Header|Form|Cookie|Matrix)(?:Variable|Param|Body|Header|Part)?|Body)\b"
)
"""Annotations of parameters that libraries of serialization, dependency injection and web services read."""
SCRIPT_STRINGS = ScriptStrings(
    ('"""',),
    late_pattern(
        rf"""{REMARKS}|(?P<script>"{{3}}(?>(?:[^"]++|"(?!""))*))(?:"{{3}})?|{PLAIN_STRINGS}|'(?:[^'\\\n]|\\.)'"""
    ),
)
NAMED_IN_ANNOTATION = NamingString(r'@\w+\((?:\s*\w+\s*=)?\s*"[^"\n]*[.#@]NAME\b')
"""An expression that an annotation is given: `@PreAuthorize("@shop.isOpen(#cart)")`."""
BUILT_NAMES = BuiltNames(
    (
        "getMethod",
        "getDeclaredMethod",
        "getField",
        "getDeclaredField",
        "findMethod",
        "findField",
        "loadClass",
        "forName",
    ),
    late_pattern(r'"(\w{2,40})(?:"\s*\+|\$)'),
    late_pattern(r'(?:\+\s*"|\})(\w{2,40})"'),
)
NAMED_FOR_REFLECTION = (
    NamingString(r'"[\w.$]*[.$]NAME"'),
    NamingString('"NAME"', re.compile(r"\.class\b[^;\n]{0,80}\Z")),
    NamingString(
        '"NAME"',
        re.compile(
            r"\b(?:(?:get|find)\w{0,40}(?:Method|Field|Class|Virtual|Static|Special|Getter|Setter|VarHandle)\w{0,20}"
            r"|newUpdater|forName|loadClass|invoke\w{0,20}|has(?:Field|Method|Property)|[gs]etField)"
            r'\((?:[^"\n;]{0,80},)?\s*\Z'
        ),
    ),
    # Code that writes code: text with the whole name of what it makes or calls, and instructions.
    NamingString(r'"[^"\n]{0,200}\b(?:new (?:\w+\.)+|(?:[a-z]\w*\.){2,}[A-Z]\w*\.)NAME\('),
    NamingString('"NAME"', re.compile(r"\bvisit(?:Method|Field|InvokeDynamic)Insn\([^;]{0,160}\Z")),
)
"""Calls that load a class by its full name, or access a member by its name."""
CALLED_MEMBERS = LIBRARY_MEMBERS | {"initialize"}
"""The members that libraries call on objects that they are given, or make as files of JavaFX ask for."""
HARMLESS_ANNOTATIONS = frozenset(
    {
        "Override", "Deprecated", "SuppressWarnings", "SafeVarargs", "FunctionalInterface", "Nullable", "NonNull",
        "NotNull", "Nonnull", "CheckReturnValue", "CanIgnoreReturnValue", "VisibleForTesting",
        "Retention", "Target", "Documented", "Inherited", "GuardedBy", "ThreadSafe", "NotThreadSafe", "Beta",
        "CheckForNull", "ParametersAreNonnullByDefault", "NullMarked", "Contract", "SuppressFBWarnings",
    }
)  # fmt: skip

DEFINITION_LINES = (
    r"[ \t]*(?:[\w@][\w<>,.?&@]*[ \t]+)+(\w+)[ \t]*\([^;=]*$"
    r"|[ \t]*(?:[a-z]+[ \t]+)*(?:class|interface|enum|record|struct|@interface)[ \t]+(\w+)"
)

_ACCESSOR = re.compile(r"(?:get|is|set)([A-Z]\w*)")
_HAS_BODY = re.compile(r"(?:\w+ )*(?:default|static|private)\b")


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether classes have to implement a new method of an interface, because it has no body."""
    is_method = of.kind is SymbolKind.INTERFACE and added.kind is SymbolKind.METHOD
    return is_method and _HAS_BODY.match(added.signature) is None


def get_visibility(of: Symbol) -> Visibility | None:
    """Return where a definition is visible: a private one in its file, a type that is not public in its package."""
    if not of.exported:
        return Visibility.FILE
    return Visibility.PACKAGE if of.parent < 0 and "public " not in of.signature else None


def list_property_names(of: Symbol) -> tuple[str, ...]:
    """Return the property that a method reads or writes: `firstName` for `getFirstName`."""
    found = _ACCESSOR.fullmatch(of.name) if of.kind is SymbolKind.METHOD else None
    if found is None:
        return ()
    name = found[1]
    return (name if name[:2].isupper() else name[0].lower() + name[1:],)


BRIDGE = NamingString(
    r"""(["'])NAME\1""",
    condition=late_pattern(
        r"\b(?:jni|JNI|MethodChannel|NativeModules|autoclass|jpype|py4j|AndroidJavaObject|JavaBridge)|\bcordova\b"
    ),
)
CLASS_LISTING = (
    "getSubTypesOf", "getTypesAnnotatedWith", "getSubclasses", "getClassesImplementing", "findCandidateComponents",
    "sealedSubclasses", "getPermittedSubclasses",
)  # fmt: skip
MEMBER_LISTING = ("getMethods", "getDeclaredMethods", "getFields", "getDeclaredFields", "declaredMemberFunctions")
PRIVATE_LISTING = ("getDeclaredMethods", "getDeclaredFields", "declaredMemberFunctions", "declaredMemberProperties")

FINDING_BASES = late_pattern(r"(?!(?:java|kotlin)\.)\w++(?>(?:\.\w++)+)(?<!Exception)(?<!Error)")

CONVENTIONS = Conventions(
    decorators=Decorators(
        keep_parameters=True,
        # Lombok's; ordinary processors of annotations cannot change a class.
        add_constructors=late_pattern(
            r"(?>(?:\w++\.)*)(?:\w+ArgsConstructor|Data|Value|(?:Super)?Builder|UtilityClass)\b"
        ),
    ),
    stored=StoredClasses(
        modules=late_pattern(
            r"(?:javax|jakarta)\.persistence|springframework\.data|mybatisplus|mongodb|hibernate|\broom\b"
        ),
        decorators=late_pattern(r"(?:\w+\.)*(?:Entity|Table|TableName|Document|MappedSuperclass)\b"),
    ),
    files=FileNames(
        are_named_by_types=True,
        tests=TEST_FILES,
        unread_code=UNREAD_CODE,
        importing=IMPORTING,
        views=VIEWS,
        viewed=VIEWED,
        embedding=late_pattern(
            r"\bgetResource(?:AsStream)?\(\s*\"(?:[^\"\n]{0,200}/)?(?P<file>[\w.-]+)\"", needs=("getResource",)
        ),
        embedding_words=("getResource", "getResourceAsStream"),
    ),
    tests=TESTS,
    offered=late_pattern(r"(?:[a-z]{1,12} ){0,6}?(?:public|protected)\b"),
    implicit=ImplicitUse(
        class_listing=CLASS_LISTING,
        member_listing=MEMBER_LISTING,
        private_listing=PRIVATE_LISTING,
        constructing_words=("newInstance", "createInstance"),
        finding_bases=FINDING_BASES,
        bridge=BRIDGE,
        harmless_decorators=HARMLESS_ANNOTATIONS,
        library_members=CALLED_MEMBERS,
        special_names=SPECIAL_NAMES,
        unnamed_members=UNNAMED_MEMBERS,
        value_classes=late_pattern(r"(?:[a-z]{1,12} ){0,6}?record\b"),
        hidden_methods=late_pattern(r"(?:[a-z]{1,12} ){0,6}?private\b"),
        native_methods=late_pattern(r"(?:[a-z]{1,12} ){0,6}?native\b"),
        has_private_underscore=False,
        run_functions=frozenset({"main", "premain", "agentmain"}),
        naming_strings=(NAMED_IN_ANNOTATION, *NAMED_FOR_REFLECTION),
        given_marks=GIVEN_MARKS,
        # https://ant.apache.org/manual/develop.html#nested-elements
        host_members=late_pattern(r"(?:set|add|addConfigured|create)[A-Z]\w*"),
        host_modules=late_pattern(r"org\.apache\.tools\.ant\b"),
        script_strings=SCRIPT_STRINGS,
        built_names=BUILT_NAMES,
        native_calls=NATIVE_CALLS,
        list_other_names=list_property_names,
    ),
    definition_lines=DEFINITION_LINES,
    must_name=must_name,
    get_visibility=get_visibility,
)
