"""Account for every mention of a name: each belongs to exactly one class, and the classes add up to a word search."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.index.facts.fact_source import FactSource
from avionics.index.facts.text_scan import find_places
from avionics.index.model.cached_method import cached_method
from avionics.index.references.macro_mentions import iter_in_code
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import FUNCTIONS, ReferenceKind, SymbolKind, is_class
from avionics.model.facts import Expression, Reference, line_and_column, line_of
from avionics.model.knowledge import Definition, Ledger, UnresolvedUse, Usage
from avionics.model.mappings import group_pairs, group_sets
from avionics.model.naming import as_written, fold_name
from avionics.model.reasons import Reason, ReasonKind
from avionics.source.paths import SkipReason
from avionics.syntax.engine.unread import Place, iter_recorded
from avionics.syntax.registry import conventions_of, get_language, is_prose, is_template, may_be_template_member

_CONFIGURATION = late_pattern(r"(?<!\bchanges)\.(cfg|conf|ini|json|plist|properties|service|toml|xml|ya?ml)\Z")
"""The names of configuration files, except Maven's log of changes, `changes.xml`."""
_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
MAX_DOCUMENTS = 1000
_MAX_TEXT_BYTES = 200_000
"""The maximum size of configuration that is searched; a larger file is data."""

_MAX_SCANNED = 200
"""The maximum number of files read for one answer to count names in comments and strings."""

_NAMED = 3
"""The number of files that a reason names; all are counted."""
_IN_TEXT = frozenset({ReasonKind.STRING_LITERAL, ReasonKind.MAPPING_KEY, ReasonKind.MACRO_TEXT})
_IN_DOCUMENTS = frozenset(
    {ReasonKind.CONFIGURATION_REFERENCE, ReasonKind.TEMPLATE_REFERENCE, ReasonKind.UNREAD_LANGUAGE}
)
_AFTER_COMMENT = late_pattern(r"[^\n]*//|[ \t]*(?:/\*|\*[ \t]|--|;|#(?![ \t]*(?:include|define|if|elif|pragma)))")
"""The beginning of a line whose rest is a comment, in the languages that code is embedded or included in."""


_TAG = late_pattern(
    r"\{\{(?:[\s\S]{0,4000}?\}\}|[^\n]*)|\{[%#](?:[\s\S]{0,4000}?[%#]\}|[^\n]*)|<%(?:[\s\S]{0,4000}?%>|[^\n]*)|\$\{[^\n]*"
)
"""A tag or an expression of a template; an unclosed one ends with its line."""


def list_documents(name: str, source: FactSource) -> list[str]:
    """Return the configuration and the templates that mention a name, and whose language is not read."""
    entries = source.snapshot.entries
    return [
        file
        for file in sorted(source.count_word(name))
        if not entries[file].language
        and (_CONFIGURATION.search(file) or is_template(file))
        and entries[file].size <= _MAX_TEXT_BYTES
    ]


def _iter_places(text: str, name: str) -> Iterator[int]:
    """Yield the positions of a name in a text, also within other words."""
    position = text.find(name)
    while position >= 0:
        yield position
        position = text.find(name, position + 1)


def iter_document_references(of: Definition, source: FactSource) -> Iterator[UnresolvedUse]:
    """Yield the places in configuration and templates that may refer to a definition.

    In configuration the name follows a qualifier (`package.module:main`, `Outer$Inner`); in a template it is within a
    tag or an expression (`{{ user.name }}`).
    """
    word = re.escape(of.name)
    in_configuration, in_template = re.compile(rf"\w[.:#$]({word})\b"), re.compile(rf"\b{word}\b")
    qualifier_length = len("a.")
    around = next(source.facts(of.file).iter_around(of.symbol), None)
    is_method = of.kind in FUNCTIONS and around is not None and is_class(around.kind)
    for file in list_documents(of.name, source)[:MAX_DOCUMENTS]:
        text = source.read_text(file)
        if _CONFIGURATION.search(file):
            reason = Reason(ReasonKind.CONFIGURATION_REFERENCE)
            places = (place - qualifier_length for place in _iter_places(text, of.name) if place >= qualifier_length)
            qualified = filter(None, (in_configuration.match(text, place) for place in places))
            starts = [each.start(1) for each in qualified if _may_qualify(_line_before(each, text), of, source)]
        else:
            reason = Reason(ReasonKind.TEMPLATE_REFERENCE)
            tags = [each.span() for each in _TAG.finditer(text)]
            named = (each for tag in tags for each in in_template.finditer(text, *tag))
            starts = [each.start() for each in named if not is_method or _may_be_method(each, text, file, of)]
        yield from (UnresolvedUse(file, *line_and_column(text, start), reason) for start in starts)


