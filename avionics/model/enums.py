"""The enumerations of avionics."""

from __future__ import annotations

from enum import Enum, IntEnum, nonmember


class RiskLevel(str, Enum):
    """What running a tool may do: read, make a small change, make a large one."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ToolDomain(str, Enum):
    """What a tool is about, independent of its category."""

    FILESYSTEM = "filesystem"
    SHELL = "shell"
    WEB = "web"
    CODE = "code"
    DATA = "data"
    SYSTEM = "system"
    CUSTOM = "custom"


class ToolCategory(str, Enum):
    """How a tool works; also the import order of the tool packages.

    What a tool is about has its names here, too, for class-based tools: `ToolCategory.WEB is ToolDomain.WEB`.
    """

    UNIFIED = "unified"
    COMPOSITE = "composite"
    RESILIENT = "resilient"
    STANDALONE = "standalone"
    INTERNAL = "internal"

    FILESYSTEM = nonmember(ToolDomain.FILESYSTEM)
    SHELL = nonmember(ToolDomain.SHELL)
    WEB = nonmember(ToolDomain.WEB)
    CODE = nonmember(ToolDomain.CODE)
    DATA = nonmember(ToolDomain.DATA)
    SYSTEM = nonmember(ToolDomain.SYSTEM)
    CUSTOM = nonmember(ToolDomain.CUSTOM)


class Permission(str, Enum):
    """What a tool must be granted before it may run."""

    FILESYSTEM_READ = "filesystem_read"
    FILESYSTEM_WRITE = "filesystem_write"
    SHELL_EXECUTE = "shell_execute"
    NETWORK_ACCESS = "network_access"
    CODE_EXECUTE = "code_execute"
    DATABASE_READ = "database_read"
    DATABASE_WRITE = "database_write"
    UNCONFINED = "unconfined"


class Status(str, Enum):
    """The outcome of a call, derived from its coverage."""

    SUCCESS = "success"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    ERROR = "error"


class Certainty(str, Enum):
    """Whether a count is exact."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    UNKNOWN = "unknown"


class SymbolKind(str, Enum):
    """What a definition defines."""

    MODULE = "module"
    CLASS = "class"
    INTERFACE = "interface"
    ENUM = "enum"
    TYPE = "type"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    VARIABLE = "variable"
    CONSTANT = "constant"
    ATTRIBUTE = "attribute"
    MACRO = "macro"


FUNCTIONS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
"""Definitions that are called."""
BODIES = FUNCTIONS | {SymbolKind.PROPERTY}
"""Definitions with a body that runs when they are called or, for a property, read."""
VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
"""Variables and constants, other than attributes of classes."""


_CLASSES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})


def is_class(kind: SymbolKind) -> bool:
    """Return whether symbols of the kind have members and instances."""
    return kind in _CLASSES


class ScopeKind(IntEnum):
    """What opened a lexical scope.

    COMPREHENSION is that of its loop variables. BLOCK is a block in braces, in languages in which it has names of its
    own, and any other place with names of its own, such as the type parameters of a declaration.
    """

    MODULE = 1
    CLASS = 2
    FUNCTION = 3
    COMPREHENSION = 4
    BLOCK = 5


class BindingKind(IntEnum):
    """How a name came to mean something in a scope.

    ASSIGNMENT is any other variable, also that of a loop. VARIADIC is a parameter that gathers further arguments:
    `*args`, `...rest`. MEMBER is a member assigned through an object, `self.total = 0`, in the scope of its class.
    OUTER takes the name from a scope around it: `global total`.
    """

    DEFINITION = 1
    IMPORT = 2
    ASSIGNMENT = 3
    PARAMETER = 4
    VARIADIC = 5
    TYPE_PARAMETER = 6
    MEMBER = 7
    OUTER = 8


PARAMETERS = frozenset({BindingKind.PARAMETER, BindingKind.VARIADIC})
"""Bindings of what a function is passed."""


class ReferenceKind(str, Enum):
    """The role a name plays where it is used."""

    READ = "read"
    WRITE = "write"
    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"
    DECORATE = "decorate"
    ANNOTATE = "annotate"
    DELETE = "delete"
    KEYWORD = "keyword"


CALLS = frozenset({ReferenceKind.CALL, ReferenceKind.DECORATE})
"""References that run what they name: a decorator is called with what it decorates."""


class ExpressionKind(IntEnum):
    """The kinds of nodes of the language-neutral expression tree."""

    NAME = 1
    ATTRIBUTE = 2
    CALL = 3
    SUBSCRIPT = 4
    LITERAL = 5
    CONTAINER = 6
    UNION = 7
    AWAIT = 8
    ELEMENT = 9
    ENTER = 10
    ITEM = 11
    FUNCTION = 12
    KEYWORD = 13
    EXPECTED = 14
    MATCHING = 15
    GUARD = 16
    SENT = 17
    TYPED = 18
    TYPEOF = 19
    SELF = 20
    OWN_CLASS = 21
    SUPER = 22
    OBJECT = 23
    UNKNOWN = 24
    OPERATION = 25
    POINTED = 26


class NarrowingKind(IntEnum):
    """The kind of statement that a condition makes about a name."""

    TYPE = 1
    GUARD = 2
    HAS_MEMBER = 3
    MEMBER_IS = 4
    MEMBER_IS_NOT = 5


class EntryKind(str, Enum):
    """How control enters a program, in the order of a listing.

    SCRIPT is a program that a manifest declares or a main function begins; MODULE a directory that runs as a program
    (`python -m shop`); GUARD code that runs only if its file does (`if __name__ == "__main__":`).
    """

    SCRIPT = "script"
    MODULE = "module"
    COMMAND = "command"
    ROUTE = "route"
    TASK = "task"
    GUARD = "run as a file"
    EVENT = "event"


class Evidence(str, Enum):
    """Why a reference is believed to mean a symbol, most certain first.

    | member | the reference means the symbol because |
    |---|---|
    | COMPILER | an imported index of a compiler says so |
    | SCOPE | its name is bound in its own file, in a scope around it |
    | IMPORT | an import of its file brings the name, or the module before the dot |
    | MEMBER | it is a member of a class that stands before the dot, or of the object of the method around it |
    | INHERITED | the same, and a base class defines the member |
    | INFERRED | it is a member of the inferred type of what stands before the dot |
    | INTERFACE | it is called through an interface or base that the symbol implements |
    | FIXTURE | it is a parameter with the name of a test fixture |
    | NAME_ONLY | it has the same name: no evidence |
    """

    COMPILER = "compiler"
    SCOPE = "scope"
    IMPORT = "import"
    MEMBER = "member"
    INHERITED = "inherited"
    INFERRED = "inferred"
    INTERFACE = "interface"
    FIXTURE = "fixture"
    NAME_ONLY = "name_only"
