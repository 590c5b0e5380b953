"""Modules: imports, exports and `require`, as facts and as uses.

An ES module's default export is bound as `default`; the value of a whole CommonJS module (`module.exports = …`,
`export = …`) is bound as `export=`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern
from avionics.model.enums import BindingKind, ReferenceKind, SymbolKind
from avionics.model.facts import UNKNOWN, Expression, Import, replace
from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.nodes import children_of, first_child, iter_around
from avionics.syntax.engine.outline import Outline
from avionics.syntax.engine.source_text import one_line_of_code
from avionics.syntax.engine.uses import READ, UsesBuilder
from avionics.syntax.import_texts import ImportTexts, Sharing
from avionics.syntax.languages.typescript.documentation.comments import read_doc_comments
from avionics.syntax.languages.typescript.documentation.outline import MAY_DEFINE, define_documented
from avionics.syntax.languages.typescript.functions import (
    define_class,
    define_function,
    define_keys,
    define_own,
    enter_values,
    is_within_function,
)
from avionics.syntax.languages.typescript.node_predicates import (
    FUNCTIONS,
    declared_imports,
    is_importing,
    is_loading,
    last_assigned,
    loaded_path,
    unwrap,
    whole_place,
)
from avionics.syntax.languages.typescript.outline import DECLARATIONS

EXPORT_EQUALS = "export="
"""The name under which the value of a whole CommonJS module is bound."""
_MODULE = late_pattern(rb"^[^\S\n]*(?:import\b(?!\s*\()|export\b)|\bmodule\.exports\b|\bexports\.", re.M)

_HIDDEN = late_pattern(r"(?:\w+ ){0,3}(?:private\b|protected\b|#)")
_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM})
_LOADING = late_pattern(
    rb"\b(?:require|import)(?:Actual|Mock)?\s*(?:<[^\n(]{0,120}>)?\(\s*(?=[\"'`/\w])", needs=(b"require", b"import")
)
_SPACE = late_pattern(rb"\s{0,200}")
_GIVEN = late_pattern(rb"[\"'`\w]")
_MAX_COMMENTS = 8
"""Comments before the loaded name; with the bound on white space this keeps the time linear."""


def import_facts(outline: Outline, node: Node, parent: int) -> None:
    """Add the imports of `import … from 'x'`."""
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type.endswith("clause")), None)
    if clause is None:
        if source is not None:
            _add_import(outline, source, source, "", "")
        return
    source = source or clause.child_by_field_name("source")
    if source is None:
        return
    for part in clause.named_children:
        if part.type == "identifier":
            name = "" if clause.type == "import_require_clause" else "default"
            _add_import(outline, part, source, name, outline.source.of(part))
        elif part.type == "namespace_import":
            _add_import(outline, part.named_children[0], source, "", outline.source.of(part.named_children[0]))
        elif part.type == "named_imports":
            _add_specifiers(outline, part, source)


def _add_specifiers(outline: Outline, clause: Node, source: Node | None) -> None:
    """Add the imports of `{ a, b as c }`, without those of `export { a }`, which names a definition of this file."""
    for entry in clause.named_children:
        name = entry.child_by_field_name("name")
        if name is None:
            continue
        alias = entry.child_by_field_name("alias") or name
        if source is not None or outline.source.of(alias) != outline.source.of(name):
            _add_import(outline, name, source, _name(outline, name), _name(outline, alias))


def _name(outline: Outline, node: Node) -> str:
    return outline.source.of(node).strip("\"'")


def _add_import(outline: Outline, place: Node, source: Node | None, name: str, alias: str, lazy: bool = False) -> None:
    module = loaded_path(outline.source, source) if source is not None else ""
    line, column = outline.source.place(place)
    outline.imports.append(Import(module, name, alias, 0, line, column, lazy))


def export_facts(outline: Outline, node: Node, parent: int) -> None:
    """Add the definitions and imports of an `export …`."""
    source, value, declaration = map(node.child_by_field_name, ("source", "value", "declaration"))
    default = next((child for child in node.children if child.type == "default"), None)
    if declaration is not None:
        rule = DECLARATIONS.get(declaration.type)
        if rule is not None:
            rule(outline, declaration, parent, node)
        elif declaration.type == "ambient_declaration":
            for inner in declaration.named_children:
                if (rule := DECLARATIONS.get(inner.type)) is not None:
                    rule(outline, inner, parent, node)
        name = declaration.child_by_field_name("name")
        if default is not None and name is not None:
            _add_import(outline, default, None, outline.source.of(name), "default")
        return
    if value is not None and default is not None:
        _default_export(outline, default, value, node)
        return
    sign = next((child for child in node.children if child.type == "="), None)
    if sign is not None and node.named_child_count:
        add_whole(outline, sign, node.named_children[0])
    for child in node.named_children:
        if child.type == "export_clause":
            _add_specifiers(outline, child, source)
        elif child.type == "namespace_export":
            _add_import(outline, child.named_children[0], source, "", _name(outline, child.named_children[0]))
    if source is not None and any(child.type == "*" for child in node.children):
        _add_import(outline, source, source, "*", "")


def _default_export(outline: Outline, default: Node, value: Node, whole: Node) -> None:
    """Add `export default <expression>`: an alias `default` for a bare name, else a definition named `default`."""
    inner = unwrap(value)
    if inner.type == "identifier":
        _add_import(outline, default, None, outline.source.of(inner), "default")
    elif inner.type in FUNCTIONS:
        define_function(outline, inner.child_by_field_name("name") or default, inner, -1, whole, exported=True)
    elif inner.type == "class":
        define_class(outline, inner, -1, whole, inner.child_by_field_name("name") or default)
    else:
        signature = one_line_of_code(outline.source.of(whole))
        index = outline.define(default, SymbolKind.VARIABLE, whole, -1, signature=signature)
        if inner.type == "object":
            define_keys(outline, inner, index)
        else:
            enter_values(outline, inner, index)


def export_uses(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Read `export …`."""
    source, value, declaration = map(node.child_by_field_name, ("source", "value", "declaration"))
    default = next((child for child in node.children if child.type == "default"), None)
    for child in node.named_children:
        if child.type == "decorator":
            uses.visit(child, scope)
    if declaration is not None:
        uses.visit(declaration, scope)
        if default is not None:
            uses.bind_import(default, scope)
    elif value is not None and default is not None:
        meaning = uses.visit(value, scope)
        inner = unwrap(value)
        if inner.type == "identifier":
            uses.bind_import(default, scope)
        elif inner.child_by_field_name("name") is None:
            is_definition = inner.type in FUNCTIONS or inner.type == "class"
            kind = BindingKind.DEFINITION if is_definition else BindingKind.ASSIGNMENT
            uses.bind(default, scope, kind, value=meaning)
    elif (sign := next((child for child in node.children if child.type == "="), None)) is not None:
        for child in node.named_children:
            bind_whole(uses, sign, scope, uses.visit(child, scope))
    else:
        _exported(uses, node, source, scope)