def _line_before(found: re.Match[str], text: str) -> str:
    """Return the text of a line up to and with the first character of a match."""
    return text[text.rfind("\n", 0, found.start()) + 1 : found.start() + 1]


def _may_be_method(found: re.Match[str], text: str, file: str, of: Definition) -> bool:
    """Return whether a template's language can call methods where a name is found."""
    return may_be_template_member(file, text[max(0, found.start() - _MAX_BEFORE) : found.start()], of.file)


def _may_qualify(before: str, of: Definition, source: FactSource) -> bool:
    """Return whether the qualifier before a name, at the end of `before`, may be that of a definition.

    A definition may be qualified by its file, its directories, and the definitions around it. A member may also be
    qualified by a class of any file, and by an expression of unknown class (`#{service.find}`). A definition within a
    function has no qualified name.
    """
    if _NO_CODE.search(before[-_MAX_BEFORE:]):
        return False
    holder = before[len(before.rstrip(_WORD)) :]
    folded, kinds = fold_name(holder), {each.kind for each in source.facts(of.file).iter_around(of.symbol)}
    if kinds & {SymbolKind.FUNCTION, SymbolKind.METHOD}:
        return False
    around = {fold_name(part.partition(".")[0]) for part in of.file.split("/")}
    around.update(map(fold_name, of.symbol.qualname.split(".")[:-1]))
    if folded in around or not holder or "#{" in before:
        return True
    if not any(map(is_class, kinds)):
        return of.file in source.files_with_word(holder)
    defining = (source.facts(file).symbols for file in source.files_defining(folded))
    return any(fold_name(each.name) == folded and is_class(each.kind) for found in defining for each in found)


_MAX_BEFORE = 200
"""The number of characters before a name that are read."""
_NO_CODE = late_pattern(r"(?:\w@|\bhttps?://)[\w.\-]*\Z|\$\{\{[^{}]*\Z")
"""The text before a dotted name that is no code: in an e-mail or web address, or in `${{ … }}` of a CI service."""
_NAMING_STRINGS = ("asm", "__asm", "__asm__", "alias", "__alias__", "ifunc", "weakref")
SYMBOL_LOADERS = ("dlsym", "dlvsym", "dlfunc", "GetProcAddress", "lt_dlsym", "g_module_symbol", "uv_dlsym")
"""Functions of C that look up other functions by a string with their name."""
_NAMING = late_pattern(
    rf"\b(?:{'|'.join(_NAMING_STRINGS)})\b(?:\s{{1,20}}(?:__)?(?:volatile|goto|inline)(?:__)?)*\s{{0,20}}\("
)
_STRING_OR_BRACKET = late_pattern(r'"(?>(?:[^"\\\n]++|\\.)*)"|[()]')


_NO_CODE_FILE = late_pattern(r"\.(?:diff|lock|map|orig|patch|rej|snap)\Z")
"""Files that quote code which does not run."""
_MARKDOWN = late_pattern(r"\.(?:mdx|svx)\Z")
_QUOTED = late_pattern(r"^[ \t]*+(```++|~~~++)[\s\S]*?^[ \t]*+\1|`[^`\n]+`", re.MULTILINE)
_EMBEDDED = late_pattern(r"^(?:import|export)\b(?:[^\n]+\n)+|\{[^{}]*\}|</?[A-Za-z][^<>]*>", re.MULTILINE)
"""The code in Markdown dialects that contain code: statements, expressions in braces, elements."""


