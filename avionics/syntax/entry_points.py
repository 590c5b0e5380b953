"""How programs declare their entry points: the rules that a language's package fills in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from avionics.late_pattern import NEVER, late_pattern
from avionics.model.enums import EntryKind

HTTP_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "trace"})
TEXT = r"""[rb]?(?P<quote>["'])(?P<name>(?:(?!(?P=quote)).)*)(?P=quote)"""
"""A string in a declaration: the name or the path."""

_BEFORE_SIGN, _AFTER_SIGN = 2_000, 2_000
"""How many characters before and after its sign a declaration may have."""

Script = tuple[str, str, int]
"""The name of a command, what it runs, and the line that declares it."""


class DecoratorRule(Struct, frozen=True):
    """Decorators that declare an entry point.

    Attributes:
        names: The last parts of their names.
        packages: The packages that a decorator without a receiver must be imported from.
        brought: A word and a pattern of a file that imports such decorators for all others, as `#[macro_use]` does.
        methods: For a decorated class, candidate methods; the first that the class has runs.
        below: Found in the decorator of a class; its group is a list of the classes whose commands are below its own.
    """

    kind: EntryKind
    names: frozenset[str]
    packages: frozenset[str]
    brought: tuple[str, str] | None = None
    methods: tuple[str, ...] = ()
    below: re.Pattern[str] = NEVER


class ResourceRule(Struct, frozen=True):
    """Classes whose methods are served below one path, each for requests of its own.

    Attributes:
        methods: The name of a method → the HTTP method, and what follows the path.
        bases: The last part of the name of a library's class → the names of the methods that a subclass inherits.
        action: Matches the decorator of another method that is served, with its `arguments`.
        of_one: Found in that decorator if the request is for a single object of the resource.
        one: The end of the path in requests for a single object: `/{id}`.
        path: Found in the arguments; the group `name` follows the path instead of the name of the method.
        verbs: Found in the arguments; its first group has the HTTP methods, of which GET is the usual one.
    """

    methods: Mapping[str, tuple[str, str]]
    bases: Mapping[str, tuple[str, ...]]
    action: re.Pattern[str]
    of_one: re.Pattern[str]
    one: str
    path: re.Pattern[str]
    verbs: re.Pattern[str]


class CallRule(Struct, frozen=True, dict=True):
    """Calls that declare an entry point.

    Attributes:
        word: A word of every file with such a call.
        regex: The pattern of a call, with the groups `call`, `name` and maybe `runs`; `verb` for the HTTP methods,
            `member` for a member whose name is that of the command unless another is given, and `method` for the method
            of the class in `runs`. Without `call` the match is no call but declares the entry point itself.
        sign: A text that every match contains, so that only its surroundings are searched.
        chain: The pattern of one of several calls in the group `chain`, each with its own handler.
        takes_handler: Whether the last argument of the call is the handler; the pattern then ends before it.
        needs_handler: Whether a match without a known handler is ignored.
        after: With `takes_handler`, the pattern of code behind the call that names the HTTP methods, the group `verb`.
        methods: Candidate methods of the named class, or without `runs` of the class around the declaration; the first
            that exists runs.
        resource: How the methods of the named class are served.
    """

    kind: EntryKind
    word: str
    regex: str
    sign: str = ""
    chain: str = ""
    takes_handler: bool = False
    after: str = ""
    needs_handler: bool = False
    methods: tuple[str, ...] = ()
    resource: ResourceRule | None = None

    def iter_matches(self, text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
        """Yield the matches in a text, each with the call that names the handler: itself, or one of its chain."""
        for start, end in self._iter_searched(text):
            for match in self.pattern.finditer(text, start, end):
                if not self.chain:
                    yield match, match
                    continue
                for part in re.compile(self.chain).finditer(text, match.start("chain"), match.end("chain")):
                    yield match, part

    def _iter_searched(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of the parts of a text that may have matches."""
        at = text.find(self.sign)
        if not self.sign or self.chain:
            yield 0, len(text) if at >= 0 else 0
            return
        start = end = 0
        while at >= 0:
            if at - _BEFORE_SIGN > end:
                yield start, end
                start = at - _BEFORE_SIGN
            end = at + _AFTER_SIGN
            at = text.find(self.sign, at + 1)
        yield start, end

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the compiled pattern, made when a text is first searched for it."""
        return re.compile(self.regex)


class PassedPaths(Struct, frozen=True, dict=True):
    """Calls that register a route whose path need not be written there: `router.HandleFunc("/"+path, handler)`.

    Attributes:
        words: The names of the methods.
        on: The pattern of the object that they are called on.
        path: The index of the path among the arguments; the last argument that may be a handler is one.
        after: The pattern of code behind the call that names the HTTP methods, the group `verb`.
        verb: The pattern of the first argument, the HTTP method. The call may then be of any function, also one that
            the function around it was given, and `words` are those of files with such arguments.
    """

    words: tuple[str, ...]
    on: str
    path: int = 0
    after: str = ""
    verb: str = ""

    @cached_property
    def call(self) -> re.Pattern[str]:
        """Return the pattern of a call, from the dot before its name, or from its name, to its bracket."""
        if self.verb:
            return re.compile(rf"(?<!\w)(?P<call>[A-Za-z_]\w*+)\((?=\s*(?:{self.verb})\s*,)")
        return re.compile(rf"\.(?P<call>{'|'.join(self.words)})\(")

    @cached_property
    def receiver(self) -> re.Pattern[str]:
        """Return the pattern of the object that a call is made on, at the end of the text before the call."""
        return re.compile(rf"(?:(?<![\w.$])(?:{self.on})\.)?\Z" if self.verb else rf"(?<![\w.$])(?:{self.on})\Z")


class MainRule(Struct, frozen=True):
    """A function that programs start with.

    Attributes:
        package: The package that it is in; None for any.
        header: Found in its signature.
        in_class: Whether it may be a method.
    """

    name: str = "main"
    package: str | None = None
    header: re.Pattern[str] = late_pattern("")
    in_class: bool = False


class PlacedRule(Struct, frozen=True):
    """A class that a framework runs because of the path of its file.

    Attributes:
        path: Found in the path; its first group is the name of the command. Other entry points have that of the class.
        class_name: The class; "" for every class with the header.
        header: Found in the signature of the class.
        kind: What the class is to the framework.
    """

    path: re.Pattern[str]
    class_name: str
    method: str
    header: re.Pattern[str] = late_pattern("")
    kind: EntryKind = EntryKind.COMMAND


class NamedClassRule(Struct, frozen=True):
    """Classes that are commands because of what they inherit from, with their name in a field.

    Attributes:
        parts: Lower-case words, one of which the name of the base contains.
        base: Found in the bases of the class.
        field: The field with the name of the command.
        value: Found in the field's text; its first group is the name.
        methods: The methods that may run, the likeliest first.
    """

    parts: tuple[str, ...]
    base: re.Pattern[str]
    field: str
    value: re.Pattern[str]
    methods: tuple[str, ...]


class PlacedRoutes(Struct, frozen=True):
    """Functions that a framework calls for requests because of the path of their file.

    Attributes:
        path: Found in the path; its first group is the path of the route, and `verb` the only method it answers.
        by_method: Whether the functions are named after HTTP methods; else the default export answers all of them.
        header: Found in the first line of such a default export.
        unspoken: Matches the parts of the path that are not part of the route, such as numbers for the order of files.
    """

    path: re.Pattern[str]
    by_method: bool
    header: re.Pattern[str] = re.compile("export default ")
    unspoken: re.Pattern[str] = NEVER


class VariantRule(Struct, frozen=True):
    """An enumeration whose members are commands.

    Attributes:
        marks: Found in a decorator of the enumeration.
        renames: Found in a decorator of a member that has another name, the first group.
    """

    marks: re.Pattern[str]
    renames: re.Pattern[str]


RouteLine = tuple[tuple[str, ...], str, str, int]
"""The HTTP methods, the path, the qualified name of the handler (`save(Order)` takes an `Order`), and the line."""


class RouteFile(Struct, frozen=True):
    """A file that lists routes."""

    path: re.Pattern[str]
    read: Callable[[str], Iterator[RouteLine]]


class ProgramFile(Struct, frozen=True):
    """How a directory, or a file, is run as a program.

    Attributes:
        name: The file of a directory that runs when the directory does.
        command: What runs a directory by its dotted name.
        guard_word: A word of every file that does something only if it is run as a program.
        guard: The line where that begins.
    """

    name: str
    command: str
    guard_word: str
    guard: re.Pattern[str]


class AnnotatedRoutes(Struct, frozen=True):
    """Annotations that declare which requests a method answers; those of its class declare the beginning of the path.

    Attributes:
        methods: Annotation → the HTTP methods; () if its arguments name them.
        paths: Annotations of a class that declare the beginning of the path; the first that a class has counts.
        clients: Annotations of a class whose methods send requests instead.
        base: A word, and the pattern of a call, up to its bracket, that puts the routes of a program below a path.
        versions: A word, and the pattern of a call, up to its bracket, that puts versions before the paths.
        base_of: The annotation of the classes to which both apply.
        method_paths: Annotations of a method that declare the rest of the path.
        alone: The beginning of a method's path that is not relative to that of its class; None if all are relative.
        unwritten: The name of the method that serves the path of its class, in frameworks that serve a method without a
            path at the names of class and method; "" in frameworks that serve it at the root.
        results: Found in the signature of a method that such a class serves without an annotation.
    """

    methods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    clients: frozenset[str] = frozenset()
    base: tuple[str, re.Pattern[str]] | None = None
    versions: tuple[str, re.Pattern[str]] | None = None
    base_of: str = ""
    method_paths: frozenset[str] = frozenset({"Path", "Route"})
    alone: re.Pattern[str] | None = None
    unwritten: str = ""
    results: re.Pattern[str] = NEVER


class RouterRules(Struct, frozen=True):
    """How programs put routers, and their routes, below a path.

    The patterns have the group `prefix` for the path, or `computed` for an expression of literals and constants, and
    may have the group `parent` for the router above.

    Attributes:
        groups: Expressions that make a router.
        blocks: Calls whose arguments contain routes, up to the bracket `open`; `router` is their name for the router.
        chains: Expressions that begin a chain of calls with routes: `web::scope("/api")` before `.service(…)`.
        mounts: A word, and the pattern of a call that mounts the router in the group `router`, a function that makes
            one, several in a list, the only function with the name in the group `only`, or the file in the group
            `module` or, by its path, `file`.
    """

    groups: tuple[re.Pattern[str], ...] = ()
    blocks: tuple[re.Pattern[str], ...] = ()
    chains: tuple[re.Pattern[str], ...] = ()
    mounts: tuple[tuple[str, re.Pattern[str]], ...] = ()

    @property
    def has_any(self) -> bool:
        """Return whether there are any rules."""
        return bool(self.groups or self.blocks or self.chains or self.mounts)


class EntryPointRules(Struct, frozen=True):
    """How programs of a language declare their entry points.

    Attributes:
        main: The function that programs start with.
        program: How directories and files are run.
        decorators: Decorators that register.
        calls: Calls that register.
        passed_paths: Calls that register a route at a path which the function around them may have been given.
        placed: Classes that run because of the path of their file.
        named: Classes that are commands because of what they inherit from.
        placed_routes: Functions that answer requests because of the path of their file.
        variants: Enumerations whose members are commands.
        route_files: Files that list routes.
        routes: Annotations of methods that answer requests.
        script_files: File name → function that reads the commands of an installed package.
        script_importer: A file in the same directory, against which relative paths are resolved.
        view_suffix: A suffix of registered names that the names of the handlers lack.
        routers: How programs put routes below a path.
    """

    main: MainRule | None = None
    program: ProgramFile | None = None
    decorators: tuple[DecoratorRule, ...] = ()
    calls: tuple[CallRule, ...] = ()
    passed_paths: tuple[PassedPaths, ...] = ()
    placed: tuple[PlacedRule, ...] = ()
    named: tuple[NamedClassRule, ...] = ()
    placed_routes: tuple[PlacedRoutes, ...] = ()
    variants: tuple[VariantRule, ...] = ()
    route_files: tuple[RouteFile, ...] = ()
    routes: AnnotatedRoutes = field(default_factory=AnnotatedRoutes)
    script_files: Mapping[str, Callable[[str], Iterator[Script]]] = field(default_factory=dict)
    script_importer: str = ""
    view_suffix: str = ""
    routers: RouterRules = field(default_factory=RouterRules)
