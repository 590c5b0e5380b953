"""The closed vocabularies of avionics.

Knows: words only.
Does not know: anything that uses them.
"""

from __future__ import annotations

from enum import Enum


class RiskLevel(str, Enum):
    """What running a tool may do: read, change something small, change much."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ToolCategory(str, Enum):
    """How a tool asks; also the import order of the tool rooms."""

    UNIFIED = "unified"
    COMPOSITE = "composite"
    RESILIENT = "resilient"
    STANDALONE = "standalone"
    INTERNAL = "internal"


class ToolDomain(str, Enum):
    """What a tool is about, independent of its category."""

    FILESYSTEM = "filesystem"
    SHELL = "shell"
    WEB = "web"
    CODE = "code"
    DATA = "data"
    SYSTEM = "system"
    CUSTOM = "custom"


class Permission(str, Enum):
    """What a tool needs to be granted before it may run."""

    FILESYSTEM_READ = "filesystem_read"
    FILESYSTEM_WRITE = "filesystem_write"
    SHELL_EXECUTE = "shell_execute"
    NETWORK_ACCESS = "network_access"
    CODE_EXECUTE = "code_execute"


class Status(str, Enum):
    """The outcome of a call; derived from coverage, never chosen."""

    SUCCESS = "success"
    PARTIAL = "partial"
    NOT_FOUND = "not_found"
    ERROR = "error"


class Certainty(str, Enum):
    """How much of the truth a count is."""

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


class ScopeKind(str, Enum):
    """What opened a lexical scope."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    COMPREHENSION = "comprehension"
    BLOCK = "block"


class BindingKind(str, Enum):
    """How a name came to mean something in a scope."""

    DEFINITION = "definition"
    IMPORT = "import"
    ASSIGNMENT = "assignment"
    PARAMETER = "parameter"
    VARIADIC = "variadic"
    TYPE_PARAMETER = "type_parameter"
    MEMBER = "member"
    OUTER = "outer"


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


class ExpressionKind(str, Enum):
    """The shapes of the language-neutral expression tree."""

    NAME = "name"
    ATTRIBUTE = "attribute"
    CALL = "call"
    SUBSCRIPT = "subscript"
    LITERAL = "literal"
    CONTAINER = "container"
    UNION = "union"
    AWAIT = "await"
    ELEMENT = "element"
    ENTER = "enter"
    ITEM = "item"
    FUNCTION = "function"
    KEYWORD = "keyword"
    EXPECTED = "expected"
    MATCHING = "matching"
    GUARD = "guard"
    SENT = "sent"
    TYPED = "typed"
    TYPEOF = "typeof"
    SELF = "self"
    OWN_CLASS = "own_class"
    SUPER = "super"
    OBJECT = "object"
    UNKNOWN = "unknown"


class NarrowingKind(str, Enum):
    """What a condition says of a name."""

    TYPE = "type"
    GUARD = "guard"
    HAS_MEMBER = "has_member"
    MEMBER_IS = "member_is"
    MEMBER_IS_NOT = "member_is_not"


class EntryKind(str, Enum):
    """How control enters a program; the order is the order of a listing."""

    SCRIPT = "script"
    MODULE = "module"
    COMMAND = "command"
    ROUTE = "route"
    TASK = "task"
    GUARD = "run as a file"


class Evidence(str, Enum):
    """Why a reference is believed to mean a symbol, surest first."""

    SCOPE = "scope"
    IMPORT = "import"
    MEMBER = "member"
    INHERITED = "inherited"
    ANNOTATION = "annotation"
    INFERRED = "inferred"
    UNIQUE_NAME = "unique_name"
    NAME_ONLY = "name_only"
