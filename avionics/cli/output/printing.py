"""Print rows, grouped by file on a terminal, else one line each, or as JSON lines, paths or a count; and documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click
from msgspec import Struct

from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.output.rows import Row
from avionics.cli.output.session import current_session, get_terminal
from avionics.cli.output.style import Style, clip, wrap
from avionics.tools.answers.answer import one_line, visible

_MIN_TEXT_WIDTH = 30
"""Columns; a narrower terminal wraps."""


class RowListing(Struct, frozen=True):
    """What is printed.

    Attributes:
        headline: The answer in one line.
        note: How complete the answer is, and what it leaves out; "" where it is complete.
        next: The command to run next; "" for none.
        is_sequence: Whether the rows stay in their order, instead of below their files.
    """

    headline: str
    rows: tuple[Row, ...]
    note: str = ""
    next: str = ""
    is_sequence: bool = False


class OutputForm(Struct, frozen=True):
    """How results are printed.

    Attributes:
        jsonl: As one JSON object a line.
        count: Only how many there are.
        files_only: Only the files, each once.
        end: What ends each of them: a newline or NUL.
        wide: Whether long lines may wrap on a terminal.
    """

    jsonl: bool = False
    count: bool = False
    files_only: bool = False
    end: str = "\n"
    wide: bool = False

    @property
    def is_for_programs(self) -> bool:
        """Return whether the form is the same on a terminal and elsewhere."""
        return self.jsonl or self.count or self.files_only or self.end != "\n"


def write_document(document: str, output: Path | None) -> int:
    """Write a whole document to a file, or to standard output, and return the exit code."""
    if output is None:
        click.echo(document, nl=False)
    else:
        output.write_text(document, "utf-8")
    return ANSWERED


def print_listing(listing: RowListing, form: OutputForm, style: Style) -> None:
    """Print results: for people with headline and note, else the results alone and the note on standard error."""
    terminal = get_terminal()
    if terminal.is_terminal and not form.is_for_programs:
        show_paged(list(iter_grouped(listing, style, 0 if form.wide else terminal.columns)))
        return
    for text in _iter_plain(listing.rows, form):
        click.echo(text + form.end, nl=False)
    if not listing.rows and not form.count and listing.headline:
        click.echo(one_line(listing.headline.partition("\n")[0]), err=True)
    for note in filter(None, (listing.note, listing.next and f"next: {listing.next}")):
        click.echo(one_line(note), err=True)


def show_paged(lines: Sequence[str]) -> None:
    """Print lines; through the user's pager if they do not fit on the terminal."""
    text, session = "".join(f"{line}\n" for line in lines), current_session.get()
    is_long = len(lines) >= get_terminal().lines
    if session:
        session.is_paged = is_long
    if is_long and not session:
        click.echo_via_pager(text, color=True)
    else:
        click.echo(text, nl=False, color=True)


def iter_grouped(listing: RowListing, style: Style, columns: int) -> Iterator[str]:
    """Yield the lines for a person: headline, results below the file they are in, note and next step.

    Lines are cut after `columns` characters; 0 for nowhere.
    """
    width = max(columns, _MIN_TEXT_WIDTH) if columns else 10**9
    if listing.headline:
        first, *others = listing.headline.split("\n")
        yield from map(style.heading, wrap(clip(one_line(first), width * 2), columns and width))
        for line in others:
            yield from map(style.faint, wrap(clip(one_line(line), width * 2), columns and width))
    if listing.is_sequence:
        yield from _iter_sequence(listing.rows, style, columns and width)
    titles = {row.title for row in listing.rows}
    for title, of_part in _group(() if listing.is_sequence else listing.rows, "title"):
        if title and len(titles) > 1:
            yield ""
            yield style.heading(f"{title} ({len(of_part)})")
        for note, of_note in _group(of_part, "note"):
            if note:
                yield ""
                yield style.faint(clip(one_line(f"{note.replace(chr(10), '  ')} ({len(of_note)})"), width))
            for file, of_file in _group(of_note, "file"):
                yield from _iter_file(file, of_file, style, width)
    if listing.note or listing.next:
        yield ""
    if listing.note:
        yield from map(style.faint, wrap(one_line(listing.note), columns and width))
    if listing.next:
        yield f"{style.faint('next:')} {one_line(listing.next)}"


def _iter_sequence(rows: Sequence[Row], style: Style, columns: int) -> Iterator[str]:
    """Yield results in their order, below their titles if any; long ones continue on the next line."""
    if rows and not rows[0].note:
        yield ""
    for row in rows:
        title, *below = row.note.split("\n")
        if title:
            yield from ("", style.heading(one_line(title)), *(f"  {one_line(line)}" for line in below))
        place = f"{visible(row.file)}:{row.line}" if row.line else visible(row.file)
        first, *others = wrap(f"  {place}  {one_line(row.text)}", columns)
        shown = style.path(place, row.line, row.file)
        yield first.replace(place, shown, 1) if place and place in first else first
        yield from others


def _iter_file(file: str, rows: Sequence[Row], style: Style, width: int) -> Iterator[str]:
    """Yield the lines of the results in one file, by line number; a result without a place stands alone."""
    if not file:
        yield ""
        for row in rows:
            yield from (clip(line, width) for line in visible(row.text).split("\n"))
        return
    shown = visible(file)
    if not any(row.line for row in rows):
        for row in rows:
            text = visible(row.text.strip().removeprefix(file).lstrip(": "))
            yield f"{style.path(shown)}  {clip(text, width - len(shown) - 2)}".rstrip()
        return
    digits = len(str(max(row.line for row in rows)))
    yield ""
    yield style.path(shown, rows[0].line)
    for row in sorted(rows, key=lambda each: each.line):
        first, *others = visible(row.text).split("\n")
        yield f"  {style.number(row.line, digits, file)}  {clip(first, width - digits - 4)}"
        yield from (clip(f"{' ' * digits}  {line}", width) for line in others)


def _iter_plain(rows: Sequence[Row], form: OutputForm) -> Iterator[str]:
    """Yield what is printed for a program, without the ends of lines."""
    if form.files_only:
        files = dict.fromkeys(row.file for row in rows if row.file)
        yield from files if form.end == "\0" else map(one_line, files)
        if form.count:
            return
    if form.count:
        yield str(len(rows))
    elif form.jsonl:
        yield from (json.dumps(row.to_plain()) for row in rows)
    elif not form.files_only:
        is_labelled = len({row.part for row in rows}) > 1
        yield from (row.to_line(is_labelled=is_labelled) for row in rows)


def _group(rows: Iterable[Row], name: str) -> list[tuple[str, list[Row]]]:
    """Group the rows by an attribute, in the order in which its values first occur."""
    values = list(rows)
    order = {value: at for at, value in enumerate(dict.fromkeys(getattr(row, name) for row in values))}
    values.sort(key=lambda row: order[getattr(row, name)])
    return [(value, list(each)) for value, each in groupby(values, key=lambda row: getattr(row, name))]
