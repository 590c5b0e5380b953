"""The conventions of Rust."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, Symbol
from avionics.syntax.conventions import (
    REMARKS,
    Conventions,
    FileNames,
    ImplicitUse,
    MadeCode,
    NamingString,
    ScriptStrings,
    StoredClasses,
    Visibility,
)
from avionics.syntax.testing import TestConventions, TestRunner


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether code must name a new field or variant, unless an attribute or private field leaves it open."""
    if "non_exhaustive" in of.decorators or added.kind is not SymbolKind.ATTRIBUTE:
        return False
    is_struct = of.kind is SymbolKind.CLASS
    return not is_struct or all(each.exported for each in members if each.kind is SymbolKind.ATTRIBUTE)


_USE = late_pattern(r"\s*+(?P<pub>pub(?:\([^)]*\))?\s++)?(?:use|mod)\b")


def passes_on(text: str, found: Import) -> bool:
    """Return whether the statement of an import begins with `pub`."""
    above = (_USE.match(line) for line in reversed(text.split("\n")[: found.line]))
    statement = next(filter(None, above), None)
    return statement is not None and statement["pub"] is not None


_DERIVING = frozenset(
    {
        "arg", "arbitrary", "as_ref", "builder", "clap", "command", "debug", "default", "deref", "deref_mut",
        "derivative", "derive", "derive_where", "diesel", "display", "educe", "error", "from", "group", "into", "pin",
        "pin_project", "proptest", "schemars", "serde", "serde_as", "source", "sqlx", "structopt", "strum",
        "strum_discriminants", "validate", "value", "zeroize",
    }
)  # fmt: skip
"""`derive`, and the helper attributes of derive macros."""

_WRITES_CODE = late_pattern(
    r"\A(?>(?s:.*?)\bTokenStream\b)(?s:.*?)(?:\)\s*+\.parse\(\)\s*+\.(?:unwrap|expect)\("
    r"|TokenStream::from_str\(|\.parse::<(?>(?:\w+::)*)TokenStream>)|\bvar(?:_os)?\(\s*+\"OUT_DIR\""
)
"""Found in files that make code from text."""
_NO_COMMENT = late_pattern(r"(?:\A|\n)(?![ \t]*+//)[^\n]*+\Z")
_NO_PRINTING = late_pattern(r"(?:\A|\n)(?![ \t]*+//)[^\n]*+(?<!!\()\Z")
_UNFENCED = r"(?>(?:[ \t]*+//[/!](?![ \t]*```)[^\n]*+\n)*)"
"""The lines of documentation up to the next fence."""

