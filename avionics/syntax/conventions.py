"""The conventions of a language's users: file names, tests, and what runs without being named.

Conventions do not affect how syntax is read, so they are available without loading a language's grammar and rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum

from msgspec import Struct, field

from avionics.late_pattern import NEVER, late_pattern
from avionics.model.facts import Import, Symbol
from avionics.syntax.testing import TestConventions

_DECORATOR_NAME = late_pattern(r"[\w.:]+")


class FileNames(Struct, frozen=True):
    """The conventions for file names; patterns are searched in the path.

    Attributes:
        tests: Test files, besides those that are recognized in every language.
        has_test_directories: Whether a directory `test` below the top level holds tests rather than product code.
        generated: Files that tools write.
        vendored: Copies of other projects.
        auxiliary: Files that build or install the product.
        directory_stems: The stems of files that stand for the directory they are in.
        root_stems: The stems of files that stand for a whole package.
        declaration_suffixes: The suffixes of files that declare what other files define.
        stub_places: Found in the paths of other files that only describe code outside.
        loaded_places: Found in the paths of files that frameworks load, whether other files import them or not.
        embedding: Found where code of the language includes the text of a file, the group `file`.
        embedding_words: Words, one of which is in each of these places.
        private_suffixes: The suffixes of files whose declarations no other file sees.
        have_includes: Whether files include the text of other files.
        are_named_by_types: Whether a file must have the name of the public type in it.
        unread_code: Files in unsupported languages whose code may use definitions of this language.
        importing: Found in the text of files with any other name that contain code of this language: an import.
        views: Files that describe user interfaces and name classes, and the members and functions that handle events.
        viewed: Found in the text of a file whose members and functions such files may name.
        linked_code: Files in unsupported languages that use only names known to the linker: assembler, linker scripts.
    """

    tests: re.Pattern[str] = NEVER
    has_test_directories: bool = True
    generated: re.Pattern[str] = NEVER
    vendored: re.Pattern[str] = NEVER
    auxiliary: re.Pattern[str] = NEVER
    directory_stems: tuple[str, ...] = ()
    root_stems: tuple[str, ...] = ()
    declaration_suffixes: tuple[str, ...] = ()
    stub_places: re.Pattern[str] = NEVER
    loaded_places: re.Pattern[str] = NEVER
    embedding: re.Pattern[str] = NEVER
    embedding_words: tuple[str, ...] = ()
    private_suffixes: tuple[str, ...] = ()
    have_includes: bool = False
    are_named_by_types: bool = False
    unread_code: re.Pattern[str] = NEVER
    importing: re.Pattern[str] = NEVER
    views: re.Pattern[str] = NEVER
    viewed: re.Pattern[str] = NEVER
    linked_code: re.Pattern[str] = NEVER


LIBRARY_MEMBERS = frozenset(
    {
        "read", "readline", "readlines", "readinto", "write", "writelines", "close", "flush", "seek", "tell", "fileno",
        "isatty", "readable", "writable", "seekable", "truncate", "getvalue", "acquire", "release", "locked", "wait",
        "notify", "emit", "handle", "filter", "format", "run", "start", "join", "send", "throw", "recv", "keys",
        "values", "items", "get", "pop", "update", "copy", "setdefault", "append", "extend", "insert", "remove", "add",
        "discard", "put", "cancel", "result", "done", "submit", "shutdown", "find_spec", "find_module", "load_module",
        "exec_module", "create_module", "get_data", "invalidate_caches", "default", "encode", "decode", "getinfo",
    }
)  # fmt: skip


class NamingString(Struct, frozen=True):
    """A way to reach a definition by a string, or by a comment that a tool reads.

    Attributes:
        pattern: Found where a string names `NAME`.
        before: What the text before the pattern must end with.
        condition: Found in a file in which such strings name something.
        is_linked: Whether it names top-level definitions of a file, as for a linker.
        is_key: Whether it counts only as an argument of a function, the group `callee`, that takes such names.
        needs: Texts, one of which is in all that the pattern matches; () if none is known.
    """

    pattern: str
    before: re.Pattern[str] = late_pattern("")
    condition: re.Pattern[str] = late_pattern("")
    is_linked: bool = False
    is_key: bool = False
    needs: tuple[str, ...] = ()


REMARKS = r"//[^\n]*+|/\*(?>(?:[^*]++|\*(?!/))*)"
"""Matches the comments of many languages, without the closing `*/`."""
PLAIN_STRINGS = r'"(?>(?:[^"\\\n]++|\\.)*)"?+'
"""Matches their strings that do not span lines."""


class ScriptStrings(Struct, frozen=True):
    """How strings that may hold code are written, in a language whose strings are not recorded.

    Attributes:
        marks: Texts, one of which is in each of them.
        tokens: Matches comments, other strings, and these strings as the group `script`.
    """

    marks: tuple[str, ...]
    tokens: re.Pattern[str]


class BuiltNames(Struct, frozen=True):
    """How code builds names of members and functions from parts, in a language whose strings are not recorded.

    Attributes:
        words: Words, one of which is in each file that reaches members by text; () if none is known.
        beginnings: Finds the strings with which names begin, each as the only group that matches.
        endings: The same for strings with which names end.
        condition: Found in a file that reaches members by text, in a language without words that do.
        of_members: Whether only members are reached, and parts are whole words: `on` and `Close` of `onClose`.
        global_condition: Found in a file that reaches, of the names that are no members, those of all scripts by text.
    """

    words: tuple[str, ...]
    beginnings: re.Pattern[str]
    endings: re.Pattern[str]
    condition: re.Pattern[str] = late_pattern("")
    of_members: bool = False
    global_condition: re.Pattern[str] = NEVER


class TextNames(Struct, frozen=True):
    """How text reaches definitions in a language whose strings are recorded and whose modules are objects.

    Attributes:
        whole: Matches a whole string that is a name or dotted name (`text`); a match with `data` is never a name.
        accessors: Matches the end of the text before a string that names a member of the `owner` passed to a `call`.
        keys: Matches a call that accesses the member named by its `key`.
        running: Matches a call that executes text in which the names of its file are visible.
        fixed: Matches what follows a mapping of names that is accessed only with literals.
        namespaces: Found in a file that may take all its names from itself.
        replaced_modules: Found in a file whose definitions stand for those of a module from outside.
        subclass_hooks: Words with which a class finds its subclasses.
        module_listings: The words by which code lists the modules of a package.
        template_members: Matches the end of the text before a member in an expression of a template.
    """

    whole: re.Pattern[str] = NEVER
    accessors: re.Pattern[str] = NEVER
    keys: re.Pattern[str] = NEVER
    running: re.Pattern[str] = NEVER
    fixed: re.Pattern[str] = NEVER
    namespaces: re.Pattern[str] = NEVER
    replaced_modules: re.Pattern[str] = NEVER
    subclass_hooks: tuple[str, ...] = ()
    module_listings: tuple[str, ...] = ()
    template_members: re.Pattern[str] = late_pattern("")


class ClassFinders(Struct, frozen=True):
    """The libraries that find the classes of a project by their directory, name or base, and call their members.

    Attributes:
        manifest: Matches the path of a file that lists what a project requires.
        libraries: Found in the text of a manifest: the name of such a library.
        need_base: Whether they find only classes that inherit from another.
        spaces: Finds the beginnings of names of classes that code builds from parts; the group `space` is a namespace.
        directories: Finds the beginnings of paths that code builds; the group `directory` is the last one in it.
        making: Found in a file that makes objects of classes that it does not name.
        calling: Found in a file that calls members of such objects.
    """

    manifest: re.Pattern[str]
    libraries: re.Pattern[str]
    need_base: bool = False
    spaces: re.Pattern[str] = NEVER
    directories: re.Pattern[str] = NEVER
    making: re.Pattern[str] = NEVER
    calling: re.Pattern[str] = NEVER


class StoredClasses(Struct, frozen=True):
    """How to recognize classes whose objects a database keeps.

    Attributes:
        modules: Found in a module that the file imports, if a base or a decorator alone is not sufficient.
        bases: Matches a whole base as it is written, in files with such an import.
        own_bases: Matches a base that is sufficient without an import.
        decorators: Matches the start of a decorator, in files with such an import.
        members: Names of members that only such classes have.
        tags: The words before `:"` in the tag of a field that only such classes have.
    """

    modules: re.Pattern[str] = NEVER
    bases: re.Pattern[str] = NEVER
    own_bases: re.Pattern[str] = NEVER
    decorators: re.Pattern[str] = NEVER
    members: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()


class FieldsByOrder(Struct, frozen=True):
    """How code uses the fields of a type by their order where nothing says which type it is.

    Attributes:
        unpacking_word: A word of each such declaration.
        unpacking: Found where variables take the fields of an object; the first group lists them.
        made: Found where a list of values makes an object of the type `NAME`. If the group `head` matches, or both
            `listed` and the group `blank`, a blank before the list, the name begins a definition instead.
        listed_result: Found where a function returns a list of values.
    """

    unpacking_word: str
    unpacking: re.Pattern[str]
    made: str
    listed_result: re.Pattern[str]


class Wrapping(Struct, frozen=True):
    """How files of a generator of bindings for other languages name the headers whose declarations they pass on.

    Attributes:
        suffixes: The ends of the names of such files.
        include: Finds what passes a header on; the first group is its path.
    """

    suffixes: tuple[str, ...]
    include: re.Pattern[str]


class ImplicitUse(Struct, frozen=True):
    """The definitions that a language or its libraries use implicitly.

    Attributes:
        harmless_decorators: Last parts of the names of decorators that do not register a definition.
        harmless_arguments: Decorators that do not register a definition if they have only these arguments.
        adding_decorators: Last parts of the names of decorators that only add code beside a definition.
        accessor_decorators: Members of a property that decorate its other functions.
        constructors: Names of constructors that are not those of their classes.
        special_names: Matches the whole name of a definition that the language itself uses.
        placeholders: Matches the name and the signature, with a space, of a variable that its statement has to name
            whether or not anything uses it.
        unnamed_members: Matches the signatures of a type and a member, and its name, with dots, if code needs no name.
        marking_members: Matches the signature of a member that only serves to distinguish types.
        tagged_members: Found after the declaration of a member that libraries read and set by a tag of it.
        module_functions: Functions that libraries call in a module which a string names.
        run_marks: Found in the signature of a function that runs when its program is loaded, or that a linker keeps.
        comment_marks: Found in a line of the comment above a definition that a tool reads for it.
        given_marks: Found in the signature of a function whose arguments a library provides by their annotations.
        host_members: Matches the names of the methods that a host calls on objects described in its files.
        host_modules: Found at the start of an import from such a host.
        run_functions: Top-level functions that the language itself, or a host of its programs, runs.
        plain_bases: External base classes that call only members with special names.
        empty_bases: Those of them that have no members of their own, apart from special names.
        finding_bases: Matches an external base class whose library may find the classes that inherit from it.
        get_called_members: Returns the members that an external base class may call; None if it may call any.
        element_interfaces: Interfaces whose members are the names of elements.
        reflective_calls: Functions and members that reach names by computed text.
        computed_keys: Found in the text of a file that may access an object by a computed key.
        written_keys: Matches what follows the declared name of a key whose texts are all written there.
        listing_calls: Those of `reflective_calls` that list the members of an object: `dir`.
        listing_members: Members of an object that list its members: `__dict__`.
        own_listings: Those of both that list the object's own members, without those of its class.
        own_listing: Found in the body of a class whose code lists the fields of its own object, private ones too.
        local_listings: Those of `listing_calls` that, without an argument, list the local names of a function.
        metaclass: Found in the header of a class that another one, the group `name`, makes and may read.
        making_members: The members by which a class makes others.
        class_hooks: Members of a class or module that receive each class that inherits from it or includes it.
        name_hooks: Members of an object that receive the attribute of a class to which the object is assigned.
        class_listing: Words with which code lists all classes of a program, or the subclasses of one.
        member_listing: Words with which code lists the members of a class, to choose from them by their beginnings.
        constructing_words: Words with which code makes objects of classes that it is given.
        private_listing: Those of `member_listing` that list private members too.
        bridge: The string with which another language calls a function of this one, and the pattern of such files.
        value_classes: Matches the signature of a class whose equality, hash and text read the fields in its header.
        hidden_methods: Matches the start of the signature of a method that libraries call only if they are told to.
        native_methods: Matches the signature of a method with which native code gets the objects of its class.
        has_private_underscore: Whether a leading underscore keeps libraries from using a member of an object.
        first_fields: Matches the signature of a field that, if it is the first, makes objects usable as another type.
        joined_ends: Found at the end of a name that a macro of a library may build from its arguments.
        plain_macros: Matches the macros of libraries that build no other names from their arguments than those.
        wrapping: How generators of bindings include headers; None if none is known.
        mixins: Words with which code adds a module to a class or an object while it runs.
        block_receivers: Words with which code runs a block on an object that the block does not name.
        class_finders: The libraries that discover classes.
        core_names: Matches the constants of no library, in a language in which files need no import to use others.
        running_calls: Those of them that run text as code.
        forwarding_calls: Functions of libraries that pass the named arguments they are given to what makes an object.
        key_queries: Words by which a type takes the names of another type's members.
        library_members: Members by which libraries use objects that they are given: files, locks, mappings.
        trait_types: Types within a class that templates of a library read of it.
        member_macros: Matches the name of a macro of a library that is given the names of members.
        tag_macros: Each matches the names of macros of a library that are given a tag at one position.
        macro_mark: What stands behind the name of a macro that is called, "" for nothing.
        native_calls: Found in the text of a file that calls functions of C by their names.
        naming_strings: The strings that reach definitions, in a language whose strings are not recorded.
        script_strings: The strings that may hold code of the language; None if strings are recorded, or if it has none.
        examples: Matches what may be an example of documentation; the group `example` is one that tests run.
        outside_scripts: Found in a page or script that loads another script, from outside, which reads global names.
        built_names: How code builds names from parts; None if strings are recorded, or if that is not known.
        text_names: How recorded strings reach definitions; None if every string with the name may.
        handing_out: Found where an object passes or stores itself: `host.register(self)`. Where the group `kept`
            matches as well, it only seems so.
        outside_blocks: Matches the start, up to its brace, of a block that declares what other code defines; the group
            `space` is the name of a namespace that only such code fills.
        merged_blocks: Matches the start, up to its brace, of a declaration that adds to one of its name outside of the
            workspace, in a file without `module_marks`.
        module_marks: Found in the text of a file whose declarations are its own.
        shape_keys: Found where code names the member `NAME` of an object, as a key or in a string, but not its type.
        counted_group: The start of a group of constants and the word that counts them; the value of each is its
            position.
        ordered_fields: Found where a literal of the type `NAME` sets fields by position.
        listed_values: Matches behind the declaration of a type where a list of values sets fields by position.
        by_order: How fields are used by their order without the name of their type; None if they never are.
        foreign_pointers: Found where code that other languages call or provide has a pointer to the type `NAME`, whose
            fields those languages use.
        layout_uses: Found in code that depends on the memory layout of a type, and in the decorators of such a type.
        sized_fields: Matches the signature of a field with an explicit size; a type with only such fields describes the
            layout of external data.
        list_other_names: Returns the names by which templates and other languages of the platform use a definition.
    """

    harmless_decorators: frozenset[str] = frozenset()
    harmless_arguments: Mapping[str, frozenset[str]] = field(default_factory=dict)
    adding_decorators: frozenset[str] = frozenset()
    accessor_decorators: frozenset[str] = frozenset()
    constructors: tuple[str, ...] = ()
    special_names: re.Pattern[str] = NEVER
    placeholders: re.Pattern[str] = NEVER
    unnamed_members: re.Pattern[str] = NEVER
    marking_members: re.Pattern[str] = NEVER
    tagged_members: re.Pattern[str] = NEVER
    module_functions: frozenset[str] = frozenset()
    run_marks: re.Pattern[str] = NEVER
    comment_marks: re.Pattern[str] = NEVER
    given_marks: re.Pattern[str] = NEVER
    host_members: re.Pattern[str] = NEVER
    host_modules: re.Pattern[str] = NEVER
    run_functions: frozenset[str] = frozenset()
    plain_bases: frozenset[str] = frozenset()
    empty_bases: frozenset[str] = frozenset()
    finding_bases: re.Pattern[str] = NEVER
    get_called_members: Callable[[str], frozenset[str] | None] = lambda _base: None
    element_interfaces: frozenset[str] = frozenset()
    reflective_calls: tuple[str, ...] = ()
    computed_keys: re.Pattern[str] = NEVER
    written_keys: re.Pattern[str] = NEVER
    listing_calls: frozenset[str] = frozenset()
    listing_members: tuple[str, ...] = ()
    own_listings: frozenset[str] = frozenset()
    metaclass: re.Pattern[str] = NEVER
    making_members: frozenset[str] = frozenset()
    own_listing: re.Pattern[str] = NEVER
    local_listings: frozenset[str] = frozenset()
    class_hooks: tuple[str, ...] = ()
    name_hooks: tuple[str, ...] = ()
    class_listing: tuple[str, ...] = ()
    member_listing: tuple[str, ...] = ()
    constructing_words: tuple[str, ...] = ()
    private_listing: tuple[str, ...] = ()
    bridge: NamingString | None = None
    value_classes: re.Pattern[str] = NEVER
    hidden_methods: re.Pattern[str] = NEVER
    native_methods: re.Pattern[str] = NEVER
    has_private_underscore: bool = True
    first_fields: re.Pattern[str] = NEVER
    joined_ends: re.Pattern[str] = NEVER
    plain_macros: re.Pattern[str] = NEVER
    wrapping: Wrapping | None = None
    mixins: tuple[str, ...] = ()
    block_receivers: tuple[str, ...] = ()
    class_finders: ClassFinders | None = None
    core_names: re.Pattern[str] = NEVER
    running_calls: frozenset[str] = frozenset()
    forwarding_calls: frozenset[str] = frozenset()
    key_queries: tuple[str, ...] = ()
    library_members: frozenset[str] = LIBRARY_MEMBERS
    trait_types: frozenset[str] = frozenset()
    member_macros: re.Pattern[str] = NEVER
    tag_macros: tuple[re.Pattern[str], ...] = ()
    macro_mark: str = ""
    native_calls: re.Pattern[str] = NEVER
    naming_strings: tuple[NamingString, ...] = ()
    script_strings: ScriptStrings | None = None
    examples: re.Pattern[str] = NEVER
    outside_scripts: re.Pattern[str] = NEVER
    built_names: BuiltNames | None = None
    text_names: TextNames | None = None
    handing_out: re.Pattern[str] = NEVER
    outside_blocks: re.Pattern[str] = NEVER
    merged_blocks: re.Pattern[str] = NEVER
    module_marks: re.Pattern[str] = NEVER
    shape_keys: str = ""
    counted_group: tuple[str, str] = ("", "")
    ordered_fields: str = ""
    listed_values: re.Pattern[str] = NEVER
    by_order: FieldsByOrder | None = None
    foreign_pointers: str = ""
    layout_uses: re.Pattern[str] = NEVER
    sized_fields: re.Pattern[str] = NEVER
    list_other_names: Callable[[Symbol], tuple[str, ...]] = lambda _of: ()

    def may_call(self, base: str, member: str) -> bool:
        """Return whether an external base class may call a member of its subclasses."""
        if base in self.plain_bases:
            return False
        called = self.get_called_members(base)
        return called is None or member in called

    def is_harmless(self, decorator: str) -> bool:
        """Return whether a decorator, as written, passes the definition to no code that would use or replace it."""
        named = _DECORATOR_NAME.match(decorator)
        name = named[0] if named is not None else ""
        if name in self.harmless_arguments:
            return self.harmless_arguments[name].issuperset(re.findall(r"\w+", decorator.partition("(")[2]))
        return name.rpartition(".")[2] in self.harmless_decorators

    def adds_beside(self, decorator: str) -> bool:
        """Return whether a decorator, as written, only adds code beside the definition and does not register it."""
        named = _DECORATOR_NAME.match(decorator)
        return named is not None and named[0].rpartition(".")[2] in self.adding_decorators


class MadeCode(Struct, frozen=True):
    """What makes definitions that no file spells out.

    Attributes:
        deriving: Found in a decorator; the first group lists the interfaces that it implements for its type.
        macro: Found where a call of a macro may stand in place of definitions; ends with the bracket before its
            arguments.
        declaring: Matches a name in such arguments as a declared one, if `NAME` is replaced by the name.
        rewriting: Found where a call of a macro begins that may give another meaning to the names in its arguments.
    """

    deriving: re.Pattern[str] = NEVER
    macro: re.Pattern[str] = NEVER
    declaring: str = ""
    rewriting: re.Pattern[str] = NEVER


class Decorators(Struct, frozen=True):
    """The decorators that change a function's parameters or result, by the ends of their names.

    Attributes:
        class_methods: Those by which a method receives the class.
        static_methods: Those by which a method receives no object.
        overloads: Those of an overload, which only declares one way to call a function.
        managers: Those that make a context manager of a generator function.
        implicit_class_methods: Names of methods that receive the class without a decorator.
        keep_parameters: Whether decorators never change the parameters of a function.
        add_constructors: Matches those by which a class gets constructors that it does not declare; where functions
            keep their parameters, no others do.
    """

    class_methods: tuple[str, ...] = ()
    static_methods: tuple[str, ...] = ()
    overloads: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    implicit_class_methods: frozenset[str] = frozenset()
    keep_parameters: bool = False
    add_constructors: re.Pattern[str] = NEVER


class Records(Struct, frozen=True):
    """The classes whose constructor or objects follow from the declarations in their body.

    Attributes:
        decorators: Ends of the names of the decorators that add a constructor for the fields of a class.
        bases: The last parts of the names of bases that do.
        tuples: Those of bases whose objects are tuples of the fields too.
        enums: Those of bases whose objects are the names assigned in the body.
        field_calls: Functions that make a field where its type is not declared.
        copying: Dotted names of functions that copy their first argument with other values for fields passed by name.
        copying_members: Members that copy their object in this way.
        in_header: Whether the parameters of a class's constructor, which are written before its body, may be fields.
        unusual: Found in the text of a class whose constructor has parameters other than the fields.
        unordered: Found in the text of a class whose constructor does not take the fields in order.
        defaults: Names of the arguments of those functions that give the field a value.
        partial: Found in the first line of a class with keys whose objects may lack each of its own keys.
        listings: Functions that read all fields of any object.
        listing_modules: The modules of libraries that have them.
        optional_forms: Forms around the type of a key that objects may lack.
        required_forms: Forms around the type of a key that objects have to have.
        hiding_forms: Forms that may contain one of these.
    """

    decorators: tuple[str, ...] = ()
    bases: frozenset[str] = frozenset()
    tuples: frozenset[str] = frozenset()
    enums: frozenset[str] = frozenset()
    field_calls: frozenset[str] = frozenset()
    copying: frozenset[str] = frozenset()
    copying_members: frozenset[str] = frozenset()
    in_header: bool = False
    unusual: re.Pattern[str] = NEVER
    unordered: re.Pattern[str] = NEVER
    defaults: re.Pattern[str] = NEVER
    partial: re.Pattern[str] = NEVER
    listings: tuple[str, ...] = ()
    listing_modules: frozenset[str] = frozenset()
    optional_forms: frozenset[str] = frozenset()
    required_forms: frozenset[str] = frozenset()
    hiding_forms: frozenset[str] = frozenset()


def is_decorated(decorators: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Return whether one of the decorators, without its arguments, ends with one of the names."""
    return any(decorator.partition("(")[0].endswith(names) for decorator in decorators) if names else False


