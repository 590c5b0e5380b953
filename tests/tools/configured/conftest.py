"""The servers of `tests/semantic`, for the tools that ask them, and accounts with credentials of their own."""

from __future__ import annotations

import asyncio
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from avionics.model import Caller, Permission, ToolContext

_SPEC = spec_from_file_location("semantic_servers", Path(__file__).parents[2] / "semantic" / "conftest.py")
assert _SPEC
assert _SPEC.loader
_SERVERS = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_SERVERS)
serve, endpoints, keys = _SERVERS.serve, _SERVERS.endpoints, _SERVERS.keys


class Accounts:
    """A product's database: credentials by account."""

    def __init__(self, credentials):
        self.credentials = credentials
        self.asked = []

    async def get_credential(self, account_id, name):
        self.asked.append((account_id, name))
        return self.credentials.get((account_id, name))


@pytest.fixture
def accounts():
    """`accounts({(123, "pinecone"): "key"})`."""
    return Accounts


@pytest.fixture
def call():
    """Calls a tool through the executor, for a caller who may use the network, and gives the result."""
    granted = ToolContext(Caller(permissions=frozenset({Permission.NETWORK_ACCESS})))
    return lambda tool, query, context=granted, **more: asyncio.run(tool.execute({"query": query}, context, **more))
