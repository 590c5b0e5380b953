"""Everything avionics raises on purpose.

    AvionicsError
      UsageError                 asked for something that cannot be: the caller can mend it
        OutsideWorkspaceError    a path that leads out of the workspace
        ConfigError              a setting or configuration that cannot be used
          RegistrationError      a tool that cannot be registered, or one that is not
      MissingDependencyError     an optional program or package is not here
      SourceError                the disk or a text search failed
      IndexStateError            the stored index cannot be used
      HistoryError               git failed, or there is no history
      RemoteError                a server elsewhere did not answer, or refused
      DeadlineExceededError      the time allowed ran out

Each class has a stable `code`, which travels in results; `hint` says what to do.
"""

from __future__ import annotations

from typing import ClassVar


class AvionicsError(Exception):
    """Base of all deliberate failures.

    Args:
        message: What happened, in the caller's words.
        hint: What the caller can do about it.
    """

    code: ClassVar[str] = "avionics_error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(AvionicsError):
    """The question itself cannot be answered; it names the fix."""

    code = "usage_error"


class OutsideWorkspaceError(UsageError):
    """A path that leads out of the workspace."""

    code = "outside_workspace"


class ConfigError(UsageError):
    """A setting or configuration that cannot be used."""

    code = "config_error"


class RegistrationError(ConfigError, ValueError):
    """A tool that cannot be registered, or a name under which none is."""

    code = "registration_error"


class MissingDependencyError(AvionicsError):
    """An optional program or package is not here; the hint says how to get it."""

    code = "missing_dependency"


class SourceError(AvionicsError):
    """The disk or a text search failed."""

    code = "source_error"


class IndexStateError(AvionicsError):
    """The stored index cannot be used and could not be rebuilt."""

    code = "index_state_error"


class HistoryError(AvionicsError):
    """Git failed, or there is no history to read."""

    code = "history_error"


class RemoteError(AvionicsError):
    """A server elsewhere did not answer, or refused.

    Args:
        message: What happened; never a credential.
        hint: What the caller can do about it.
        status: The HTTP status, 0 when there was no answer.
    """

    code = "remote_error"

    def __init__(self, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


class DeadlineExceededError(AvionicsError):
    """The time allowed for an answer ran out."""

    code = "deadline"
