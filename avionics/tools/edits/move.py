"""Plan to move a top-level definition to another file of its language, with the necessary imports.

The text and its imports move to the other file, and files that import the definition import it from there. Imports that
only the text used are left out of its old file. The result is tried on a copy in memory: every name of the moved text
must keep its meaning, every usage must resolve to the definition, and findings of `avionics check` are open places.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping

from avionics.index.model.values import External, Module, Target, Variable
from avionics.index.verdicts.check import Notes, check_change
from avionics.index.verdicts.comparison import find_declared_elsewhere
from avionics.index.verdicts.findings import Rule, Severity
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import Import, Reference
from avionics.model.knowledge import Definition, Usage
from avionics.model.naming import as_written, plural
from avionics.source.read import decode, encode
from avionics.syntax.import_blocks import read_import_block
from avionics.syntax.import_texts import ImportTexts, Sharing
from avionics.tools.edits.edit_plan import EditPlan, EditRefusedError, PlannedEdits
from avionics.tools.edits.rename import read_doubts
from avionics.tools.edits.text_edits import TextEdit
from avionics.tools.edits.unused_imports import UnusedImports
from avionics.tools.edits.uses import CodeView

_STAR = "*"
_MARKS = ("#", "@", "//", "/*", "*")
"""The beginnings of lines directly above a definition that belong to it: comments, attributes, documentation."""


class MovePlan(EditPlan, frozen=True):
    """The files that a move changes, with their texts after it."""

    texts: Mapping[str, str]


def plan_move(view: CodeView, definition: Definition, target: str) -> MovePlan:
    """Return the edits that move a definition at the top level of its file to another file.

    The target need not exist in languages whose files import one another. Raise `EditRefusedError` if the language, the
    definition or the file does not allow it.
    """
    return _Move(view, definition, target).plan()


class _Move(PlannedEdits):
    """One move."""

    def __init__(self, view: CodeView, definition: Definition, target: str) -> None:
        super().__init__(view, definition)
        self._source = definition.file
        self._target = target
        self._added: list[str] = []
        self._inside: set[str] = set()
        """The added imports of what is in the workspace; they stand below the others."""
        self._texts = self._require_movable()
        self._first, self._last = self._find_lines()

    def plan(self) -> MovePlan:
        """Return every edit, tried on a copy in memory."""
        doubts, reasons, ledger = read_doubts(self._view, self._definition)
        self._open += doubts
        usages = self._code.usages(self._definition).usages
        if self._texts.sharing is Sharing.NONE:
            self._write_needed_imports()
            self._retarget_imports(usages)
        else:
            self._copy_imports()
        self._cut_and_paste()
        texts = dict(self._apply())
        after = self._view.edited(texts)
        texts[self._source] = UnusedImports(self._view, after, self._source, self._texts).leave_out()
        self._check_result(texts, usages)
        open_places = tuple(dict.fromkeys(self._open))
        return MovePlan(texts, name=self._definition.name, open=open_places, reasons=reasons, ledger=ledger)

    def _require_movable(self) -> ImportTexts:
        """Return the import syntax of the language; refuse definitions that cannot be moved on their own."""
        code, symbol, source, target = self._code, self._definition.symbol, self._source, self._target
        rules = code.resolver.scopes.rules(source)
        texts = rules.import_texts
        if texts is None:
            raise EditRefusedError(f"moves in {rules.name} are not planned: paths and visibility differ by module")
        if symbol.parent >= 0 or symbol.kind in {SymbolKind.MODULE, SymbolKind.VARIABLE}:
            raise EditRefusedError(
                f"{symbol.qualname!r} is not a function, class, type or constant at the top of its file"
            )
        if posixpath.splitext(source)[1] != posixpath.splitext(target)[1] or source == target:
            raise EditRefusedError(f"{target!r} is not another file of the same kind as {source!r}")
        is_there = code.has_file(target)
        if not is_there and (texts.sharing is not Sharing.NONE or self._view.text(target).content):
            raise EditRefusedError(f"{target!r} does not exist or is not analyzed")
        facts = [code.facts(file) for file in (source, *((target,) if is_there else ()))]
        if any(each.problems for each in facts):
            raise EditRefusedError("one of the two files cannot be parsed completely")
        if is_there and not self._only_imports_it():
            raise EditRefusedError(f"{target!r} already binds {symbol.name!r}")
        self._require_shared(texts)
        return texts

    def _only_imports_it(self) -> bool:
        bindings = self._code.uses(self._target).bindings.get(self._definition.name, ())
        return all(each.kind is BindingKind.IMPORT for each in bindings if each.scope == 0)

    def _require_shared(self, texts: ImportTexts) -> None:
        """Refuse a move that would make the definition visible to other files than now."""
        source, target, symbol = self._source, self._target, self._definition.symbol
        is_beside = posixpath.dirname(source) == posixpath.dirname(target)
        if texts.sharing is not Sharing.NONE and not is_beside:
            raise EditRefusedError("the other file is in another directory, from which other names are visible")
        if texts.sharing is Sharing.LINKER:
            announced = find_declared_elsewhere(self._code, self._definition)
            if not announced or "static " in symbol.signature:
                raise EditRefusedError(f"no header declares {symbol.name!r}, so other files would not see it")
        if texts.sharing is Sharing.DIRECTORY:
            stem = posixpath.splitext(posixpath.basename(source))[0]
            if stem == symbol.name and "public " in symbol.signature:
                raise EditRefusedError(f"the file of the public {symbol.name!r} has to have its name")
            marks = [stem.partition("_")[2], posixpath.splitext(posixpath.basename(target))[0].partition("_")[2]]
            if any(marks):
                raise EditRefusedError("a file with a suffix after '_' may be compiled under a condition")
            if any("//go:build" in self._view.text(file).content for file in (source, target)):
                raise EditRefusedError("one of the two files is compiled under a condition")

    def _require_variable(self) -> Variable:
        variable = self._code.graph.get_variable(self._definition)
        if variable is None:
            raise EditRefusedError("what it defines is not known")
        others = [each for each in self._code.graph.find_all_definitions(variable) if each.file == self._source]
        if len(others) > 1:
            raise EditRefusedError(f"{self._definition.name!r} is defined {len(others)} times in its file")
        return variable

    def _find_lines(self) -> tuple[int, int]:
        """Return the first and last line of the definition, with the comments and attributes directly above it."""
        self._require_variable()
        span, text = self._definition.symbol.span, self._view.text(self._source)
        first = span.start_line
        while first > 1 and text.line(first - 1).startswith(_MARKS) and not text.line(first - 1).startswith("#include"):
            first -= 1
        if first == 1 and text.line(1).startswith("#!"):
            first = span.start_line
        if text.line(span.start_line)[:1].isspace():
            raise EditRefusedError("it is defined within a block")
        symbols = self._code.facts(self._source).symbols
        for each in symbols:
            is_inside = span.start_line <= each.span.start_line and each.span.end_line <= span.end_line
            touches = each.span.start_line <= span.end_line and span.start_line <= each.span.end_line
            if touches and not is_inside:
                raise EditRefusedError(f"its lines also hold {each.qualname!r}")
        beside = [each for each in symbols if each.parent < 0 and each.name != self._definition.name]
        if any(span.start_line <= each.line <= span.end_line for each in beside):
            raise EditRefusedError("its lines also hold another definition")
        return first, span.end_line

    def _iter_block_references(self) -> Iterator[Reference]:
        for references in self._code.uses(self._source).references.values():
            for each in references:
                if self._first <= each.line <= self._last:
                    yield each

    def _write_needed_imports(self) -> None:
        """Add the imports that the moved text needs in the target, and those that the source needs from the target."""
        uses, facts = self._code.uses(self._source), self._code.facts(self._source)
        if uses.dynamic or any(each.name == _STAR for each in facts.imports):
            raise EditRefusedError("its file uses names by a star import or by computed text")
        self._check_switches()
        scopes = self._code.resolver.scopes
        needed = {
            each.name
            for each in self._iter_block_references()
            if each.receiver is None
            and scopes.get_variable(self._source, each.scope, each.name) == Variable(self._source, 0, each.name)
        }
        for name in sorted(needed - {self._definition.name}):
            if self._has_same(name):
                continue
            if all(each.kind is BindingKind.IMPORT for each in uses.bindings[name] if each.scope == 0):
                self._added.append(self._copy_import(name))
            else:
                self._added.append(self._import_from(self._target, self._source, name))

    def _check_switches(self) -> None:
        """Refuse if the two files have different compiler switches; a new file gets those of the source."""
        here, there = (self._read_switches(file) for file in (self._source, self._target))
        if not self._code.has_file(self._target):
            self._added += here
        elif here != there:
            raise EditRefusedError(f"{self._target!r} has other compiler switches: {', '.join({*here} ^ {*there})}")

    def _read_switches(self, file: str) -> list[str]:
        """Return the imports of a file that change how the rest of it is read."""
        content, is_switch = self._read_content(file), self._texts.is_switch
        block = read_import_block(content, self._code.facts(self._source).language)
        if block is None or is_switch is None:
            return []
        statements = (decode(content[start:end]) for start, end in block.statements)
        return sorted(each for each in statements if is_switch(each))

    def _has_same(self, name: str) -> bool:
        """Return whether a name has the same target in the other file; refuse if it has another."""
        if not self._code.has_file(self._target):
            return False
        if not any(each.scope == 0 for each in self._code.uses(self._target).bindings.get(name, ())):
            return False
        here, there = (
            self._list_meanings(self._code.resolver.scopes.find_targets(file, 0, name), self._view)
            for file in (self._source, self._target)
        )
        if here != there:
            raise EditRefusedError(f"{name!r} means something else in {self._target!r}")
        return True

    def _copy_import(self, name: str) -> str:
        """Return the import statement for the other file that imports the same name as the source does."""
        found = [each for each in self._code.facts(self._source).imports if each.alias == name and not each.lazy]
        line = self._view.text(self._source).line(found[0].line) if len(found) == 1 else " "
        if line.startswith((" ", "\t")) and not self._is_listed(found[0] if found else None):
            raise EditRefusedError(f"it is not clear how {name!r} is imported")
        return self._rewrite_import(found[0])

    def _is_listed(self, found: Import | None) -> bool:
        """Return whether an import is in a statement at the top level, for example in a list over several lines."""
        block = read_import_block(self._read_content(self._source), self._code.facts(self._source).language)
        if found is None or block is None:
            return False
        at = self._get_byte_offset(self._source, found.line)
        return any(start < at < end for start, end in block.statements)

    def _rewrite_import(self, found: Import) -> str:
        assert self._texts.write is not None
        module = self._code.modules.find(found, self._source)
        is_relative = bool(found.level) or found.module.startswith(".")
        if not is_relative:
            return self._texts.write(found.module, found.name, found.alias)
        if not isinstance(module, Module) or not module.file or found.name in {"", "default", _STAR}:
            raise EditRefusedError(f"it is not clear how {found.alias!r} is imported")
        like = _as_specifier(found)
        return self._note(self._texts.write(self._specify(self._target, module.file, like), found.name, found.alias))

    def _note(self, statement: str) -> str:
        """Return an import of what is in the workspace, and remember it as one."""
        self._inside.add(statement)
        return statement

    def _import_from(self, file: str, module: str, name: str) -> str:
        assert self._texts.write is not None
        symbols = self._code.facts(self._source).symbols
        if self._texts.needs_export and not any(e.name == name and e.parent < 0 and e.exported for e in symbols):
            raise EditRefusedError(f"{name!r} is not exported")
        written = map(_as_specifier, self._code.facts(self._source).imports)
        like = next((each for each in written if each.startswith(".")), "")
        return self._note(self._texts.write(self._specify(file, module, like), name, ""))

    def _specify(self, file: str, module: str, like: str) -> str:
        assert self._texts.specifier is not None
        return self._texts.specifier(file, module, self._code.dotted_name(module), like)

    def _retarget_imports(self, usages: tuple[Usage, ...]) -> None:
        """Change all importers, and the source, to import the definition from the other file."""
        inside = [each for each in usages if each.file == self._source and not self._first <= each.line <= self._last]
        for file in dict.fromkeys(each.file for each in usages if each.file != self._source):
            self._retarget_file(file, [each for each in usages if each.file == file])
        if inside:
            statement = self._import_from(self._source, self._target, self._definition.name)
            self._insert_import(self._source, [statement])

    def _retarget_file(self, file: str, usages: list[Usage]) -> None:
        """Change the imports of one importer; record usages through the name of the module as open places."""
        name, content = self._definition.name, self._read_content(file)
        block = read_import_block(content, self._code.facts(file).language)
        assert self._texts.split is not None
        lines = sorted({each.line for each in usages if each.role is ReferenceKind.IMPORT})
        imports = [each for each in self._code.facts(file).imports if each.name == name and each.line in lines]
        if not lines or not imports:
            self._open += [(file, each.line, "uses it through the name of its module") for each in usages]
            return
        for each in imports:
            at = self._get_byte_offset(file, each.line, each.column)
            spans = [span for span in (block.statements if block else ()) if span[0] <= at < span[1]]
            module = self._specify(file, self._target, _as_specifier(each))
            statement = decode(content[slice(*spans[0])]) if spans else ""
            changed = self._texts.split(statement, name, module) if statement else ""
            if file == self._target and changed:
                changed = changed.rpartition("\n")[0]
            elif not changed:
                self._open.append((file, each.line, "this import cannot be rewritten"))
                continue
            self._replace(file, *spans[0], changed)

    def _copy_imports(self) -> None:
        """Add the imports that the moved text needs, in languages that see definitions without an import."""
        assert self._texts.copy is not None
        source, target = self._code.facts(self._source), self._code.facts(self._target)
        text = self._view.text(self._source)
        used = {as_written(each.name) for each in self._iter_block_references()}
        known = {(each.module, each.name, each.alias) for each in target.imports}
        is_all = self._texts.sharing is Sharing.LINKER
        for each in source.imports:
            if (each.module, each.name, each.alias) not in known and (
                is_all or each.alias in used or each.name == _STAR
            ):
                self._added.append(self._texts.copy(text.line(each.line).strip()))

    def _insert_import(self, file: str, statements: list[str]) -> None:
        """Add the edit that inserts imports below those of a file, or into the last of them if it can hold them."""
        content = self._read_content(file)
        language = self._code.facts(self._source).language
        block = read_import_block(content, language)
        at, last = (block.end, block.statements[-1:]) if block is not None else (0, ())
        held = decode(content[slice(*last[0])]) if last else ""
        joined = self._texts.join(held.strip(), statements) if self._texts.join is not None else ""
        if joined and last:
            self._replace(file, *last[0], joined)
            return
        joined = joined or "\n".join(statements)
        if at and content[at - 1 : at] == b"\n":
            at -= 1
        gap = "\n" if content.strip() and not content.startswith(b"\n") else ""
        before = "\n" if last else "\n\n"
        self._replace(file, at, at, f"{before}{joined}" if at else f"{joined}\n{gap}")

    def _cut_and_paste(self) -> None:
        """Add the edits that remove the definition from its file, and append it with its imports to the other."""
        text = self._view.text(self._source)
        start, end = text.offset_of(self._first, 0), text.offset_of(self._last + 1, 0)
        block = text.content[start:end].rstrip("\n") + "\n"
        gap_end = end
        while text.content[gap_end : gap_end + 1] == "\n":
            gap_end += 1
        blank = text.content[end:gap_end]
        while gap_end == len(text.content) and text.content[:start].endswith("\n\n"):
            start -= 1
        first = len(encode(text.content[:start]))
        removed = len(encode(text.content[start:gap_end]))
        self._edits[self._source].append(TextEdit(first, first + removed, ()))
        content, groups = self._read_content(self._target), self._group_added()
        added = [each for group in groups for each in group]
        if not content.strip():
            head = "\n\n".join(map("\n".join, groups)) + "\n\n\n" if added else ""
            self._replace(self._target, 0, len(content), f"{head}{block}")
            return
        if added:
            self._insert_import(self._target, added)
        gap = "\n" * max(1, min(2, len(blank)))
        ending = "" if content.endswith(b"\n") else "\n"
        self._replace(self._target, len(content), len(content), f"{ending}{gap}{block}")

    def _group_added(self) -> list[list[str]]:
        """Return the imports to add: those that change how a file is read, others, and those of the workspace."""
        added, is_switch = dict.fromkeys(self._added), self._texts.is_switch
        switches = [each for each in added if is_switch is not None and is_switch(each)]
        outside = [each for each in added if each not in switches and each not in self._inside]
        groups = (switches, outside, [each for each in added if each in self._inside])
        return [group for group in groups if group]

    def _check_result(self, texts: Mapping[str, str], usages: tuple[Usage, ...]) -> None:
        """Apply the edits in memory and check that names and usages have the same targets as before."""
        after = self._view.edited(texts)
        outer = (each for each in after.code.iter_definitions(self._target) if each.symbol.parent < 0)
        found = [each for each in outer if each.name == self._definition.name]
        if len(found) != 1 or after.code.facts(self._target).problems:
            raise EditRefusedError(f"the definition cannot be inserted into {self._target!r}")
        broken = check_change(self._code, after.code, notes=Notes.QUICK).findings
        self._note_broken(each for each in broken if each.severity is Severity.ERROR or each.rule is Rule.IMPORT_CYCLE)
        self._compare_usages(after, found[0], usages)
        self._compare_names(after, found[0])

    def _compare_usages(self, after: CodeView, moved: Definition, usages: tuple[Usage, ...]) -> None:
        """Record the files in which fewer usages resolve to the definition than before."""
        then = after.code.usages(moved).usages
        was = Counter(each.file for each in usages if each.role is not ReferenceKind.IMPORT)
        now = Counter(each.file for each in then if each.role is not ReferenceKind.IMPORT)
        inside = sum(self._first <= each.line <= self._last for each in usages if each.file == self._source)
        was[self._source] -= inside
        was[self._target] += inside
        listed = {file for file, _, _ in self._open}
        for file, count in was.items():
            if count > now[file] and file not in listed:
                self._open.append((file, 1, f"{plural(count - now[file], 'usage')} would no longer resolve to it"))

    def _compare_names(self, after: CodeView, moved: Definition) -> None:
        """Record the lines of the moved text on which a name would mean something else."""
        first = moved.symbol.line - (self._definition.symbol.line - self._first)
        meant = self._map_meanings(self._view, self._source, self._first)
        means = self._map_meanings(after, self._target, first)
        for place in sorted(each for each in {*meant, *means} if meant.get(each) != means.get(each)):
            self._open.append((self._source, self._first + place[0], f"{place[2]!r} would mean something else there"))

    def _map_meanings(
        self, view: CodeView, file: str, first: int
    ) -> dict[tuple[int, int, str], frozenset[tuple[str, str]]]:
        """Return the meanings of the names in the moved text, by line within it, column and name."""
        last = first + self._last - self._first
        resolve = view.code.resolver.resolve
        return {
            (each.line - first, each.column, each.name): self._list_meanings(resolve(file, each).targets, view)
            for references in view.code.uses(file).references.values()
            for each in references
            if first <= each.line <= last
        }

    def _list_meanings(self, targets: tuple[Target, ...], view: CodeView) -> frozenset[tuple[str, str]]:
        """Return the file and qualified name of targets, so that two versions can be compared."""
        found = set()
        for each in targets:
            if isinstance(each, External):
                found.add(("", each.name))
            elif isinstance(each, Module):
                found.add((each.file or each.directory or each.name, ""))
            else:
                bindings = view.code.resolver.scopes.bindings(each)
                if bindings and all(one.kind is BindingKind.IMPORT for one in bindings):
                    continue
                definition = view.code.graph.get_definition(each)
                name = each.name if definition is None else definition.symbol.qualname
                is_moved = definition is None or name.split(".")[0] == self._definition.name
                is_own = is_moved and each.file in {self._source, self._target}
                found.add(("moved" if is_own else each.file, name))
        return frozenset(found)


def _as_specifier(found: Import) -> str:
    """Return the module of an import as it is written, with the dots before it."""
    return "." * found.level + found.module
