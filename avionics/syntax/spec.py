"""The specification of a language: how its names work. `avionics.syntax.rules` adds how its files are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct, field

from avionics.late_pattern import NEVER
from avionics.model.naming import called, list_generic, tagged
from avionics.model.reasons import ReasonKind
from avionics.syntax.type_forms import TypeForms


class LanguageSpec(Struct, frozen=True):
    """The specification of a language.

    Attributes:
        name: Its name in facts.
        module_system: How imports find files: the name of a module of `index/modules`.
        has_uses: Whether its uses are read, not only its definitions.
        has_partial_grammar: Whether the grammar rejects some valid code.
        has_conditions: Whether lines with `#if` choose which code is compiled.
        has_free_names: Whether indexes keep the free names of its files (`avionics.syntax.engine.free_names`).
        is_in_pages: Whether its files are pages that contain scripts.
        executed_classes: Whether a class body runs like a block: it sees what it binds, but its methods do not.
        implicit_members: Whether a bare name may mean a member of an enclosing class, inherited ones included.
        outer_members: Matches the bare names that may mean members of the classes around the innermost one; None for
            any name.
        class_sides: Whether a class has members of its own apart from those of its objects. Their scope is the one
            after that of the class (`avionics.model.facts.get_class_side`).
        setters: What follows the name of an attribute in the name under which it is assigned; "" for nothing.
        receiving_lambdas: Whether a bare name in a lambda may mean a member of the lambda's receiver: `with(cart) {…}`.
        late_locals: Whether a local name is bound only from its declaration on; before that, it has its outer meaning.
        overloads: Whether parameters distinguish definitions of one name in one scope.
        outward_overloads: Whether a call whose arguments no member of the class accepts means a function outside it.
        conditional_functions: A pattern in the signature of a generic function that accepts only the arguments for
            which its declaration is valid; "" for none.
        separate_functions: Whether functions have a namespace apart from variables and types. They are bound,
            referred to and looked up as `avionics.model.naming.called` spells them.
        counts_parameters: Whether types of one name differ by the number of their type parameters. They are bound,
            referred to and looked up as `avionics.model.naming.generic` spells them.
        ignores_case: Whether names of functions and classes mean the same in any letter case.
        open_classes: Whether a class may be declared in several parts, or given members from outside.
        declared_again: A pattern for the start of a function that another file declares again. Any other of its
            name in a namespace is an overload, one that is private is of its file alone. "" if there is no such rule.
        is_extended_elsewhere: Whether code of another language may give members to a class, as Kotlin does to Java's.
        static_types: Whether everything but generics has its declared type: calls of functions from outside the
            workspace return objects from outside.
        structural_interfaces: Whether a class satisfies an interface by its members, without naming it.
        implementations_are_uses: Whether a use of a member that implements a member of an interface is also a use of
            the interface's, as with the functions of a trait.
        silent_construction: Whether an object may be created without naming its class: `new(…)`, `{…}`, conversions.
        called_members: A pattern for the names of members that statements call without naming them.
        non_virtual_members: A pattern for the start of a member declaration that can neither implement nor override
            anything; "" for none.
        unasked_members: A pattern for the start of a member declaration that an object of another class need not have
            to satisfy the type; "" for none.
        infix_functions: A pattern for the start of a function that is called between its arguments; "" for none.
        path_separator: What follows the name of a library that is not imported, in languages whose macros bind names;
            an unbound name is a library only if this follows.
        smart_casts: A pattern found in a file that tests or casts the value of a variable `NAME`, which then has
            another type; "" if values keep their declared types.
        dereferences: Whether a member of an object may belong to what the object refers to: a smart pointer, a box.
        pointers: Whether an indexed value may be a pointer: an object without an index operator then is its own
            element.
        stub: The file in `languages/stubs` that declares the containers of the standard library in the language's
            own syntax; "" for none.
        module_stubs: Module → the file in `languages/stubs` that declares its members, if names of the standard library
            are qualified by module; `stub` then declares the built-in names.
        stub_roots: The first parts of the modules that `stub` is about, if other libraries have different types with
            its names; () if types with the same name are alike.
        shared_types: The names in the stub that such libraries use for the same type, or one with its members.
        generator: The stub's name for the result of calling a function with a `yield`.
        type_forms: The names in types that are not classes.
        jumps: The words before the name of a label.
        distribution: Returns the package that provides an outside module, "" for the standard library. None if that is
            always the first part of the dotted name.
        doc_files: The files that document a directory and its public names, best first.
        import_aliases: Whether an import may rename a name.
        nearest_stars: Whether a star import hides bindings of the scopes around it.
        global_objects: The names of the object whose properties are global names: `window`.
        global_interfaces: The dotted names of the interfaces that declare the properties of that object.
        module_values: Whether a module is an object that code may pass on.
        unnamed_export: The name of an export without a name, `default`; importers often name it after the file.
        module_loaders: The names of functions that return a module by its name.
        component_keys: The keys of an object literal whose objects share one `this`, which has the members of all: the
            keys `methods` and `computed` of a component.
        own_module: The dotted names by which a module refers to its exports.
        module_tables: Names of the mapping from names to modules, which has a file's own under `__name__`.
        separate_types: Whether a name in a type position means a type, even if a value of that name is nearer.
        types_in_comments: Whether types are written in comments, where nothing checks that their names are known.
        module_names: Names, at least one of which a file uses without binding it, unless a line matches `module_line`,
            if its top level is not shared by all such files.
        module_line: A pattern for the start of a line that only a module has; None if there is none.
        module_guard: A pattern for code that asks whether its file is a module, and shares its top level if it is not;
            None if no code does.
        valued_keys: The start of the signature of a type in whose literals names before colons are values, not fields;
            None if they are always fields.
        existence_check: Matches what asks whether a name exists, which is in a group: code that defines it only if
            not stands in for the language's library.
        omitted_end: The end of the names of classes that decorators may omit; "" for none.
        static_receivers: Whether the name of a value means its type, which has the same name, before a static member.
        linkage: Whether a linker may resolve an undeclared name to a definition in another file.
        text_mention_reason: Why a mention of a name in text rather than in code may be a usage.
        bound_names: Matches the start of the names of variables and of `builtin_names`. The declaration of any other
            unbound name that it matches was not understood.
        builtin_names: Bare names that have a meaning without being bound; the list may be incomplete.
        outside_members: Name of a base or a package of the standard library → its members; a name that starts with a
            dot matches any module.
        outside_parameters: Name of a function of the standard library → position → the interface that it takes there.
        own_fields: Whether a class gets no fields from the interfaces that it implements.
        own_interface_members: Whether an interface does not itself declare the members of an embedded one.
        marks_overrides: Whether code marks members that override inherited ones.
        is_closed: Whether `builtin_names` lists all of them, so that any other unbound name is an error.
    """

    name: str
    module_system: str
    has_uses: bool = True
    has_partial_grammar: bool = False
    has_conditions: bool = False
    has_free_names: bool = False
    is_in_pages: bool = False
    executed_classes: bool = False
    implicit_members: bool = False
    outer_members: re.Pattern[str] | None = None
    class_sides: bool = False
    setters: str = ""
    receiving_lambdas: bool = False
    late_locals: bool = False
    overloads: bool = False
    outward_overloads: bool = False
    conditional_functions: str = ""
    separate_functions: bool = False
    counts_parameters: bool = False
    ignores_case: bool = False
    open_classes: bool = False
    declared_again: str = ""
    is_extended_elsewhere: bool = False
    static_types: bool = False
    structural_interfaces: bool = False
    implementations_are_uses: bool = False
    silent_construction: bool = False
    called_members: str = ""
    non_virtual_members: str = ""
    unasked_members: str = ""
    infix_functions: str = ""
    path_separator: str = ""
    smart_casts: str = ""
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
    import_aliases: bool = True
    nearest_stars: bool = False
    global_objects: frozenset[str] = frozenset()
    global_interfaces: frozenset[str] = frozenset()
    module_values: bool = False
    unnamed_export: str = ""
    module_loaders: tuple[str, ...] = ()
    component_keys: frozenset[str] = frozenset()
    own_module: frozenset[str] = frozenset()
    module_tables: frozenset[str] = frozenset()
    separate_types: bool = False
    existence_check: re.Pattern[str] | None = None
    omitted_end: str = ""
    static_receivers: bool = False
    types_in_comments: bool = False
    module_names: frozenset[str] = frozenset()
    module_line: re.Pattern[str] | None = None
    module_guard: re.Pattern[str] | None = None
    valued_keys: re.Pattern[str] | None = None
    linkage: bool = False
    text_mention_reason: ReasonKind = ReasonKind.STRING_LITERAL
    bound_names: re.Pattern[str] = NEVER
    builtin_names: frozenset[str] = frozenset()
    is_closed: bool = False
    outside_members: Mapping[str, frozenset[str]] = MappingProxyType({})
    outside_parameters: Mapping[str, Mapping[int, str]] = MappingProxyType({})
    own_fields: bool = False
    own_interface_members: bool = False
    marks_overrides: bool = False

    def list_bound(self, name: str) -> tuple[str, ...]:
        """Return the names under which facts of files in the language may have a written name."""
        if self.counts_parameters:
            return (name, *list_generic(name))
        return (name,) if self.executed_classes else (name, called(name), tagged(name))
