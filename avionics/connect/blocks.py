"""Blocks: pieces of text for files without a list of servers, such as AGENTS.md, a skill, or an editor's configuration.

A block is inserted at the end of a file, between two marks in comments of its language; a file of its own has no marks.
Removing it restores the bytes that were there before.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import attrs

from avionics.connect import toml_text
from avionics.connect.changes import FileEdit
from avionics.connect.clients import ENTRY, Server
from avionics.connect.records import EntryRecords
from avionics.connect.text import Insertion, blank_before
from avionics.model.errors import ConfigError
from avionics.syntax.registry import LANGUAGES

_BEGIN, _END = f"{ENTRY}: begin", f"{ENTRY}: end"
_MARKED = re.compile(rf"^[^\n]*{_BEGIN}[\s\S]*?{_END}[^\n]*\n?", re.MULTILINE)

_PROTOCOL_NAMES = MappingProxyType({"tsx": "typescriptreact", "jsx": "javascriptreact"})
_NEOVIM_NAMES = MappingProxyType({**_PROTOCOL_NAMES, "csharp": "cs"})
_HELIX_NAMES = MappingProxyType({"csharp": "c-sharp"})
"""What the protocol and editors call languages, where their names differ from ours."""

_EDITED: Mapping[str, tuple[str, ...]] = {name: each for name, each in LANGUAGES.items() if name != "notebook"}
"""The languages that editors support; they do not treat a notebook as text."""

_LINE = """\
Code questions (who calls it, what depends on it, where is it, how does control get there): ask the MCP tools of
`avionics`, `analyze` first, or run `avionics ask "..."`. Every claim cites path:line. For literal text use grep.
"""
_SKILL = Path(__file__).with_name("skill.md").read_text("utf-8")


@attrs.frozen
class Block:
    """One place for a block.

    Attributes:
        name: As the command line writes it.
        project: The file in a repository; "" if there is none.
        user: The file for all repositories, below the home directory; "" if there is none.
        comment: What begins and ends a comment there; None for a file that holds the block alone.
        build: Returns the text for the program that is started.
        is_toml: Whether the file must be TOML before and after.
        header: What begins a new file, before the block.
    """

    name: str
    title: str
    project: str
    user: str
    comment: tuple[str, str] | None
    build: Callable[[Server], str]
    check: str
    is_toml: bool = False
    header: str = ""

    arguments = ("lsp",)
    """What a language server is started with."""

    def get_project_file(self, root: Path) -> Path | None:
        """Return its file in a repository; None if there is none."""
        return root / self.project if self.project else None

    def get_user_file(self) -> Path | None:
        """Return its file for all repositories; None if there is none."""
        return Path.home() / self.user if self.user else None

    def build_text(self, server: Server) -> str:
        """Return the block with its marks."""
        text = self.build(server)
        if self.comment is None:
            return text
        begin, end = self.comment
        return f"{begin} {_BEGIN}{end}\n{text.rstrip()}\n{begin} {_END}{end}\n"


def plan_block(block: Block, file: Path, server: Server) -> FileEdit:
    """Return the edit that inserts the block into a file.

    Raise `ConfigError`, which says why, if the file cannot be changed without harm; `SourceError` if it cannot be read.
    """
    found = FileEdit.read(block, file)
    text = found.text
    _require_readable(block, found, text.content)
    wanted = block.build_text(server).replace("\n", text.newline)
    if wanted in text.content:
        return found
    if (block.comment is None and found.before is not None) or _locate_marked(text.content) is not None:
        raise found.refusal(f"it already has another {ENTRY!r}", f"remove it with `avionics disconnect {block.name}`")
    blank = text.newline if text.content else ""
    gap = blank if text.content.endswith("\n") else blank * 2
    insertion = Insertion(len(text.content), (gap if text.content else block.header) + wanted)
    _require_readable(block, found, insertion.apply(text.content))
    return found.insert(insertion)


def plan_block_removal(block: Block, file: Path, records: EntryRecords) -> FileEdit:
    """Return the edit that removes the block, even if the text around it has changed since.

    Raise `ConfigError`, which says why, if it cannot be taken out without harm; `SourceError` if it cannot be read.
    """
    found = FileEdit.read(block, file)
    if found.before is None:
        return found
    if undone := found.undo_insertion(records):
        return undone
    content = found.text.content
    marked = _locate_marked(content)
    if marked is None:
        if block.comment is None and records.get(file):
            raise found.refusal("it was edited since it was written", "remove it by hand")
        return found
    return found.rewrite(content[: marked[0]] + content[marked[1] :])


def _locate_marked(content: str) -> tuple[int, int] | None:
    """Return where the block between its marks starts and ends, a blank line before it included."""
    match = _MARKED.search(content)
    return (match.start() - len(blank_before(content, match.start())), match.end()) if match else None


def _require_readable(block: Block, file: FileEdit, content: str) -> None:
    """Refuse a file that its program could not read, before or after."""
    if not block.is_toml:
        return
    try:
        toml_text.read_table(content)
    except ConfigError as error:
        raise file.refusal(f"it would not be TOML: {error}", "add the entry by hand: see --print") from None


def _build_neovim(server: Server) -> str:
    command = ", ".join(json.dumps(each, ensure_ascii=False) for each in (server.command, *server.arguments))
    kinds = ", ".join(json.dumps(_NEOVIM_NAMES.get(each, each)) for each in _EDITED)
    return f"""\
