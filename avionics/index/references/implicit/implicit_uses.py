"""Find the ways to use a definition without naming it.

The references to a definition are all of its usages only if there is no such way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from avionics.index.facts.include_graph import NAMESPACE
from avionics.index.model.file_roles import FileRole, role_of, stem_of
from avionics.index.model.values import BUILTIN, ClassType, External, Variable
from avionics.index.references.implicit.code_as_text import IN_COMMENT, CodeAsText
from avionics.index.references.implicit.decorator_effects import DecoratorEffects
from avionics.index.references.implicit.foreign_names import ForeignNames
from avionics.index.references.implicit.found_classes import FoundClasses
from avionics.index.scopes.name_resolver import CONSTRUCTOR, UNWRITTEN, NameResolver
from avionics.index.types.calls.specializations import get_outside_namespace, get_outside_template
from avionics.index.types.inference import Inference
from avionics.index.types.structural_typing import Interfaces
from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import BODIES, VALUES, ExpressionKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Expression, Symbol, line_of
from avionics.model.knowledge import Definition
from avionics.model.naming import called
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import ImplicitUse
from avionics.syntax.engine.expressions import dotted, last_name
from avionics.syntax.registry import conventions_of, is_template

_RENAMING = late_pattern(r"#\s*define\s+\w+\s+([A-Za-z_]\w*)")
"""A macro that expands to another name."""
_IN_TEMPLATE = late_pattern(r"""(?:\.|["'](?:\w+\.)*|\{(?:\w++:)?|[$#*@]\{[^}]*)\Z""")
_IMPLEMENTING = late_pattern(r"(?:(?!\bextends\b)[^{])*\bimplements\b(?:(?!\bextends\b)[^{])*")
_IN_XML = late_pattern(r"""(?:=\s?["'](?:\w+\.)*|#\{[^}]*)\Z""")
"""The text before the name of a property; `${name}` in XML is a placeholder of a build."""
_MAX_BEFORE = 120
_ATTRIBUTE = late_pattern(r"#\[([^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*)\]")
_MAX_ABOVE = 20
"""The maximum number of lines above an `impl` that are read for its attributes."""
_MAX_COMMENT = 100
"""The maximum number of lines of the comment above a definition that are read."""
_DEFAULT = "default"
_STATIC = late_pattern(r"\bstatic\b")
_MAX_INTERFACES = 3
"""The number of interfaces named for one method; naming more adds nothing."""
_TEST = "test_"
_OWN = Expression(ExpressionKind.SELF)

_PATH_PARTS = late_pattern(r"[/.]")
_NEVER_VIRTUAL = late_pattern(r"(?:template\b|[^(]*\bstatic\b)")
_VIRTUAL = late_pattern(r"(?i)virtual|override|\bfinal\b")
"""The signatures of members of C++ that are never virtual, and those that are virtual."""


class ImplicitUses:
    """Finds how a definition may be used without being named."""

    def __init__(self, scopes: NameResolver, inference: Inference, interfaces: Interfaces) -> None:
        self._interfaces = interfaces
        self._scopes = scopes
        self._source = scopes.source
        self._members = inference.members
        self._found = FoundClasses(scopes, inference.members)
        self._foreign = ForeignNames(scopes.source, scopes)
        self._as_text = CodeAsText(scopes.source, scopes)
        self._hosted: dict[str, bool] = {}
        self._effects = DecoratorEffects(scopes.source, scopes, inference)

    def iter_reasons(self, definition: Definition) -> Iterator[Reason]:
        """Yield every way to use the definition without naming it."""
        symbol = definition.symbol
        for decorator in self.iter_decorators(definition.file, symbol):
            if not _implicit(definition).adds_beside(decorator):
                yield Reason(ReasonKind.DECORATOR, subject=decorator)
        for decorator in self._list_around(definition):
            yield Reason(ReasonKind.DECORATOR, subject=decorator)
        called, implicit = self._scopes.spec(definition.file).called_members, _implicit(definition)
        parent = self._source.get_parent(definition)
        holder = parent.symbol.signature if parent is not None else ""
        is_unnamed = implicit.unnamed_members.fullmatch(f"{holder}.{symbol.signature}.{symbol.name}")
        if implicit.special_names.fullmatch(symbol.name) or re.fullmatch(called, symbol.name) or is_unnamed:
            yield Reason(ReasonKind.SPECIAL_NAME)
        yield from self._iter_of_templates(definition)
        if self._is_constructed_implicitly(definition):
            yield Reason(ReasonKind.IMPLICIT_CONSTRUCTION)
        if self._is_collected(definition) or self._may_be_collected(definition):
            yield Reason(ReasonKind.COLLECTED_TEST)
        yield from self._iter_brought(definition)
        if self._is_element(definition):
            yield Reason(ReasonKind.JSX_ELEMENT)
        other = self._get_renamed(definition)
        if other:
            yield Reason(ReasonKind.RENAMED_BY_MACRO, subject=other)
        if self._is_function_value(definition):
            yield Reason(ReasonKind.FUNCTION_VALUE)
        if self._has_declared_object(definition):
            yield Reason(ReasonKind.DECLARED_TYPE)
        if definition.kind is SymbolKind.MODULE and (added := self._get_implemented_in(definition)):
            yield Reason(ReasonKind.IMPLEMENTS, subject=added)
        yield from self._iter_other_names(definition)
        yield from self._iter_of_named_module(definition)
        yield from self._iter_unlocated(definition)
        yield from self._iter_inherited(definition)

    def _iter_brought(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways in which other files may get a definition without an import.

        A build may also import what a file exports as a whole, under a name made of its path, and code may load every
        file of a directory.
        """
        system = self._scopes.modules.system_of(definition.file)
        if definition.symbol.parent < 0 and system.includers(definition.file):
            yield Reason(ReasonKind.FILE_NOT_IMPORTED)
        is_brought = system.may_be_brought(definition.file) or system.is_listed(definition.file)
        if is_brought and self.is_whole_export(definition):
            yield Reason(ReasonKind.DEFAULT_EXPORT)

    def _get_implemented_in(self, module: Definition) -> str:
        """Return the trait or type of the first `impl` in a module of Rust, which is used without naming the module."""
        uses = self._source.uses(module.file)
        if not self._scopes.spec(module.file).implementations_are_uses:
            return ""
        for index, scope in enumerate(uses.scopes):
            if scope.of != UNKNOWN and module.symbol.span.contains(scope.span.start_line):
                return last_name(next(iter(uses.bases.get(index, ())), scope.of))
        return ""

    def _iter_of_templates(self, definition: Definition) -> Iterator[Reason]:
        """Yield that a definition specializes an outside template, opens an outside namespace, or may be another one.

        `T run(R (&given)(A...));` is parsed as a variable, which may be the function of that name. `void Alias::run()
        {}` defines a member of the class that `Alias` stands for.
        """
        if template := get_outside_template(definition, self._scopes):
            yield Reason(ReasonKind.OUTSIDE_TEMPLATE, subject=template)
        if space := get_outside_namespace(definition, self._scopes):
            yield Reason(ReasonKind.OUTSIDE_NAMESPACE, subject=space)
        symbol, spec = definition.symbol, self._scopes.spec(definition.file)
        if symbol.kind is SymbolKind.VARIABLE and "(" in symbol.signature and spec.linkage and spec.overloads:
            symbols = self._source.facts(definition.file).symbols
            count = sum(each.qualname == symbol.qualname and each.kind is SymbolKind.FUNCTION for each in symbols)
            if count:
                yield Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=count + 1)
        own = self._scopes.get_declared(definition) if spec.linkage and symbol.parent < 0 else None
        named = self._source.uses(definition.file).scopes[own.scope].of if own is not None else UNKNOWN
        if own is not None and named != UNKNOWN:
            holder = self._scopes.get_class_symbol(self._members.class_declaring(own))
            if holder is not None and last_name(named) != holder.name:
                yield Reason(ReasonKind.AMBIGUOUS_OVERLOAD, total=2)

    def _list_around(self, definition: Definition) -> list[str]:
        """Return the attributes of the `impl` around a member that may cause calls of its members."""
        is_possible = self._scopes.spec(definition.file).implementations_are_uses
        own = self._scopes.get_declared(definition) if is_possible else None
        scope = self._source.uses(definition.file).scopes[own.scope] if own is not None and own.scope else None
        if scope is None or scope.of == UNKNOWN:
            return []
        lines = self._source.read_lines(definition.file)[: scope.span.start_line - 1]
        above = takewhile(lambda line: line.strip() and not line.rstrip().endswith((";", "{", "}")), reversed(lines))
        written = [line for line in islice(above, _MAX_ABOVE) if not line.lstrip().startswith("//")]
        found = _ATTRIBUTE.findall("\n".join(reversed(written)))
        return [each for each in found if not _implicit(definition).is_harmless(each)]

    def iter_reasons_if_unused(
        self, definition: Definition, imports_outside: Callable[[str], bool]
    ) -> Iterator[Reason]:
        """Yield the ways in which a definition without usages may still be used: through a decorator or an interface.

        `imports_outside` says whether a file imports anything from outside the workspace.
        """
        yield from self.iter_unnamed(definition)
        is_declared = self._has_declared_object(definition)
        if not is_declared and (resembled := self._interfaces.get_resembled(definition)) is not None:
            yield Reason(ReasonKind.IMPLEMENTS, subject=resembled.symbol.qualname)
        is_structural = self._scopes.spec(definition.file).structural_interfaces
        if is_structural and definition.kind is SymbolKind.METHOD and definition.symbol.exported:
            own = self._members.class_of(definition)
            is_interface = own is not None and self._interfaces.is_interface(own)
            if not is_interface and imports_outside(definition.file):
                yield Reason(ReasonKind.OUTSIDE_INTERFACE)

    def is_open_to_libraries(self, definition: Definition) -> bool:
        """Return whether libraries may use a member of an object that is passed to them: it is not private."""
        if self._scopes.spec(definition.file).structural_interfaces:
            return definition.symbol.exported
        implicit = _implicit(definition)
        if definition.kind is SymbolKind.METHOD and implicit.hidden_methods.match(definition.symbol.signature):
            # Native code may call any method of a class with native methods.
            symbols, parent = self._source.facts(definition.file).symbols, definition.symbol.parent
            return any(each.parent == parent and implicit.native_methods.match(each.signature) for each in symbols)
        return not (definition.name.startswith("_") and implicit.has_private_underscore)

    def iter_unnamed(self, definition: Definition) -> Iterator[Reason]:
        """Yield the ways in which a definition that no code names may still be used.

        Its only user may be code that a decorator generates, a library that discovers classes by package, directory or
        base, or a decorator that registers a member of the class.
        """
        for decorator in self.iter_decorators(definition.file, definition.symbol):
            if _implicit(definition).adds_beside(decorator):
                yield Reason(ReasonKind.DECORATOR, subject=decorator)
        if definition.name in _implicit(definition).trait_types and self._is_in_class(definition):
            yield Reason(ReasonKind.LIBRARY_PROTOCOL)
        if self._is_in_space_of_library(definition):
            yield Reason(ReasonKind.LIBRARY_PROTOCOL)
        yield from self._iter_given(definition)
        yield from self._iter_shared_with_scripts(definition)
        yield from self._iter_marks(definition)
        yield from self._as_text.iter_reasons(definition)
        yield from self._found.iter_reasons(definition)
        yield from self._foreign.iter_reasons(definition)
        for member in self._iter_members(definition):
            for decorator in self.iter_decorators(definition.file, member):
                # A decorator that registers a method needs an object of the class.
                yield Reason(ReasonKind.DECORATOR, subject=decorator)

    def _iter_shared_with_scripts(self, definition: Definition) -> Iterator[Reason]:
        """Yield the place that loads an outside script, which may use a global name of the same page."""
        scripts, facts = _implicit(definition).outside_scripts, self._source.facts(definition.file)
        if scripts is NEVER or definition.symbol.parent >= 0 or facts.imports:
            return
        text = self._source.read_text(definition.file)
        if (found := scripts.search(text)) is not None and "export " not in text:
            yield Reason(ReasonKind.OUTSIDE_SCRIPT, place=(definition.file, line_of(text, found.start())))

    def _iter_given(self, definition: Definition) -> Iterator[Reason]:
        """Yield the annotation of a parameter by which a library calls a function, or a constructor of its class.

        A library that calls such a constructor to read text may also call the class's accessors to write it.
        """
        marks, symbol = _implicit(definition).given_marks, definition.symbol
        if marks is NEVER or symbol.kind not in BODIES:
            return
        if _implicit(definition).host_members.fullmatch(symbol.name) and self._is_beside_host(definition.file):
            yield Reason(ReasonKind.LIBRARY_PROTOCOL)
        if (found := marks.search(symbol.signature)) is not None:
            yield Reason(ReasonKind.DECORATOR, subject=found["mark"])
        holder = self._source.get_parent(definition) if self.list_other_names(definition) else None
        if holder is None:
            return
        members = self._source.list_members(holder)
        made = (each.symbol.signature for each in members if each.name == holder.name)
        if (found := next(filter(None, map(marks.search, made)), None)) is not None:
            yield Reason(ReasonKind.CLASS_DECORATOR, subject=found["mark"])

    def _is_beside_host(self, file: str) -> bool:
        """Return whether a file of the directory imports from a host that calls methods by their names."""
        directory = file.rpartition("/")[0]
        if directory not in self._hosted:
            modules = conventions_of(file).implicit.host_modules
            beside = (each for each in self._source.files if each.rpartition("/")[0] == directory)
            found = (modules.match(each.module) for other in beside for each in self._source.facts(other).imports)
            self._hosted[directory] = any(found)
        return self._hosted[directory]

    def _iter_marks(self, definition: Definition) -> Iterator[Reason]:
        """Yield the line of the comment above a definition with a mark for a tool (a documentation generator)."""
        marks, start = _implicit(definition).comment_marks, definition.symbol.span.start_line
        lines = self._source.read_lines(definition.file)[: start - 1] if marks is not NEVER else ()
        above = takewhile(IN_COMMENT.match, islice(reversed(lines), _MAX_COMMENT))
        if (at := next((at for at, line in enumerate(above, 1) if marks.search(line)), 0)) > 0:
            yield Reason(ReasonKind.TOOL_COMMENT, place=(definition.file, start - at))

    def _is_in_class(self, definition: Definition) -> bool:
        """Return whether a definition is a type within a class."""
        is_type = definition.kind is SymbolKind.TYPE or is_class(definition.kind)
        return is_type and self._members.class_of(definition) is not None

    def _is_in_space_of_library(self, definition: Definition) -> bool:
        """Return whether a definition of C++ is in the namespace of a library, which may call it by its name.

        A library's namespace is part of the path of an included outside header: `<archive/text.hpp>`.
        """
        modules, spec = self._scopes.modules, self._scopes.spec(definition.file)
        space, dot, _ = definition.symbol.qualname.partition(".")
        if not (dot and spec.linkage and spec.overloads):
            return False
        return any(
            space in _PATH_PARTS.split(found.module) and isinstance(modules.find(found, definition.file), External)
            for found in self._source.facts(definition.file).imports
            if found.module and found.level < NAMESPACE
        )

    def _iter_members(self, of: Definition) -> Iterator[Symbol]:
        """Yield the methods of a class that need an object."""
        inside = (each.symbol for each in self._source.list_members(of) if each.kind is SymbolKind.METHOD)
        return (each for each in inside if is_class(of.kind) and not _STATIC.search(each.signature))

    def _iter_unlocated(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first import from the definition's package whose file is not found and that may import it."""
        naming = self._source.files_with_word(definition.name)
        whole, is_member = {"", "*", definition.name, stem_of(definition.file)}, definition.symbol.parent >= 0
        for file, found in self._scopes.modules.list_unlocated(definition.file):
            is_taken = file in naming and file != definition.file and (is_member or found.name in whole)
            if is_taken or (found.name in {"", _DEFAULT} and self.is_whole_export(definition)):
                yield Reason(ReasonKind.UNLOCATED_IMPORT, place=(file, found.line))
                return

    def is_whole_export(self, definition: Definition) -> bool:
        """Return whether some file exports the definition as its default or whole value, which has no name."""
        own = self._scopes.get_declared(definition)
        if own is None or self._scopes.is_member(own):
            return False
        if own.scope:
            # Facts do not record `export default` or `export =` within `declare module 'm' { … }`.
            text = self._source.read_text(definition.file)
            return re.search(rf"\bexport\s+(?:default|=)\s+{re.escape(own.name)}\b", text) is not None
        files = dict.fromkeys((definition.file, *self._source.files_with_word(definition.name)))
        return any(own in self._scopes.follow(Variable(file, 0, name)) for file in files for name in sorted(UNWRITTEN))

    def list_other_names(self, definition: Definition) -> Sequence[str]:
        """Return the names under which the language or its libraries use a definition too: `name` for `getName`."""
        return _implicit(definition).list_other_names(definition.symbol)

    def _iter_other_names(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first location that may use a definition by another of its names: `${user.name}` for `getName`."""
        for name in self.list_other_names(definition):
            files = sorted(self._source.count_word(name))
            place = next((place for file in files for place in self._iter_places(name, file, definition.file)), None)
            if place is not None:
                yield Reason(ReasonKind.OTHER_NAME, place=place, subject=name)

    def _iter_of_named_module(self, definition: Definition) -> Iterator[Reason]:
        """Yield the first string with the module of a function that libraries look up in modules by its usual name."""
        symbol = definition.symbol
        if symbol.kind is not SymbolKind.FUNCTION or symbol.name not in _implicit(definition).module_functions:
            return
        holder = self._source.get_parent(definition)
        module = stem_of(definition.file) if holder is None else holder.name
        ends = re.compile(rf"(?:.*:)?{re.escape(module)}\Z")
        for file in self._source.files_with_word(module):
            for text, lines in self._source.uses(file).strings.items():
                if ends.match(text):
                    yield Reason(ReasonKind.STRING_LITERAL, place=(file, lines[0]))
                    return

    def _iter_places(self, name: str, file: str, home: str) -> Iterator[tuple[str, int]]:
        """Yield the places in a file that may use another name of a member of the file `home`.

        They are any references in another language of its platform, and texts in templates.
        """
        spec, own = self._scopes.spec(file), self._scopes.spec(home)
        if self._source.has_file(file) and spec.has_uses and spec.module_system == own.module_system and spec != own:
            references = self._source.uses(file).references
            yield from ((file, each.line) for key in (name, called(name)) for each in references.get(key, ()))
        elif is_template(file) or conventions_of(home).files.unread_code.search(file) or file.endswith(".xml"):
            before, word = _IN_XML if file.endswith(".xml") else _IN_TEMPLATE, re.compile(rf"\b{re.escape(name)}\b")
            for number, line in enumerate(self._source.read_lines(file), 1):
                for found in word.finditer(line):
                    if before.search(line, max(0, found.start() - _MAX_BEFORE), found.start()):
                        yield file, number

    def _get_renamed(self, definition: Definition) -> str:
        """Return the name that a macro with the definition's name and file expands to, or "": `#define lex my_lex`."""
        symbols = self._source.facts(definition.file).symbols if self._scopes.spec(definition.file).linkage else ()
        named = [each for each in symbols if each.name == definition.name]
        macros = [each for each in named if each.kind is SymbolKind.MACRO]
        found = (_RENAMING.fullmatch(each.signature) for each in macros) if len(macros) < len(named) else ()
        return next((match[1] for match in found if match is not None and match[1] != definition.name), "")

    def _is_element(self, definition: Definition) -> bool:
        """Return whether a definition is a member of an interface in a file that declares the JSX elements."""
        holder = self._source.get_parent(definition)
        if holder is None or holder.kind is not SymbolKind.INTERFACE:
            return False
        symbols = self._source.facts(definition.file).symbols
        return any(each.name in _implicit(definition).element_interfaces for each in symbols)

    def _is_function_value(self, definition: Definition) -> bool:
        """Return whether a function is a named function expression, which is used where it is written."""
        declared = self._scopes.get_declared(definition) if definition.kind is SymbolKind.FUNCTION else None
        if declared is None:
            return False
        return self._source.uses(definition.file).scopes[declared.scope].symbol == definition.index

    def _has_declared_object(self, definition: Definition) -> bool:
        """Return whether a definition is a key of an object whose type is declared elsewhere."""
        symbol, holder = definition.symbol, self._source.get_parent(definition)
        own = self._scopes.get_declared(definition)
        if own is not None and not self._scopes.is_member(own):
            return False
        named = self._source.uses(definition.file).references.get(symbol.name, ())
        own_names = conventions_of(definition.file).receivers
        there = [each.receiver for each in named if (each.line, each.column) == (symbol.line, symbol.column)]
        if any(each is not None and each != _OWN and dotted(each) not in own_names for each in there):
            return True
        declared = self._scopes.get_declared(holder) if holder is not None and holder.kind in VALUES else None
        return declared is not None and any(b.annotation != UNKNOWN for b in self._scopes.bindings(declared))

    def _is_constructed_implicitly(self, definition: Definition) -> bool:
        """Return whether a definition is a constructor that may run without a mention of its class.

        A declaration may call it implicitly, and reflection calls a constructor without parameters.
        """
        words = _implicit(definition).constructing_words if "()" in definition.symbol.signature else ()
        is_reflected = any(map(self._source.files_with_word, words))
        if not (is_reflected or self._scopes.spec(definition.file).silent_construction):
            return False
        own = self._members.class_of(definition)
        holder = self._scopes.get_class_symbol(own)
        return holder is not None and holder.name == definition.name

    def iter_decorators(self, file: str, symbol: Symbol) -> Iterator[str]:
        """Yield the decorators that may pass a symbol of a file to code that calls it."""
        implicit, effects = conventions_of(file).implicit, self._effects
        known = [implicit.is_harmless(text) for text in symbol.decorators]
        if all(known) and not any(map(effects.may_define, symbol.decorators)):
            return
        index = self._source.facts(file).symbols.index(symbol)
        read = self._source.uses(file).decorators.get(index, ())
        is_read = len(read) == len(symbol.decorators)
        for position, text in enumerate(symbol.decorators):
            # A name like that of a library says nothing of a decorator that the workspace defines.
            effect = effects.decide(file, index, read[position]) if is_read else None
            if not (known[position] if effect is None else effect):
                yield text

    def get_caller(self, definition: Definition) -> Reason | None:
        """Return the reason why the definition is certainly called without being named, or None."""
        name = definition.symbol.name
        implicit = _implicit(definition)
        if implicit.special_names.fullmatch(name):
            return Reason(ReasonKind.CALLED_BY_LANGUAGE)
        is_free = definition.kind is SymbolKind.FUNCTION and definition.symbol.parent < 0
        if name in implicit.run_functions and (is_free or _STATIC.search(definition.symbol.signature)):
            return Reason(ReasonKind.RUN_BY_LANGUAGE)
        if name.startswith(conventions_of(definition.file).tests.hooks) and definition.symbol.parent < 0:
            return Reason(ReasonKind.PYTEST_HOOK)
        return Reason(ReasonKind.COLLECTED_TEST) if self._is_collected(definition) else None

    def _is_collected(self, definition: Definition) -> bool:
        """Return whether a test runner finds a definition by its name, in a test file and outside of functions."""
        symbol = definition.symbol
        if symbol.kind is SymbolKind.CLASS:
            return self.collects(definition)
        if not self.is_test_name(definition):
            return False
        holder = self._source.get_parent(definition)
        if holder is None or _is_marked(definition):
            return True
        return is_class(holder.kind) and self.collects(holder)

    def _may_be_collected(self, definition: Definition) -> bool:
        """Return whether a test runner would collect a function outside of test files, if it is told to look there."""
        symbol, tests = definition.symbol, conventions_of(definition.file).tests
        if tests.example_mark and symbol.doc.startswith(tests.example_mark):
            return True
        return tests.has_fixtures and symbol.kind in BODIES and symbol.name.startswith(_TEST)

    def is_test_name(self, definition: Definition) -> bool:
        """Return whether test runners look for functions of this name in this file."""
        symbol = definition.symbol
        if _is_marked(definition):
            return True
        is_test, tests = role_of(definition.file) is FileRole.TEST, conventions_of(definition.file).tests
        return is_test and symbol.kind in BODIES and symbol.name.startswith((*tests.collected, *tests.hooks))

    def collects(self, of: Definition) -> bool:
        """Return whether test runners collect the tests of a class."""
        if role_of(of.file) is not FileRole.TEST or not is_class(of.kind):
            return False
        lineage = self._members.lineage(ClassType.of(of))
        tests = conventions_of(of.file).tests
        is_case = any(name.endswith(tests.case_bases) for name in lineage.externals)
        return is_case or (of.name.startswith(tests.case_names) and of.symbol.parent < 0)

    def _iter_inherited(self, definition: Definition) -> Iterator[Reason]:
        """Yield the reasons why a member may be called through an ancestor of its class."""
        own = self._members.class_of(definition)
        if own is None or self._scopes.spec(definition.file).implementations_are_uses:
            yield from self._iter_implemented(definition, own)
            return
        non_virtual = self._scopes.spec(definition.file).non_virtual_members
        if non_virtual and re.match(non_virtual, definition.symbol.signature):
            return
        if own.symbol < 0 and own.scope in self._source.uses(own.file).bases:
            yield Reason(ReasonKind.ANONYMOUS_CLASS)
        if not self._may_be_virtual(definition, own):
            return
        lineage = self._members.lineage(own)
        variable = self._scopes.get_declared(definition)
        # In languages with overloads, a constructor overrides nothing.
        is_own = self._scopes.spec(definition.file).overloads and variable is not None and variable.name == CONSTRUCTOR
        above = None if is_own or variable is None else self._members.get_overridden(own, variable)
        if above is not None:
            owner = self._scopes.get_class_symbol(above.owner)
            holder = f"{owner.qualname}." if owner is not None else ""
            yield Reason(ReasonKind.OVERRIDES, subject=f"{holder}{definition.symbol.name}")
        implemented = dict.fromkeys(each.symbol.qualname for each in self._interfaces.implemented(definition))
        for name in list(implemented)[:_MAX_INTERFACES]:
            yield Reason(ReasonKind.IMPLEMENTS, subject=name)
        is_structural = self._scopes.spec(definition.file).structural_interfaces
        is_method = definition.symbol.exported and definition.kind is SymbolKind.METHOD
        if is_structural and (not is_method or self._interfaces.is_interface(own)):
            return
        implicit, name = _implicit(definition), definition.name
        calling = [base for base in lineage.externals if implicit.may_call(base, name)]
        is_seen = definition.symbol.exported or not self._only_implements(own)
        outside = [base for base in calling if "." in base or is_structural] if is_seen else []
        if outside:
            yield Reason(ReasonKind.EXTERNAL_BASE, subject=outside[0].removeprefix(BUILTIN))
        elif lineage.is_open:
            yield Reason(ReasonKind.UNKNOWN_BASE)
        elif self._scopes.spec(definition.file).executed_classes:
            yield from self._iter_nested(own)

    def _may_be_virtual(self, definition: Definition, own: ClassType) -> bool:
        """Return whether a member may be called through a base: in C++ only a virtual one, elsewhere every member.

        A base that is a template with the class as an argument (`Base<Store>`) may call any member.
        """
        spec = self._scopes.spec(definition.file)
        holder = self._scopes.get_class_symbol(own)
        if not (spec.linkage and spec.overloads) or holder is None:
            return True
        lineage = self._members.lineage(own)
        heads = [each.signature for of in lineage.classes if (each := self._scopes.get_class_symbol(of)) is not None]
        is_given = re.compile(rf":[^:].*<.*\b{re.escape(holder.name)}\b")
        if any(map(is_given.search, heads)):
            return True
        variable = self._scopes.get_declared(definition)
        if definition.kind is not SymbolKind.METHOD or variable is None or variable.name == CONSTRUCTOR:
            return False
        signature = definition.symbol.signature
        # Outside of its class, a method of a template of a class begins with `template` as well.
        is_outside = re.search(rf"::\s*{re.escape(definition.name)}\s*\(", signature) is not None
        if _NEVER_VIRTUAL.match(signature) and not is_outside:
            return False
        above = (self._members.own_member(of, variable.name) for of in lineage.classes[1:])
        return lineage.is_open or bool(lineage.externals) or any(map(self._is_virtual, filter(None, above)))

    def _is_virtual(self, variable: Variable) -> bool:
        """Return whether a declaration of a C++ member says that it is virtual."""
        return any(_VIRTUAL.search(each.symbol.signature) for each in self._scopes.list_definitions(variable))

    def _only_implements(self, own: ClassType) -> bool:
        """Return whether a class only implements interfaces, so that outside code calls only its public members."""
        symbol = self._scopes.get_class_symbol(own)
        return symbol is not None and _IMPLEMENTING.fullmatch(symbol.signature) is not None

    def _iter_nested(self, own: ClassType) -> Iterator[Reason]:
        """Yield the outside base of the class around a nested one, which it may read: `class Meta` of a form."""
        symbol = self._scopes.get_class_symbol(own)
        holder = symbol.parent if symbol is not None else -1
        if holder < 0 or not self._scopes.is_type(own.file, holder):
            return
        around, plain = (
            self._members.lineage(ClassType(own.file, holder)),
            conventions_of(own.file).implicit.plain_bases,
        )
        outside = [base for base in around.externals if base not in plain]
        if outside:
            yield Reason(ReasonKind.EXTERNAL_BASE, subject=outside[0].removeprefix(BUILTIN))
        elif around.is_open:
            yield Reason(ReasonKind.UNKNOWN_BASE)

    def _iter_implemented(self, definition: Definition, own: ClassType | None) -> Iterator[Reason]:
        """Yield the trait whose `impl` contains a member, so that the member may be called through the trait."""
        variable = self._scopes.get_declared(definition)
        uses = self._source.uses(definition.file)
        scope = uses.scopes[variable.scope] if variable is not None else None
        if variable is None or scope is None or scope.of == UNKNOWN:
            return
        above = self._members.find(own, variable.name, skip_own=True) if own is not None else None
        owner = self._scopes.get_class_symbol(above.owner) if above is not None else None
        for base in uses.bases.get(variable.scope, ()):
            if owner is not None and owner.name == last_name(base):
                yield Reason(ReasonKind.OVERRIDES, subject=f"{owner.qualname}.{definition.symbol.name}")
            else:
                yield Reason(ReasonKind.IMPLEMENTS, subject=last_name(base))


def _implicit(definition: Definition) -> ImplicitUse:
    """Return the rules of a definition's language for uses that do not name a definition."""
    return conventions_of(definition.file).implicit


def _is_marked(definition: Definition) -> bool:
    """Return whether an attribute marks a function as a test."""
    marks, symbol = conventions_of(definition.file).tests.runner_marks, definition.symbol
    return symbol.kind in BODIES and any(map(marks.match, symbol.decorators))
