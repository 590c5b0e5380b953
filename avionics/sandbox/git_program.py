"""Run git on untrusted repositories: only our configuration, no hooks, no helpers, and only named protocols."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SAFE_GIT_OPTIONS: Final = (
    "-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false", "-c", "http.followRedirects=false", "-c", "credential.helper=",
    "-c", "transfer.fsckObjects=true",
)  # fmt: skip
SAFE_GIT_ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType({
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
})  # fmt: skip
