"""A watch: whether anything below a root has changed since the last look, without looking.

Events come late, so their absence says nothing. Before it vouches, a watch changes a file of its own, which is watched
by the same queue, and waits for that event: all earlier ones have come by then (the cookies of Facebook's watchman).
Where events are not to be trusted it never vouches, and who asks looks at the files: on network and user-space file
systems, on other systems than Linux, after a jump of the clock, and some seconds after the last look in any case, since
writes through memory maps and through names outside the root cause none.

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

_MOST_DRIFT_SECONDS = 1.0


class Watch:
    """Watches one root until it is closed; used by one thread at a time."""

    def __init__(self, root: Path, notify: RustNotify, cookies: tempfile.TemporaryDirectory[str]) -> None:
        self._root = root
        self._notify = notify
        self._cookies = cookies
        self._cookie = os.path.join(os.path.realpath(cookies.name), "cookie")
        self._looked, self._drift = float("-inf"), 0.0

    @classmethod
    def start(cls, root: Path) -> Watch | None:
        """A watch over a root, or None where it could not be relied on."""
        if not is_trusted(root) or has_mounts_below(root):
            return None
        try:
            from watchfiles._rust_notify import RustNotify
        except ImportError:
            return None
        cookies = tempfile.TemporaryDirectory(prefix="avionics-watch-")
        try:
            roots = [str(root), os.path.realpath(cookies.name)]
            notify = RustNotify(
                watch_paths=roots,
                debug=False,
                force_polling=False,
                poll_delay_ms=0,
                recursive=True,
                ignore_permission_denied=False,
            )
        except (OSError, RuntimeError):
            # More directories than the system lets a user watch.
            cookies.cleanup()
            return None
        return cls(root, notify, cookies)

    def is_quiet(self) -> bool:
        """Whether nothing has changed since `note_look`; False also where that is not certain."""
        if not self._drain():
            # What has been told once is not told again: from now on only a look helps.
            self._looked = float("-inf")
        is_recent = time.monotonic() - self._looked < _VOUCHED_SECONDS
        return is_recent and abs(_drift() - self._drift) < _MOST_DRIFT_SECONDS

    def note_look(self, started: float) -> None:
        """The files were looked at from this moment of `time.monotonic` on; nothing is vouched for before."""
        self._looked, self._drift = started, _drift()

    def close(self) -> None:
        """Ends it."""
        self._notify.close()
        self._cookies.cleanup()

    def _drain(self) -> bool:
        """Whether the events up to now are all there, and none is the root's."""
        try:
            with open(self._cookie, "wb") as cookie:
                cookie.write(b"!")
        except OSError:
            return False
        deadline = time.monotonic() + _PATIENCE_MS / 1000
        is_quiet = True
        while time.monotonic() < deadline:
            events = self._notify.watch(1, 1, _PATIENCE_MS, None)
            if not isinstance(events, set):
                return False
            paths = {path for _, path in events}
            is_quiet = is_quiet and paths <= {self._cookie}
            if self._cookie in paths:
                return is_quiet
        return False


def _drift() -> float:
    """How far the clock on the wall is from the one that is never set."""
    return time.time() - time.monotonic()
