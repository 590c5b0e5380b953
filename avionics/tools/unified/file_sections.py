"""Answer questions about the purpose of a file, and about imports: of files, of directories, and of packages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from avionics.index.analysis.outside_usages import OutsideModule, group_outside_imports
from avionics.index.analysis.public_api import build_importer_index, find_method_groups
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.model.file_roles import FileRole, is_product, role_and_place, role_of
from avionics.index.modules.declared_dependencies import Dependency, find_dependencies, fold_package
from avionics.index.references.import_graph import TypeChecking, find_cycles, iter_edges
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import FUNCTIONS, Certainty, SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.model.naming import agree, last_part, plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import Section, shorten, take_sections
from avionics.tools.answers.items import NameItem, few, first_sentence
from avionics.tools.internal.files.grep_search import MatchItem, search_lines
from avionics.tools.questions.intents import Question
from avionics.tools.questions.rules.structure_rules import PACKAGE
from avionics.tools.resolution.symbol_resolver import find_top_level
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, build_list, make_section
from avionics.tools.unified.code_excerpts import WHOLE_SHARE, code_section, get_rest, read_excerpts

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.tools.answers.items import CodeItem, ImportItem
    from avionics.tools.composite.map_module import MapModuleAnswer, OfferItem
    from avionics.workspace import Workspace

_MAX_DEFINITIONS, _MAX_OTHERS = 18, 24
_MAX_MEMBERS, _MAX_INNER = 6, 8
_PRIVATE = re.compile(r"_[^\W_]|#")
"""The beginning of the name of a method that is only for its class."""
_FEW = 2
"""A file with at most this many definitions also has its methods listed as definitions."""
_MAX_SHORT = 100
"""The lines of a file whose code is shown as a whole if an answer has room for it."""
_MAX_USERS, _MAX_LISTED, _MAX_HOMES, _MAX_BESIDE = 8, 25, 2, 5
_SIGNATURE, _DOC = 80, 90
_MAX_LINES = 300
_OF_TRANSLATIONS = (".po", ".pot")
"""Files in which comments name the files that texts for people come from."""
_SHOWN = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.MACRO, SymbolKind.TYPE})
_LISTED = frozenset({"indirect", "pinned"})
_PACKAGE = late_pattern(PACKAGE, re.IGNORECASE)


class PackageItem(Struct, frozen=True):
    """A package from outside: where a manifest names it, or its first import, and how many files import it."""

    file: str
    line: int
    name: str
    version: str = ""
    use: str = ""
    files: int = 0
    imported: str = ""
    manifests: int = 1

    def to_text(self) -> str:
        said = " ".join(filter(None, (self.name, self.version, f"({self.use})" if self.use else "")))
        at = f", first at {self.imported}" if self.imported else ""
        taken = f"imported by {plural(self.files, 'file')}{at}" if self.files else "no import has its name"
        also = f"; in {plural(self.manifests, 'manifest')}" if self.manifests > 1 else ""
        return f"{self.file}:{self.line}  {said} — {taken}{also}"


class ContentItem(Struct, frozen=True):
    """A definition of a file: its description, its members, and the number of other files that use it."""

    file: str
    line: int
    symbol: str
    kind: str
    signature: str
    doc: str
    importers: int
    members: tuple[str, ...] = ()

    @classmethod
    def of_offer(cls, offer: OfferItem) -> ContentItem:
        """Return the item of a public symbol."""
        return cls(
            offer.file, offer.line, offer.symbol, offer.kind, offer.signature, offer.doc, offer.importers, offer.members
        )

    @classmethod
    def of(cls, definition: Definition, methods: Iterable[Definition] = ()) -> ContentItem:
        """Return the item of a definition that other packages do not see, with those of some methods that it has."""
        symbol = definition.symbol
        members = tuple(each.name for each in methods if each.symbol.qualname == f"{symbol.qualname}.{each.name}")
        return cls(
            definition.file, symbol.line, symbol.qualname, symbol.kind.value, symbol.signature, symbol.doc, 0, members
        )

    def to_text(self) -> str:
        used = f" [used in {plural(self.importers, 'file')}]" if self.importers else ""
        members = f": {', '.join(few(self.members, _MAX_MEMBERS))}" if self.members else ""
        doc = shorten(first_sentence(self.doc), _DOC)
        own, signature = self.symbol.rpartition(".")[2], shorten(self.signature, _SIGNATURE)
        if own not in self.signature:
            name = f"{self.symbol} = {signature}" if signature else f"{self.kind} {self.symbol}"
        else:
            # The return type may be so long that the name is cut off.
            name = signature if own in signature else f"{self.kind} {self.symbol}"
        return f"{self.file}:{self.line} {name}{members}{doc}{used}"


def answer_file(workspace: Workspace, question: Question, found: MapModuleAnswer) -> AnalyzeAnswer:
    """Return what a file contains and does, who imports it, and its tests."""
    offers = [ContentItem.of_offer(each) for each in found.api]
    listed = {each.line for each in offers}
    others = [each for each in _find_own(workspace.code, question.path) if each.line not in listed]
    methods = _find_methods(workspace.code, question.path)
    if len(offers) + len(others) <= _FEW:
        elsewhere = {each.symbol for each in found.methods}
        others += [each for each in methods if each.symbol.qualname.rpartition(".")[0] not in elsewhere]
        methods = ()
    chosen = offers[:_MAX_DEFINITIONS]
    chosen += [ContentItem.of(each, methods) for each in others[: max(0, _MAX_DEFINITIONS - len(offers))]]
    rest = [each.symbol for each in offers[_MAX_DEFINITIONS:]]
    rest += [each.symbol.qualname for each in others[max(0, _MAX_DEFINITIONS - len(offers)) :]]
    inner = _list_inner(workspace.code, question.path, {each.symbol for each in chosen})
    rest += inner if len(inner) <= _MAX_INNER else ()
    defined = len(offers) + len(others) + sum(len(each.members) for each in found.methods)
    counts = [plural(found.lines, "line"), plural(defined, "definition")]
    users = sum(each.files for each in found.dependents)
    importing = {each.file for each in found.dependents}
    names = [each.symbol for each in chosen]
    asked = names if users <= _FEW else []
    naming = _rank_mentioning(workspace.code, question.path, asked, importing)
    homes = () if users or naming else _find_homes(workspace.code, question.path, found)
    if homes:
        importing = {each.file for home in homes for each in workspace.code.importers(home) if is_product(each.file)}
        importing -= {question.path}
        importers = agree(len(importing), "file", "imports", "import")
        counts.append(f"declared in {', '.join(few(homes, _MAX_HOMES))}, which {importers}")
    elif users or not naming:
        counts.append(f"imported by {plural(users, 'file')}" if users else "no product file imports it")
    more = f"\nfurther definitions: {', '.join(few(rest, _MAX_OTHERS))}" if rest else ""
    tests = _list_tests(workspace.code, question.path, found, names)
    coverage = found.coverage
    if naming:
        # Files that only mention a name are found by its words, and need not use it.
        shown = len(chosen) + users + min(len(naming), _MAX_USERS) + sum(len(each.items) for each in tests)
        left_out = len(naming) - min(len(naming), _MAX_USERS) + len(rest)
        coverage = structs.replace(coverage, found=shown + left_out, shown=shown, certainty=Certainty.AT_LEAST)
    return build_answer(
        question,
        f"{question.path}: {', '.join(counts)}{more}",
        coverage,
        () if _is_notice(found) else take_sections(found, "purpose"),
        take_sections(found, "methods"),
        make_section("api", "definitions, most used first", chosen, 5.0, counts=True),
        take_sections(found, "dependents"),
        _mention_section(naming),
        tests,
        (structs.replace(each, items=each.items[:_MAX_BESIDE]) for each in take_sections(found, "dependencies")),
        take_sections(found, "entry_points"),
        code_section(_read_short(workspace, question.path, found.lines)),
    )


def _list_tests(code: CodeIndex, path: str, found: MapModuleAnswer, names: Iterable[str]) -> tuple[Section, ...]:
    """Return the first tests that import a file; if none does, those that mention its names without an import."""
    if found.tests:
        (importing,) = take_sections(found, "tests")
        return (structs.replace(importing, items=importing.items[:_MAX_BESIDE]).show(title="tests that import it"),)
    return (_mention_section(_rank_mentioning(code, path, names, (), of_tests=True)[:_MAX_BESIDE], "tests"),)


def _read_short(workspace: Workspace, path: str, lines: int) -> tuple[CodeItem, ...]:
    """Return the code of a file that is short enough to be shown as a whole; nothing for a longer one."""
    span = path, 1, lines
    code = read_excerpts(workspace.source, [span], WHOLE_SHARE) if lines <= _MAX_SHORT else ()
    return code if code and get_rest(span, code) is None else ()


def _find_homes(code: CodeIndex, path: str, found: MapModuleAnswer) -> tuple[str, ...]:
    """Return the files that declare the types for which a file defines methods, else its functions: its header."""
    return _find_declaring(code, path, [group.symbol for group in found.methods])


def _find_declaring(code: CodeIndex, path: str, types: Iterable[str]) -> tuple[str, ...]:
    """Return the other files that declare some types for which a file defines methods, else its functions."""
    declared = (each for name in types for each in code.find_definitions(name))
    files = (each.file for each in declared if is_class(each.kind) and each.file != path)
    return tuple(dict.fromkeys(files)) or _find_headers(code, path)


def _find_headers(code: CodeIndex, path: str) -> tuple[str, ...]:
    """Return the files with prototypes of the functions of a file of C or C++."""
    if not code.resolver.scopes.spec(path).linkage:
        return ()
    names = dict.fromkeys(each.name for each in code.facts(path).symbols if each.kind in FUNCTIONS)
    homes = dict.fromkeys(home for name in list(names)[:_MAX_OTHERS] for home in code.modules.counterparts(path, name))
    return tuple(
        home for home in homes if any(each.is_announced and each.name in names for each in code.facts(home).symbols)
    )


def _find_methods(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the methods of the classes of a file, documented ones first."""
    methods = []
    for each in code.iter_definitions(path):
        holder = code.get_parent(each)
        is_method = "." in each.symbol.qualname and (holder is None or is_class(holder.kind))
        if is_method and each.kind in {SymbolKind.METHOD, SymbolKind.FUNCTION} and not each.name.startswith("_"):
            methods.append(each)
    return tuple(sorted(methods, key=lambda each: (not each.symbol.doc, each.line)))


