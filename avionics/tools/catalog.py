"""The tool catalog: the single list of all tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, overload

from msgspec import Struct, structs

from avionics.model.enums import Permission, RiskLevel, ToolCategory, ToolDomain
from avionics.model.errors import ConfigError, RegistrationError
from avionics.model.grants import Grant, read_group_list, read_permissions
from avionics.model.mappings import FrozenDict
from avionics.model.results import to_plain
from avionics.model.tools import Fallback
from avionics.tools.ids import EXPOSED_TOOL_IDS, PROFILES, ToolId, is_exposed_tool, resolve_tool_id
from avionics.tools.registries.registry_base import RegistryBase
from avionics.tools.schema.parameters import Parameters, read_parameters

__all__ = [
    "EXPOSED_TOOL_IDS", "PROFILES", "RiskLevel", "ToolCatalog", "ToolCatalogEntry", "ToolCategory",
    "ToolDefinition", "ToolId", "is_exposed_tool", "resolve_tool_id", "tool_catalog",
]  # fmt: skip

IdT = TypeVar("IdT", bound=Enum)
MemberT = TypeVar("MemberT", bound=Enum)
FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

if TYPE_CHECKING:
    from avionics.model.seams import LoggerProtocol

    tool_catalog: ToolCatalog[ToolId]
else:

    def __getattr__(name: str) -> Any:
        """Return the current instance for `tool_catalog`, also after a reset."""
        if name == "tool_catalog":
            return ToolCatalog.get_instance()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class ToolCatalogEntry(Struct, Generic[IdT], frozen=True):
    """Immutable tool metadata.

    Attributes:
        id: Its name, typed.
        description: One line, for the planner.
        parameters: Name → type; a trailing `?` marks an optional one.
        category: How it works.
        risk_level: The risk of running it.
        accepts: Its input, in words.
        returns: Its output, in words.
    """

    id: IdT
    description: str
    parameters: Mapping[str, str]
    category: ToolCategory
    risk_level: RiskLevel = RiskLevel.LOW
    accepts: str = ""
    returns: str = ""

    def __post_init__(self) -> None:
        structs.force_setattr(self, "parameters", FrozenDict(self.parameters))
        structs.force_setattr(self, "category", require_member(ToolCategory, self.category, f"{self.id.value}: "))
        structs.force_setattr(self, "risk_level", require_member(RiskLevel, self.risk_level, f"{self.id.value}: "))

    def to_prompt_line(self) -> str:
        """Return a line such as `- locate(symbol, scope?): Find code anywhere`."""
        from avionics.tools.answers.tool_prompt import build_prompt_line

        parameters = ((name, not kind.endswith("?")) for name, kind in self.parameters.items())
        return build_prompt_line(self.id.value, parameters, self.description)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], ids: type[IdT] = ToolId) -> ToolCatalogEntry[IdT]:  # type: ignore[assignment]
        """Return the entry that `to_dict` described."""
        return cls(ids(plain["id"]), *(plain[name] for name in cls.__struct_fields__[1:]))


class ToolDefinition(Struct, frozen=True, eq=False):
    """What is needed to run a tool.

    Attributes:
        name: The name for callers.
        function: The function to run.
        parameters: Name → type; a trailing `?` marks an optional one.
        description: One line.
        parameter_schemas: The full schemas of the parameters, which validate arguments.
        risk_level: The risk of running it.
        fallbacks: The tools to call, in order, if it finds nothing.
        timeout_seconds: Its own time limit, if any.
        cache_seconds: How long a result may be reused for the same call by the same caller; only for low risk.
        retries: How often to retry it after a failure that is not the caller's fault; only for low risk.
    """

    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, Any]
    description: str = ""
    parameter_schemas: Parameters = None  # type: ignore[assignment]
    risk_level: RiskLevel = RiskLevel.LOW
    fallbacks: tuple[Fallback, ...] = ()
    timeout_seconds: float | None = None
    required_permissions: frozenset[Grant] = frozenset()
    access_groups: tuple[str, ...] = ()
    category: ToolDomain | ToolCategory = ToolDomain.CUSTOM
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    cache_seconds: float = 0
    retries: int = 0

    @property
    def implementation(self) -> Callable[..., Any]:
        """Return the function; its module shows where the tool comes from."""
        return self.function

    def __post_init__(self) -> None:
        structs.force_setattr(self, "required_permissions", read_permissions(self.required_permissions))
        structs.force_setattr(self, "access_groups", read_group_list(self.access_groups))
        schemas = read_parameters(self.parameters if self.parameter_schemas is None else self.parameter_schemas)
        structs.force_setattr(self, "parameter_schemas", schemas)
        structs.force_setattr(self, "parameters", FrozenDict(schemas.to_strings()))

    def __eq__(self, other: object) -> bool:
        """Compare what a caller sees of the tools; not who may use them, nor how often they are run."""
        if not isinstance(other, ToolDefinition) or type(other) is not type(self):
            return NotImplemented
        own, theirs = (
            (each.function, each.parameters, each.parameter_schemas, each.output_schema, each.examples)
            for each in (self, other)
        )
        return self._key() == other._key() and own == theirs

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.name, self.description, self.risk_level, self.fallbacks, self.timeout_seconds


class ToolCatalog(RegistryBase, Generic[IdT]):
    """Canonical tool catalog: single source of truth; a `ToolRegistryProtocol`.

    `ToolCatalog()` is empty and isolated. Another application brings its own ids, all of them exposed unless it says
    otherwise: `ToolCatalog(MyToolId, exposed=frozenset({MyToolId.ASK}))`.
    """

    _instance: ClassVar[ToolCatalog[ToolId] | None] = None

    @overload
    def __init__(self: ToolCatalog[ToolId], *, logger: LoggerProtocol | None = None) -> None: ...

    @overload
    def __init__(
        self, ids: type[IdT], exposed: frozenset[IdT] | None = None, *, logger: LoggerProtocol | None = None
    ) -> None: ...

    def __init__(
        self, ids: type[Enum] = ToolId, exposed: frozenset[Enum] | None = None, *, logger: LoggerProtocol | None = None
    ) -> None:
        self._ids = cast("type[IdT]", ids)
        self._by_name = {str(member.value): member for member in self._ids}
        if exposed is None:
            exposed = EXPOSED_TOOL_IDS if ids is ToolId else frozenset(ids)
        self._exposed = cast("frozenset[IdT]", exposed)
        self._logger = logger
        self._entries: dict[IdT, ToolCatalogEntry[IdT]] = {}
        self._definitions: dict[IdT, ToolDefinition] = {}
        self._promised: dict[IdT, Callable[[], None]] = {}
        self._defaults: set[IdT] = set()
        self._disabled: frozenset[str] = frozenset()
        self._loading = RLock()

    def register(
        self,
        tool_id: IdT,
        description: str,
        parameters: Mapping[str, Any],
        category: ToolCategory,
        risk_level: RiskLevel = RiskLevel.LOW,
        accepts: str = "",
        returns: str = "",
        **more: Any,
    ) -> Callable[[FunctionT], FunctionT]:
        """Register a function, which is returned unchanged; the arguments are those of `register_function`."""

        def record(function: FunctionT) -> FunctionT:
            self.register_function(
                tool_id, function, description, parameters, category, risk_level, accepts, returns, **more
            )
            return function

        return record

    def register_function(
        self,
        tool_id: IdT,
        func: Callable[..., Any],
        description: str,
        parameters: Mapping[str, Any],
        category: ToolCategory,
        risk_level: RiskLevel = RiskLevel.LOW,
        accepts: str = "",
        returns: str = "",
        *,
        fallbacks: tuple[Fallback, ...] = (),
        timeout_seconds: float | None = None,
        permissions: Grant | Iterable[Grant] = Permission.FILESYSTEM_READ,
        access_groups: str | Iterable[str] = (),
        replace: bool = False,
    ) -> None:
        """Register a tool without decorator syntax.

        Args:
            tool_id: Its id; a plain string is rejected.
            func: The function to run.
            description: One line, for the planner.
            parameters: Name → a string such as "integer?", a `Parameter`, or an object with `validate_value`.
            category: How it works.
            risk_level: The risk of running it.
            accepts: Its input, in words.
            returns: Its output, in words.
            fallbacks: The tools to call if it finds nothing.
            timeout_seconds: Its own time limit.
            replace: Whether to replace a registered tool instead of raising.

        Raises:
            ConfigError: The id is taken or not one of this catalog's, the function cannot be called, or a parameter
                cannot be parsed.
        """
        self._require_free(tool_id, func, replace=replace)
        schemas = read_parameters(parameters)
        spelled = schemas.to_strings()
        self._entries[tool_id] = ToolCatalogEntry(tool_id, description, spelled, category, risk_level, accepts, returns)
        self._definitions[tool_id] = ToolDefinition(
            tool_id.value,
            func,
            spelled,
            description,
            schemas,
            risk_level,
            fallbacks,
            timeout_seconds,
            read_permissions(permissions),
            read_group_list(access_groups),
            category,
        )

    def register_later(self, tool_id: IdT, load: Callable[[], None]) -> None:
        """Register a default, whose module is imported at its first use; `load` then registers it here.

        An application's own tool of that id takes its place, with a warning.
        """
        if self.has_tool_id(tool_id):
            raise RegistrationError(f"{tool_id.value!r} is registered twice")
        self._promised[tool_id] = load
        self._defaults.add(tool_id)

    def has_tool(self, name: str) -> bool:
        tool_id = self._get_id(name)
        return tool_id is not None and tool_id.value not in self._disabled and self.has_tool_id(tool_id)

    def get_tool(self, name: str) -> ToolDefinition | None:
        tool_id = self._get_id(name)
        if tool_id is None or (self._disabled and tool_id.value in self._disabled):
            return None
        return self._get_definition(tool_id)

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all registered tools, in the order of their ids."""
        return tuple(tool_id.value for tool_id in self.list_all_ids() if tool_id.value not in self._disabled)

    def disable(self, *names: str) -> None:
        for name in names:
            tool_id = self._get_id(name)
            if tool_id is None or not self.has_tool_id(tool_id):
                raise RegistrationError(f"there is no tool {name!r}")
            self._disabled |= {str(tool_id.value)}

    def enable(self, *names: str) -> None:
        self._disabled -= {str(getattr(name, "value", name)) for name in names}

    def has_tool_id(self, tool_id: IdT) -> bool:
        """Return whether a tool of that id is registered."""
        if tool_id in self._entries:
            return True
        with self._loading:
            return tool_id in self._entries or tool_id in self._promised

    def get_entry(self, tool_id: IdT) -> ToolCatalogEntry[IdT] | None:
        """Return the tool's metadata, or None."""
        return self._entries.get(tool_id) if self._get_definition(tool_id) else None

    def get_function(self, tool_id: IdT) -> Callable[..., Any] | None:
        """Return the tool's function, or None."""
        definition = self._get_definition(tool_id)
        return definition.function if definition else None

    def get_exposed_entries(self) -> list[ToolCatalogEntry[IdT]]:
        """Return the tools that agents see."""
        return self._list_entries(self._exposed)

    def get_entries_by_category(self, category: ToolCategory) -> list[ToolCatalogEntry[IdT]]:
        """Return all tools of a category."""
        return [entry for entry in self._list_entries(self._ids) if entry.category is category]

    def generate_planner_prompt(self, allowed_tools: Iterable[IdT]) -> str:
        """Return the tool list for the planner; tools that are not allowed do not appear in it."""
        from avionics.tools.answers.tool_prompt import build_prompt

        return build_prompt((entry.category, entry.to_prompt_line()) for entry in self._list_entries(allowed_tools))

    def list_all_ids(self) -> list[IdT]:
        """Return all registered ids, in the order their enum declares them."""
        return [tool_id for tool_id in self._ids if self.has_tool_id(tool_id)]

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the catalog as plain data: name → entry."""
        return {entry.id.value: entry.to_dict() for entry in self._list_entries(self._ids)}

    @classmethod
    def get_instance(cls) -> ToolCatalog[ToolId]:
        """Return the global catalog."""
        if ToolCatalog._instance is None:
            ToolCatalog._instance = ToolCatalog()
        return ToolCatalog._instance

    @classmethod
    def reset_instance(cls) -> None:
        """Discard the global catalog: the next one is new and empty (for testing)."""
        ToolCatalog._instance = None

    def _list_entries(self, allowed: Iterable[IdT]) -> list[ToolCatalogEntry[IdT]]:
        """Return the entries of the allowed ids, in the order the enum declares them."""
        wanted = {self._ids(tool_id) for tool_id in allowed}
        entries = (self.get_entry(tool_id) for tool_id in self._ids if tool_id in wanted)
        return [entry for entry in entries if entry]

    def _get_id(self, name: str) -> IdT | None:
        """Return the id of that name, or None."""
        found = self._by_name.get(name) if type(name) is str else None
        if found is not None:
            return found
        try:
            return self._ids(name)
        except ValueError:
            return None

    def _get_definition(self, tool_id: IdT) -> ToolDefinition | None:
        """Return the tool, importing its module if necessary."""
        definition = self._definitions.get(tool_id)
        if definition is None:
            with self._loading:
                load = self._promised.pop(tool_id, None)
                if load:
                    load()
                definition = self._definitions.get(tool_id)
        return definition

    def _require_free(self, tool_id: IdT, function: Callable[..., Any], *, replace: bool) -> None:
        """Reject a name that cannot be registered; log a replaced tool."""
        from avionics.tools.log import standard_logger
        from avionics.tools.registries.tool_override import owner_of

        if not isinstance(tool_id, self._ids):
            kind = self._ids.__name__
            raise ConfigError(f"{tool_id!r} is not a {kind}", hint=f"give a member of {kind}")
        if not callable(function):
            raise ConfigError(f"{tool_id.value}: a {type(function).__name__} cannot be called")
        before = self.get_function(tool_id)
        if before is None:
            return
        owners = f"{owner_of(before)} and {owner_of(function)}"
        if not replace and tool_id not in self._defaults:
            raise RegistrationError(
                f"{tool_id.value!r} is registered twice: by {owners}", hint="pass replace=True to replace the first"
            )
        self._defaults.discard(tool_id)
        (self._logger or standard_logger()).warning(f"tool {tool_id.value!r} replaced: {owners}")


def require_member(kind: type[MemberT], given: Any, about: str = "") -> MemberT:
    """Return the member of an enum that a registration names; an error begins with the subject.

    Raise `RegistrationError` (also a `ValueError`) if it names none.
    """
    try:
        return kind(given)
    except ValueError:
        known = ", ".join(str(member.value) for member in kind)
        raise RegistrationError(f"{about}{given!r} is not a {kind.__name__}; one of {known}") from None
