"""Configured tools that ask a server over HTTP: `apiCall` and `webSearch`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote, urlencode

from msgspec import Struct

from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import ConfigError, RemoteError
from avionics.tools.configured.knowledge import CACHE_SECONDS, QUERY, Account
from avionics.tools.configured.local_tools import DESCRIPTION, NAME
from avionics.tools.configured.resources import HttpEndpoint, ToolResources, from_resources, require_resource
from avionics.tools.configured.tool import ConfiguredTool, ToolType
from avionics.tools.schema.parameters import Bounds, Parameter, Parameters, Shape, build_parameters, read_parameters

DEFAULT_COUNT: Final = 10
MAX_COUNT: Final = 50

_SLOT: Final = re.compile(r"\{(\w+)\}")
_READING: Final = ("GET", "HEAD")


@from_resources
async def build_api_call(tool_config: Mapping[str, Any], resources: ToolResources, account: Account) -> ConfiguredTool:
    """Return the tool that makes one kind of request to an endpoint."""
    endpoint = require_resource("endpoint", resources.endpoints, tool_config["endpoint"])
    headers = await endpoint.build_headers(account)
    method, path = tool_config.get("method") or "GET", tool_config["path"]
    parameters = read_parameters(tool_config.get("parameters") or {})
    _require_slots(path, parameters)

    def call_api(**arguments: Any) -> dict[str, Any]:
        slots = set(_SLOT.findall(path))
        place = _SLOT.sub(lambda match: quote(str(arguments[match[1]]), safe=""), path)
        rest = {name: value for name, value in arguments.items() if name not in slots}
        in_query = method in (*_READING, "DELETE")
        url = build_url(endpoint, place, rest if in_query else {})
        return request_json(endpoint, method, url, headers, None if in_query else rest)

    reads = method in _READING
    risk = RiskLevel.HIGH if method == "DELETE" else RiskLevel.MEDIUM
    return ConfiguredTool(
        tool_config["name"],
        call_api,
        parameters,
        tool_config["description"],
        risk_level=RiskLevel.LOW if reads else risk,
        required_permissions=frozenset({Permission.NETWORK_ACCESS}),
        cache_seconds=(tool_config.get("cacheSeconds") or 0) if reads else 0,
    )


@from_resources
async def build_web_search(
    tool_config: Mapping[str, Any], resources: ToolResources, account: Account
) -> ConfiguredTool:
    """Return the tool that asks a search engine."""
    endpoint = require_resource("endpoint", resources.endpoints, tool_config["endpoint"])
    headers = await endpoint.build_headers(account)
    form = _FORMS[tool_config.get("form") or "searxng"]
    count = tool_config.get("count") or DEFAULT_COUNT

    def search_web(query: str) -> dict[str, Any]:
        method, place, asked = form.ask(query, count)
        url = build_url(endpoint, place, asked if method == "GET" else {})
        answer = request_json(endpoint, method, url, headers, None if method == "GET" else asked)
        found = answer["body"]
        for key in form.results:
            found = found.get(key) if isinstance(found, Mapping) else None
        rows = [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
        results = [{name: str(each.get(key) or "") for name, key in form.fields.items()} for each in rows[:count]]
        return {"status": "success" if results else "not_found", "data": {"results": results}}

    return ConfiguredTool(
        tool_config.get("name") or "web_search",
        search_web,
        build_parameters((QUERY,)),
        tool_config.get("description") or "Search the web",
        required_permissions=frozenset({Permission.NETWORK_ACCESS}),
        cache_seconds=tool_config.get("cacheSeconds") or 0,
    )


def build_url(endpoint: HttpEndpoint, place: str, query: Mapping[str, Any]) -> str:
    """Return the URL of a place below an endpoint. Raise `ConfigError` if the place leads out of the endpoint."""
    if any(part in (".", "..") for part in place.split("/")) or "?" in place or "#" in place:
        raise ConfigError(f"the path {place[:80]!r} leads out of the endpoint", hint="give a path below it")
    joined = f"{endpoint.url.rstrip('/')}/{place.lstrip('/')}" if place else endpoint.url
    asked = urlencode({name: _spell(value) for name, value in query.items()}, doseq=True)
    return f"{joined}?{asked}" if asked else joined


def request(
    endpoint: HttpEndpoint, method: str, url: str, headers: Mapping[str, str], body: str | None = None
) -> dict[str, Any]:
    """Make a request and return `status_code`, `headers` and `body` as text.

    Raise `RemoteError` if the server refused, or redirected to another server, which must not receive the credential;
    `SourceError` if the server cannot be reached.
    """
    from avionics.tools.builtin.web import FetchInput, fetch

    asked = FetchInput.model_construct(url=url, method=method, headers=dict(headers), body=body, timeout=30.0)
    answer = fetch(asked, endpoint.allowed_networks, follows_redirects=False)
    code = answer["status_code"]
    if code >= 300:
        raise RemoteError(f"the server answered {code}: {answer['body'][:300]}", status=code)
    return answer


def request_json(
    endpoint: HttpEndpoint, method: str, url: str, headers: Mapping[str, str], body: Any
) -> dict[str, Any]:
    """Make a request with a JSON body, if any, and return the status and the body, parsed if it is JSON."""
    sent = {"accept": "application/json", **({"content-type": "application/json"} if body is not None else {})}
    answer = request(endpoint, method, url, {**sent, **headers}, None if body is None else json.dumps(body))
    text = answer["body"]
    try:
        plain = json.loads(text)
    except ValueError:
        plain = text
    return {"status_code": answer["status_code"], "body": plain, "truncated": answer["truncated"]}


class _SearchForm(Struct, frozen=True):
    """The request of a search engine, and the location of the fields in its response."""

    ask: Callable[[str, int], tuple[str, str, dict[str, Any]]]
    results: tuple[str, ...]
    fields: Mapping[str, str]


_FORMS: Final[Mapping[str, _SearchForm]] = MappingProxyType(
    {
        "searxng": _SearchForm(
            lambda query, _: ("GET", "search", {"q": query, "format": "json"}),
            ("results",),
            {"title": "title", "url": "url", "snippet": "content"},
        ),
        "brave": _SearchForm(
            lambda query, count: ("GET", "res/v1/web/search", {"q": query, "count": count}),
            ("web", "results"),
            {"title": "title", "url": "url", "snippet": "description"},
        ),
        "serper": _SearchForm(
            lambda query, count: ("POST", "search", {"q": query, "num": count}),
            ("organic",),
            {"title": "title", "url": "link", "snippet": "snippet"},
        ),
    }
)


def _require_slots(path: str, parameters: Parameters) -> None:
    """Raise `ConfigError` unless every slot of a path is a required parameter."""
    for name in _SLOT.findall(path):
        if name not in parameters or not parameters[name].required:
            hint = f'parameters: {{"{name}": "string"}}'
            raise ConfigError(f"path: {{{name}}} is not a required parameter", hint=hint)


def _spell(value: Any) -> Any:
    """Return the value of a parameter as a query writes it."""
    return str(value).lower() if isinstance(value, bool) else value


API_CALL: Final = ToolType(
    "apiCall",
    build_api_call,
    (
        Parameter("endpoint", Shape("string"), description="The name of an endpoint."),
        Parameter("path", Shape("string"), description="The path below it; {name} is a parameter."),
        Parameter("method", Shape("string", choices=("GET", "POST", "PUT", "PATCH", "DELETE")), required=False,
                  description="The method, by default GET."),
        Parameter("parameters", Shape("object"), required=False,
                  description='Name → type, such as {"limit": "integer?"}; they are the query, or the JSON body.'),
        Parameter(NAME.name, NAME.shape, description=NAME.description),
        Parameter(DESCRIPTION.name, DESCRIPTION.shape, description=DESCRIPTION.description), CACHE_SECONDS,
    ),
    "Calls one operation of a REST API.",
)  # fmt: skip
WEB_SEARCH: Final = ToolType(
    "webSearch",
    build_web_search,
    (
        Parameter("endpoint", Shape("string"), description="The name of an endpoint."),
        Parameter("form", Shape("string", choices=tuple(_FORMS)), required=False,
                  description="The API of the search engine, by default searxng."),
        Parameter("count", Shape("integer", bounds=Bounds(ge=1, le=MAX_COUNT)), required=False,
                  description="The maximum number of results.", default=DEFAULT_COUNT),
        CACHE_SECONDS, NAME, DESCRIPTION,
    ),
    "Asks a search engine.",
)  # fmt: skip