def _list_inner(code: CodeIndex, path: str, listed: Collection[str]) -> list[str]:
    """Return the qualified names of the classes within those of a file, and of its methods that begin with `_`."""
    symbols = code.facts(path).symbols
    return [
        each.qualname
        for each in symbols
        if each.parent >= 0 and is_class(symbols[each.parent].kind) and each.qualname not in listed
        if is_class(each.kind) or (each.kind is SymbolKind.METHOD and _PRIVATE.match(each.name))
    ]


def _rank_mentioning(
    code: CodeIndex, path: str, names: Iterable[str], importing: Collection[str], *, of_tests: bool = False
) -> list[tuple[str, list[str]]]:
    """Return the product files, or those of tests, that use names of a file without an import of it, with the names."""
    facts = code.facts(path)
    exported = {
        symbol.name: symbol.exported
        for symbol in facts.symbols
        if all(around.kind is SymbolKind.MODULE for around in facts.iter_around(symbol))
    }
    users = code.keep(build_importer_index)
    found: dict[str, list[str]] = {}
    has_prototypes = code.resolver.scopes.spec(path).linkage
    for name in dict.fromkeys(last for each in names if (last := last_part(each)) in exported):
        # A function of C is seen by the files that include its prototype. Elsewhere, other files of a package that
        # declare the name, as a field, may also use it.
        homes = (path, *(code.modules.counterparts(path, name) if has_prototypes else ()))
        using = frozenset[str]().union(*(users.find(home, name, exported=exported[name]) for home in homes))
        for file in using.difference(homes, importing):
            role = role_of(file)
            if (role is FileRole.TEST if of_tests else role < FileRole.TEST) and _has_reference(code, file, name):
                found.setdefault(file, []).append(name)
    return sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))


