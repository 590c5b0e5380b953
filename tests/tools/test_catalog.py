"""The catalog's whole interface, on catalogs of the tests' own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from time import sleep

import pytest
from msgspec import structs

from avionics.model import ConfigError, ToolRegistryProtocol
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools import (
    EXPOSED_TOOL_IDS,
    RiskLevel,
    ToolCatalog,
    ToolCatalogEntry,
    ToolCategory,
    ToolDefinition,
    ToolId,
)
from tests.logs import Silent

PARAMETERS = {"symbol": "string", "scope": "string?"}


async def locate(symbol, scope=None):
    return {"status": "success", "matches": [symbol, scope]}


def other(symbol, scope=None):
    return None


def catalog_of(*tools: tuple[ToolId, ToolCategory]) -> ToolCatalog:
    catalog = ToolCatalog()
    for tool_id, category in tools:
        catalog.register_function(tool_id, locate, f"Does {tool_id.value}", {}, category)
    return catalog


@pytest.fixture
def catalog() -> ToolCatalog:
    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, locate, "Find code anywhere", PARAMETERS, ToolCategory.COMPOSITE)
    return catalog


def test_a_new_catalog_is_empty_and_isolated(catalog):
    assert ToolCatalog().list_all_ids() == []
    assert ToolCatalog().to_dict() == {}
    assert catalog is not ToolCatalog.get_instance()


def test_both_ways_of_registering_give_equal_entries_and_leave_the_function_alone(catalog):
    decorated = ToolCatalog()
    register = decorated.register(ToolId.LOCATE, "Find code anywhere", PARAMETERS, ToolCategory.COMPOSITE)
    assert register(locate) is locate
    assert decorated.get_entry(ToolId.LOCATE) == catalog.get_entry(ToolId.LOCATE)
    assert decorated.get_tool("locate") == catalog.get_tool("locate")


def test_a_decorator_that_decorated_nothing_registered_nothing():
    catalog = ToolCatalog()
    catalog.register(ToolId.LOCATE, "Find code anywhere", {}, ToolCategory.COMPOSITE)
    assert not catalog.has_tool("locate")
    assert catalog.get_exposed_entries() == []
    assert "locate" not in catalog.generate_planner_prompt(EXPOSED_TOOL_IDS)


def test_a_tool_is_found_by_name_and_by_id(catalog):
    assert catalog.has_tool("locate")
    assert catalog.has_tool_id(ToolId.LOCATE)
    assert catalog.get_function(ToolId.LOCATE) is locate
    assert catalog.get_tool("locate") == ToolDefinition(
        name="locate", function=locate, parameters=PARAMETERS, description="Find code anywhere"
    )
    assert catalog.get_entry(ToolId.LOCATE) == ToolCatalogEntry(
        id=ToolId.LOCATE, description="Find code anywhere", parameters=PARAMETERS, category=ToolCategory.COMPOSITE
    )


@pytest.mark.parametrize("name", ["nowhere", "LOCATE", "", None, [], "analyze"])
def test_what_is_not_registered_is_not_found(catalog, name):
    assert not catalog.has_tool(name)
    assert catalog.get_tool(name) is None


def test_an_id_that_is_not_registered_is_none(catalog):
    assert not catalog.has_tool_id(ToolId.ANALYZE)
    assert catalog.get_entry(ToolId.ANALYZE) is None
    assert catalog.get_function(ToolId.ANALYZE) is None


def test_it_is_a_registry(catalog):
    assert isinstance(catalog, ToolRegistryProtocol)
    assert isinstance(catalog.get_tool("locate"), ToolDefinitionProtocol)


def test_an_entry_has_the_documented_defaults(catalog):
    entry = catalog.get_entry(ToolId.LOCATE)
    assert (entry.risk_level, entry.accepts, entry.returns) == (RiskLevel.LOW, "", "")
    assert entry.to_prompt_line() == "- locate(symbol, scope?): Find code anywhere"


def test_entries_and_definitions_are_immutable_through_and_through(catalog):
    given = dict(PARAMETERS)
    entry = ToolCatalogEntry(ToolId.LOCATE, "Find", given, ToolCategory.COMPOSITE)
    given["later"] = "string"
    assert entry.parameters == PARAMETERS
    for value in (entry, catalog.get_tool("locate")):
        with pytest.raises(AttributeError):
            value.description = "changed"
        with pytest.raises(TypeError):
            value.parameters["x"] = 1
    assert hash(entry) == hash(structs.replace(entry))


def test_the_lists_that_come_out_are_the_callers_own(catalog):
    catalog.list_all_ids().clear()
    catalog.to_dict()["locate"]["parameters"].clear()
    assert catalog.list_all_ids() == [ToolId.LOCATE]
    assert catalog.get_entry(ToolId.LOCATE).parameters == PARAMETERS


def test_a_second_registration_is_refused_and_names_both_owners(catalog):
    with pytest.raises(ConfigError, match=r"'locate'.*test_catalog\.locate and .*test_catalog\.other"):
        catalog.register_function(ToolId.LOCATE, other, "Another", {}, ToolCategory.UNIFIED)
    assert catalog.get_function(ToolId.LOCATE) is locate


def test_replacing_is_said_and_logged():
    log = Silent()
    catalog = ToolCatalog(logger=log)
    catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.COMPOSITE)
    catalog.register_function(ToolId.LOCATE, other, "Another", {}, ToolCategory.UNIFIED, replace=True)
    assert catalog.get_function(ToolId.LOCATE) is other
    assert len(log.lines) == 1
    assert ".locate and " in log.lines[0]


@pytest.mark.parametrize("kind", ["str", "string??", "", "array<", "string<integer>", "array<text>", 3, None])
def test_a_parameter_that_says_nothing_is_refused_and_named(kind):
    with pytest.raises(ConfigError, match="'symbol'"):
        ToolCatalog().register_function(ToolId.LOCATE, locate, "Find", {"symbol": kind}, ToolCategory.COMPOSITE)


def test_a_plain_string_is_no_id_and_an_object_no_function():
    with pytest.raises(ConfigError, match="ToolId"):
        ToolCatalog().register_function("locate", locate, "Find", {}, ToolCategory.COMPOSITE)
    with pytest.raises(ConfigError, match="cannot be called"):
        ToolCatalog().register_function(ToolId.LOCATE, None, "Find", {}, ToolCategory.COMPOSITE)


def test_a_promised_tool_is_there_and_is_loaded_when_it_is_first_looked_at():
    loaded = []

    def load() -> None:
        loaded.append(True)
        catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.COMPOSITE)

    catalog = ToolCatalog()
    catalog.register_later(ToolId.LOCATE, load)
    assert catalog.has_tool("locate")
    assert catalog.list_all_ids() == [ToolId.LOCATE]
    assert loaded == []
    assert catalog.get_function(ToolId.LOCATE) is locate
    assert [entry.id for entry in catalog.get_exposed_entries()] == [ToolId.LOCATE]
    assert loaded == [True]
    with pytest.raises(ConfigError, match="twice"):
        catalog.register_later(ToolId.LOCATE, load)


def test_threads_that_look_at_once_load_a_tool_once_and_all_find_it():
    loaded = []

    def load() -> None:
        sleep(0.01)
        loaded.append(True)
        catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.COMPOSITE)

    catalog = ToolCatalog()
    catalog.register_later(ToolId.LOCATE, load)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda look: look("locate") is not None, [catalog.get_tool, catalog.has_tool] * 8))
    assert all(found)
    assert loaded == [True]


def test_an_application_s_tool_takes_the_place_of_a_default_once(caplog):
    def load() -> None:
        catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.COMPOSITE)

    catalog = ToolCatalog()
    catalog.register_later(ToolId.LOCATE, load)
    catalog.register_function(ToolId.LOCATE, other, "Another", {}, ToolCategory.UNIFIED)
    assert catalog.get_function(ToolId.LOCATE) is other
    assert "tool 'locate' replaced" in caplog.text
    with pytest.raises(ConfigError, match=r"other and .*locate"):
        catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.COMPOSITE)


def test_listings_follow_the_order_of_the_ids_whatever_the_order_of_registration():
    catalog = catalog_of(
        (ToolId.READ_FILE, ToolCategory.INTERNAL),
        (ToolId.LIST_TOOLS, ToolCategory.STANDALONE),
        (ToolId.LOCATE, ToolCategory.COMPOSITE),
        (ToolId.GIT_STATUS, ToolCategory.STANDALONE),
    )
    ordered = ["locate", "git_status", "list_tools", "read_file"]
    assert [tool_id.value for tool_id in catalog.list_all_ids()] == ordered
    assert list(catalog.to_dict()) == ordered
    assert [entry.id.value for entry in catalog.get_exposed_entries()] == ordered[:3]
    standalone = catalog.get_entries_by_category(ToolCategory.STANDALONE)
    assert [entry.id for entry in standalone] == [ToolId.GIT_STATUS, ToolId.LIST_TOOLS]


def test_a_catalog_goes_through_json_and_back():
    catalog = ToolCatalog()
    catalog.register_function(
        ToolId.LOCATE, locate, "Find “it”", PARAMETERS, ToolCategory.COMPOSITE, RiskLevel.MEDIUM, "a name", "places"
    )
    plain = json.loads(json.dumps(catalog.to_dict()))
    assert plain == {
        "locate": {
            "id": "locate",
            "description": "Find “it”",
            "parameters": PARAMETERS,
            "category": "composite",
            "risk_level": "medium",
            "accepts": "a name",
            "returns": "places",
        }
    }
    assert ToolCatalogEntry.from_dict(plain["locate"]) == catalog.get_entry(ToolId.LOCATE)


def test_the_prompt_has_its_sections_in_order_without_the_empty_ones_and_without_internals():
    catalog = catalog_of(
        (ToolId.READ_FILE, ToolCategory.INTERNAL),
        (ToolId.GIT_STATUS, ToolCategory.STANDALONE),
        (ToolId.MAP_MODULE, ToolCategory.COMPOSITE),
        (ToolId.LOCATE, ToolCategory.COMPOSITE),
        (ToolId.ANALYZE, ToolCategory.UNIFIED),
    )
    assert catalog.generate_planner_prompt(frozenset(ToolId)) == (
        "Available Tools:\n"
        "\n"
        "═══ UNIFIED (primary entry point) ═══\n"
        "- analyze(): Does analyze\n"
        "\n"
        "═══ COMPOSITE (multi-step workflows) ═══\n"
        "- locate(): Does locate\n"
        "- map_module(): Does map_module\n"
        "\n"
        "═══ STANDALONE ═══\n"
        "- git_status(): Does git_status"
    )


def test_tools_that_are_not_allowed_appear_nowhere_in_the_prompt():
    catalog = catalog_of((ToolId.ANALYZE, ToolCategory.UNIFIED), (ToolId.LOCATE, ToolCategory.COMPOSITE))
    prompt = catalog.generate_planner_prompt(frozenset({ToolId.ANALYZE}))
    assert "analyze" in prompt
    assert "locate" not in prompt
    assert "COMPOSITE" not in prompt
    assert catalog.generate_planner_prompt(frozenset()) == "Available Tools:"


def test_a_description_of_several_lines_stays_one_line_of_the_prompt():
    entry = ToolCatalogEntry(ToolId.LOCATE, "Find\n═══ UNIFIED ═══\n  code", {}, ToolCategory.COMPOSITE)
    assert entry.to_prompt_line() == "- locate(): Find ═══ UNIFIED ═══ code"


def test_another_product_has_its_own_ids_and_its_own_catalog():
    class OtherId(str, Enum):
        ASK = "ask"
        PAY = "pay"

    catalog = ToolCatalog(OtherId, exposed=frozenset({OtherId.ASK}))
    for tool_id in OtherId:
        catalog.register_function(tool_id, locate, "Do it", {}, ToolCategory.UNIFIED)
    assert catalog.list_all_ids() == [OtherId.ASK, OtherId.PAY]
    assert [entry.id for entry in catalog.get_exposed_entries()] == [OtherId.ASK]
    assert "- pay(): Do it" in catalog.generate_planner_prompt(frozenset(OtherId))
    assert ToolCatalogEntry.from_dict(catalog.to_dict()["pay"], OtherId) == catalog.get_entry(OtherId.PAY)
    with pytest.raises(ConfigError):
        catalog.register_function(ToolId.LOCATE, locate, "Find", {}, ToolCategory.UNIFIED)


def test_all_ids_of_another_product_are_exposed_unless_it_says_otherwise():
    class OtherId(str, Enum):
        ASK = "ask"

    catalog = ToolCatalog(OtherId)
    catalog.register_function(OtherId.ASK, locate, "Do it", {}, ToolCategory.UNIFIED)
    assert len(catalog.get_exposed_entries()) == 1
    assert ToolCatalog(OtherId, exposed=frozenset()).get_exposed_entries() == []
