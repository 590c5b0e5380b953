"""The conventions of Python."""

from __future__ import annotations

import re
import sys

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import (
    Conventions,
    Decorators,
    FileNames,
    ImplicitUse,
    Records,
    StoredClasses,
    TextNames,
)
from avionics.syntax.languages.python.standard_bases import get_called_members
from avionics.syntax.testing import TestConventions, TestRunner

NAMESPACES = (
    r"__dict__|\b(?:globals|locals|vars|run_path|run_module|exec|eval)\(|\bf_(?:globals|locals)\b|\bsys\.modules\b"
)
"""Code that has the names of a module or an object as keys of a mapping."""
_STANDARD = "|".join(sorted({"typing_extensions", *sys.stdlib_module_names} - {"unittest"}))
"""Modules whose classes do not search for their subclasses, as those of `unittest` do."""


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether constructor calls of a record must pass a new field because it has no default."""
    is_record = any(each.partition("(")[0].endswith("dataclass") for each in of.decorators)
    is_record = is_record or any(base.endswith("NamedTuple") for base in of.bases)
    has_value = "=" in added.signature or "ClassVar" in added.signature
    return is_record and added.kind is SymbolKind.ATTRIBUTE and not has_value


CONVENTIONS = Conventions(
    stored=StoredClasses(
        modules=late_pattern(
            r"^(?:\w+\.(?:db|contrib)|peewee|tortoise|flask_sqlalchemy|sqlalchemy|sqlmodel|mongoengine|beanie|odmantic|ormar|pony|gino"
            r"|mptt|treebeard|model_utils|polymorphic|wagtail)\b"
        ),
        bases=late_pattern(
            r"(?:\w+\.)*(?:Model|DeclarativeBase|AbstractUser|AbstractBaseUser|MPTTModel|TimeStampedModel|MP_Node"
            r"|PolymorphicModel|Document|EmbeddedDocument|DynamicDocument)"
        ),
        own_bases=late_pattern(r"(?:db|models|orm|peewee|pw)\.(?:Model|Entity|Document)|AbstractUser|AbstractBaseUser"),
        members=frozenset({"__tablename__"}),
    ),
    files=FileNames(
        has_test_directories=False,
        tests=late_pattern(
            r"(?:^|/)\w*(?<!la)(?<!con)(?<!pro)tests?/(?:[\w-]+/){0,9}\w*(?<!la)(?<!con)(?<!pro)test\.py$",
            needs=("test.py",),
        ),
        generated=late_pattern(
            r"(^|/)migrations/\d{4}_\w+\.py$|_pb2(_grpc)?\.pyi?$", needs=("migrations/", "_pb2")
        ),
        auxiliary=late_pattern(r"(^|/)(setup|ez_setup)\.py$", needs=("setup.py",)),
        directory_stems=("__init__",),
        declaration_suffixes=(".pyi",),
        stub_places=late_pattern(r"(?:^|/)(?:[\w.-]*[_-])?(?:stubs?|typeshed)/"),
        unread_code=late_pattern(
            r"\.(?:pyx|pxd|pxi|wsgi|cgi|fcgi|xsh|sage|smk|spec|bzl|star|tac|robot|resource|kv|mako|coco)$"
            r"|(?:^|/)(?:SConstruct|SConscript|wscript|Snakefile)$"
        ),
        views=late_pattern(r"\.(?:ui|glade|qml|blp)$"),
        viewed=late_pattern(r"\bGtk\b|\bPy(?:Side|Qt)|\bqtpy\b"),
        importing=late_pattern(r"^(?:from[ \t]+[\w.]+[ \t]+import\b|import[ \t]+\w+(?:\.\w+)*[ \t]*$)", re.M),
    ),
    tests=TestConventions(
        names=late_pattern("test"),
        collected=("test", "setup", "teardown", "setUp", "tearDown", "asyncSetUp", "asyncTearDown", "load_tests"),
        hooks=("pytest_",),
        support_files=late_pattern(r"(^|/)(conftest|__init__|settings)\.\w+$"),
        fixtures=("fixture",),
        example_mark=">>>",
        has_fixtures=True,
        fixture_file="conftest.py",
        node_separator="::",
        runners=(TestRunner(("pytest",), "{node}", many="{file}"),),
    ),
    implicit=ImplicitUse(
        class_hooks=("__init_subclass__",),
        name_hooks=("__set_name__",),
        class_listing=("__subclasses__",),
        run_functions=frozenset(
            {
                "lambda_handler", "makeExtension", "load_ipython_extension", "unload_ipython_extension",
                "load_jupyter_server_extension",
                "_load_jupyter_server_extension", "_jupyter_server_extension_points", "_jupyter_server_extension_paths",
                "_jupyter_labextension_paths", "_jupyter_nbextension_paths", "_jupyter_bundlerextension_paths",
            }
        ),
        handing_out=late_pattern(
            r"(?P<kept>\b(?:def\s+\w+|isinstance|issubclass|id|type|len|str|repr|hash|iter|list|bool|format|print|vars|dir"
            r"|(?:get|set|has|del)attr)\s*(?=\()|\.__\w+__\s*(?=\()|\bsuper\([^()\n]{0,80})?"
            r"(?:[(,\[{]\s*(?:\w+\s*=\s*|\*{1,2}|[^\s,()\[\]{}:]{1,60}\s*:\s*)?self\s*(?=[,)\]}])|(?:\.\w+|\])\s*=\s*self\s*$)",
            re.MULTILINE,
            needs=("self",),
        ),
        native_calls=late_pattern(r"\b(?:ctypes|cffi|pythran|cppyy)\b"),
        harmless_decorators=frozenset(
            {
                "property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "overload", "override",
                "final", "contextmanager", "asynccontextmanager", "wraps", "cache", "lru_cache", "dataclass", "setter",
                "getter", "deleter", "total_ordering", "runtime_checkable", "deprecated", "define", "frozen", "s",
                "attrs", "unique",
            }
        ),
        accessor_decorators=frozenset({"setter", "getter", "deleter"}),
        # The traceback of a failed test leaves out the modules that have the second; LLDB calls the third.
        special_names=late_pattern(r"__\w*__|__unittest|__lldb_init_module"),
        # The variable of a loop, and one of several that is marked as unused: `head, _rest = split(path)`.
        placeholders=late_pattern(r"\w+ (?:async )?for\b.*|_\w* [^=,:{]*+,.*", re.DOTALL),
        plain_bases=frozenset(
            {
                "builtins.object", "builtins.Exception", "builtins.ValueError", "builtins.TypeError",
                "builtins.RuntimeError", "typing.Generic", "typing.Protocol", "typing.NamedTuple", "typing.TypedDict",
                "abc.ABC", "enum.Enum", "typing_extensions.Protocol", "typing_extensions.TypedDict",
            }
        ),
        empty_bases=frozenset(
            {"builtins.object", "typing.Generic", "typing.Protocol", "typing_extensions.Protocol", "abc.ABC"}
        ),
        finding_bases=late_pattern(rf"(?!(?:{_STANDARD})\.)\w++(?>(?:\.\w++)+)(?<!Exception)(?<!Error)(?<!Warning)"),
        get_called_members=get_called_members,
        reflective_calls=(
            "getattr", "setattr", "hasattr", "delattr", "globals", "locals", "vars", "dir", "getmembers", "eval",
            "exec", "__dict__",
        ),
        listing_calls=frozenset({"vars", "dir", "getmembers", "__dict__"}),
        listing_members=("__dict__",),
        metaclass=late_pattern(r"\bmetaclass\s*=\s*(?:\w+\.)*(?!ABCMeta\b)(?P<name>\w+)", needs=("metaclass",)),
        making_members=frozenset({"__new__", "__init__", "__prepare__"}),
        own_listings=frozenset({"vars", "__dict__"}),
        local_listings=frozenset({"locals", "vars", "dir"}),
        running_calls=frozenset({"eval", "exec"}),
        forwarding_calls=frozenset({"evolve", "partial", "partialmethod", "replace"}),
        text_names=TextNames(
            # `{{ order.total }}`, `{{ orders|map(attribute="total") }}`, `{% regroup orders by total as groups %}`,
            # the paths of TAL and the variables of Cheetah; but not `{{ total }}`, a variable that a template is given.
            template_members=late_pattern(r"(?:[./$]|[\"'][\w.]*|\bby\s{1,9})\Z"),
            whole=late_pattern(
                r"""(?<![\w"'])(?:(?P<data>[bB][rR]?|[rR][bB])|[rRuU])?(["'])(?:[\w.-]+\s*=\s*)?"""
                r"""(?P<text>[.:]?(?:\w+[.:])*\w+)\2(?!["'])(?(data)(?!\.decode))"""
            ),
            accessors=late_pattern(
                r"\b(?P<call>[gs]etattr|hasattr|delattr|object)\(\s*(?P<owner>[A-Za-z_][\w.]*+)\s*,\s*\Z"
            ),
            keys=late_pattern(r"(?:[gs]et|has|del)attr\((?:[^,()]|\([^()]*\))*,\s*(?P<key>[A-Za-z_]\w*)\s*[,)]"),
            running=late_pattern(r"\w+\((?!(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*,)"),
            fixed=late_pattern(
                r"\w+(?:\(\s*\))?\s*(?:\[\s*[rRuU]?(?:\"\w+\"|'\w+')\s*\]|\.(?:get|pop|setdefault)\(\s*[\"'])"
            ),
            namespaces=late_pattern(NAMESPACES),
            replaced_modules=late_pattern(r"\bsys\.modules\[[^\]\n]{1,80}\]\s?=[^=]"),
            subclass_hooks=("__init_subclass__", "__subclasses__"),
            module_listings=("iter_modules", "walk_packages", "listdir", "scandir", "glob", "iterdir"),
        ),
    ),
    decorators=Decorators(
        class_methods=("classmethod", "class_method"),
        static_methods=("staticmethod",),
        overloads=("overload",),
        managers=("contextmanager",),
        implicit_class_methods=frozenset({"__new__", "__init_subclass__", "__class_getitem__"}),
    ),
    records=Records(
        decorators=(
            "dataclass", "define", "frozen", "mutable", "attrs", "attr.s", "attributes", "attr.dataclass",
            "dataclasses",
        ),
        bases=frozenset({"TypedDict", "Struct", "BaseModel"}),
        tuples=frozenset({"NamedTuple"}),
        enums=frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"}),
        field_calls=frozenset({"ib", "attrib", "field", "Field"}),
        copying=frozenset({"dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve"}),
        copying_members=frozenset({"_replace"}),
        unusual=late_pattern(r"\b(?:alias|these|field_transformer)\s*=|\binit\s*=\s*False"),
        unordered=late_pattern(
            r"\b(?:kw_only|KW_ONLY|InitVar|ClassVar|auto_attribs)\b|@(?:attr\.)?(?:s|attrs|attributes)(?![.\w])|\.default\b"
        ),
        defaults=late_pattern(r"default(?:_factory)?|factory"),
        partial=late_pattern(r"\btotal\s*=\s*False\b"),
        listings=(
            "fields", "fields_dict", "asdict", "astuple", "get_type_hints", "structure", "unstructure", "from_dict",
        ),
        listing_modules=frozenset({"dataclasses", "attr", "attrs", "typing", "cattr", "cattrs", "dacite"}),
        optional_forms=frozenset({"NotRequired"}),
        required_forms=frozenset({"Required"}),
        hiding_forms=frozenset({"Annotated", "ReadOnly"}),
    ),
    comments=(
        late_pattern(r'^[ \t]*[rRuUbB]{0,2}("""|\'\'\')(?>[\s\S]*?\1)[ \t]*$', re.MULTILINE),
        late_pattern(r"""^[ \t]*[rRuU]?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*$""", re.MULTILINE),
        late_pattern(r"^[ \t]*#.*$", re.MULTILINE),
    ),
    is_name_first=True,
    names_owners=True,
    receivers=frozenset({"self", "cls"}),
    definition_lines=r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)",
    must_name=must_name,
)  # fmt: skip