def _has_reference(code: CodeIndex, file: str, name: str) -> bool:
    """Return whether a file refers to a name; `package main` of Go has the word alone. Not known of unparsed code."""
    references = code.uses(file).references
    return not references or any(each in references for each in code.spec(file).list_bound(name))


def _mention_section(ranked: list[tuple[str, list[str]]], what: str = "files") -> Section:
    """Return the first files, or tests, that mention names of a file."""
    items = [NameItem(f"{file}: {', '.join(few(names, _MAX_MEMBERS))}") for file, names in ranked[:_MAX_USERS]]
    first = f", the first of {len(ranked)}" if len(ranked) > _MAX_USERS else ""
    return make_section("users" if what == "files" else what, f"{what} that mention its names{first}", items, 1.5)


def _is_notice(found: MapModuleAnswer) -> bool:
    """Return whether the first comment of a file is a version mark or a licence rather than a description."""
    return any(each.text.startswith("$") or "icense" in each.text or "opyright" in each.text for each in found.purpose)


def _find_own(code: CodeIndex, path: str) -> tuple[Definition, ...]:
    """Return the top-level functions and classes of a file, without tests written beside the code."""
    is_test_file = role_of(path) is FileRole.TEST
    return tuple(
        each
        for each in find_top_level(code, path)
        if (is_class(each.kind) or each.kind in _SHOWN) and (is_test_file or not is_for_tests(code, each))
    )