def _exported(uses: UsesBuilder, node: Node, source: Node | None, scope: int) -> None:
    """Read `export { a, b as c } [from 'x']` or `export * [as y] from 'x'`."""
    for child in node.named_children:
        if child.type == "namespace_export":
            uses.bind_import(child.named_children[0], scope)
        elif child.type == "export_clause":
            _use_specifiers(uses, child, scope)
    if source is not None and any(child.type == "*" for child in node.children):
        uses.bind_import(source, scope)


def _use_specifiers(uses: UsesBuilder, clause: Node, scope: int) -> None:
    for entry in clause.named_children:
        name = entry.child_by_field_name("name")
        if name is not None:
            index = uses.bind_import(name, scope)
            uses.add_reference(name, scope, ReferenceKind.IMPORT if index >= 0 else READ, None, index)


def import_uses(uses: UsesBuilder, node: Node, scope: int, role: ReferenceKind) -> None:
    """Bind `import … from 'x'`, each name of which uses what it imports."""
    clause = next((child for child in node.named_children if child.type.endswith("clause")), None)
    for part in children_of(clause):
        if part.type == "identifier":
            uses.use_import(part, scope)
        elif part.type == "namespace_import":
            uses.bind_import(part.named_children[0], scope)
        elif part.type == "named_imports":
            _use_specifiers(uses, part, scope)


