"""Compare the routes that avionics finds with those that a repository's own OpenAPI document lists.

    python tests/bench/bench_routes.py DIRECTORY DOCUMENT [--show]

DOCUMENT is a JSON file in the form of Swagger 2 or OpenAPI 3 (its `servers` are left out, because deployments choose
them). Print how many of its operations are found with their method and whole path, how many only with another beginning
of the path, and how many routes are not in the document, which rarely has all of them. Parameters in paths are compared
by their places, not by their names. Truth is what the repository's authors or their generator wrote.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from avionics.index.entrypoints.discovery import find_entry_points
from avionics.index.model.file_roles import is_product
from avionics.model.enums import EntryKind
from avionics.workspace import Workspace

_PARAMETER = re.compile(r"\{[^{}/]*\}|:\w+\??|<(?:\w+:)?\w+>|\*\w*|\$\{\w+\}")
_METHODS = frozenset({"get", "put", "post", "delete", "options", "head", "patch", "trace"})

Operation = tuple[str, str]
"""A method in capitals and a path in which parameters have no names."""


def read_document(file: Path) -> set[Operation]:
    """Return the operations of a document."""
    document = json.loads(file.read_text("utf-8"))
    base = document.get("basePath", "").lstrip(".")
    return {
        (method.upper(), normalize(f"{base}/{path}"))
        for path, operations in document["paths"].items()
        for method in operations
        if method in _METHODS
    }


def read_routes(root: Path) -> set[Operation]:
    """Return the routes of product code; one without a method counts for each."""
    with Workspace.open(root) as workspace:
        workspace.index()
        return {
            (method, normalize(each.name))
            for each in find_entry_points(workspace.code)
            if each.kind is EntryKind.ROUTE and is_product(each.file)
            for method in (each.methods or sorted(name.upper() for name in _METHODS))
        }


def normalize(path: str) -> str:
    """Return a path with one slash between its parts and parameters without names."""
    return re.sub(r"/{2,}", "/", f"/{_PARAMETER.sub('{}', path)}").rstrip("/")


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("document", type=Path)
    parser.add_argument("--show", action="store_true", help="print what is missing and what is not in the document")
    options = parser.parse_args()
    wanted, found = read_document(options.document), read_routes(options.directory)
    missing = wanted - found
    moved = {(method, path) for method, path in missing if is_end_of_another(method, path, found)}
    print(
        f"{options.directory.name}: {len(wanted & found)} of {len(wanted)} operations found, "
        f"{len(moved)} with another beginning, {len(missing) - len(moved)} missing"
    )
    for title, some in (("missing", missing), ("not in the document", found - wanted)) if options.show else ():
        for method, path in sorted(some):
            print(f"{title}: {method} {path}")


def is_end_of_another(method: str, path: str, found: set[Operation]) -> bool:
    """Return whether a route with the method ends like the path, or the path ends with the route."""
    return any(name == method and route and (path.endswith(route) or route.endswith(path)) for name, route in found)


if __name__ == "__main__":
    main()
