"""`avionics doctor`: check dependencies and report how to install missing ones."""

from __future__ import annotations

import platform
import re
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct

import avionics
from avionics.cli.options import examples, repo_option
from avionics.cli.output.exit_codes import ANSWERED, FAILED
from avionics.model import AvionicsError
from avionics.model.naming import plural
from avionics.settings import Settings

if TYPE_CHECKING:
    from avionics.store.store import Store

GOOD, NOTE, FAULT = "ok", "note", "fault"
_COLORS = {GOOD: "green", NOTE: "yellow", FAULT: "red"}


class Finding(Struct, frozen=True):
    """The result of one check (fine, a note, or a fault) and what to do about it."""

    subject: str
    state: str
    detail: str
    hint: str = ""

    def to_text(self) -> str:
        """Return one line, or two if there is something to do."""
        from avionics.tools.answers.answer import visible

        line = f"{click.style(f'{self.state:5}', fg=_COLORS[self.state])}  {self.subject:9}  {visible(self.detail)}"
        return f"{line}\n{'':18}{visible(self.hint)}" if self.hint else line


@click.command("doctor", epilog=examples("avionics doctor", "avionics doctor --repo ../flask"))
@repo_option
def doctor_command(repo: Path) -> int:
    """Check dependencies and report how to install missing ones."""
    root, settings = repo.resolve(), Settings.from_environment()
    findings = (
        examine_python(),
        examine_packages(),
        examine_grammars(),
        examine_ripgrep(root, settings),
        examine_history(root, settings),
        examine_bounds(),
        examine_cache(settings),
        examine_index(root, settings),
        examine_extra("mcp", "mcp", "mcp", "MCP over HTTP: avionics serve --transport http"),
        examine_extra("models", "httpx", "agents", "chat models: avionics ask --model"),
        examine_clients(root),
    )
    for finding in findings:
        click.echo(finding.to_text())
    faults = sum(finding.state == FAULT for finding in findings)
    click.echo(f"\n{faults} to fix" if faults else "\nall required dependencies are installed")
    return FAILED if faults else ANSWERED


def examine_python() -> Finding:
    """Report which Python runs which avionics."""
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    return Finding("avionics", GOOD, f"{avionics.__version__} on {python}")


