"""Recognize receivers whose types are unknown because a macro or a declaration out of sight may determine them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import BUILTIN, External, InstanceType, Module, Type, Types, as_class
from avionics.index.scopes.dynamic_modules import MODULE_NOT_FOUND
from avionics.index.scopes.name_resolver import NameResolver
from avionics.late_pattern import late_pattern
from avionics.model.enums import ExpressionKind, SymbolKind, is_class
from avionics.model.facts import Expression, Reference, Symbol
from avionics.model.reasons import Reason, ReasonKind

INSIDE_MACRO = Reason(ReasonKind.INSIDE_MACRO)
"""Why a name within a macro call, or declared by a macro, may mean any definition with its name."""
_RECEIVER_UNKNOWN = Reason(ReasonKind.RECEIVER_TYPE_UNKNOWN)
_MAX_TEXTS = 50
"""The maximum number of files that are not code in which a macro's definition is searched."""
_OPENED = late_pattern(r"\bnamespace\s+(?:\w+::)*(\w+)")


class MacroReceivers:
    """Decides which receivers macros may declare, in languages that have macros.

    `list_starred_outside` returns the modules outside the workspace of which a file imports all names.
    """

    def __init__(self, scopes: NameResolver, list_starred_outside: Callable[[str], tuple[External, ...]]) -> None:
        self._scopes = scopes
        self._list_starred_outside = list_starred_outside

    def may_declare(self, file: str, reference: Reference, receiver: Expression, owners: Types) -> bool:
        """Return whether a macro may declare a receiver or its type, or the receiver is a macro."""
        if self._may_declare_type(file, owners) or self._may_bind(file, reference, receiver):
            return True
        return self._is_macro(file, reference, receiver)

    def is_undeclared(self, file: str, owners: Types) -> bool:
        """Return whether a value or its type has no declaration in C; a macro or a missing header may declare it."""
        spec = self._scopes.spec(file)
        kinds = map(as_class, owners)
        is_c = spec.linkage and not spec.overloads
        return is_c and any(isinstance(each, External) and each.is_builtin for each in kinds)

    def _is_macro(self, file: str, reference: Reference, receiver: Expression) -> bool:
        """Return whether the receiver is a macro of C, which may expand to a namespace as well as to a value."""
        if receiver.kind is not ExpressionKind.NAME or not self._scopes.spec(file).linkage:
            return False
        return any(map(self._scopes.is_macro, self._scopes.find_targets(file, reference.scope, receiver.name)))

    def _may_declare_type(self, file: str, owners: Types) -> bool:
        """Return whether a macro may declare an unresolved type, or in C++ the namespace that contains it."""
        if self._scopes.spec(file).path_separator:
            kinds = map(as_class, owners)
            unbound = [each.name for each in kinds if isinstance(each, External) and each.is_builtin]
            return any(self._may_define_type(file, each.removeprefix(BUILTIN)) for each in unbound)
        if not is_cpp(self._scopes, file):
            return False
        outside = [each for each in owners if isinstance(each, External)]
        roots = {each.name.removeprefix(BUILTIN).partition(".")[0] for each in outside}
        nameless = {each.name.removeprefix(BUILTIN).partition(".")[0] for each in outside if each.is_builtin}
        if any(map(self._may_declare, roots)):
            return True
        return any(self.opens(each) or self._is_macro_elsewhere(each) for each in nameless)

    @cached_method
    def _may_define_type(self, file: str, name: str) -> bool:
        """Return whether a macro of Rust may define a type with a name that the file never binds.

        A star import from outside (`use library::*`) is taken to bring the name instead, unless the file has it in an
        attribute (`#[pin_project(project = StateProj)]`), declares it in a macro, or adds methods to it, which only its
        own crate can. Names of crates begin with small letters.
        """
        is_bound = name in self._scopes.source.uses(file).bindings
        if is_bound or not name[:1].isupper() or name in self._scopes.spec(file).builtin_names:
            return False
        word = rf"{re.escape(name)}\b"
        named = re.compile(
            rf"#\[[^\]\n]*\b{word}|\b(?:struct|enum|union|type)\s+{word}|\bimpl(?:<[^>\n]*>)?\s+{word}(?!.*\bfor\b)"
        )
        is_named = named.search(self._scopes.source.read_text(file)) is not None
        is_brought = bool(self._list_starred_outside(file)) and not self._scopes.modules.may_bring(file)
        return is_named or not is_brought

    def _may_bind(self, file: str, reference: Reference, receiver: Expression) -> bool:
        """Return whether a receiver of Rust begins with an unbound name that is not a crate, so that a macro binds it.

        `with_color!(color, { color.lighten() })` may declare `color` as a parameter.
        """
        spec = self._scopes.spec(file)
        while spec.path_separator and receiver.kind is not ExpressionKind.NAME and receiver.parts:
            receiver = receiver.parts[0]
        if not spec.path_separator or receiver.kind is not ExpressionKind.NAME:
            return False
        is_bound = self._scopes.get_variable(file, reference.scope, receiver.name) is not None
        is_bound = is_bound or bool(self._scopes.find_targets(file, reference.scope, receiver.name))
        return not is_bound and self._is_unbound(file, receiver.name)

    @cached_method
    def _is_unbound(self, file: str, name: str) -> bool:
        """Return whether an unbound name is not built in, and never begins a path (`name::…`) in a file."""
        spec = self._scopes.spec(file)
        path = re.compile(rf"(?<!\w){re.escape(name)}\s*{re.escape(spec.path_separator)}")
        return name not in spec.builtin_names and path.search(self._scopes.source.read_text(file)) is None

    def is_type_elsewhere(self, file: str, owner: Type) -> bool:
        """Return whether an unresolved type of C++ may be a class that the workspace declares in another scope."""
        of = owner.of if isinstance(owner, InstanceType) else None
        if not (isinstance(of, External) and is_cpp(self._scopes, file)):
            return False
        root, _, inner = of.name.removeprefix(BUILTIN).partition(".")
        return self._may_declare(root) and (not inner or self._may_declare(inner.rpartition(".")[2]))

    @cached_method
    def _may_declare(self, name: str) -> bool:
        """Return whether a macro declares the name, or a class, namespace or alias anywhere in the workspace has it.

        Aliases count that are not members of classes: `namespace test = store::test;`.
        """
        word = re.escape(name)
        declaring = re.compile(rf"\bnamespace\s+{word}\b|[\w>][\s*&]+{word}\s*[;=({{,)]")
        return any(
            (each.kind is SymbolKind.MACRO and declaring.search(each.signature) is not None)
            or (each.kind is SymbolKind.MACRO and self._names_space(each, name))
            or (each.name == name and (is_class(each.kind) or each.kind is SymbolKind.MODULE))
            or (each.name == name and each.kind is SymbolKind.TYPE and _is_outside_classes(each, symbols))
            for file in self._scopes.source.files_with_word(name)
            for symbols in (self._scopes.source.facts(file).symbols,)
            for each in symbols
        )

    def get_lack(self, space: Module, name: str) -> Reason | None:
        """Return why a module or namespace may have a member that is not found; None if it does not have it.

        A member of a module of Rust must exist, because the code compiles: a macro defines it or the index misses it.
        In C++ a macro may open a namespace, except one of the standard library, or another namespace has its name.
        """
        if space.file and self._scopes.spec(space.file).path_separator:
            return MODULE_NOT_FOUND
        file = space.seen_from
        if not (space.inner and file) or not is_cpp(self._scopes, file):
            return None
        if self.opens(space.inner[-1]) and not self._scopes.find_in_stub(file, space.inner[0]):
            return INSIDE_MACRO
        return _RECEIVER_UNKNOWN if self._scopes.namespaces.is_of_namesake(space, name) else None

    @cached_method
    def opens(self, name: str) -> bool:
        """Return whether a macro opens a namespace with a name, which is in its text or an argument: `BEGIN(inner)`.

        Declarations after such a call belong to the namespace, although no `namespace inner { … }` is around them.
        """
        word = re.escape(name)
        opening = re.compile(rf"\bnamespace\s+(?:\w+::)*{word}\s*(?:::|\{{)")
        within = r"[ \t\w,:]{0,200}"
        given = re.compile(rf"^[ \t]*([A-Z_][A-Z0-9_]+)[ \t]*\({within}\b{word}\b{within}\)", re.MULTILINE)
        for file in self._scopes.source.files_with_word(name):
            if not self._scopes.spec(file).linkage:
                continue
            macros = (each for each in self._scopes.source.facts(file).symbols if each.kind is SymbolKind.MACRO)
            if any(opening.search(each.signature) for each in macros):
                return True
            if any(self._opens_given(called) for called in set(given.findall(self._scopes.source.read_text(file)))):
                return True
        return False

    @cached_method
    def _is_macro_elsewhere(self, name: str) -> bool:
        """Return whether a macro anywhere in the workspace has a name, also in files that are not code."""
        source = self._scopes.source
        defining = re.compile(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(name)}\b", re.MULTILINE)
        if any(each.kind is SymbolKind.MACRO for each in source.iter_named(name)):
            return True
        texts = [file for file in source.count_word(name) if not source.has_file(file)][:_MAX_TEXTS]
        return any(defining.search(source.read_text(file)) for file in texts)

    @cached_method
    def _opens_given(self, macro: str) -> bool:
        """Return whether a macro opens a namespace whose name is one of its arguments."""
        texts = (each.symbol.signature for each in self._scopes.source.iter_named(macro))
        return any(_opens_parameter(text) for text in texts)

    def _names_space(self, macro: Symbol, name: str) -> bool:
        """Return whether a macro expands to the name alone, and declares a namespace: `namespace MACRO {`."""
        if re.search(rf"\b{re.escape(macro.name)}\s+{re.escape(name)}\s*\Z", macro.signature) is None:
            return False
        facts = self._scopes.source.facts
        return any(
            each.kind is SymbolKind.MODULE and each.name == macro.name
            for file in self._scopes.source.files_with_word(macro.name)
            for each in facts(file).symbols
        )


def _is_outside_classes(of: Symbol, symbols: Sequence[Symbol]) -> bool:
    """Return whether a symbol is one of its file or of a namespace."""
    return of.parent < 0 or symbols[of.parent].kind is SymbolKind.MODULE


def _opens_parameter(macro: str) -> bool:
    """Return whether the text of a macro opens a namespace whose name is a parameter of the macro."""
    header, _, body = macro.partition(")")
    return not set(re.findall(r"\w+", header.partition("(")[2])).isdisjoint(_OPENED.findall(body))


def is_cpp(scopes: NameResolver, file: str) -> bool:
    """Return whether a file is in C++."""
    spec = scopes.spec(file)
    return bool(spec.linkage and spec.overloads)
