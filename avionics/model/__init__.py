"""The vocabulary of avionics: enums, facts, results, errors and the protocols of exchangeable parts.

Knows: words and values.
Does not know: how anything is done.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

__all__ = [
    "UNKNOWN", "Attempt", "AuditSinkProtocol", "AvionicsError", "Binding", "BindingKind", "Caller", "Certainty",
    "Citation", "ConfigError", "Coverage", "CredentialStoreProtocol", "DeadlineExceededError", "Definition",
    "EmbedderProtocol", "Evidence", "Expression", "ExpressionKind", "Fallback", "FileFacts", "FileUses",
    "HistoryError", "Import", "IndexStateError", "LoggerProtocol", "MissingDependencyError", "ModuleLink",
    "Narrowing", "OutsideWorkspaceError", "ParseProblem", "Permission", "RankedSymbol", "Ranking", "Reason",
    "ReasonKind", "Reference", "ReferenceKind", "RegistrationError", "RemoteError", "RerankerProtocol", "RiskLevel",
    "Scope", "ScopeKind", "Secret", "SourceError", "Span", "Status", "Symbol", "SymbolKind", "ToolCall",
    "ToolCategory", "ToolContext", "ToolDefinitionProtocol", "ToolDomain", "ToolRegistryProtocol", "ToolResult",
    "ToolSchema", "UnresolvedUse", "Usage", "UsageError", "UsageReport", "VectorMatch", "VectorRecord",
    "VectorStoreProtocol", "complete", "to_plain",
]  # fmt: skip

_NAMES: Final = {
    "enums": "BindingKind Certainty Evidence ExpressionKind Permission ReferenceKind RiskLevel ScopeKind Status "
    "SymbolKind ToolCategory ToolDomain",
    "errors": "AvionicsError ConfigError DeadlineExceededError HistoryError IndexStateError MissingDependencyError "
    "OutsideWorkspaceError RegistrationError RemoteError SourceError UsageError",
    "facts": "UNKNOWN Binding Expression FileFacts FileUses Import Narrowing ParseProblem Reference Scope Span Symbol",
    "knowledge": "Definition ModuleLink RankedSymbol UnresolvedUse Usage UsageReport",
    "reasons": "Reason ReasonKind",
    "results": "Attempt Citation Coverage ToolResult complete to_plain",
    "seams": "AuditSinkProtocol CredentialStoreProtocol EmbedderProtocol LoggerProtocol RerankerProtocol "
    "VectorStoreProtocol",
    "secret": "Secret",
    "tools": "Caller Fallback ToolCall ToolContext ToolDefinitionProtocol ToolRegistryProtocol ToolSchema",
    "vectors": "Ranking VectorMatch VectorRecord",
}
"""Module → its names; it is imported when one of them is first used, because a command uses few of them."""
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if TYPE_CHECKING:
    from avionics.model.enums import (
        BindingKind,
        Certainty,
        Evidence,
        ExpressionKind,
        Permission,
        ReferenceKind,
        RiskLevel,
        ScopeKind,
        Status,
        SymbolKind,
        ToolCategory,
        ToolDomain,
    )
    from avionics.model.errors import (
        AvionicsError,
        ConfigError,
        DeadlineExceededError,
        HistoryError,
        IndexStateError,
        MissingDependencyError,
        OutsideWorkspaceError,
        RegistrationError,
        RemoteError,
        SourceError,
        UsageError,
    )
    from avionics.model.facts import (
        UNKNOWN,
        Binding,
        Expression,
        FileFacts,
        FileUses,
        Import,
        Narrowing,
        ParseProblem,
        Reference,
        Scope,
        Span,
        Symbol,
    )
    from avionics.model.knowledge import Definition, ModuleLink, RankedSymbol, UnresolvedUse, Usage, UsageReport
    from avionics.model.reasons import Reason, ReasonKind
    from avionics.model.results import Attempt, Citation, Coverage, ToolResult, complete, to_plain
    from avionics.model.seams import (
        AuditSinkProtocol,
        CredentialStoreProtocol,
        EmbedderProtocol,
        LoggerProtocol,
        RerankerProtocol,
        VectorStoreProtocol,
    )
    from avionics.model.secret import Secret
    from avionics.model.tools import (
        Caller,
        Fallback,
        ToolCall,
        ToolContext,
        ToolDefinitionProtocol,
        ToolRegistryProtocol,
        ToolSchema,
    )
    from avionics.model.vectors import Ranking, VectorMatch, VectorRecord
else:

    def __getattr__(name: str) -> Any:
        """Import a name when it is first used."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value