_COMMENTS = (late_pattern(r"^[ \t]*//.*$|^[ \t]*/\*(?>[\s\S]*?(?:\*/|\Z))[ \t]*$", re.MULTILINE),)


class Visibility(Enum):
    """Where definitions with restricted visibility are visible."""

    PACKAGE = "package"
    MODULE = "module"
    """The module that defines it, and those within it."""
    FILE = "file"
    CLASS = "class"


class Branch(Struct, frozen=True):
    """Lines, and the conditions under which they are compiled, each with the value that it has then."""

    start: int
    end: int
    tests: frozenset[tuple[str, bool]]


def read_tests(branches: Iterable[Branch], line: int) -> frozenset[tuple[str, bool]]:
    """Return the conditions under which a line is compiled, each with the value that it must have."""
    return frozenset(test for each in branches if each.start <= line <= each.end for test in each.tests)


class Conventions(Struct, frozen=True):
    r"""The conventions of a language's users.

    Attributes:
        files: How files are named.
        tests: How tests are recognized.
        implicit: Definitions that the language or its libraries use implicitly.
        made: What makes definitions that no file spells out.
        decorators: Decorators that change a function.
        records: Classes whose fields make their constructor.
        stored: Classes whose objects a database keeps.
        comments: Lines of comments, and of texts that stand for comments, in the order they are removed from code.
        is_name_first: Whether a parameter's name stands before its type.
        has_written_types: Whether types without members are written out in full, and members of interfaces have no
            code of their own.
        names_owners: Whether the owner of a definition is named in its file or path.
        receivers: Names by which methods call their own object or class.
        own_name: Matches the name in a signature that a method has for its object, which only its body uses.
        offered: Matches the start of the signature of a definition visible to other programs, except members of
            interfaces and enumerations.
        is_hidden: Returns whether a member of a class is private by what stands before it in the body of the class,
            from the lines of the file, the class and the member; None if the member's own signature says so.
        must_name: Returns whether code outside that builds, matches or implements a public type has to name a member
            that is added to it, from the type, its members before and the added one; None if no code has to.
        rank_visibility: Ranks how few other files can see a file's declarations, 0 for all; None if all can.
        definition_lines: Matches the start of a line that begins a definition; the last group that takes part is its
            name. Git reads it too, so it has only what extended regular expressions have, and `(?:`, `\w` and `\b`.
        get_visibility: Returns where a definition with restricted visibility is seen, or None for an unrestricted one;
            None if the language has no such restriction.
        list_branches: Returns the lines of a file that are compiled under conditions; None if the language has no such
            conditions.
        list_builds: Returns the usual builds that compile a file, by its name and text; None if all do.
        passes_on: Returns whether a file, by its text, lets others import a name that it imports; None for all of them.
    """

    files: FileNames = field(default_factory=FileNames)
    tests: TestConventions = field(default_factory=TestConventions)
    implicit: ImplicitUse = field(default_factory=ImplicitUse)
    made: MadeCode = field(default_factory=MadeCode)
    decorators: Decorators = field(default_factory=Decorators)
    records: Records = field(default_factory=Records)
    stored: StoredClasses = field(default_factory=StoredClasses)
    comments: tuple[re.Pattern[str], ...] = _COMMENTS
    is_name_first: bool = False
    has_written_types: bool = False
    names_owners: bool = False
    receivers: frozenset[str] = frozenset()
    own_name: re.Pattern[str] = NEVER
    offered: re.Pattern[str] = late_pattern("")
    is_hidden: Callable[[Sequence[str], Symbol, Symbol], bool] | None = None
    must_name: Callable[[Symbol, tuple[Symbol, ...], Symbol], bool] | None = None
    rank_visibility: Callable[[str, Symbol], int] | None = None
    definition_lines: str = ""
    get_visibility: Callable[[Symbol], Visibility | None] | None = None
    list_branches: Callable[[bytes], tuple[Branch, ...]] | None = None
    list_builds: Callable[[str, str], frozenset[str]] | None = None
    passes_on: Callable[[str, Import], bool] | None = None
