"""Completions, log messages and subscriptions, asked by the SDK's own client in this process."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from mcp import Client, MCPError, types
from mcp.client.subscriptions import ResourceUpdated

from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_service
from tests.mcp.conftest import connected_to
from tests.timing import PATIENCE_SECONDS

FILE = types.ResourceTemplateReference(uri="avionics://{repo}/file/{+path}")
CART = "avionics://repository/file/shop/cart.py"


@pytest.fixture
def connected(settings, run):
    """Runs a tour with a client of a server on some directories."""

    def connect(tour, *roots, **options):
        repositories = Repositories.open(roots, settings)
        service = build_service(
            repositories, settings, ServerOptions(look_seconds=0.05, completion_seconds=PATIENCE_SECONDS)
        )

        @asynccontextmanager
        async def client():
            async with Client(connected_to(service), **options) as connection:
                yield connection

        async def go():
            async with client() as connection:
                return await tour(connection)

        try:
            return run(go())
        finally:
            assert repositories.close(PATIENCE_SECONDS)

    return connect


async def complete(client, name, value, reference=FILE, **context):
    argument = {"name": name, "value": value}
    return (await client.complete(reference, argument, context_arguments=context or None)).completion.values


async def set_level(client, level):
    # The SDK's own method warns that the newest revision has it no more.
    request = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
    await client.session.send_request(request, types.EmptyResult)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_arguments_are_completed_where_something_can_be_known(mode, connected, shop):
    async def tour(client):
        place = types.PromptReference(name="find_place")
        impact = types.PromptReference(name="impact_of_change")
        assert client.server_capabilities.completions is not None
        return [
            await complete(client, "repo", "rep"),
            await complete(client, "repo", "x"),
            await complete(client, "path", "shop/ca"),
            await complete(client, "path", "cart"),
            await complete(client, "symbol", "Car", impact),
            await complete(client, "symbol", "", impact),
            await complete(client, "issue", "the c", place),
        ]

    assert connected(tour, shop, mode=mode) == [
        ["repository"], [], ["shop/cart.py"], ["shop/cart.py", "tests/test_cart.py"], ["Cart"], [], [],
    ]  # fmt: skip


def test_of_several_repositories_the_one_that_is_named_completes(connected, git_repository):
    one = git_repository({"one.py": ""}, "first").root
    two = git_repository({"two.py": ""}, "second").root

    async def tour(client):
        return await complete(client, "path", ""), await complete(client, "path", "", repo="second")

    assert connected(tour, one, two) == ([], ["two.py"])


def test_more_completions_than_can_be_sent_are_said_to_be_more(connected, directory):
    root = directory({f"file_{number:03}.py": "" for number in range(150)})

    async def tour(client):
        return (await client.complete(FILE, {"name": "path", "value": "file"})).completion

    completion = connected(tour, root)
    assert (len(completion.values), completion.has_more, completion.total) == (100, True, None)


def test_a_connection_hears_what_it_wants_to_hear(connected, shop):
    heard = []

    async def hear(params):
        heard.append((params.level, params.data.split(" in ")[0]))

    async def tour(client):
        await client.call_tool("locate", {"symbol": "Cart"})
        assert heard == []
        await set_level(client, "debug")
        await client.call_tool("locate", {"symbol": "Cart"})
        assert heard == [("debug", "locate: success")]
        await set_level(client, "error")
        await client.call_tool("locate", {"symbol": "Cart"})
        assert len(heard) == 1

    connected(tour, shop, mode="legacy", logging_callback=hear)


def test_a_newer_client_asks_with_each_request(connected, shop):
    heard = []

    async def hear(params):
        heard.append((params.level, params.data.split(" in ")[0]))

    async def tour(client):
        await client.call_tool("locate", {"symbol": "Cart"})

    connected(tour, shop, logging_callback=hear)
    assert heard == []
    connected(tour, shop, logging_callback=hear, log_level="info")
    assert heard == [("info", "reading repository")]


@pytest.mark.filterwarnings("ignore:resources/:mcp.shared.exceptions.MCPDeprecationWarning")
def test_a_connection_is_told_of_the_resources_it_follows(connected, shop):
    heard = []

    async def hear(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.append(str(message.params.uri))

    async def tour(client):
        assert client.server_capabilities.resources.subscribe
        assert not client.server_capabilities.resources.list_changed
        await client.session.subscribe_resource(CART)
        await client.session.subscribe_resource("avionics://repository/file/shop/new.py")
        await asyncio.sleep(0.2)
        assert heard == []
        (shop / "shop/cart.py").write_text("x = 1\n")
        await until(lambda: heard == [CART])
        await client.session.unsubscribe_resource(CART)
        (shop / "shop/cart.py").write_text("x = 2\n")
        (shop / "shop/new.py").write_text("")
        await until(lambda: len(heard) == 2)
        assert heard == [CART, "avionics://repository/file/shop/new.py"]
        for address in ("file:///etc/passwd", "avionics://elsewhere/tree"):
            with pytest.raises(MCPError, match="Unknown resource"):
                await client.session.subscribe_resource(address)

    connected(tour, shop, mode="legacy", message_handler=hear)


def test_a_newer_client_listens(connected, shop):
    async def tour(client):
        capabilities = client.server_capabilities
        assert capabilities.resources.subscribe
        assert not capabilities.tools.list_changed
        async with client.listen(resource_subscriptions=[CART]) as stream:
            (shop / "shop/cart.py").write_text("x = 1\n")
            event = await anext(aiter(stream))
        assert event == ResourceUpdated(uri=CART)
        with pytest.raises(MCPError, match="Unknown resource"):
            async with client.listen(resource_subscriptions=["file:///etc/passwd"]):
                pass

    connected(tour, shop)


async def until(condition):
    while not condition():
        await asyncio.sleep(0.02)
