"""Tell whether anything below a root has changed since the last look, without examining the files.

File system events arrive late, so their absence proves nothing. Before a watch reports "nothing changed" it creates a
file, a cookie in the terms of Facebook's watchman, and waits for its event in the same queue: every earlier event has
arrived by then. Each cookie is a new file, because the event of an earlier one may be late as well.

New directories are watched only after their own event has arrived. So after any event the watch requires another look,
and it trusts no look that began before all events had arrived.

Where events cannot be trusted, a watch never reports "nothing changed" and its owner looks at the files: on network and
user-space file systems, on systems other than Linux, after the clock was set, when another directory has replaced the
root, and in any case some seconds after the last look, because writes through memory maps and through hard links
outside the root cause no events.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from avionics.scratch import ScratchDirectory
from avionics.source.mounts import has_mounts_below, is_trusted

if TYPE_CHECKING:
    from watchfiles.main import FileChange

_MAX_TRUSTED_SECONDS = 5.0
_PATIENCE_SECONDS = 0.1
"""An event takes about 2 ms to arrive."""

_POLL_MS = 10
_MAX_DRIFT_SECONDS = 1.0

_MAX_EVENTS = 2_000
"""The number of changed paths after which the watch restarts. Linux queues 16,384 events, several per path, and drops
the rest."""


class Watch:
    """A watch over one root until it is closed; used by one thread at a time.

    The events are also those of the directory of cookies; `patience_seconds` is how long to wait for that of a cookie.
    """

    def __init__(
        self,
        root: Path,
        events: Generator[set[FileChange], None, None],
        cookies: ScratchDirectory,
        patience_seconds: float,
    ) -> None:
        self._root = root
        self._events = events
        self._cookies = cookies
        self._patience_seconds = patience_seconds
        self._place = os.path.join(str(cookies.path), "")
        self._number = self._event_count = 0
        self._identity = _get_identity(root)
        self._has_all_events = True
        self._looked, self._drift = float("-inf"), 0.0

    @classmethod
    def start(cls, root: Path, patience_seconds: float = _PATIENCE_SECONDS) -> Watch | None:
        """Return a watch over a root, or None if it would not be reliable."""
        if not is_trusted(root) or has_mounts_below(root):
            return None
        try:
            import watchfiles  # noqa: F401
        except ImportError:
            return None
        cookies = ScratchDirectory("watch")
        try:
            return cls(root, _listen(root, cookies.path), cookies, patience_seconds)
        except (OSError, RuntimeError):
            # There are more directories than the system allows a user to watch.
            cookies.close()
            return None

    def is_quiet(self) -> bool:
        """Return whether nothing has changed since `note_look`; False also if that is uncertain."""
        if self._has_changes():
            # An event is delivered only once, so from now on the files have to be examined.
            self._looked = float("-inf")
            if self._event_count > _MAX_EVENTS:
                self._restart()
        if _get_identity(self._root) != self._identity:
            # A parent directory was renamed. This is final, because the path now refers to another directory.
            self._identity = (0, 0)
        is_recent = self._identity != (0, 0) and time.monotonic() - self._looked < _MAX_TRUSTED_SECONDS
        return is_recent and abs(_get_drift() - self._drift) < _MAX_DRIFT_SECONDS

    def note_look(self, started: float) -> None:
        """Record that a look at the files began at this time of `time.monotonic`."""
        self._looked = started if self._has_all_events else float("-inf")
        self._drift = _get_drift()

    def close(self) -> None:
        """Stop watching."""
        self._events.close()
        self._cookies.close()

    def _restart(self) -> None:
        """Start again, because after this many events the system may have dropped the event of a new directory."""
        self._event_count = 0
        try:
            events = _listen(self._root, self._cookies.path)
        except (OSError, RuntimeError):
            self._identity = (0, 0)
            return
        self._events.close()
        self._events = events

    def _has_changes(self) -> bool:
        """Return whether something below the root has changed, or events are still missing."""
        deadline = time.monotonic() + self._patience_seconds
        is_quiet = self._has_all_events = False
        rounds = 0
        while not is_quiet and time.monotonic() < deadline:
            changed = self._read_changes(deadline)
            if changed is None:
                return True
            is_quiet = not changed
            rounds += 1
        self._has_all_events = is_quiet
        return not is_quiet or rounds > 1

    def _read_changes(self, deadline: float) -> set[str] | None:
        """Return the paths below the root that have changed; None if their events do not arrive in time."""
        before, self._number = self._number, self._number + 1
        cookie = f"{self._place}{self._number}"
        try:
            with open(cookie, "xb"):
                pass
            if before:
                os.unlink(f"{self._place}{before}")
        except OSError:
            return None
        changed: set[str] = set()
        while time.monotonic() < deadline:
            paths = {path for _, path in next(self._events)}
            inside = {path for path in paths if not path.startswith(self._place)}
            changed |= inside
            self._event_count += len(inside)
            if cookie in paths:
                return changed
        return None


def _listen(root: Path, cookies: Path) -> Generator[set[FileChange], None, None]:
    """Return the changes of a root and of the directory of cookies from now on.

    Raises:
        OSError, RuntimeError: There are too many directories for the system.
    """
    from watchfiles import watch

    events = watch(
        root,
        cookies,
        watch_filter=None,
        debounce=1,
        step=1,
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        debug=False,
        force_polling=False,
        ignore_permission_denied=False,
    )
    # A generator starts listening when it is first advanced.
    next(events)
    return events


def _get_identity(root: Path) -> tuple[int, int]:
    """Return the identity of the directory at the root; (0, 0) if there is none."""
    try:
        found = os.stat(root)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _get_drift() -> float:
    """Return the difference between the wall clock and the monotonic clock."""
    return time.time() - time.monotonic()
