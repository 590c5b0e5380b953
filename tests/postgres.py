"""A real PostgreSQL for tests, which can be killed and started again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from avionics.scratch import ScratchDirectory
from tests.timing import wait_until


class Postgres:
    """PostgreSQL of the package `pgserver`, on a socket of its own.

    Args:
        programs: The directory of its programs.
        password: That of the user postgres.
    """

    def __init__(self, programs: Path, password: str) -> None:
        # A socket's path is at most 107 bytes long, and PostgreSQL does not run as root. When the tests are killed, the
        # next directory of this kind removes this one, after which a server ends by itself.
        self._scratch = ScratchDirectory("pg")
        self._scratch.path.chmod(0o711)
        self.place = self._scratch.path / "p"
        self.place.mkdir()
        self.url = f"postgresql://postgres@/postgres?host={self.place}"
        self._programs = programs
        self._user = "nobody" if os.getuid() == 0 else None
        (self.place / "password").write_text(password)
        if self._user:
            for each in (self.place, self.place / "password"):
                shutil.chown(each, self._user)
        make = [programs / "initdb", "-D", self.place / "data", "-U", "postgres", "-A", "scram-sha-256", "--no-sync",
                f"--pwfile={self.place / 'password'}", "--encoding=UTF8", "--locale=C",
                # Clients hash the password this often for each connection: by default 5 ms of processor time.
                "--set=scram_iterations=1",
                # It visits each database of each test once a minute.
                "--set=autovacuum=off"]  # fmt: skip
        subprocess.run(make, user=self._user, check=True, capture_output=True, cwd=self.place)
        self.start()

    def start(self) -> None:
        """Start it, also after it was killed, and wait until it answers."""
        run = [self._programs / "postgres", "-D", self.place / "data", "-h", "", "-k", self.place, "-F"]
        self._server = subprocess.Popen(
            run, user=self._user, cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        wait_until(self._is_ready, "PostgreSQL is ready")

    def kill(self) -> None:
        """End it and its children with SIGKILL."""
        # Each child is a group of its own; the children of one that is dead end by themselves.
        self._server.kill()
        self._server.wait()

    def stop(self) -> None:
        """Stop it and delete its data."""
        # A fast shutdown: the default waits for clients to leave.
        self._server.send_signal(signal.SIGINT)
        self._server.wait()
        self._scratch.close()

    def _is_ready(self) -> bool:
        path = self.place / "data" / "postmaster.pid"
        text = path.read_text() if path.exists() else ""
        return text.startswith(f"{self._server.pid}\n") and "ready" in text


def make_postgres(password: str) -> Postgres:
    """Starts a PostgreSQL, or skips the test where its programs are not installed."""
    package = find_spec("pgserver")
    if package is None or not package.submodule_search_locations:
        pytest.skip("the package pgserver, which brings PostgreSQL with pgvector, is not installed")
    return Postgres(Path(package.submodule_search_locations[0]) / "pginstall" / "bin", password)


def run_postgres(password: str) -> Iterator[str]:
    """Runs a PostgreSQL and gives its URL."""
    server = make_postgres(password)
    try:
        yield server.url
    finally:
        server.stop()
