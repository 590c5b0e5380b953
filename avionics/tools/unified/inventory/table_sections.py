"""Answer which tables a database has: those that statements and migrations create, and the classes for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.inventory.stored_classes import find_stored_classes
from avionics.index.model.file_roles import FileRole, role_and_place, role_of
from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.syntax.registry import is_prose
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import few, first_sentence
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

_NAME = r"[\"'`\[]{{0,3}}(?P<{group}>[A-Za-z_][\w.]*)"
_CREATED = (
    r"create\s{1,9}(?:(?:temp|temporary|unlogged|virtual|global|local)\s{1,9}){0,3}table\s{1,9}"
    r"(?:if\s{1,9}not\s{1,9}exists\s{1,9})?"
    + _NAME.format(group="created")
    + r"[\"'`\]]{0,3}\s{0,9}(?:\(|\Z|using\b|as\b|\+|\.|$)"
)
_CALLED = (
    r"(?:\b(?:createTable|createTableIfNotExists|create_table|pgTable|sqliteTable|mysqlTable|mysqlCreate|pgCreateTable"
    r"|sequelize\.define|mongoose\.model)\s{0,9}(?:\(\s{0,9})?|\bSchema::create\s{0,9}\(\s{0,9})"
    r"(?:<[^>]{0,200}>\s{0,9})?[\"'`:](?P<called>[\w.]+)"
)
_MODEL = r"^(?:model|table)\s{1,9}(?P<model>\w{1,60})\s{0,9}(?:\((?:\w{1,60})\)\s{0,9})?\{"
_LINE = late_pattern(rf"{_CREATED}|{_CALLED}|{_MODEL}", re.IGNORECASE)
_DROPPED = r"drop\s+table\s+(?:if\s+exists\s+)?" + _NAME.format(group="dropped")
_DROP = late_pattern(_DROPPED, re.IGNORECASE)
_BACKWARD = late_pattern(r"[._-](?:down|undo|rollback)\b|(?:^|/)(?:down|undo|rollback)/", re.IGNORECASE)
"""Found in the path of a migration that takes another one back."""
_UNFINISHED = late_pattern(r"create\s{1,9}(?:\w+\s{1,9}){0,3}table(?:\s{1,9}if\s+not\s+exists)?\s*\Z", re.IGNORECASE)
"""The end of a line below which the name of a table stands."""
_SEARCHED = (
    r"drop\s+table\s|create\s+(?:\w+\s+)*table\b|createTable|create_table|(?:pg|sqlite|mysql)Table\s*\(|Schema::create|sequelize\.define"
    r"|mongoose\.model"
)
_SCHEMAS = "**/*.prisma"
_MAX_LINES, _MAX_SHOWN, _MAX_FIELDS, _DOC = 2_000, 45, 8, 70
_NOT_NAMES = frozenset({"if", "as", "like", "select", "for", "is", "with", "in", "to", "of", "and", "the", "or"})
_PLAIN = late_pattern(
    r"(?:"
    r"a|all|and|app|application|are|class|classes|code|collection|collections|columns|contain"
    r"|create|created|creates|data|database|db|declared|define|defined|describe|do|does"
    r"|domain|entities|entity|exist|explain|find|for|give|have|how|in|is|it|kept"
    r"|layout|list|many|me|model|models|of|orm|persisted|please|project|repo"
    r"|schema|schemas|show|sql|stored|structure|table|tables|that|the"
    r"|there|these|this|to|use|used|uses|what|where|which"
    r")",
    re.IGNORECASE,
)
_FIELDS = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.PROPERTY, SymbolKind.VARIABLE, SymbolKind.CONSTANT})


class TableItem(Struct, frozen=True):
    """A table: where it is created, and how many other places create one of the name."""

    file: str
    line: int
    table: str
    others: int
    dropped: str = ""

    def to_text(self) -> str:
        also = f" (also created in {plural(self.others, 'other place')})" if self.others else ""
        gone = f"; dropped at {self.dropped}" if self.dropped else ""
        return f"{self.file}:{self.line}  {self.table}{also}{gone}"


class ModelItem(Struct, frozen=True):
    """A class whose objects a database keeps, with its first fields."""

    file: str
    line: int
    symbol: str
    fields: tuple[str, ...]
    doc: str

    def to_text(self) -> str:
        fields = f": {', '.join(few(self.fields, _MAX_FIELDS))}" if self.fields else ""
        said = shorten(first_sentence(self.doc), _DOC)
        return f"{self.file}:{self.line}  {self.symbol}{fields}{said}"


def answer_tables(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the tables that are created, and the classes that stand for tables; None if there are neither."""
    code, place = workspace.code, question.place
    models = find_stored_classes(code, place)
    lines: list[MatchItem] = []
    for pattern, glob in ((_SEARCHED, None), (_MODEL, _SCHEMAS)):
        found = search_lines(
            workspace.source, code, pattern, place or ".", glob, case_sensitive=False, limit=_MAX_LINES
        )
        lines += (_read_on(workspace, each) for each in found.matches)
    words = _read_words(question.text)
    tables = _group(lines)
    named = _choose([each.table for each in tables], words) | _choose([each.name for each in models], words)
    if named:
        tables = [each for each in tables if _fold(each.table) in named]
        models = tuple(each for each in models if _fold(each.name) in named)
    elif words:
        # "The tables of the server" are below a directory named `server`, or use a framework of that name.
        tables = _group(each for each in lines if _has_words(each.file, words))
        models = tuple(each for each in models if _has_words(f"{each.file} {_list_imports(code, each.file)}", words))
    if not tables and not models:
        return None
    counts = []
    if tables:
        counts.append(f"{plural(len(tables), 'table')} created by statements or migrations")
    if models:
        counts.append(f"{plural(len(models), 'class')} whose objects a database keeps")
    limited = f" (with {' '.join(words)} in their path or imports)" if words and not named else ""
    count = len(tables) + len(models)
    shown = min(len(tables), _MAX_SHOWN) + min(len(models), _MAX_SHOWN)
    return build_answer(
        question,
        f"{', '.join(counts)}{limited}",
        Coverage(count, shown, Certainty.AT_LEAST, settled=True),
        make_section("models", "models", [_describe(code, each) for each in models[:_MAX_SHOWN]], 3.0, counts=True),
        make_section("tables", "tables", tables[:_MAX_SHOWN], 4.0, counts=True),
    )


