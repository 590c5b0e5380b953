"""Find the classes whose objects a database keeps, by the conventions of their language."""

from __future__ import annotations

import re

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.enums import is_class
from avionics.model.facts import FileFacts, Symbol
from avionics.model.knowledge import Definition
from avionics.model.naming import last_part
from avionics.syntax.conventions import StoredClasses
from avionics.syntax.registry import conventions_of

_NOTHING = StoredClasses()


def find_stored_classes(code: CodeIndex, place: str | None) -> tuple[Definition, ...]:
    """Return the classes of product code whose objects a database keeps, and their subclasses, by file and line."""
    files = [
        file for file in code.files if role_of(file) is FileRole.PRODUCT and conventions_of(file).stored != _NOTHING
    ]
    code.load_facts(files)
    tagging = {tag for file in files for tag in conventions_of(file).stored.tags}
    tagged = {file for tag in tagging for file in code.files_with_word(tag)}
    direct = [
        each
        for file in files
        for each in (*_list_direct(code, file), *(_list_tagged(code, file) if file in tagged else ()))
    ]
    stored = dict.fromkeys(direct)
    # Computing descendants is expensive, so do it only if some class names one of these as its base.
    names = {each.name for each in direct}
    if any(last_part(base) in names for file in files for symbol in code.facts(file).symbols for base in symbol.bases):
        for each in direct:
            below = code.graph.classes.descendants(each)
            stored |= dict.fromkeys(subclass for subclass in below if role_of(subclass.file) is FileRole.PRODUCT)
    inside = [each for each in stored if is_within(each.file, place)]
    return tuple(sorted(inside, key=lambda each: (each.file, each.line)))


def _list_direct(code: CodeIndex, file: str) -> list[Definition]:
    """Return the classes of a file whose own definition says that they are stored."""
    rules, facts = conventions_of(file).stored, code.facts(file)
    has_import = any(rules.modules.search(f"{each.module}.{each.name}") for each in facts.imports)
    owners: set[int] = set()
    for symbol in facts.symbols:
        if symbol.name in rules.members:
            owners |= {symbol.parent, _get_owner(facts, symbol)}
    found = []
    for each in code.iter_definitions(file):
        if not is_class(each.kind):
            continue
        is_stored = each.index in owners or any(map(rules.own_bases.fullmatch, each.symbol.bases))
        if has_import:
            is_stored |= any(map(rules.bases.fullmatch, each.symbol.bases))
            is_stored |= any(map(rules.decorators.match, each.symbol.decorators))
        if is_stored:
            found.append(each)
    return found


def _list_tagged(code: CodeIndex, file: str) -> list[Definition]:
    """Return the classes of a file with a field whose tag says how it is stored: `db:"id"`."""
    tags = conventions_of(file).stored.tags
    if not tags:
        return []
    lines = code.read_lines(file)
    tag = re.compile(rf"[`\" ](?:{'|'.join(sorted(tags))}):\"")
    return [
        each
        for each in code.iter_definitions(file)
        # A type within a function, as in a migration, is private to it and no table of the program.
        if is_class(each.kind) and ((holder := code.get_parent(each)) is None or is_class(holder.kind))
        if any(tag.search(line) for line in lines[each.line : each.symbol.span.end_line])
    ]


def _get_owner(facts: FileFacts, symbol: Symbol) -> int:
    """Return the index of the class of a method that is defined outside of it; -1 for none."""
    owner = symbol.qualname.rpartition(".")[0]
    return next((index for index, each in enumerate(facts.symbols) if owner and each.qualname == owner), -1)
