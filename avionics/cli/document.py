"""The tools page of the documents, written from the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from avionics.model import ToolCategory
from avionics.tools.catalog import ToolCatalog, ToolCatalogEntry
from avionics.tools.ids import ToolId, is_exposed_tool
from avionics.tools.schema.parameters import Parameter
from avionics.tools.schema.to_json_schema import build_property

CATEGORIES = {
    ToolCategory.UNIFIED: "choose what to ask, and ask it",
    ToolCategory.COMPOSITE: "join several questions",
    ToolCategory.RESILIENT: "one question, by a ladder of ways",
    ToolCategory.STANDALONE: "about the checkout or the toolkit",
    ToolCategory.INTERNAL: "one question of one sense or the index; agents do not see them",
}

_LIMITS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching `{}`",
}


def tools_document(catalog: ToolCatalog[ToolId]) -> str:
    """`docs/tools.md`, whole."""
    return "\n".join(_lines(catalog))


def _lines(catalog: ToolCatalog[ToolId]) -> Iterator[str]:
    """Yield the page, line by line."""
    yield "# Tools"
    yield ""
    yield "Written by `avionics docs` from the declarations of the tools. A tool is run by"
    yield "`avionics run TOOL --param key=value …`; every tool also takes `--budget`, `--timeout` and `--json`."
    for category, meaning in CATEGORIES.items():
        yield from ("", f"## {category.value.capitalize()}: {meaning}")
        for entry in catalog.get_entries_by_category(category):
            yield from ("", f"### `{entry.id.value}`", "", _sentence(entry.description))
            yield from _facts(entry)
            definition = catalog.get_tool(entry.id.value)
            yield from _table(tuple(definition.parameter_schemas.values()) if definition else ())
    yield ""


def _facts(entry: ToolCatalogEntry[ToolId]) -> Iterator[str]:
    """Yield what goes in, what comes out, who may."""
    if entry.accepts or entry.returns:
        yield from ("", _sentence(f"Takes {entry.accepts or 'nothing'}; gives {entry.returns or 'an answer'}"))
    yield from (
        "",
        _sentence(f"Risk: {entry.risk_level.value}{'; seen by agents' if is_exposed_tool(entry.id) else ''}"),
    )


def _table(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    """Yield the parameters as a table, nothing where there are none."""
    if not parameters:
        return
    yield from ("", "| parameter | value | default | |", "|---|---|---|---|")
    for parameter in parameters:
        cells = (f"`{parameter.name}`", _value(build_property(parameter)), _default(parameter), parameter.description)
        yield "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def _value(schema: dict[str, Any]) -> str:
    """Return the kind of value and its limits, in words."""
    kind = str(schema.get("type", "any"))
    if "items" in schema:
        kind = f"{kind} of {_value(schema['items'])}"
    choices = [", ".join(f"`{choice}`" for choice in schema["enum"])] if "enum" in schema else []
    return ", ".join([kind, *choices, *(words.format(schema[key]) for key, words in _LIMITS.items() if key in schema)])


def _default(parameter: Parameter) -> str:
    """Return what the tool takes when the parameter is not given."""
    if parameter.required:
        return "required"
    default = build_property(parameter).get("default")
    return "" if default is None else f"`{default}`"


def _sentence(text: str) -> str:
    return text.rstrip(".") + "."