def bind_whole(uses: UsesBuilder, place: Node, scope: int, value: Expression) -> None:
    """Bind the value of the whole module, `module.exports = …`: a named definition or another value."""
    if uses.bind_import(place, 0, within=scope) < 0:
        bind_as(uses, EXPORT_EQUALS, place, 0, scope, value)


def add_whole(outline: Outline, place: Node, value: Node) -> None:
    """Add `module.exports = name` or `module.exports = require('x')`, an alias of a name or of another module."""
    named = value if value.type == "identifier" else name_of_exported(value)
    if named is not None:
        _add_import(outline, place, None, outline.source.of(named), EXPORT_EQUALS)
    elif is_loading(outline.source, value) and value.type == "call_expression":
        arguments = value.child_by_field_name("arguments")
        given = arguments.named_children[0] if arguments is not None else None
        _add_import(outline, place, given, "", EXPORT_EQUALS)


def name_of_exported(value: Node) -> Node | None:
    """Return the name of a function or class that is written as a value: `Cart` of `module.exports = class Cart {}`."""
    return value.child_by_field_name("name") if value.type in {"class", *FUNCTIONS} else None


def bind_as(uses: UsesBuilder, name: str, place: Node, scope: int, within: int, value: Expression) -> None:
    """Bind a member of the module at a place, which is not visible as a bare name."""
    uses.bind(place, scope, BindingKind.MEMBER, within=within, value=value, bound_as=name)


def loaded_module(uses: UsesBuilder, node: Node) -> Expression:
    """Return the module of `require('x')` or `import('x')`, UNKNOWN if its name is computed."""
    given = first_child(node, "arguments")
    index = uses.bind_import(given, 0) if given is not None else -1
    return uses.name(uses.facts.imports[index].alias) if index >= 0 else UNKNOWN


def iter_loaded(content: bytes) -> Iterator[int]:
    """Yield the offsets of the arguments of `require(` and `import(`, behind any comments."""
    closed = 0
    for found in _LOADING.finditer(content):
        at = found.end()
        for _ in range(_MAX_COMMENTS):
            if not content.startswith(b"/*", at):
                break
            if closed < at + 2:
                closed = content.find(b"*/", at + 2)
                if closed < 0:
                    closed = len(content)
            space = _SPACE.match(content, closed + 2)
            at = space.end() if space else closed + 2
        if _GIVEN.match(content, at):
            yield at


def whole_file(outline: Outline, root: Node) -> None:
    """Add facts that only the whole file shows: modules loaded within expressions, and names in export lists."""
    content = outline.source.content
    for at in iter_loaded(content):
        path_node = root.descendant_for_byte_range(at, at + 1)
        while path_node is not None and path_node.start_byte == at:
            if path_node.parent is None or path_node.parent.type == "arguments":
                break
            path_node = path_node.parent
        call = path_node.parent.parent if path_node is not None and path_node.parent is not None else None
        if path_node is None or path_node.start_byte != at or call is None or call.type != "call_expression":
            continue
        if loaded_path(outline.source, path_node):
            _add_loaded(outline, path_node, call)
    _make_classes(outline)
    _add_named_modules(outline, root)
    listed = {found.name for found in outline.imports if not found.module} | _list_exported(outline, root)
    is_script = (b"import" not in content and b"export" not in content) or _MODULE.search(content) is None
    opened: set[int] = set()
    for index, symbol in enumerate(outline.symbols):
        is_named = symbol.parent < 0 and (is_script or symbol.name in listed)
        is_member = symbol.parent in opened and _HIDDEN.match(symbol.signature) is None
        if not symbol.exported and (is_named or is_member):
            outline.symbols[index] = replace(symbol, exported=True)
            opened |= {index} if symbol.kind in _HOLDERS else set()


def documented_file(outline: Outline, root: Node) -> None:
    """Add what only the whole file shows where types are written in comments: also those that comments declare."""
    content = outline.source.content
    if b"/**" in content and MAY_DEFINE.search(content) is not None:
        comments = read_doc_comments(content, root, MAY_DEFINE).values()
        for comment in comments:
            for statement in comment.imports:
                import_facts(outline, statement, -1)
        define_documented(outline, root, comments)
    whole_file(outline, root)


