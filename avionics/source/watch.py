"""A watch: whether anything below a root has changed since the last look, without looking.

Events come late, so their absence says nothing. Before it vouches, a watch makes a file of its own, which is watched by
the same queue, and waits for that event: all earlier ones have come by then (the cookies of Facebook's watchman). Each
is a new file, since the event of an earlier one may come as late as any. Directories that are new are watched only
after they were told of, so that after an event it asks once more, and vouches for no look before all were told.
Where events are not to be trusted it never vouches, and who asks looks at the files: on network and user-space file
systems, on other systems than Linux, after a jump of the clock, once another directory stands where the root was, and
some seconds after the last look in any case, since writes through memory maps and through names outside the root cause
none.

Knows: `watchfiles`, clocks.
Does not know: what is done about a change.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from avionics.source.mounts import has_mounts_below, is_trusted

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

_VOUCHED_SECONDS = 5.0
_PATIENCE_MS = 100
"""An event takes about 2 ms to come."""

_MAX_DRIFT_SECONDS = 1.0

_MAX_TOLD = 2_000
"""Paths since it began to listen. Linux keeps 16,384 events, some for one path, and drops those that come on top."""


class Watch:
    """Watches one root until it is closed; used by one thread at a time."""

    def __init__(self, root: Path, notify: RustNotify, cookies: tempfile.TemporaryDirectory[str]) -> None:
        self._root = root
        self._notify = notify
        self._cookies = cookies
        self._place = os.path.join(os.path.realpath(cookies.name), "")
        self._number = self._told = 0
        self._identity = _identity(root)
        self._is_told_all = True
        self._looked, self._drift = float("-inf"), 0.0

    @classmethod
    def start(cls, root: Path) -> Watch | None:
        """A watch over a root, or None where it could not be relied on."""
        if not is_trusted(root) or has_mounts_below(root):
            return None
        try:
            import watchfiles._rust_notify  # noqa: F401
        except ImportError:
            return None
        cookies = tempfile.TemporaryDirectory(prefix="avionics-watch-")
        try:
            return cls(root, _listen(root, cookies.name), cookies)
        except (OSError, RuntimeError):
            # More directories than the system lets a user watch.
            cookies.cleanup()
            return None

    def is_quiet(self) -> bool:
        """Whether nothing has changed since `note_look`; False also where that is not certain."""
        if not self._is_told_nothing():
            # What has been told once is not told again: from now on only a look helps.
            self._looked = float("-inf")
            if self._told > _MAX_TOLD:
                self._renew()
        if _identity(self._root) != self._identity:
            # A directory above was renamed. For good: looks are of that other directory from now on.
            self._identity = (0, 0)
        is_recent = self._identity != (0, 0) and time.monotonic() - self._looked < _VOUCHED_SECONDS
        return is_recent and abs(_drift() - self._drift) < _MAX_DRIFT_SECONDS

    def note_look(self, started: float) -> None:
        """The files were looked at from this moment of `time.monotonic` on; nothing is vouched for before."""
        self._looked, self._drift = started if self._is_told_all else float("-inf"), _drift()

    def close(self) -> None:
        """Ends it."""
        self._notify.close()
        self._cookies.cleanup()

    def _renew(self) -> None:
        """Listens anew before the next look: of so many events the system may have dropped that of a new directory."""
        self._told = 0
        try:
            notify = _listen(self._root, self._cookies.name)
        except (OSError, RuntimeError):
            self._identity = (0, 0)
            return
        self._notify.close()
        self._notify = notify

    def _is_told_nothing(self) -> bool:
        """Whether the events up to now are all there, and none is the root's."""
        deadline = time.monotonic() + _PATIENCE_MS / 1000
        is_quiet = self._is_told_all = False
        rounds = 0
        while not is_quiet and time.monotonic() < deadline:
            told = self._get_told(deadline)
            if told is None:
                return False
            is_quiet = not told
            rounds += 1
        self._is_told_all = is_quiet
        return is_quiet and rounds == 1

    def _get_told(self, deadline: float) -> set[str] | None:
        """What the events up to now say has changed below the root; None where they do not come in time."""
        before, self._number = self._number, self._number + 1
        cookie = f"{self._place}{self._number}"
        try:
            with open(cookie, "xb"):
                pass
            if before:
                os.unlink(f"{self._place}{before}")
        except OSError:
            return None
        told: set[str] = set()
        while time.monotonic() < deadline:
            events = self._notify.watch(1, 1, _PATIENCE_MS, None)
            if not isinstance(events, set):
                return None
            paths = {path for _, path in events}
            inside = {path for path in paths if not path.startswith(self._place)}
            told |= inside
            self._told += len(inside)
            if cookie in paths:
                return told
        return None


def _listen(root: Path, cookies: str) -> RustNotify:
    """Ears on a root and on the place of the cookies.

    Raises:
        OSError, RuntimeError: They are too many for the system.
    """
    from watchfiles._rust_notify import RustNotify

    return RustNotify(
        watch_paths=[str(root), os.path.realpath(cookies)],
        debug=False,
        force_polling=False,
        poll_delay_ms=0,
        recursive=True,
        ignore_permission_denied=False,
    )


def _identity(root: Path) -> tuple[int, int]:
    """Which directory stands there; (0, 0) for none."""
    try:
        found = os.stat(root)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _drift() -> float:
    """How far the clock on the wall is from the one that is never set."""
    return time.time() - time.monotonic()
