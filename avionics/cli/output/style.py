"""Colour text, link places in it, and break its lines, where the terminal allows it.

Only this module writes escape sequences; text from a repository is made visible before it is styled.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from avionics.cli.output.session import Terminal
from avionics.settings import TerminalSettings

_PLACE = re.compile(r"(?P<indent>\s*)(?P<path>[^\s:\[][^\s:]*):(?P<line>\d+)(?P<end>-\d+)?(?=\s|$)")
_CODE = re.compile(r"\s*\d+│")
_TITLE = re.compile(r"\S.*\(\d+(?: of \d+)?\):")
_FOOTER = re.compile(r"\[.*\]|ledger: .*")

_INDENT = 4
"""Columns by which the rest of a wrapped line is indented."""
_RESET = "\x1b[0m"
_EDITORS = {
    "code": "vscode://file{path}:{line}", "codium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}", "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}", "subl": "subl://open?url=file://{path}&line={line}",
    "idea": "idea://open?file={path}&line={line}", "pycharm": "pycharm://open?file={path}&line={line}",
    "mate": "txmt://open?url=file://{path}&line={line}",
}  # fmt: skip
"""The program of an editor → the address that opens a line in it."""


class Style(Struct, frozen=True):
    """How text is shown: with colours or without, with links or without.

    Attributes:
        link: The address of a line with `{path}` and `{line}`; "" for no links.
        root: The directory that paths are relative to.
    """

    is_coloured: bool = False
    link: str = ""
    root: Path = Path()

    def heading(self, text: str) -> str:
        """Return a title."""
        return self._color("1", text)

    def path(self, text: str, line: int = 1, path: str = "") -> str:
        """Return the path of a file, as a link to a line of it; `path` is the file if the text is not."""
        return self._add_link(self._color("35", text), path or text, line)

    def number(self, line: int, width: int, path: str) -> str:
        """Return a line number, as a link."""
        spaces = " " * (width - len(str(line)))
        return spaces + self._add_link(self._color("32", str(line)), path, line)

    def faint(self, text: str) -> str:
        """Return text that matters less."""
        return self._color("2", text)

    def _color(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.is_coloured and text else text

    def _add_link(self, shown: str, path: str, line: int) -> str:
        if not self.link:
            return shown
        absolute = quote((self.root / path).as_posix(), safe="/:@+,~._-")
        address = self.link.replace("{path}", absolute).replace("{line}", str(max(line, 1)))
        return f"\x1b]8;;{address}\x1b\\{shown}\x1b]8;;\x1b\\"


def choose_style(color: str, root: Path, terminal: Terminal) -> Style:
    """Return the style for standard output.

    `color` is "always", "never", or "auto" for colours on a terminal that has them, unless NO_COLOR is set.
    """
    settings = terminal.settings
    is_able = terminal.is_terminal and not settings.is_dumb
    is_coloured = color == "always" or (color == "auto" and is_able and not settings.no_color)
    link = get_editor_link(settings) if is_coloured and is_able else ""
    return Style(is_coloured, link, Path(root).resolve())


def get_editor_link(terminal: TerminalSettings) -> str:
    """Return the address of a line in the user's editor, or in a file manager."""
    if terminal.link:
        return "" if terminal.link == "none" else terminal.link
    program = "code" if terminal.program == "vscode" else Path(terminal.editor.split(" ")[0]).stem
    return _EDITORS.get(program, "file://{path}")


def wrap(text: str, columns: int) -> list[str]:
    """Break a line between words at the columns of a terminal, 0 for nowhere; what follows is indented further."""
    if not columns or len(text) <= columns:
        return [text]
    indent = " " * (len(text) - len(text.lstrip()) + _INDENT)
    broken = textwrap.wrap(
        text, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )
    return broken or [text]


def clip(text: str, width: int) -> str:
    """Cut a line to the columns of a terminal; a cut line ends with `…`."""
    if len(text) * 2 <= width:
        return text
    columns = 0
    for at, character in enumerate(text):
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else not unicodedata.combining(character)
        if columns > width:
            return f"{text[: max(0, at - 1)].rstrip()}…"
    return text


def iter_coloured(text: str, style: Style, columns: int = 0) -> Iterator[str]:
    """Yield the lines of an answer's text, which is visible already.

    After `columns` characters lines are broken between words, and code is cut; 0 for nowhere.
    """
    for number, line in enumerate(text.split("\n")):
        if line.startswith("next: "):
            yield f"{style.faint('next:')} {line.removeprefix('next: ')}"
        elif _CODE.match(line):
            yield clip(line, columns) if columns else line
        elif number == 0 or _TITLE.fullmatch(line):
            yield from map(style.heading, wrap(line, columns))
        elif _FOOTER.fullmatch(line):
            yield from map(style.faint, wrap(line, columns))
        else:
            first, *others = wrap(line, columns)
            yield _link_place(first, style)
            yield from others


def _link_place(line: str, style: Style) -> str:
    """Return a line with the place that it begins with, if any, as a link."""
    place = _PLACE.match(line)
    if not place:
        return line
    path, at = place["path"], int(place["line"])
    shown = style.path(f"{path}:{at}{place['end'] or ''}", at, path)
    return f"{place['indent']}{shown}{line[place.end() :]}"
