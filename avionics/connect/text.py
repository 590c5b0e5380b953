"""A configuration file as text, whose encoding and line ends are preserved."""

from __future__ import annotations

import codecs
from collections.abc import Iterable

import attrs

from avionics.model.errors import ConfigError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@attrs.frozen
class Insertion:
    """A text inserted at one position: the only kind of change that connecting makes."""

    offset: int
    text: str

    def apply(self, text: str) -> str:
        """Return the text with the insertion."""
        return text[: self.offset] + self.text + text[self.offset :]


@attrs.frozen
class Text:
    """The text of a file, and its encoding."""

    content: str
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def newline(self) -> str:
        """Return the line end of the first line."""
        at = self.content.find("\n")
        return "\r\n" if at > 0 and self.content[at - 1] == "\r" else "\n"

    def encode(self, content: str) -> bytes:
        """Encode other content in the same way. Raise `ConfigError` if it has a character that cannot be encoded."""
        try:
            return self.mark + content.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ConfigError(f"the entry has a character that cannot be encoded: {error.reason}") from None


def read_text(data: bytes) -> Text:
    """Decode a file. Raise `ConfigError` if the bytes are not text, or would not be encoded to the same bytes again."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    try:
        text = Text(data[len(mark) :].decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        raise ConfigError(f"it is not {encoding} text: byte {error.start} ({error.reason})") from None
    if text.encode(text.content) != data:
        raise ConfigError(f"it is not well-formed {encoding} text")
    return text


def blank_before(text: str, offset: int) -> str:
    """Return the blank line that ends at a position, "" if there is none."""
    before = text[:offset]
    return "\r\n" if before.endswith("\n\r\n") else "\n" if before.endswith("\n\n") else ""


def cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text without some spans."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text