vim.api.nvim_create_autocmd("FileType", {{
  pattern = {{ {kinds} }},
  callback = function(event)
    local found = vim.fs.find(".git", {{ path = vim.api.nvim_buf_get_name(event.buf), upward = true }})[1]
    vim.lsp.start({{ name = "{ENTRY}", cmd = {{ {command} }}, root_dir = found and vim.fs.dirname(found) }})
  end,
}})
"""


def _build_helix(server: Server) -> str:
    table = (
        f"[language-server.{ENTRY}]\ncommand = {json.dumps(server.command)}\nargs = {json.dumps(server.arguments)}\n"
    )
    languages = (_HELIX_NAMES.get(each, each) for each in _EDITED)
    entries = (f'\n[[language]]\nname = "{each}"\nlanguage-servers = ["{ENTRY}"]\n' for each in languages)
    return table + "".join(entries)


def _build_eglot(server: Server) -> str:
    modes = (
        "python-mode python-ts-mode typescript-ts-mode tsx-ts-mode js-mode js-ts-mode go-mode go-ts-mode java-mode "
        "java-ts-mode rust-mode rust-ts-mode c-mode c-ts-mode c++-mode c++-ts-mode csharp-mode kotlin-mode php-mode "
        "ruby-mode ruby-ts-mode"
    )
    command = " ".join(json.dumps(each, ensure_ascii=False) for each in (server.command, *server.arguments))
    return f"""\
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '(({modes})
                 . ({command}))))
"""


def _build_plugin(server: Server) -> str:
    extensions = {suffix: _PROTOCOL_NAMES.get(name, name) for name, several in _EDITED.items() for suffix in several}
    entry = {"command": server.command, "args": list(server.arguments), "extensionToLanguage": extensions}
    manifest = {"name": ENTRY, "description": "Code navigation without a build.", "lspServers": {ENTRY: entry}}
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


_MARKDOWN = ("<!--", " -->")
_EMACS = "AppData/Roaming/.emacs.d/init.el" if sys.platform == "win32" else ".emacs.d/init.el"

BLOCKS: Mapping[str, Block] = MappingProxyType(
    {
        block.name: block
        for block in (
            Block("agents-md", "a line in AGENTS.md", "AGENTS.md", "", _MARKDOWN, lambda _: _LINE,
                  "ask the agent a question about the code"),
            Block("claude-md", "a line in CLAUDE.md", "CLAUDE.md", ".claude/CLAUDE.md", _MARKDOWN, lambda _: _LINE,
                  "ask Claude Code a question about the code"),
            Block("claude-skill", "a skill of Claude Code", ".claude/skills/avionics/SKILL.md",
                  ".claude/skills/avionics/SKILL.md", None, lambda _: _SKILL, "enter /skills in `claude`"),
            Block("claude-code-lsp", "the language server in Claude Code",
                  ".claude/avionics-plugin/.claude-plugin/plugin.json", "", None, _build_plugin,
                  "start `claude --plugin-dir .claude/avionics-plugin` there"),
            Block("neovim", "the language server in Neovim", ".nvim.lua", ".config/nvim/after/plugin/avionics.lua",
                  ("--", ""), _build_neovim,
                  "enter :checkhealth lsp; a file in the repository needs :set exrc, and :trust once"),
            Block("helix", "the language server in Helix", ".helix/languages.toml", ".config/helix/languages.toml",
                  ("#", ""), _build_helix, "run `hx --health python` there", is_toml=True),
            Block("eglot", "the language server in Emacs", "", _EMACS, (";;", ""), _build_eglot,
                  "open a file and enter M-x eglot"),
        )
    }
)  # fmt: skip
"""The places for blocks, by name."""
