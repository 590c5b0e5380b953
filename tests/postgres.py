"""A real PostgreSQL for tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.timing import wait_until


def run_postgres(password: str) -> Iterator[str]:
    """Runs a real PostgreSQL, that of the package `pgserver`, on a socket of the tests' own, and gives its URL."""
    package = find_spec("pgserver")
    if package is None or not package.submodule_search_locations:
        pytest.skip("the package pgserver, which brings PostgreSQL with pgvector, is not installed")
    programs = Path(package.submodule_search_locations[0]) / "pginstall" / "bin"
    # A socket's path is at most 107 bytes long, and PostgreSQL does not run as root.
    place = Path(tempfile.mkdtemp(prefix="avionics-pg-"))
    (place / "password").write_text(password)
    user = None
    if os.getuid() == 0:
        user = "nobody"
        for each in (place, place / "password"):
            shutil.chown(each, user)
    make = [programs / "initdb", "-D", place / "data", "-U", "postgres", "-A", "scram-sha-256", "--no-sync",
            f"--pwfile={place / 'password'}", "--encoding=UTF8", "--locale=C"]  # fmt: skip
    subprocess.run(make, user=user, check=True, capture_output=True, cwd=place)
    run = [programs / "postgres", "-D", place / "data", "-h", "", "-k", place, "-F"]
    with subprocess.Popen(run, user=user, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: "ready" in _pid_file(place), "PostgreSQL is ready")
            yield f"postgresql://postgres@/postgres?host={place}"
        finally:
            # A fast shutdown: the default waits for clients to leave.
            server.send_signal(signal.SIGINT)
    shutil.rmtree(place)


def _pid_file(place: Path) -> str:
    path = place / "data" / "postmaster.pid"
    return path.read_text() if path.exists() else ""