class UnreadCode:
    """Finds mentions in code that is not parsed: other languages, and files that C includes as text."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes
        self._naming: frozenset[str] | None = None
        self._loading: frozenset[str] = frozenset()

    def iter_uses(self, definition: Definition, *, is_linked: bool) -> Iterator[UnresolvedUse]:
        """Yield the places in code that is not parsed which may use a definition.

        With `is_linked`, a linker knows its name, or a preprocessor that also reads assembler.
        """
        files = conventions_of(definition.file).files
        has_linkage = self._scopes.spec(definition.file).linkage
        is_inner = definition.symbol.parent >= 0
        for file in sorted(self._source.count_word(definition.name)):
            if self._source.has_file(file) and self._scopes.spec(file).has_uses:
                if is_linked and has_linkage and not self._scopes.spec(file).linkage:
                    yield from self._iter_native(definition.name, file)
            elif files.views.search(file):
                yield from self._iter_in_view(definition, file)
            elif (
                files.unread_code.search(file)
                or self._imports(definition.file, file)
                or (files.linked_code.search(file) and (is_linked if has_linkage else not is_inner))
                or (has_linkage and self.list_including(file))
            ):
                is_like_c = has_linkage and files.linked_code.search(file) is None
                yield from self._iter_mentions(definition.name, file, is_like_c=is_like_c)
            elif has_linkage and is_linked and not is_prose(file):
                yield from self._iter_options(definition.name, file)
        if has_linkage and not is_inner and definition.kind is not SymbolKind.MACRO:
            yield from self._iter_strings(definition.name, is_linked=is_linked)

    def iter_too_large(self, definition: Definition, names: Collection[str]) -> Iterator[Reason]:
        """Yield a reason that counts files too large to parse that mention, or may mention, a name of a definition."""
        files, symbol = conventions_of(definition.file).files, definition.symbol
        has_linkage = self._scopes.spec(definition.file).linkage
        is_private = has_linkage and not symbol.exported and definition.file.endswith(files.private_suffixes or "/")
        modules = self._scopes.modules
        system = modules.get_system_name(definition.file)
        large = [
            path
            for path in (each.path for each in self._source.snapshot.skipped if each.reason is SkipReason.TOO_LARGE)
            if (has_linkage and self.list_including(path))
            or (not is_private and (files.unread_code.search(path) or files.linked_code.search(path)))
            or (not is_private and get_language(path) and (has_linkage or modules.get_system_name(path) == system))
        ]
        naming = self._source.search_skipped(large, names)
        if naming:
            yield Reason(ReasonKind.FILES_TOO_LARGE, len(naming), subject=", ".join(naming[:_NAMED]))

    def _iter_strings(self, name: str, *, is_linked: bool) -> Iterator[UnresolvedUse]:
        """Yield the strings of C that name a function or variable: `asm("…")`, `alias("…")`, `dlsym(lib, "…")`."""
        files = [file for file in self._source.files_with_word(name) if self._scopes.spec(file).linkage]
        if self._naming is None:
            self._naming = frozenset(file for word in _NAMING_STRINGS for file in self._source.files_with_word(word))
            self._loading = frozenset(file for word in SYMBOL_LOADERS for file in self._source.files_with_word(word))
        is_loaded = is_linked and bool(self._loading)
        quoted = re.compile(rf'"{re.escape(name)}"')
        passed = re.compile(rf'\b(\w++)\s?\((?:[^()"\n]{{1,80}},)?\s*"{re.escape(name)}"')
        defined = re.compile(rf'^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+"{re.escape(name)}"', re.MULTILINE)
        for file in files if is_loaded else filter(self._naming.__contains__, files):
            text, places = self._source.read_text(file), set[int]()
            # Looking for the name first takes a tenth of the time that the patterns need.
            if file in self._naming and _is_beside_quote(text, name):
                places.update(_iter_naming(text, re.compile(rf"\b{re.escape(name)}\b")))
            if is_loaded and f'"{name}"' in text:
                pattern = quoted if file in self._loading else defined
                places.update(found.end() for found in pattern.finditer(text))
                places.update(found.end() for found in passed.finditer(text) if self._is_of_loader(found[1]))
            for line in sorted({line_of(text, place) for place in places}):
                yield UnresolvedUse(file, line, 0, Reason(ReasonKind.STRING_LITERAL))

    def _is_of_loader(self, name: str) -> bool:
        """Return whether a function with a name looks up functions by strings."""
        bodies = (each for each in self._source.iter_named(name) if each.file in self._loading)
        return any(word in self._source.read_definition(each) for each in bodies for word in SYMBOL_LOADERS)

    def _iter_options(self, name: str, file: str) -> Iterator[UnresolvedUse]:
        """Yield the lines where a build file passes a name to the linker or defines a macro with it."""
        option = re.compile(rf"(?:-D\s?\w+=['\"\\]*|-Wl,\S*[=,]|--(?:wrap|defsym|entry)[= ]\S*){re.escape(name)}\b")
        for number, line in enumerate(self._source.read_lines(file), 1):
            found = option.search(line)
            if found is not None:
                yield UnresolvedUse(file, number, found.end() - len(name), Reason(ReasonKind.UNREAD_LANGUAGE))

    def _iter_mentions(self, name: str, file: str, *, is_like_c: bool) -> Iterator[UnresolvedUse]:
        """Yield the occurrences of a name outside comments, and outside strings like those of C."""
        text = self._source.read_text(file)
        if _MARKDOWN.search(file):
            text = _keep_code(text)
        lines = text.split("\n")
        word = re.compile(rf"\b{re.escape(name)}\b")
        every = ((number, found.start()) for number, line in enumerate(lines, 1) for found in word.finditer(line))
        for number, column in iter_in_code(name, text) if is_like_c else every:
            if not _AFTER_COMMENT.match(lines[number - 1], 0, column):
                yield UnresolvedUse(file, number, column, Reason(ReasonKind.UNREAD_LANGUAGE))

    def _iter_in_view(self, definition: Definition, file: str) -> Iterator[UnresolvedUse]:
        """Yield the mentions in the description of a user interface; in XML only those in tags and attributes."""
        viewed, name = conventions_of(definition.file).files.viewed, re.escape(definition.name)
        is_type = is_class(definition.kind) or definition.kind is SymbolKind.TYPE
        if not (is_type or self._has(viewed, definition.file)):
            return
        is_tagged = self._source.read_text(file).lstrip().startswith("<")
        in_tags = rf"(?<=<){name}(?=[\s/>])|(?<=[\"'#.:]){name}(?=[\"'(])|(?<=>){name}(?=[<(])"
        found = re.compile(in_tags if is_tagged else rf"\b{name}\b")
        for number, line in enumerate(self._source.read_lines(file), 1):
            for each in found.finditer(line):
                if is_tagged or not _AFTER_COMMENT.match(line, 0, each.start()):
                    yield UnresolvedUse(file, number, each.start(), Reason(ReasonKind.UNREAD_LANGUAGE))

    def _imports(self, home: str, file: str) -> bool:
        """Return whether a file in no known language imports something in the way of the language of another file."""
        importing = conventions_of(home).files.importing
        if importing is NEVER or get_language(file) or is_prose(file) or _NO_CODE_FILE.search(file):
            return False
        return self._has(importing, file)

    @cached_method
    def _has(self, pattern: re.Pattern[str], file: str) -> bool:
        return pattern.search(self._source.read_text(file)) is not None

    def _iter_native(self, name: str, file: str) -> Iterator[UnresolvedUse]:
        """Yield the places of a C function's name in a file of another language that calls C functions."""
        if self._calls_native(file):
            for line, column in dict.fromkeys(iter_recorded(name, self._source.facts(file), self._source.uses(file))):
                yield UnresolvedUse(file, line, column, Reason(ReasonKind.FOREIGN_CODE))

    @cached_method
    def _calls_native(self, file: str) -> bool:
        """Return whether a file in another language calls C functions."""
        return conventions_of(file).implicit.native_calls.search(self._source.read_text(file)) is not None

    @cached_method
    def list_including(self, file: str) -> tuple[str, ...]:
        """Return the files of C that include the text of a file by its name."""
        name = file.rpartition("/")[2]
        words = sorted(re.findall(r"[A-Za-z_]\w*", name), key=len, reverse=True) if "." in name else []
        pattern = re.compile(rf"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">\n]*/)?{re.escape(name)}[\">]", re.MULTILINE)
        candidates = self._source.files_with_word(words[0]) if words else ()
        for word in words[1:]:
            having = frozenset(self._source.files_with_word(word))
            candidates = tuple(each for each in candidates if each in having)
        linking = (each for each in candidates if self._scopes.spec(each).linkage)
        texts = ((each, self._source.read_text(each)) for each in linking)
        return tuple(each for each, text in texts if name in text and pattern.search(text))