def _add_named_modules(outline: Outline, root: Node) -> None:
    """Add the module of `var a = module.exports = b` as an alias of `b`, or of `a` if the value is not a name."""
    for statement in root.named_children:
        for declarator in statement.named_children if statement.type.endswith("_declaration") else ():
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is None or value is None:
                continue
            place = whole_place(outline.source, unwrap(value))
            if place is not None:
                last = last_assigned(unwrap(value))
                named = last if last.type == "identifier" else name
                _add_import(outline, place, None, outline.source.of(named), EXPORT_EQUALS)


def _make_classes(outline: Outline) -> None:
    """Make a class of every function that gets members: `Cart.prototype.add = function () {…}`."""
    members = [symbol for symbol in outline.symbols if symbol.kind is SymbolKind.METHOD and symbol.exported]
    named = {symbol.qualname.partition(".")[0] for symbol in members if symbol.parent < 0}
    owners = {symbol.parent for symbol in members}
    for index, symbol in enumerate(outline.symbols):
        is_holder = index in owners or (symbol.parent < 0 and symbol.qualname in named)
        if is_holder and symbol.kind is SymbolKind.FUNCTION:
            outline.symbols[index] = replace(symbol, kind=SymbolKind.CLASS)


def _add_loaded(outline: Outline, argument: Node, call: Node) -> None:
    """Add the import of a module that a call loads, with the names that a declaration gives it or its members."""
    wrappers = {"await_expression", "member_expression", "parenthesized_expression"}
    outer = next((each for each in iter_around(call) if each.type not in wrappers), None)
    lazy = any(around.type == "statement_block" for around in iter_around(call))
    if outer is not None and outer.type == "variable_declarator":
        name, value = outer.child_by_field_name("name"), outer.child_by_field_name("value")
        if name is not None and value is not None and is_importing(outline.source, name, value):
            for place, imported, bound in declared_imports(outline.source, name, value):
                _add_import(outline, place, argument, imported, outline.source.of(bound), lazy)
            return
    _add_import(outline, argument, argument, "", f"require {outline.source.of(argument)}", lazy)


def _list_exported(outline: Outline, root: Node) -> set[str]:
    """Return the names in `export { … }` and `module.exports = { … }`."""
    found: set[str] = set()
    for statement in root.named_children:
        if statement.type == "export_statement" and statement.child_by_field_name("source") is None:
            for clause in statement.named_children:
                if clause.type == "export_clause":
                    found.update(
                        outline.source.of(entry.child_by_field_name("name") or entry) for entry in clause.named_children
                    )
                elif clause.type == "identifier":
                    found.add(outline.source.of(clause))
        elif statement.type == "expression_statement" and statement.named_child_count:
            found.update(_list_commonjs_exports(outline, statement.named_children[0]))
    return found


def _list_commonjs_exports(outline: Outline, node: Node) -> set[str]:
    """Return the names that `module.exports = …` and `exports.x = …` export."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "assignment_expression" or left is None or right is None:
        return set()
    if not outline.source.of(left).startswith(("module.exports", "exports")):
        return set()
    inner = unwrap(right)
    if inner.type == "object":
        values = [entry.child_by_field_name("value") or entry for entry in inner.named_children]
        return {outline.source.of(value) for value in values if value.type.endswith("identifier")}
    return {outline.source.of(inner)} if inner.type == "identifier" else _list_commonjs_exports(outline, inner)


def statement_facts(outline: Outline, node: Node, parent: int) -> None:
    """Read an expression statement: members assigned to objects and modules, namespaces, functions in arguments."""
    inner = first_child(node)
    if inner is None:
        return
    if inner.type == "assignment_expression":
        place = whole_place(outline.source, inner)
        if place is not None:
            add_whole(outline, place, last_assigned(inner))
        _define_assigned(outline, inner, node, parent)
    elif inner.type == "internal_module":
        DECLARATIONS["internal_module"](outline, inner, parent)
    else:
        enter_values(outline, inner, parent)


def _define_assigned(outline: Outline, node: Node, whole: Node, parent: int) -> None:
    """Define `exports.x = function …`, `app.x = function …`, `Class.prototype.x = function …` or `this.x = …`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    owner, name = left.child_by_field_name("object"), left.child_by_field_name("property")
    is_own = owner is not None and owner.type == "this"
    if is_own and name is not None and define_own(outline, node, name, whole, parent):
        return
    if is_within_function(outline, parent) or owner is None or owner.type == "this" or name is None:
        is_variable = left.type == "identifier" and not is_within_function(outline, parent)
        enter_values(outline, right if is_variable else node, parent)
        return
    holder = holder_of(outline.source.of(owner))
    inner = last_assigned(unwrap(right))
    if outline.source.of(left) == "module.exports":
        if inner.type == "object":
            define_keys(outline, inner, -1)
        elif inner.type in FUNCTIONS:
            define_function(outline, inner.child_by_field_name("name") or name, inner, -1, whole, exported=True)
        elif inner.type == "class":
            define_class(outline, inner, -1, whole)
    elif inner.type in FUNCTIONS and holder is not None:
        kind, top = SymbolKind.METHOD if holder else SymbolKind.FUNCTION, _get_top_level(outline, holder)
        place = {"parent": top} if top >= 0 else {"parent": parent, "holder": holder}
        define_function(outline, name, inner, whole=whole, kind=kind, exported=True, **place)
    elif holder == "" and inner.type not in {"identifier"}:
        signature = one_line_of_code(outline.source.of(whole))
        enter_values(outline, inner, outline.define(name, SymbolKind.VARIABLE, whole, -1, signature=signature))
    else:
        enter_values(outline, node, parent)


