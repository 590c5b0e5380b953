"""Leave out the imports of a file that only the code used that was moved out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from avionics.index.model.values import Module
from avionics.model.facts import Import
from avionics.model.naming import called
from avionics.source.read import encode
from avionics.syntax.import_blocks import read_import_block
from avionics.syntax.import_texts import ImportTexts, Sharing
from avionics.tools.edits.uses import CodeView

_STAR = "*"


class UnusedImports:
    """Finds the imports that only the moved code used.

    An import is left out where its name stood in code before and stands nowhere else in what is left, comments and
    strings included, where no other file takes the name from this one, and where its statement has its lines to itself.

    Args:
        before: The workspace before the move.
        after: The workspace after it.
        file: The file that the code was moved out of.
        texts: How its language writes imports.
    """

    def __init__(self, before: CodeView, after: CodeView, file: str, texts: ImportTexts) -> None:
        self._before = before
        self._after = after
        self._file = file
        self._texts = texts
        self._lines = after.text(file).content.split("\n")

    def leave_out(self) -> str:
        """Return the text of the file without those imports."""
        lines: list[str | None] = [*self._lines]
        imports = self._after.code.facts(self._file).imports
        for first, last in reversed(self._statements if self._texts.sharing is not Sharing.LINKER else ()):
            held = [each for each in imports if first <= each.line <= last]
            unused = [each for each in held if self._is_unused(each)]
            if unused == held:
                end = last + (self._is_blank(first - 1) and self._is_blank(last + 1))
                lines[first - 1 : end] = [] if held else lines[first - 1 : end]
            elif self._texts.split is None:
                for at in {each.line for each in unused} - {each.line for each in held if each not in unused}:
                    lines[at - 1] = None
            elif unused:
                lines[first - 1 : last] = self._shorten("\n".join(self._lines[first - 1 : last]), unused).split("\n")
        return "\n".join(each for each in lines if each is not None)

    @cached_property
    def _statements(self) -> list[tuple[int, int]]:
        """Return the first and last line of each import at the top of the file that shares no line with others."""
        content = encode("\n".join(self._lines))
        block = read_import_block(content, self._after.code.facts(self._file).language)
        found = []
        for start, end in block.statements if block is not None else ():
            if content[max(0, start - 1) : start] in {b"\n", b""} and content[end : end + 1] in {b"\n", b""}:
                found.append((content.count(b"\n", 0, start) + 1, content.count(b"\n", 0, end) + 1))
        return found

    def _is_blank(self, line: int) -> bool:
        """Return whether a line is blank, or there is none."""
        return not 0 < line <= len(self._lines) or not self._lines[line - 1].strip()

    def _shorten(self, statement: str, unused: list[Import]) -> str:
        """Return a statement without some of the names that it imports, as far as its form is a simple one."""
        assert self._texts.split is not None
        for each in unused:
            statement = self._texts.split(statement, each.name, "").rpartition("\n")[0] or statement
        return statement

    def _is_unused(self, each: Import) -> bool:
        before, after = (view.code.uses(self._file) for view in (self._before, self._after))
        if not each.alias or each.name == _STAR or each.alias in self._texts.implicit_names or after.dynamic:
            return False
        was, now = (
            any(not one.is_import for name in (each.alias, called(each.alias)) for one in uses.references.get(name, ()))
            for uses in (before, after)
        )
        if not was or now or len(after.bindings.get(each.alias, ())) != 1:
            return False
        if self._texts.drops_unused:
            return True  # A comment may name it.
        named = re.compile(rf"(?<![\w$]){re.escape(each.alias)}(?![\w$])")
        inside = {number for first, last in self._statements for number in range(first, last + 1)}
        rest = (line for number, line in enumerate(self._lines, 1) if number not in inside)
        return not any(map(named.search, rest)) and not self._is_taken(each)

    def _is_taken(self, each: Import) -> bool:
        """Return whether another file takes the imported name from this one, or may."""
        if self._texts.sharing is not Sharing.NONE or self._texts.needs_export:
            return False
        code, name = self._before.code, each.alias
        is_inside = isinstance(code.modules.find(each, self._file), Module)
        if is_inside and code.modules.system_of(self._file).directories_of(self._file):
            return True  # Code outside may import what a package imports.
        if any({name, _STAR} & {*link.names} for link in code.importers(self._file)):
            return True
        return any(re.search(rf"[.'\"]\s*{re.escape(name)}\b", text) for text in self._iter_naming(name))

    def _iter_naming(self, name: str) -> Iterator[str]:
        """Yield the texts of the other files that name both this file and what it imports."""
        code = self._before.code
        own = {
            file
            for word in code.modules.system_of(self._file).mentions(self._file)
            for file in code.files_with_word(word)
        }
        for file in sorted((own & {*code.files_with_word(name)}) - {self._file}):
            yield code.read_text(file)