def _keep_code(text: str) -> str:
    """Return the text of MDX with prose and quoted code replaced by blanks, so that only code that runs is left."""
    shown = _QUOTED.sub(lambda found: _blank(found[0]), text)
    kept, end = [], 0
    for found in _EMBEDDED.finditer(shown):
        kept += [_blank(shown[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*kept, _blank(shown[end:])])


def _blank(text: str) -> str:
    """Return a text with everything but line breaks replaced by blanks."""
    return re.sub(r"[^\n]", " ", text)


def list_text_lines(possible: Iterable[UnresolvedUse]) -> list[tuple[str, int]]:
    """Return the files and lines of the possible usages in strings, keys and macro texts, which have no column."""
    return [(each.file, each.line) for each in possible if each.reason.kind in _IN_TEXT]


def _is_beside_quote(text: str, name: str) -> bool:
    """Return whether a line of a text has both a name and a quotation mark; strings of C end with their line."""
    for place in _iter_places(text, name):
        start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
        if '"' in text[start : end if end >= 0 else len(text)]:
            return True
    return False


def _iter_naming(text: str, word: re.Pattern[str]) -> Iterator[int]:
    """Yield the positions of a word in strings that assembler or an attribute interprets as a symbol name."""
    for start in _NAMING.finditer(text):
        depth = 1
        for found in _STRING_OR_BRACKET.finditer(text, start.end()):
            if found[0] in "()":
                depth += 1 if found[0] == "(" else -1
            else:
                yield from (each.start() for each in word.finditer(text, *found.span()))
            if not depth:
                break


class WordRecord(Struct, frozen=True):
    """The mentions of a word that a file's uses record.

    Attributes:
        recorded: The places where it is defined, bound, referenced or imported.
        unread: The other places in code, which no rule of the language reads.
        unnamed: The number of mentions in code without a reference or binding of that name.
        is_readable: Whether the file could be parsed.
        is_partial: Whether only parts of it could be parsed.
    """

    recorded: frozenset[Place]
    unread: frozenset[Place]
    unnamed: int
    is_readable: bool
    is_partial: bool


class WordRecords:
    """The records of one answer, made while the uses of each file are in memory, where few files stay."""

    def __init__(self, source: FactSource, scopes: NameResolver) -> None:
        self._source = source
        self._scopes = scopes
        self._known: dict[tuple[str, str], WordRecord] = {}
        self._partial: dict[str, bool] = {}

    def get(self, file: str, word: str) -> WordRecord:
        """Return the record of a word in a file of code."""
        found = self._known.get((file, word))
        if found is None:
            uses = self._source.uses(file)
            recorded = frozenset(iter_recorded(word, self._source.facts(file), uses))
            recorded -= frozenset(self._iter_meaningless(file, uses.references.get(word, ())))
            unread = frozenset(uses.unread.get(word, ())) - recorded
            # Facts have no scopes only if the file could not be read; otherwise they have at least the file's own.
            found = WordRecord(recorded, unread, uses.unnamed.get(word, 0), bool(uses.scopes), uses.is_partial)
            self._known[file, word] = found
            self._partial[file] = uses.is_partial
        return found

    def _iter_meaningless(self, file: str, references: Iterable[Reference]) -> Iterator[Place]:
        """Yield the places of types in comments whose name nothing declares where they are, so that they are text."""
        if not self._scopes.spec(file).types_in_comments:
            return
        for each in references:
            if each.kind is ReferenceKind.ANNOTATE:
                first = each.receiver or each
                while isinstance(first, Expression) and first.parts:
                    first = first.parts[0]
                if first.name and not self._scopes.find_targets(file, each.scope, first.name):
                    yield each.line, each.column

    def iter_noted(self, files: Iterable[str], word: str) -> Iterator[str]:
        """Yield the files, after a record was made of each."""
        for file in files:
            self.get(file, word)
            yield file

    def iter_partial(self, files: Iterable[str], told: Mapping[str, bool]) -> Iterator[Reason]:
        """Yield a reason that counts the files parsed only in part; `told` says of some whether they were."""
        known = {**self._partial, **told}
        partial = []
        for file in sorted(files):
            if known[file] if file in known else self._source.uses(file).is_partial:
                partial.append(file)
        if partial:
            yield Reason(ReasonKind.FILES_PARSED_IN_PART, len(partial), subject=partial[0])


class LedgerBuilder:
    """Builds the ledger of one answer about usages."""

    def __init__(
        self,
        source: FactSource,
        records: WordRecords,
        scopes: NameResolver,
        definitions: Iterable[Definition],
        usages: Iterable[Usage],
        possible: Iterable[UnresolvedUse],
        in_macros: Iterable[Usage] = (),
    ) -> None:
        self._source = source
        self._records = records
        self._scopes = scopes
        self._definitions = _by_file((each.file, (each.line, each.symbol.column)) for each in definitions)
        self._usages = _by_file((each.file, (each.line, each.column)) for each in usages)
        self._in_macros = _by_file((each.file, (each.line, each.column)) for each in in_macros)
        self._possible = group_pairs((each.file, each) for each in possible)
        self._counts: Counter[str] = Counter()
        self._scanned_count = 0

    def build(self, names: Mapping[str, Sequence[str]], linked: Collection[str], left: Collection[str]) -> Ledger:
        """Return the ledger of some names, each with the files that mention it.

        The `linked` files were settled by their free names, without their references; those `left` were not examined.
        """
        written: Counter[str] = Counter()
        for word in dict.fromkeys(map(as_written, names)):
            for file, count in self._source.count_word(word).items():
                self._counts["mentions"] += count
                if file in left:
                    self._counts["not_examined"] += count
                elif self._source.has_file(file) and self._scopes.spec(file).has_uses:
                    written[file] += self._add_code(file, word, count, is_linked=file in linked)
                else:
                    self._add_document(file, count)
        everywhere = sum(map(len, self._usages.values()))
        return Ledger(**self._counts, unwritten=everywhere - sum(written.values()))

    def _add_code(self, file: str, word: str, count: int, *, is_linked: bool) -> int:
        """Add the mentions in a file of code; return how many of them are usages."""
        possible = self._possible.get(file, ())
        if is_linked:
            used_count, defined_count = len(self._usages.get(file, ())), len(self._definitions.get(file, ()))
            rest = count - defined_count - used_count - len(possible)
            text = self._count_in_text(file, word, rest)
            self._add(definitions=defined_count, usages=used_count, possible=len(possible))
            self._add(others=rest - text, text=text)
            return used_count
        record = self._records.get(file, word)
        if not record.is_readable:
            self._add(not_examined=count)
            return 0
        # For names in the texts of macros, facts record only lines.
        recorded = record.recorded | self._in_macros.get(file, frozenset())
        unread = record.unread - recorded
        definitions, usages = self._definitions.get(file, frozenset()), self._usages.get(file, frozenset())
        defined = recorded & definitions
        used = (recorded & usages) - defined
        text_lines = [each.line for each in possible if each.reason.kind in _IN_TEXT]
        open_places = {(each.line, each.column) for each in possible if each.reason.kind not in _IN_TEXT}
        open_places |= {place for place in unread if place[0] in text_lines}
        unread_lines = {line for line, _ in unread}
        in_text = sum(line not in unread_lines for line in text_lines)
        doubted = (open_places & (recorded | unread)) - defined - used
        # If no alias occurs, every unaccounted place is a mention of this word, recorded or not.
        has_aliases = self._scopes.spec(file).import_aliases
        found_in_text = set() if has_aliases else open_places - recorded - unread
        in_text += len(found_in_text)
        others = len(recorded | unread) - len(defined) - len(used) - len(doubted) + record.unnamed
        text = count - len(recorded | unread) - record.unnamed - in_text
        self._add(definitions=len(defined), usages=len(used), possible=len(doubted) + in_text, others=others)
        if record.is_partial:
            self._add(not_examined=text)
        else:
            self._add(text=text)
        return len(used)

    def _count_in_text(self, file: str, word: str, at_most: int) -> int:
        """Return how many mentions in a file are in comments and strings, by its text; 0 after `_MAX_SCANNED` files."""
        if at_most <= 0 or self._scanned_count >= _MAX_SCANNED:
            return 0
        self._scanned_count += 1
        content, may_be_code = self._source.read_content(file), self._scopes.rules(file).textual.may_be_code
        in_text = sum(not may_be_code(content, start) for start, _ in find_places(content, word))
        return min(in_text, at_most)

    def _add_document(self, file: str, count: int) -> None:
        """Add the mentions in a file that is not code, or whose language has only definitions extracted."""
        possible = sum(each.reason.kind in _IN_DOCUMENTS for each in self._possible.get(file, ()))
        self._add(possible=possible, text=count - possible)

    def _add(self, **counts: int) -> None:
        self._counts.update(counts)


def _by_file(places: Iterable[tuple[str, Place]]) -> dict[str, frozenset[Place]]:
    return {file: frozenset(there) for file, there in group_sets(places).items()}