def _get_top_level(outline: Outline, name: str) -> int:
    """Return the index of the top-level symbol of a name; -1 if none is defined so far."""
    found = (index for index, each in enumerate(outline.symbols) if each.parent < 0 and each.qualname == name)
    return next(found, -1) if name else -1


def holder_of(owner: str) -> str | None:
    """Return the dotted name that `owner.x = …` adds a member to: "" for the module itself, None for anything else."""
    if owner in {"exports", "module.exports"}:
        return ""
    name = owner.removesuffix(".prototype")
    return name if name.isidentifier() and name not in {"window", "global", "globalThis"} else None


def ambient_module(node: Node) -> Node | None:
    """Return the name of the module that `declare module 'x' { … }` adds to."""
    name = node.child_by_field_name("name")
    return name if name is not None and name.type == "string" else None


_IMPORTS = frozenset({"import_statement", "export_statement"})
_NAMED = late_pattern(
    r"(?P<head>(?:import|export)\s+(?:type\s+)?)\{(?P<names>[^{}/]*)\}\s*from\s*(?P<quote>['\"])(?P<module>[^'\"]*)['\"]\s*(?P<end>;?)"
)
_SUFFIX = late_pattern(r"\.[cm]?[jt]sx?$")


def write_named_import(module: str, name: str, alias: str) -> str:
    """Return the statement that imports a name."""
    renamed = f" as {alias}" if alias and alias != name else ""
    return f'import {{ {name}{renamed} }} from "{module}";'


def split_named_import(statement: str, name: str, module: str) -> str:
    """Return the statements that import one name from another module; "" for a statement of another form."""
    match = _NAMED.fullmatch(statement.strip())
    if match is None:
        return ""
    names = [each.strip() for each in match["names"].split(",") if each.strip()]
    moved = [each for each in names if each.removeprefix("type ").split()[0] == name]
    if len(moved) != 1:
        return ""
    kept = [each for each in names if each not in moved]
    head, quote, end = match["head"], match["quote"], match["end"]
    added = f"{head}{{ {moved[0]} }} from {quote}{module}{quote}{end}"
    return f"{head}{{ {', '.join(kept)} }} from {quote}{match['module']}{quote}{end}\n{added}" if kept else added


def specify(file: str, module: str, _dotted: str, like: str) -> str:
    """Return a specifier of another file: relative, with a suffix if `like`, a specifier of the importer, has one."""
    suffix = _SUFFIX.search(like)
    path = posixpath.relpath(_SUFFIX.sub("", module), posixpath.dirname(file) or ".")
    return (path if path.startswith(".") else f"./{path}") + (suffix[0] if suffix else "")


IMPORT_TEXTS = ImportTexts(
    lambda node: node.type in _IMPORTS and node.child_by_field_name("source") is not None,
    Sharing.NONE,
    write=write_named_import,
    split=split_named_import,
    specifier=specify,
    needs_export=True,
    implicit_names=frozenset({"React", "Fragment", "h"}),  # What elements of JSX become calls of.
)
