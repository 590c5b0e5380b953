"""Clones of repositories that a fleet knows by URL: a directory in the cache that holds the one commit to index.

The token of a host is read from the settings, and is given to git through its environment; it is in no URL, no command
and no error.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from urllib.parse import urlsplit

from avionics.model.errors import RemoteError, UsageError
from avionics.model.secret import NO_SECRET, Secret
from avionics.sandbox.confinement import Outcome
from avionics.sandbox.git_program import run_git
from avionics.settings import Settings

_FETCHED = "refs/heads/fetched"
_MAX_PACK_BYTES = 20_000_000_000
_MAX_ERROR_CHARACTERS = 300
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def is_url(location: str) -> bool:
    """Return whether a repository's location is a URL, not a directory."""
    return "://" in location


def require_clone_url(url: str) -> str:
    """Return a URL that a fleet can clone from. Raise `UsageError` if it is not https, or it contains credentials."""
    try:
        parts = urlsplit(url)
        host, login = parts.hostname or "", parts.username or parts.password
    except ValueError:
        host, login = "", None
    if login:
        raise UsageError("the URL contains credentials", hint="set AVIONICS_FORGE_TOKENS instead")
    if not host or (parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK)):
        raise UsageError(f"cannot clone from {url[:200]!r}", hint="give an https URL")
    return url


def get_token(url: str, settings: Settings) -> Secret:
    """Return the token for the host of a URL, "" if there is none."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    return settings.forge_tokens.get(f"{host}:{parts.port}", settings.forge_tokens.get(host, NO_SECRET))


def fetch_clone(url: str, ref: str, settings: Settings) -> tuple[Path, str]:
    """Fetch the commit that a ref now names; return the directory of the clone, and the name of the commit in it.

    Raise `RemoteError` if the server does not answer or refuses, or it has no such ref; `UsageError` if the URL is not
    one to clone from.
    """
    require_clone_url(url)
    directory = settings.cache_directory / "fleet-clones" / hashlib.sha256(url.encode()).hexdigest()[:32]
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not (directory / ".git" / "HEAD").exists():
        _run(("init", "--quiet", "--template=", "."), directory, settings, NO_SECRET, url)
    fetch = ("fetch", "--quiet", "--force", "--no-tags", "--no-recurse-submodules", "--depth=1", "--", url)
    done = _run((*fetch, f"+{ref}:{_FETCHED}"), directory, settings, get_token(url, settings), url)
    if done.exit_code != 0:
        said = " ".join(done.stderr.split())[-_MAX_ERROR_CHARACTERS:]
        raise RemoteError(f"{url} could not be fetched: {said}", hint="check the URL, the ref and the token")
    return directory, _FETCHED


def _run(words: tuple[str, ...], directory: Path, settings: Settings, token: Secret, url: str) -> Outcome:
    """Run git in the directory of a clone."""
    http = ("-c", "protocol.http.allow=always") if url.startswith("http://") else ()
    environment = {}
    if token:
        # Any user name will do: forges look at the password.
        login = base64.b64encode(f"x-oauth-basic:{token.reveal()}".encode()).decode()
        environment = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader",
                       "GIT_CONFIG_VALUE_0": f"Authorization: Basic {login}"}  # fmt: skip
    return run_git(
        (*http, *words),
        settings.program_directories,
        directory,
        file_bytes=_MAX_PACK_BYTES,
        directory=directory,
        environment=environment,
    )
