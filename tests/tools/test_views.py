"""Views: registries made of registries."""

from __future__ import annotations

import pytest

from avionics.model import Fallback, RegistrationError, RiskLevel, Status, ToolCall, ToolRegistryProtocol
from avionics.settings import Settings
from avionics.tools import ToolDefinition, tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.registries.registry_views import combined, filtered, prefixed
from avionics.tools.registry import ToolRegistry


async def here() -> dict[str, str]:
    return {"place": "here"}


async def there() -> dict[str, str]:
    return {"place": "there"}


def registry_of(**functions) -> ToolRegistry:
    registry = ToolRegistry()
    for name, function in functions.items():
        registry.register_tool(ToolDefinition(name, function, {}, "Says where"))
    return registry


def place(registry: ToolRegistryProtocol, name: str) -> str:
    """What the tool answers through the pipeline, or the code of the error."""
    result = ToolExecutor(registry, settings=Settings()).run(ToolCall(name))
    return result.data["place"] if result.status is Status.SUCCESS else result.error_type


def test_combined_registries_have_the_tools_of_all():
    view = combined(registry_of(a=here), registry_of(b=there))
    assert isinstance(view, ToolRegistryProtocol)
    assert view.get_tool_names() == ("a", "b")
    assert (place(view, "a"), place(view, "b"), place(view, "c")) == ("here", "there", "tool_not_found")
    assert (view.has_tool("b"), view.has_tool("c")) == (True, False)


def test_a_name_in_two_of_them_is_refused_and_both_owners_named():
    owners = r"'a' is registered twice: by .*\.here and .*\.there"
    with pytest.raises(RegistrationError, match=owners):
        combined(registry_of(a=here), registry_of(b=here), registry_of(a=there))


def test_a_name_that_comes_to_be_in_two_of_them_is_refused_when_it_is_asked_for():
    late = registry_of()
    view = combined(registry_of(a=here), late)
    late.register_tool(ToolDefinition("a", there, {}, "Says where"))
    with pytest.raises(RegistrationError, match="registered twice"):
        view.get_tool("a")
    assert place(view, "a") == "registration_error"


def test_what_is_filtered_out_is_not_there():
    registry = registry_of(a=here)
    registry.register_tool(ToolDefinition("b", there, {}, "Changes things", risk_level=RiskLevel.HIGH))
    view = filtered(registry, lambda tool: tool.risk_level is RiskLevel.LOW)
    assert isinstance(view, ToolRegistryProtocol)
    assert view.get_tool_names() == ("a",)
    assert (place(view, "a"), place(view, "b")) == ("here", "tool_not_found")
    assert (view.has_tool("b"), view.get_tool("c")) == (False, None)


def test_a_prefix_stands_before_every_name():
    registry = registry_of(a=here)
    view = prefixed(registry, "other.")
    assert isinstance(view, ToolRegistryProtocol)
    assert view.get_tool_names() == ("other.a",)
    assert (place(view, "other.a"), place(view, "a")) == ("here", "tool_not_found")
    assert view.get_tool("other.a").name == "other.a"
    assert registry.get_tool("a").name == "a"
    assert (view.has_tool("other.b"), view.has_tool("a"), view.get_tool("other.b")) == (False, False, None)


def test_a_prefixed_tool_is_switched_off_by_its_prefixed_name_only():
    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", dict, {}, "Acts"))
    view = prefixed(registry, "x.")
    with pytest.raises(RegistrationError, match="there is no tool 'act'"):
        view.disable("act")
    view.disable("x.act")
    view.enable("act")
    assert not registry.has_tool("act")
    view.enable("x.act")
    assert registry.has_tool("act")


def test_a_prefixed_tool_falls_back_to_a_prefixed_tool():
    async def nothing() -> dict[str, str]:
        return {"status": "not_found"}

    registry = registry_of(b=there)
    registry.register_tool(ToolDefinition("a", nothing, {}, "Finds nothing", fallbacks=(Fallback("b"),)))
    assert place(prefixed(registry, "x."), "x.a") == "there"


def test_views_are_made_of_views_and_of_the_catalog():
    view = combined(tool_catalog, prefixed(filtered(registry_of(locate=here), lambda tool: True), "my."))
    assert place(view, "my.locate") == "here"
    assert view.get_tool("locate") is tool_catalog.get_tool("locate")


def test_a_conflict_with_the_catalog_names_its_function():
    with pytest.raises(RegistrationError, match=r"avionics\.tools\.composite\.locate\.locate and .*\.here"):
        combined(tool_catalog, registry_of(locate=here))


def test_what_is_registered_later_is_seen():
    registry = registry_of()
    view = prefixed(registry, "x.")
    registry.register_tool(ToolDefinition("a", here, {}, "Says where"))
    assert view.get_tool_names() == ("x.a",)
