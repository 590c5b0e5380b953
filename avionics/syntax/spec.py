"""The specification of a language: its grammar, its rules, and how its names work."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from avionics.model.reasons import ReasonKind
from avionics.syntax.engine.call_shapes import CallGrammar
from avionics.syntax.engine.grammars import Grammar, Node
from avionics.syntax.engine.outline import FileRule, OutlineRule
from avionics.syntax.engine.textual import TextualScanner
from avionics.syntax.engine.uses import UsesBuilder, UsesRule
from avionics.syntax.import_texts import ImportTexts
from avionics.syntax.type_forms import TypeForms

if TYPE_CHECKING:
    from avionics.syntax.conversions import ConversionRule


class LanguageSpec(Struct, frozen=True):
    """The specification of a language.

    Attributes:
        name: Its name in facts.
        grammar: The grammar that parses it.
        module_system: How imports find files: the name of a module of `index/modules`.
        outline: Node type → what it defines. Other nodes are entered only if they are in `nested`.
        nested: Node types that can hold definitions.
        uses: Node type → what it binds and uses. The children of other nodes are visited.
        executed_classes: Whether a class body runs like a block: it sees what it binds, but its methods do not.
        implicit_members: Whether a bare name may mean a member of an enclosing class, inherited ones included.
        late_locals: Whether a local name is bound only from its declaration on: before it, the name is one from around.
        overloads: Whether parameters distinguish definitions of one name in one scope.
        separate_functions: Whether functions have a namespace apart from variables and types. They are bound,
            referred to and looked up as `avionics.model.naming.called` spells them.
        open_classes: Whether a class may be declared in several parts, or given members from outside.
        static_types: Whether everything but generics has its declared type: calls of what is declared outside the
            workspace return objects from outside.
        structural_interfaces: Whether a class satisfies an interface by its members, without naming it.
        implementations_are_uses: Whether a use of a member that implements an interface's is a use of that member too,
            which no declaration of its own can hide: a trait's function.
        silent_construction: Whether an object may be made without naming its class: `new(…)`, `{…}`, conversions.
        called_members: A pattern for the names of members that statements call without naming them.
        non_virtual_members: A pattern for the start of a member declaration that can neither implement nor override
            anything; "" for none.
        path_separator: What stands behind the name of a library that is not imported, in languages whose macros bind
            names: one that nothing binds is a library's only with it.
        dereferences: Whether a member of an object may be one of what the object refers to: a smart pointer, a box.
        pointers: Whether an indexed value may be a pointer: an object without an index operator is its own element.
        stub: The file in `languages/stubs` that declares the containers of the standard library in the language's
            own syntax; "" for none.
        module_stubs: Module → the file in `languages/stubs` that declares what it has, where names of the standard
            library mean something only in their module; `stub` then declares the built-in names.
        stub_roots: The first parts of the modules that `stub` is about, where libraries have other types of its names;
            () if all of a name are alike.
        shared_types: The names of it by which such libraries mean the same type, or one with its members.
        generator: What the stub calls the object that calling a function with a `yield` gives.
        type_forms: The names in types that are not classes.
        jumps: The words before the name of a label.
        distribution: Returns the package that provides an outside module, "" for the standard library. None where
            that is the first part of the dotted name.
        doc_files: The files that document a directory and its public names, best first.
        refine: Returns the language that bytes with this language's suffix are written in; None where the suffix
            decides.
        prepare: Blanks everything that is not code, keeping lines and columns; None where the whole file is code.
        repair: Blanks code whose syntax errors spoil the tree around it, given the code and its tree, which is then
            parsed again; None where no error is known to do so.
        may_be_blanked_code: Returns whether a byte that `prepare` blanked may be of code after all; None where all may.
        blanked_uses: Adds the uses in what `prepare` blanked; None for none.
        finish_outline: Completes the outline with what only the whole file shows; None for nothing.
        import_aliases: Whether an import may give a name another one.
        nearest_stars: Whether a star import hides what the scopes around it bind.
        global_objects: The names of the object whose properties all files see as names.
        global_interfaces: The dotted names of the interfaces that declare its properties.
        module_values: Whether a module is an object that code may pass on.
        module_loaders: The names of functions that return the module whose name they are given.
        own_module: The dotted names by which a module means what it exports.
        separate_types: Whether a name in a type position means a type, even where a value of that name is nearer.
        module_names: Names of which a file uses at least one that it does not bind itself, unless a line begins as
            `module_line` does, if its top level is not shared by all such files.
        module_line: A pattern for the start of a line that only a module has; None where no line tells.
        valued_keys: The start of the signature of a type in whose literals names before colons are values, not fields;
            None where they are always fields.
        linkage: Whether a linker may resolve an undeclared name to a definition in another file.
        text_mention_reason: Why a mention of a name in text rather than in code may be a usage.
        textual: Reads what a text shows before it is parsed.
        builtin_names: Bare names that mean something without being bound, as far as they are listed.
        import_texts: How imports are written, for moving definitions; None where that is not planned.
        outside_members: Name of a base or a package of the standard library → all that it gives; a name that starts
            with a dot is one of any module.
        own_fields: Whether the fields of a class are its own: what it implements gives it none.
        own_interface_members: Whether an interface does not declare what an interface that it embeds has.
        marks_overrides: Whether code says of members that they override inherited ones.
        is_closed: Whether `builtin_names` lists all of them, so that another unbound name means nothing.
        calls: How calls and parameter lists are written; None where calls are not checked against parameters.
        conversions: Where values become ones of a declared type; None where that is not checked.
    """

    name: str
    grammar: Grammar
    module_system: str
    outline: Mapping[str, OutlineRule]
    nested: frozenset[str]
    uses: Mapping[str, UsesRule]
    executed_classes: bool = False
    implicit_members: bool = False
    late_locals: bool = False
    overloads: bool = False
    separate_functions: bool = False
    open_classes: bool = False
    static_types: bool = False
    structural_interfaces: bool = False
    implementations_are_uses: bool = False
    silent_construction: bool = False
    called_members: str = ""
    non_virtual_members: str = ""
    path_separator: str = ""
    dereferences: bool = False
    pointers: bool = False
    stub: str = ""
    module_stubs: Mapping[str, str] = field(default_factory=dict)
    stub_roots: tuple[str, ...] = ()
    shared_types: frozenset[str] = frozenset()
    generator: str = "Generator"
    type_forms: TypeForms = field(default_factory=TypeForms)
    jumps: frozenset[str] = frozenset()
    distribution: Callable[[str], str] | None = None
    doc_files: tuple[str, ...] = ()
    refine: Callable[[bytes], str] | None = None
    prepare: Callable[[bytes], bytes] | None = None
    repair: Callable[[bytes, Node], bytes] | None = None
    may_be_blanked_code: Callable[[bytes, int], bool] | None = None
    blanked_uses: Callable[[UsesBuilder, bytes], None] | None = None
    finish_outline: FileRule | None = None
    import_aliases: bool = True
    nearest_stars: bool = False
    global_objects: frozenset[str] = frozenset()
    global_interfaces: frozenset[str] = frozenset()
    module_values: bool = False
    module_loaders: tuple[str, ...] = ()
    own_module: frozenset[str] = frozenset()
    separate_types: bool = False
    module_names: frozenset[str] = frozenset()
    module_line: re.Pattern[str] | None = None
    valued_keys: re.Pattern[str] | None = None
    linkage: bool = False
    text_mention_reason: ReasonKind = ReasonKind.STRING_LITERAL
    textual: TextualScanner = field(default_factory=TextualScanner)
    calls: CallGrammar | None = None
    conversions: ConversionRule | None = None
    builtin_names: frozenset[str] = frozenset()
    is_closed: bool = False
    import_texts: ImportTexts | None = None
    outside_members: Mapping[str, frozenset[str]] = MappingProxyType({})
    own_fields: bool = False
    own_interface_members: bool = False
    marks_overrides: bool = False
