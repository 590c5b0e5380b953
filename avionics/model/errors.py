"""All errors that avionics raises deliberately.

    AvionicsError
      UsageError                 an invalid request, which the caller can correct
        OutsideWorkspaceError    a path that leads out of the workspace
        ConfigError              an invalid setting or configuration
          RegistrationError      a tool that cannot be registered, or is not
      MissingDependencyError     an optional program or package is not installed
      SourceError                the disk or a text search failed
      IndexStateError            the stored index cannot be used
      HistoryError               git failed, or there is no history
      RemoteError                a remote server did not answer, or refused
      DeadlineExceededError      the time is up
        IndexUnfinishedError     before every file is indexed

Each class has a stable `code`, which is part of results; `hint` says what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class AvionicsError(Exception):
    """Base of all deliberate errors.

    Args:
        message: What happened, in the caller's terms.
        hint: What the caller can do about it.
    """

    code: ClassVar[str] = "avionics_error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(AvionicsError):
    """The request is invalid; the message names the fix."""

    code = "usage_error"


class OutsideWorkspaceError(UsageError):
    """A path outside the workspace."""

    code = "outside_workspace"


class ConfigError(UsageError):
    """A setting or configuration is invalid."""

    code = "config_error"


class RegistrationError(ConfigError, ValueError):
    """A tool cannot be registered, or no tool is registered under a name."""

    code = "registration_error"


class MissingDependencyError(AvionicsError):
    """An optional program or package is not installed; the hint says how to install it."""

    code = "missing_dependency"


@contextmanager
def importing(message: str, hint: str) -> Iterator[None]:
    """Raise `MissingDependencyError` if an import in the block fails."""
    try:
        yield
    except ImportError as error:
        raise MissingDependencyError(message, hint) from error


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
    """A remote server did not answer, or refused.

    Args:
        message: What happened; never a credential.
        hint: What the caller can do about it.
        status: The HTTP status, 0 without a response.
    """

    code = "remote_error"

    def __init__(self, message: str, hint: str = "", status: int = 0) -> None:
        super().__init__(message, hint)
        self.status = status


class DeadlineExceededError(AvionicsError):
    """The time for an answer is up."""

    code = "deadline"


class IndexUnfinishedError(DeadlineExceededError):
    """The time for an answer is up before every file is indexed; the next build continues.

    Args:
        left: The number of files that are not indexed yet; 0 if another thread builds the index.
    """

    def __init__(self, left: int) -> None:
        count = f"{left:,} files are" if left > 1 else "1 file is" if left else "the files are"
        super().__init__(f"{count} not indexed yet", "ask again, which continues with the rest, or allow more time")
        self.left = left