def answer_dependents(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the imports that resolve to a directory, a file or a module of a library, product code first."""
    from avionics.tools.internal.imports import get_importers as importers

    code, path = workspace.code, question.path
    if path in code.files:
        found = importers.get_importers(workspace, path)
    elif importers.has_code(code, path):
        found = importers.describe_directory_importers(code, path)
    else:
        found = importers.describe_importers(path, code.outside_importers(path))
    if question.scope:
        found = importers.narrow_importers(found, question.scope)
    # Files of the same package need no import.
    importing = {each.file for each in found.importers}
    is_small = path in code.files and len(importing) <= _MAX_USERS
    names = [each.name for each in find_top_level(code, path)[:_MAX_DEFINITIONS]] if is_small else []
    naming = _rank_mentioning(code, path, names, importing)
    naming = [each for each in naming if is_within(each[0], question.scope)]
    more = f"; {agree(len(naming), 'more file', 'mentions', 'mention')} its names" if naming else ""
    header, declared = _list_header_importers(workspace, path) if is_small and not importing else ("", ())
    more += f"; {header} declares its code" if declared else ""
    is_file = path in code.snapshot.entries and not (importing or naming or declared)
    lines = _find_naming_lines(workspace, path, question.scope) if is_file else ()
    files = len({each.file for each in lines})
    more += f"; {agree(files, 'file', 'names', 'name')} it" if files else ""
    count = len(lines)
    return build_answer(
        question,
        found.headline() + more,
        Coverage(count, count, Certainty.AT_LEAST) if lines else found.coverage,
        _rename_sections(found, importers="imported by"),
        make_section("lines", "lines that name it", lines, 4.0, counts=True),
        make_section("header_importers", f"imports of {header}", declared, 3.0, counts=True),
        _mention_section(naming),
    )


def _find_naming_lines(workspace: Workspace, path: str, scope: str | None) -> tuple[MatchItem, ...]:
    """Return the lines of other files with the end of a file's path, as an include of a template or a command has it.

    These have the name with the directory around it, or else the name alone, or else a string with both but no suffix,
    as views have it: `render "comments/comment"` for `comments/_comment.html.erb`.
    """
    name = path.rpartition("/")[2]
    within = "/".join(path.split("/")[-2:])
    view = f"{within.removesuffix(name)}{name.partition('.')[0].lstrip('_')}"
    bare, quoted = r"(?<![\w-]){}(?![\w-])", r"[\"'`]{}[\"'`]"
    for ending, form in ((within, bare), (name, bare), *([(view, quoted)] if "/" in view else ())):
        plain = re.escape(ending)
        whole = re.compile(form.format(plain))
        found = search_lines(workspace.source, workspace.code, plain, scope or ".", limit=_MAX_LINES).matches
        others = (each for each in found if each.file != path and not each.file.endswith(_OF_TRANSLATIONS))
        lines = sorted((each for each in others if whole.search(each.text)), key=role_and_place)
        if lines:
            return tuple(lines)
    return ()


def _list_header_importers(workspace: Workspace, path: str) -> tuple[str, tuple[ImportItem, ...]]:
    """Return the file that declares what a file defines, and the imports of it; "" and none if there is no such file.

    Nobody includes a source file of C or C++, but its header.
    """
    from avionics.tools.internal.imports.get_importers import get_importers

    types = [group.holder for group in find_method_groups(workspace.code, path)]
    if not workspace.code.resolver.scopes.spec(path).linkage:
        return "", ()
    header = next(iter(_find_declaring(workspace.code, path, types)), "")
    found = get_importers(workspace, header).importers if header else ()
    return header, tuple(each for each in found if each.file != path)


def answer_imports(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the imports of a file, or of the files of a directory."""
    from avionics.tools.internal.imports.get_imports import get_imports

    found = get_imports(workspace, question.path)
    titles = {"imports": "imports from the workspace", "external": "imports from outside"}
    return build_answer(question, found.headline(), found.coverage, _rename_sections(found, **titles))


def _rename_sections(found: Any, **titles: str) -> tuple[Section, ...]:
    """Return sections of an answer under other titles."""
    return tuple(each.show(title=titles[each.name], counts=True) for each in take_sections(found, *titles))


def answer_packages(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the packages that manifests name and imports take from outside: all, or the one that a question names."""
    code = workspace.code
    asked = _PACKAGE.match(question.text)
    name = next((each.strip("`'\"") for each in asked.groups() if each), "") if asked else ""
    place = question.place or ""
    imported = group_outside_imports(code, place or None)
    grouped = group_pairs(((each.manager, each.name), each) for each in find_dependencies(code.paths, code.read_text))
    items: list[PackageItem] = []
    used: set[OutsideModule] = set()
    for same in grouped.values():
        under = [each for each in imported if same[0].provides(each.system, each.package, each.module)]
        used.update(under)
        here = [each for each in same if not place or is_within(each.file, place)]
        places = [found for each in under for found in imported[each]]
        if places or here:
            items.append(_describe_package(here or same, places))
    others = _list_undeclared(imported, used)
    if name:
        return _answer_package(question, name, items, others)
    items.sort(key=lambda each: (each.use in _LISTED, each.use != "", -each.files, each.name.lower()))
    kinds = Counter(each.use for each in items if each.use)
    told = f" ({', '.join(f'{count} {use}' for use, count in kinds.most_common())})" if kinds else ""
    summary = f"{plural(len(items), 'package')} declared in manifests{told}" if items else "no manifest declares any"
    summary += f"; imports take {plural(len(others), 'other name')} from outside" if others else ""
    count = len(items) + len(others)
    return build_answer(
        question,
        f"{place}: {summary}" if place else summary,
        Coverage(count, count, Certainty.AT_LEAST, settled=True),
        make_section("packages", "declared", items, 5.0, counts=True),
        make_section("external", "imported under a name that no manifest declares", others, 2.0, counts=True),
    )


def _list_undeclared(
    imported: Mapping[OutsideModule, tuple[tuple[str, int], ...]], used: Collection[OutsideModule]
) -> list[PackageItem]:
    """Return the packages that are imported but that no manifest names, those of product code first."""
    named: dict[str, list[tuple[str, int]]] = {}
    for each, at in imported.items():
        if each not in used:
            named.setdefault(each.package, []).extend(at)
    items = []
    for package, places in named.items():
        file, line = min(places, key=lambda each: (role_of(each[0]), each))
        items.append(PackageItem(file, line, package, files=len({file for file, _ in places})))
    return sorted(items, key=lambda each: (role_of(each.file), -each.files, each.name))


def _describe_package(same: Sequence[Dependency], places: Sequence[tuple[str, int]]) -> PackageItem:
    """Return the item of a package that one manifest or several name."""
    best = min(same, key=lambda each: each.use != "")
    first = min(places, key=lambda each: (role_of(each[0]), each), default=None)
    at = f"{first[0]}:{first[1]}" if first else ""
    count, manifests = len({file for file, _ in places}), len({each.file for each in same})
    return PackageItem(best.file, best.line, best.name, best.version, best.use, count, at, manifests)


def _answer_package(
    question: Question, name: str, items: Sequence[PackageItem], others: Sequence[PackageItem]
) -> AnalyzeAnswer:
    """Return whether manifests name a package, and what imports it."""
    wanted = fold_package(name)

    def is_meant(each: PackageItem) -> bool:
        folded = fold_package(each.name)
        return folded == wanted or re.split(r"[/:]", folded)[-1] == wanted

    found, imported = [each for each in items if is_meant(each)], [each for each in others if is_meant(each)]
    if found:
        first = found[0]
        is_listed = first.use in _LISTED
        said = " ".join(filter(None, (first.version, f"for {first.use} use" if first.use and not is_listed else "")))
        what = "listed among what the dependencies need" if is_listed else "a dependency"
        uses = f"imported by {plural(first.files, 'file')}" if first.files else "no import has its name"
        summary = f"{first.name} is {what} ({first.file}:{first.line}{f', {said}' if said else ''}); {uses}"
    elif imported:
        summary = f"no manifest that is read declares {name}, but it is imported by {plural(imported[0].files, 'file')}"
    else:
        summary = f"no manifest that is read declares {name}, and no import has its name"
    count = len(found) + len(imported)
    return build_answer(
        question,
        summary,
        Coverage(count, count, Certainty.AT_LEAST, settled=True),
        make_section("packages", "declared", found, 3.0, counts=True),
        make_section("external", "imported", imported, counts=True),
    )


class FileCountItem(Struct, frozen=True):
    """A file, and how many of something it has."""

    file: str
    count: int
    what: str
    more: str = ""

    def to_text(self) -> str:
        return f"{self.file}:1  {plural(self.count, self.what)}{self.more}"


def answer_most_imported(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the files that most other product files import."""
    ranked = [(file, count) for file, count in rank_imported(workspace.code) if is_within(file, question.place)]
    items = [FileCountItem(file, count, "importing file") for file, count in ranked[:_MAX_LISTED]]
    first = f"{items[0].file}, imported by {plural(items[0].count, 'product file')}" if items else "none"
    imported = agree(len(ranked), "file", "of the workspace is imported", "of the workspace are imported")
    summary = f"{imported} by others; most is {first}"
    return build_list(question, summary, "most importers first", items, found=len(ranked))


def rank_imported(code: CodeIndex) -> list[tuple[str, int]]:
    """Return the files that other product files import, each with the number of these files, most imported first."""
    importers: dict[str, set[str]] = {}
    for edge in iter_edges(code.source, code.graph.edges):
        if edge.target and edge.target != edge.file and role_of(edge.file) is FileRole.PRODUCT:
            importers.setdefault(edge.target, set()).add(edge.file)
    counts = [(file, len(files)) for file, files in importers.items()]
    return sorted(counts, key=lambda each: (-each[1], each[0]))


def answer_cycles(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the groups of product files that import one another when they are loaded, with one way around."""
    from avionics.index.model.graphs import find_components
    from avionics.tools.composite.map_module import CycleItem

    code, place = workspace.code, question.place
    files = [file for file in code.files if role_of(file) is FileRole.PRODUCT and is_within(file, place)]
    edges = [each for each in iter_edges(code.source, code.graph.edges) if each.target and not each.is_lazy]
    graph = group_pairs((each.file, each.target) for each in edges)
    inside = [file for group in find_components(files, graph) if len(group) > 1 for file in group]
    cycles = find_cycles(inside, edges, lambda file: file, TypeChecking(code.source, code.read_text))
    items = tuple(map(CycleItem.of, cycles))
    among = f"among {plural(len(files), 'product file')}"
    summary = f"no files import one another when they are loaded, {among}"
    if items:
        summary = f"{plural(len(items), 'import cycle')} {among}"
    return build_list(question, summary, "import cycles, largest first", items, key="cycles")


def answer_hotspots(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the files that most commits changed, those of the last commits that are read."""
    place = question.place or ""
    limit = workspace.settings.max_history_commits
    commits = workspace.history.find_commits(place if place != "." else "", limit=limit, counts=True)
    changes, authors = Counter[str](), dict[str, set[str]]()
    for commit in commits:
        for touch in commit.files:
            if workspace.code.has_file(touch.path) and is_within(touch.path, place or None):
                changes[touch.path] += 1
                authors.setdefault(touch.path, set()).add(commit.email)
    items = [
        FileCountItem(file, count, "commit", f" by {plural(len(authors[file]), 'author')}")
        for file, count in changes.most_common(_MAX_LISTED)
    ]
    first = f"{items[0].file}, in {plural(items[0].count, 'commit')}," if items else "none"
    certainty = Certainty.AT_LEAST if len(commits) == limit else Certainty.EXACT
    read = agree(len(commits), "commit", "was", "were")
    summary = f"of {plural(len(changes), 'code file')}, {first} changed most often; {read} read"
    return build_list(question, summary, "most commits first", items, certainty, found=len(changes))