def examine_packages() -> Finding:
    """Check that all installed extras are complete."""
    from importlib.metadata import PackageNotFoundError, requires, version

    found, missing = [], []
    try:
        needed = [re.split(r"[^\w.-]", each)[0] for each in requires("avionics") or () if "extra ==" not in each]
    except PackageNotFoundError:
        return Finding("packages", NOTE, "avionics runs from its sources, not installed", "pip install .")
    for name in needed:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding("packages", FAULT, f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Finding("packages", GOOD, ", ".join(found))


def examine_grammars() -> Finding:
    """Check that every language can be parsed."""
    from avionics.syntax.engine.grammars import has_grammar
    from avionics.syntax.registry import LANGUAGES, require_rules

    missing = [name for name in LANGUAGES if not has_grammar(require_rules(name).grammar)]
    if missing:
        return Finding("grammars", FAULT, f"missing: {', '.join(missing)}", "pip install --force-reinstall avionics")
    return Finding("grammars", GOOD, ", ".join(LANGUAGES))


def examine_ripgrep(repo: Path, settings: Settings) -> Finding:
    """Check whether ripgrep or Python searches text."""
    from avionics.source.search.ripgrep import get_ripgrep

    program = get_ripgrep(settings, repo)
    if program is None:
        hint = f"{_write_install('rg')}, or install ripgrep"
        return Finding(
            "ripgrep",
            NOTE,
            "no ripgrep found outside this directory: Python searches text instead, slower but with the same results",
            hint,
        )
    return Finding("ripgrep", GOOD, str(program))


def examine_history(repo: Path, settings: Settings) -> Finding:
    """Check whether questions about history can be answered."""
    from avionics.history.repo import GitRepository

    repository = GitRepository(repo, settings)
    try:
        head = repository.get_head()
    except AvionicsError as error:
        return Finding("git", NOTE, f"no history of {repo}: {error}", error.hint)
    finally:
        repository.close()
    return Finding("git", GOOD, f"{repo} is at {head[:12]}" if head else f"{repo} has no commits yet")


def examine_bounds() -> Finding:
    """Report how git, ripgrep and parsers are confined."""
    from avionics.sandbox.landlock import get_landlock_version

    version = get_landlock_version()
    if version:
        network = "no network" if version >= 4 else "network access"
        held = f"own files only (Landlock {version}), {network}, limited memory"
        return Finding("bounds", GOOD, f"git, rg and parsers: {held}")
    limits = "limited memory and time" if platform.system() == "Linux" else "limited time"
    return Finding("bounds", NOTE, f"git, rg and parsers: {limits}, but no Landlock: they can open any of your files")


def examine_cache(settings: Settings) -> Finding:
    """Check whether the cache can be written; opening the store also repairs it."""
    with _open_store(settings) as store:
        if store.private_because:
            return Finding("cache", FAULT, store.private_because, "set AVIONICS_CACHE_DIR to a writable directory")
        return Finding("cache", GOOD, f"{settings.cache_directory} ({store.get_size_bytes() / 1e6:.1f} MB)")


def examine_index(root: Path, settings: Settings) -> Finding:
    """Report what is indexed of the directory."""
    with _open_store(settings) as store:
        known = store.reader.snapshot(str(root))
    if known is None:
        return Finding(
            "index", NOTE, f"{root} is not indexed yet", "the first question indexes it, or `avionics index`"
        )
    seen = datetime.fromtimestamp(known[0] / 1e9).astimezone()
    files = len(known[1][0]) if known[1] else 0
    return Finding("index", GOOD, f"{root}: {plural(files, 'file')} indexed, last change {seen:%Y-%m-%d %H:%M}")


def _open_store(settings: Settings) -> closing[Store]:
    from avionics.store.store import Store
    from avionics.syntax.extract import EXTRACTOR_VERSION

    return closing(Store.open(settings.cache_directory, EXTRACTOR_VERSION))


def examine_extra(subject: str, package: str, extra: str, meaning: str) -> Finding:
    """Check whether an optional package is installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Finding(subject, GOOD, f"{meaning} ({package} {version(package)})")
    except PackageNotFoundError:
        return Finding(subject, NOTE, f"{package} is missing; it adds {meaning}", _write_install(extra))


def _write_install(extra: str) -> str:
    """Return the command that installs an extra."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = distribution("avionics").read_text("direct_url.json")
    except PackageNotFoundError:
        record = None
    return f"pip install '{read_source(record or '{}')}[{extra}]'"


def read_source(record: str) -> str:
    """Return what pip has to be given to install avionics again: the directory that it was installed from, or its name.

    `record` is that of its installation (https://packaging.python.org/en/latest/specifications/direct-url/).
    """
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    found = json.loads(record)
    place = urlsplit(found.get("url", ""))
    path = url2pathname(place.path) if place.scheme == "file" and "dir_info" in found else ""
    return path if path and Path(path).is_dir() else "avionics"


def examine_clients(root: Path) -> Finding:
    """Report which agent clients and editors are connected, and whether the program the clients start exists."""
    from avionics.cli.connecting import open_records
    from avionics.connect.blocks import BLOCKS, plan_block_removal
    from avionics.connect.changes import get_entry
    from avionics.connect.clients import CLIENTS

    connected, faults = [], []
    for client in CLIENTS.values():
        for file in filter(None, (client.get_project_file(root), client.get_user_file())):
            try:
                entry = get_entry(client, file)
            except AvionicsError as error:
                faults.append(str(error))
                continue
            if entry is None:
                continue
            connected.append(f"{client.name} ({file})")
            command = entry.get("command")
            program = str(command[0] if isinstance(command, list) and command else command)
            if Path(program).is_absolute() and not Path(program).exists():
                faults.append(
                    f"{file} starts {program}, which does not exist: disconnect {client.name} and connect it again"
                )
    for block in BLOCKS.values():
        for file in filter(None, (block.get_project_file(root), block.get_user_file())):
            try:
                if not plan_block_removal(block, file, open_records()).is_nothing:
                    connected.append(f"{block.name} ({file})")
            except AvionicsError as error:
                faults.append(str(error))
    if faults:
        return Finding("clients", NOTE, "; ".join(dict.fromkeys(faults)), ", ".join(connected))
    if not connected:
        return Finding("clients", NOTE, "no agent client is connected", f"avionics connect {'|'.join(CLIENTS)}")
    return Finding("clients", GOOD, ", ".join(connected))
