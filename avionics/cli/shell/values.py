"""The values that a parameter can have: symbols of the index, files, revisions, tools."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

MAX_SUGGESTED = 40


def suggest_values(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the values of a verb's parameter that begin with what is typed."""
    repo = Path(context.params.get("repo") or ".")
    name = parameter.name or ""
    if name in {"base", "head", "rev"}:
        return [CompletionItem(each) for each in _iter_revisions(repo) if each.startswith(incomplete)][:MAX_SUGGESTED]
    items = _suggest_symbols(repo, incomplete) if name in {"symbol", "name", "entry"} and incomplete else []
    if name in {"path", "scope", "file", "entry"}:
        items += [CompletionItem(each) for each in find_files(repo, incomplete)]
    return items


def suggest_tools(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the tools whose names begin with what is typed."""
    from avionics.tools.ids import ToolId

    return [CompletionItem(each.value) for each in ToolId if each.value.startswith(incomplete)]


def find_files(directory: Path, incomplete: str) -> tuple[str, ...]:
    """Return the paths below a directory that begin with what is typed; those of directories end with `/`."""
    above, _, start = incomplete.rpartition("/")
    prefix = f"{above}/" if "/" in incomplete else ""
    try:
        with os.scandir(directory / (above or ("/" if prefix else "."))) as listing:
            names = sorted(
                f"{entry.name}/" if entry.is_dir() else entry.name
                for entry in listing
                if entry.name.startswith(start) and (start or not entry.name.startswith("."))
            )
    except OSError:
        return ()
    return tuple(f"{prefix}{name}" for name in names)


def _suggest_symbols(repo: Path, incomplete: str) -> list[CompletionItem]:
    """Return the symbols whose names begin with what is typed; of `Class.` the members."""
    from avionics.cli.output.session import open_workspace, read_settings, release

    workspace = open_workspace(repo, read_settings())
    try:
        code = workspace.get_index_if_built()
        if code is None:
            return []
        holder, dot, start = incomplete.rpartition(".")
        if dot:
            found = [
                (f"{holder}.{symbol.name}", symbol.kind, of_holder.file)
                for of_holder in code.find_definitions(holder)
                for symbol in code.facts(of_holder.file).symbols
                if symbol.qualname == f"{of_holder.symbol.qualname}.{symbol.name}"
            ]
        else:
            found = [
                (each.symbol.name, each.kind, each.file) for each in code.names.find_prefixed(start, MAX_SUGGESTED)
            ]
        described = {name: f"{kind.value} in {file}" for name, kind, file in reversed(found)}
        names = sorted(filter(lambda name: name.startswith(incomplete), described), key=lambda name: (len(name), name))
        return [CompletionItem(name, help=described[name]) for name in names[:MAX_SUGGESTED]]
    finally:
        release(workspace)


def _iter_revisions(repo: Path) -> Iterator[str]:
    """Yield HEAD, the branches and the tags, newest names last."""
    from avionics.cli.output.session import open_workspace, read_settings, release
    from avionics.model import AvionicsError

    workspace = open_workspace(repo, read_settings())
    try:
        yield "HEAD"
        yield from workspace.history.list_references()
    except AvionicsError:
        return
    finally:
        release(workspace)
