"""A configuration file as text: its encoding and line ends are kept, whatever they are."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

import attrs

from avionics.model.errors import ConfigError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@attrs.frozen
class Insertion:
    """A piece of text put in at one place: the only kind of change made to connect."""

    offset: int
    text: str

    def apply(self, text: str) -> str:
        """Return the text with the piece in it."""
        return text[: self.offset] + self.text + text[self.offset :]


@attrs.frozen
class Text:
    """What a file says, and how it was written down."""

    content: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def newline(self) -> str:
        """Return the line end of the first line."""
        at = self.content.find("\n")
        return "\r\n" if at > 0 and self.content[at - 1] == "\r" else "\n"

    def encode(self, content: str) -> bytes:
        """Return other content, written down the same way.

        Raises:
            ConfigError: It has a character that cannot be written.
        """
        try:
            return self.mark + content.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ConfigError(f"the entry holds a character that is no text: {error.reason}") from None


def read_text(data: bytes) -> Text:
    """Return the text of a file.

    Raises:
        ConfigError: The bytes are no text, or would not come out the same again.
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    try:
        text = Text(data[len(mark) :].decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        raise ConfigError(f"it is not {encoding} text: byte {error.start} ({error.reason})") from None
    if text.encode(text.content) != data:
        raise ConfigError(f"it is not well-formed {encoding} text")
    return text


def cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text without some spans of it."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text
