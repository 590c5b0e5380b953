"""List the repositories of an owner through the API of a forge: GitHub, GitLab or Gitea."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

import attrs

from avionics.cross_repository.clones import get_token, require_clone_url
from avionics.model.errors import RemoteError, UsageError
from avionics.model.secret import Secret
from avionics.semantic.http import HttpClient, shared_http_client
from avionics.settings import EndpointSettings, Settings

_MAX_PAGES = 1_000
_PAGE = 50


class Forge(str, Enum):
    """The kinds of forge whose API lists the repositories of an owner."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GITEA = "gitea"


@attrs.frozen
class ForgeRepository:
    """A repository that a forge lists: its full name, and the URL to clone it from."""

    name: str
    url: str


@attrs.frozen
class _Api:
    """How one kind of forge is asked.

    Attributes:
        base: Returns the URL of the API, of `scheme://host`.
        paths: The paths that may list an owner's repositories; the first that exists counts.
        name: The field with the full name.
        url: The field with the URL to clone from.
        header: The header with the token.
        scheme: What precedes the token in it.
    """

    base: Callable[[str], str]
    paths: tuple[str, ...]
    name: str
    url: str
    header: str
    scheme: str


_APIS: Mapping[Forge, _Api] = {
    Forge.GITHUB: _Api(
        lambda root: "https://api.github.com" if root == "https://github.com" else f"{root}/api/v3",
        ("/orgs/{}/repos?per_page=", "/users/{}/repos?per_page="), "full_name", "clone_url", "Authorization", "Bearer ",
    ),
    Forge.GITLAB: _Api(
        lambda root: f"{root}/api/v4",
        ("/groups/{}/projects?include_subgroups=true&per_page=", "/users/{}/projects?per_page="),
        "path_with_namespace", "http_url_to_repo", "PRIVATE-TOKEN", "",
    ),
    Forge.GITEA: _Api(
        lambda root: f"{root}/api/v1",
        ("/orgs/{}/repos?limit=", "/users/{}/repos?limit="), "full_name", "clone_url", "Authorization", "token ",
    ),
}  # fmt: skip


def list_owned(url: str, forge: Forge, settings: Settings) -> tuple[ForgeRepository, ...]:
    """Return the repositories of an owner, whose page is given, without archived and empty ones.

    Raise `RemoteError` if the forge does not answer, or refuses; `UsageError` if the URL names no owner, or the forge
    lists a repository on another host.
    """
    require_clone_url(url)
    parts = urlsplit(url)
    owner = parts.path.strip("/")
    if not owner:
        raise UsageError(f"{url!r} has no owner", hint="give a URL such as https://github.com/pallets")
    api, root = _APIS[forge], f"{parts.scheme}://{parts.netloc}"
    token = get_token(url, settings)
    secrets = {api.header: Secret(f"{api.scheme}{token.reveal()}")} if token else {}
    client = shared_http_client(EndpointSettings.from_environment())
    found: dict[str, ForgeRepository] = {}
    for entry in _iter_entries(client, api, api.base(root), quote(owner, safe=""), secrets):
        clone = require_clone_url(str(entry.get(api.url, "")))
        if urlsplit(clone).netloc != parts.netloc:
            raise UsageError(f"{forge.value} lists a repository on another host: {clone[:200]}")
        if not entry.get("archived") and not entry.get("empty_repo") and not entry.get("empty"):
            found[clone] = ForgeRepository(str(entry[api.name]), clone)
    return tuple(found.values())


def _iter_entries(
    client: HttpClient, api: _Api, base: str, owner: str, secrets: Mapping[str, Secret]
) -> Iterator[Mapping[str, Any]]:
    """Yield what the forge says of each repository, page by page."""
    place = ""
    for number in range(1, _MAX_PAGES + 1):
        page = None
        for path in (place,) if place else api.paths:
            try:
                page = client.ask("the forge", "GET", f"{base}{path.format(owner)}{_PAGE}&page={number}", None, secrets)
            except RemoteError as error:
                if place or path == api.paths[-1] or error.status != HTTPStatus.NOT_FOUND:
                    raise
            else:
                place = path
                break
        if not isinstance(page, list) or not page:
            return
        yield from (entry for entry in page if isinstance(entry, dict))