CONVENTIONS = Conventions(
    made=MadeCode(
        deriving=late_pattern(r"\bderive\s*+\(([^()]*+)\)"),
        macro=late_pattern(r"(?m)^[ \t]*+(?>(?:\w++::)*)(?!macro_rules\b)\w++![ \t]*+(?>(?:\w++[ \t]*+)?)[({\[]"),
        declaring=r"\b(?:const|enum|fn|mod|static|struct|trait|type|union)\s{1,9}(?:ref\s{1,9})?NAME\b",
        rewriting=late_pattern(
            r"\b(?!(?:(?:debug_)?assert(?:_eq|_ne)?|dbg|e?print(?:ln)?|format(?:_args)?|matches|panic|todo|unimplemented"
            r"|unreachable|vec|write(?:ln)?|anyhow|bail|ensure|debug|error|info|trace|warn|json)!)\w++![ \t]*+[({\[]"
        ),
    ),
    passes_on=passes_on,
    stored=StoredClasses(
        modules=late_pattern(r"diesel|sea_orm|schema"),
        decorators=late_pattern(
            r"(?:derive\(.*\b(?:Queryable|Insertable|Identifiable|DeriveEntityModel|Selectable)\b"
            r"|diesel\(|sea_orm\(|table_name)"
        ),
    ),
    files=FileNames(
        tests=re.compile(r"_tests\.rs$"),
        auxiliary=re.compile(r"(^|/)build\.rs$"),
        directory_stems=("mod",),
        root_stems=("lib",),
        unread_code=re.compile(r"\.(?:lalrpop|slint|udl|askama|stpl|inc|rsx|rs\.\w+)$"),
        views=re.compile(r"\.(?:ui|blp)$"),
        viewed=re.compile(r"\bgtk|template_c"),
        linked_code=re.compile(r"\.(?:[sS]|asm|ld|lds|x)$"),
        # https://docs.rs/askama/latest/askama/#the-template-attribute
        embedding=late_pattern(
            r"\b(?:include_(?:str|bytes)!\([^();\"]{0,200}|template\([^)\n]{0,200}?\bpath\s?=\s?)"
            r"\"(?:[^\"\n]{0,200}/)?(?P<file>[\w.-]+)\""
        ),
        embedding_words=("include_str", "include_bytes", "template"),
    ),
    tests=TestConventions(
        marks=re.compile(r"\A(?!cfg\().*\b(?:test|rstest)\b", re.DOTALL),
        runner_marks=re.compile(r"(?:\w+::)*(?:test|bench|rstest|test_case)\b"),
        beside_code=True,
        runners=(TestRunner(("cargo", "test", "--"), "{last}", file="Cargo.toml", whole=("cargo", "test")),),
        only_for_tests=re.compile(r"cfg\((?:test|all\(test\b.*)\)"),
    ),
    implicit=ImplicitUse(
        foreign_pointers=r"\*(?:const|mut)\s{1,9}(?:\w{1,80}::){0,9}NAME\b",
        layout_uses=re.compile(r"repr\((?!\s*+(?:Rust)?\s*+\))"),
        marking_members=re.compile(r"[^:\n]*:(?:.*\bPhantom(?:Data|Pinned)\b.*|\s?\(\))"),
        # Nothing is to call such a function: the compiler only checks its body, or that it exists.
        unnamed_members=late_pattern(r"[^.]{0,400}\.(?:\w{1,12} ){0,5}?fn _[^_].{0,800}"),
        # Text that a procedural macro parses, or a build script writes, is code.
        naming_strings=(
            NamingString(r'"(?:\w+::)+NAME"', _NO_PRINTING, is_linked=True, needs=("::",)),
            NamingString(r"(?:::|\.)NAME\b", _NO_COMMENT, _WRITES_CODE, is_linked=True, needs=("::", ".")),
        ),
        # https://doc.rust-lang.org/rustdoc/write-documentation/documentation-tests.html
        examples=late_pattern(
            r"^[ \t]*+//[/!][ \t]*+```(?:(?P<example>(?:(?:rust|no_run|should_panic|edition\d+|E\d+)[, ]*)*[ \t]*\n"
            rf"{_UNFENCED})|[^\n]*+\n{_UNFENCED})(?:[ \t]*+//[/!][ \t]*+```)?",
            re.MULTILINE,
            needs=("```",),
        ),
        script_strings=ScriptStrings(
            ('r"', "r#"),
            late_pattern(
                rf"""{REMARKS}|(?P<script>\bb?r(?P<end>#{{0,6}})"(?>(?:[^"]++|"(?!(?P=end)))*))(?:"(?P=end))?"""
                r"""|"(?>(?:[^"\\]++|\\[\s\S])*)"?+|'(?:[^'\\\n]|\\.)'"""
            ),
        ),
        native_calls=re.compile(r'\bextern\s+(?:"|\{)|\bbindgen\b|\b(?:libloading|dlsym|cxx::bridge)\b'),
        harmless_decorators=frozenset(
            {
                "allow", "cfg", "cfg_attr", "cold", "deny", "deprecated", "doc", "expect", "forbid", "ignore",
                "inline", "macro_export", "macro_use", "must_use", "non_exhaustive", "path", "repr", "rustfmt::skip",
                "should_panic", "target_feature", "test", "track_caller", "warn",
            }
        ),
        harmless_arguments={
            "derive": frozenset(
                {"Debug", "Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"}
            )
        },
        adding_decorators=_DERIVING,
        module_functions=frozenset({"serialize", "deserialize"}),
        run_functions=frozenset({"main"}),
        member_macros=re.compile(r"offset_of|span_of|paste|concat_idents|delegate|getset"),
        macro_mark="!",
    ),
    is_name_first=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+(?:\([^()]*\))?[ \t]+)*(?:fn|struct|enum|trait|union|type|macro_rules!)[ \t]+(\w+)"
        r'|[ \t]*(?:[a-z]+(?:\([^()]*\))?[ \t]+)*extern[ \t]+"[^"]*"[ \t]+fn[ \t]+(\w+)'
    ),
    must_name=must_name,
    get_visibility=lambda of: None if of.exported or of.kind is SymbolKind.MACRO else Visibility.MODULE,
)  # fmt: skip