def _group(lines: Iterable[MatchItem]) -> list[TableItem]:
    """Return the tables that lines create, once each, at the best place."""
    found: dict[str, list[tuple[str, MatchItem]]] = {}
    dropped: dict[tuple[str, str], MatchItem] = {}
    for each in (each for each in lines if not (_BACKWARD.search(each.file) or is_prose(each.file))):
        if drop := _DROP.search(each.text):
            dropped[_get_home(each.file), _fold(drop["dropped"])] = each
        match = _LINE.search(each.text)
        name = (match["created"] or match["called"] or match["model"] or "") if match else ""
        if name and name.lower() not in _NOT_NAMES and role_of(each.file) not in {FileRole.TEST, FileRole.VENDORED}:
            found.setdefault(_fold(name), []).append((name, each))
    items = []
    for same in found.values():
        name, best = min(same, key=lambda each: (role_of(each[1].file), each[1].file.count("/"), each[1].file))
        gone = dropped.get((_get_home(best.file), _fold(name)))
        last = max(each.file for _, each in same if _get_home(each.file) == _get_home(best.file))
        at = f"{gone.file}:{gone.line}" if gone is not None and gone.file > last else ""
        items.append(TableItem(best.file, best.line, name, len({each.file for _, each in same}) - 1, at))
    return sorted(items, key=role_and_place)


def _read_on(workspace: Workspace, line: MatchItem) -> MatchItem:
    """Return a line with the one below it, where the name of the table stands there."""
    if not _UNFINISHED.search(line.text):
        return line
    below = workspace.source.lines(line.file, line.line + 1, line.line + 1)
    return structs.replace(line, text=" ".join((line.text, *below)))


def _get_home(file: str) -> str:
    return file.rpartition("/")[0]


def _describe(code: CodeIndex, model: Definition) -> ModelItem:
    symbols = code.facts(model.file).symbols
    fields = [each.name for each in symbols if each.parent == model.index and each.kind in _FIELDS]
    said = tuple(each for each in fields if not each.startswith("_") and not each.isupper())
    return ModelItem(model.file, model.line, model.symbol.qualname, said, model.symbol.doc)


def _read_words(text: str) -> tuple[str, ...]:
    """Return the words of a question that say which tables are meant."""
    words = re.findall(r"(?<![\w./])[A-Za-z_]\w+(?![\w./]*/)", text)
    return tuple(each for each in dict.fromkeys(words) if not _PLAIN.fullmatch(each))


def _choose(names: Sequence[str], words: Iterable[str]) -> set[str]:
    """Return the folded names that a question names."""
    folded = {_fold(each) for each in words}
    return {_fold(each) for each in names if _fold(each) in folded}


def _fold(name: str) -> str:
    return stem(name.rpartition(".")[2].lower().replace("_", ""))


def _list_imports(code: CodeIndex, file: str) -> str:
    return " ".join(each.module for each in code.facts(file).imports)


def _has_words(file: str, words: Iterable[str]) -> bool:
    return all(each.lower() in file.lower() for each in words)
