"""Hooks that run a check: one before each commit, and one after each edit of an agent."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from avionics.connect import files, jsonc
from avionics.connect.blocks import Block, plan_block, plan_block_removal
from avionics.connect.changes import FileEdit
from avionics.connect.clients import Server
from avionics.connect.records import EntryRecords
from avionics.connect.text import read_text
from avionics.model.errors import ConfigError

_SHELL = re.compile(r"#![^\n]*\b(?:ba|da|k|z)?sh\b")
_LAST_WORD = re.compile(r"(?:^|\n)[ \t]*(?:exec|exit)\b[^\n]*\s*\Z")
_HOOKS_PATH = re.compile(r"(?im)^[^\S\n]*+hooksPath\s*=")
_COMMAND = "hook run claude-code"
_KEYS = ("hooks", "PostToolUse")


def _build_script(server: Server) -> str:
    """Return the lines of the hook. Only a finding stops the commit: a check that cannot run does not."""
    command = shlex.join((server.command, *server.arguments, "check", "--staged"))
    return f"""{command} ${{GIT_INDEX_FILE:+--index-file "$GIT_INDEX_FILE"}}
[ $? -ne 1 ] || exit 1
"""


def _build_entry(server: Server) -> dict[str, Any]:
    command = f'{shlex.join((server.command, *server.arguments))} {_COMMAND} --repo "$CLAUDE_PROJECT_DIR"'
    return {"matcher": "Edit|MultiEdit|Write", "hooks": [{"type": "command", "command": command}]}


def _build_text(server: Server) -> str:
    """Return Claude Code's entry alone."""
    return json.dumps({_KEYS[0]: {_KEYS[1]: [_build_entry(server)]}}, indent=2, ensure_ascii=False) + "\n"


PRE_COMMIT = Block(
    "pre-commit", "git's hook before a commit", ".git/hooks/pre-commit", "", ("#", ""), _build_script,
    "commit a change that breaks something", header="#!/bin/sh\n",
)  # fmt: skip
CLAUDE_CODE = Block(
    "claude-code", "Claude Code's hook after an edit", ".claude/settings.json", "", None, _build_text,
    "enter /hooks in `claude`",
)  # fmt: skip
HOOKS: Mapping[str, Block] = MappingProxyType({each.name: each for each in (PRE_COMMIT, CLAUDE_CODE)})
"""The hooks, by name."""


def plan_hook(hook: Block, file: Path, server: Server) -> FileEdit:
    """Return the edit that inserts a hook into its file.

    Raise `ConfigError`, which says why, if the file cannot be changed without harm; `SourceError` if it cannot be read.
    """
    found = FileEdit.read(hook, file)
    if hook == PRE_COMMIT:
        _require_run(found)
        return plan_block(hook, file, server)
    text = found.text
    value = _read(found, text.content)
    if _list_ours(value):
        return found
    entry = _build_entry(server)
    try:
        insertion = jsonc.plan_element(jsonc.read_document(text.content, comments=True), _KEYS, entry, text.newline)
    except ConfigError as error:
        raise found.refusal(str(error), "add the entry by hand: see --print") from None
    after = _read(found, insertion.apply(text.content))
    if _list_others(after) != _list_others(value) or _list_ours(after) != [entry]:
        raise found.refusal("it has no place for the entry", "add the entry by hand: see --print")
    return found.insert(insertion)


def plan_hook_removal(hook: Block, file: Path, records: EntryRecords) -> FileEdit:
    """Return the edit that removes exactly the inserted hook.

    Raise `ConfigError`, which says why, if it cannot be taken out without harm; `SourceError` if it cannot be read.
    """
    if hook == PRE_COMMIT:
        return plan_block_removal(hook, file, records)
    found = FileEdit.read(hook, file)
    value = _read(found, found.text.content)
    if not _list_ours(value):
        return found
    undone = found.undo_insertion(records)
    if undone is not None:
        left = _read(found, read_text(undone.after or b"").content)
        if _list_others(left) == _list_others(value) and not _list_ours(left):
            return undone
    raise found.refusal("it was edited around the entry", f"remove the entry with {_COMMAND!r} by hand")


def _require_run(hook: FileEdit) -> None:
    """Refuse a hook that git would not run, or that ends before it reaches the entry.

    Raise `ConfigError` if the file is not a hook of a git repository, or not a shell script that runs to its end.
    """
    root = hook.file.parent.parent
    if not root.is_dir():
        raise hook.refusal(f"{root} is not a git directory", "name the hook of the repository with --file")
    configured = files.read_configuration(root / "config")
    if configured is not None and _HOOKS_PATH.search(configured.decode("utf-8", "replace")):
        raise hook.refusal("git looks for hooks elsewhere (core.hooksPath)", "name that hook with --file")
    if hook.before is None:
        return
    if not _SHELL.match(hook.text.content):
        raise hook.refusal("it is not a shell script", "call `avionics check --staged` from it")
    if not hook.file.stat().st_mode & 0o111:
        raise hook.refusal("it is not executable, so git does not run it", "make it executable, or remove it")
    if _LAST_WORD.search(hook.text.content):
        raise hook.refusal("it ends before the entry would run", "call `avionics check --staged` from it")


def _read(hook: FileEdit, content: str) -> Mapping[str, Any]:
    try:
        value: Mapping[str, Any] = jsonc.read_document(content, comments=True).value
    except ConfigError as error:
        raise hook.refusal(str(error), "correct it first") from None
    return value


def _list_ours(value: Mapping[str, Any]) -> list[Any]:
    hooks = value.get(_KEYS[0])
    groups = hooks.get(_KEYS[1]) if isinstance(hooks, Mapping) else None
    return [each for each in groups if _is_ours(each)] if isinstance(groups, list) else []


def _is_ours(group: Any) -> bool:
    commands = group.get("hooks") if isinstance(group, Mapping) else None
    return isinstance(commands, list) and any(
        isinstance(each, Mapping) and _COMMAND in str(each.get("command", "")) for each in commands
    )


def _list_others(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without our entry, and without the list and object around it if they are then empty."""
    hooks = value.get(_KEYS[0])
    if not isinstance(hooks, Mapping):
        return dict(value)
    groups = hooks.get(_KEYS[1])
    left = [each for each in groups if not _is_ours(each)] if isinstance(groups, list) else groups
    kept = {**hooks, _KEYS[1]: left}
    kept = {key: each for key, each in kept.items() if key != _KEYS[1] or each}
    return {key: each for key, each in {**value, _KEYS[0]: kept}.items() if key != _KEYS[0] or each}
