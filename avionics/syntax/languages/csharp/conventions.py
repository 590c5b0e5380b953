"""The conventions of C#."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import (
    PLAIN_STRINGS,
    REMARKS,
    BuiltNames,
    ClassFinders,
    Conventions,
    FileNames,
    ImplicitUse,
    NamingString,
    ScriptStrings,
    StoredClasses,
)
from avionics.syntax.languages.java.conventions import DEFINITION_LINES
from avionics.syntax.testing import TestConventions, TestRunner

_UNWRITTEN_ENDS = ("Attribute", "Extension")
"""Endings of class names that may be omitted: of attributes in code, and of extensions in XAML."""


def _list_shortened(of: Symbol) -> tuple[str, ...]:
    """Return the name by which `[Size]` and `{ui:Size}` use a class `SizeAttribute` or `SizeExtension`."""
    short = (of.name.removesuffix(end) for end in _UNWRITTEN_ENDS if of.kind is SymbolKind.CLASS)
    return tuple(name for name in short if name not in {"", of.name})


CONVENTIONS = Conventions(
    stored=StoredClasses(
        modules=late_pattern(r"DataAnnotations|EntityFrameworkCore|System\.Data|NPoco|Dapper"),
        decorators=late_pattern(r"(?:Table|TableName|Entity)\b"),
    ),
    files=FileNames(
        tests=re.compile(r"[a-z]Tests?\.\w+$"),
        unread_code=re.compile(
            r"\.(?:cshtml|vbhtml|razor|xaml|axaml|vb|fsx?|aspx|ascx|ashx|asmx|master|tt|t4|csx|boo|cs\.\w+)$"
        ),
    ),
    tests=TestConventions(
        marks=re.compile(r"\b(?:Fact|Theory|Test|TestMethod|TestCase)\b"),
        # https://learn.microsoft.com/dotnet/core/testing/selective-unit-tests
        runners=(
            TestRunner(
                ("dotnet", "test", "--filter", "{tests}"),
                "FullyQualifiedName~{name}",
                "|",
                many="FullyQualifiedName~{first}",
            ),
        ),
    ),
    offered=late_pattern(r"(?:[a-z]{1,12} ){0,6}?(?:public|protected|partial)\b"),
    implicit=ImplicitUse(
        class_listing=("GetTypes", "GetExportedTypes", "ExportedTypes", "DefinedTypes"),
        member_listing=("GetMethods", "GetProperties", "GetFields", "GetMembers", "GetRuntimeMethods"),
        class_finders=ClassFinders(
            late_pattern(r"\.csproj$"),
            late_pattern(
                r"(?<=\")(?:Microsoft\.NET\.Sdk\.(?:Web|Razor|BlazorWebAssembly)|MediatR|AutoMapper|FluentValidation|Scrutor"
                r"|Autofac|NServiceBus|MassTransit|Microsoft\.EntityFrameworkCore)(?=[\".])"
            ),
            need_base=True,
        ),
        harmless_decorators=frozenset({"Obsolete", "NotNull"}),
        has_private_underscore=False,
        finding_bases=late_pattern(
            r"(?!System\.)(?!I(?:Async)?(?:Disposable|Equatable|EqualityComparer|Compara\w+|Comparer|Enumera\w+|Collection"
            r"|List|Set|Dictionary|ReadOnly\w+|Cloneable|Convertible|Formattable|Observ\w+|NotifyProperty\w+|Command)\Z)"
            r"(?!(?:Collection|List|Dictionary|Observable\w+|Object|Stream|Text(?:Reader|Writer)|Thread)\Z)"
            r"[\w.]++(?<!Exception)(?<!Attribute)(?<!EventArgs)"
        ),
        unnamed_members=re.compile(r".{0,400}\.(?:\w++ ){0,4}partial (?!class|struct|record|interface).{0,400}"),
        value_classes=late_pattern(r"(?:[a-z]{1,12} ){0,6}?record\b"),
        run_functions=frozenset({"Main"}),
        naming_strings=(
            NamingString(r"(?:\.Get\w+|InvokeMember)\(\s*\"NAME\""),
            NamingString('"NAME"', re.compile(r"\btypeof\([^()\n]*\)[^;\n]{0,80}\Z")),
        ),
        script_strings=ScriptStrings(
            ('@"', '@$"', '"""'),
            late_pattern(
                rf"""{REMARKS}|(?P<script>"{{3}}(?>(?:[^"]++|"(?!""))*)|@\$?"(?>(?:[^"]++|"")*))"*+"""
                rf"""|{PLAIN_STRINGS}|'(?:[^'\\\n]|\\.)'"""
            ),
        ),
        built_names=BuiltNames(
            ("GetMethod", "GetField", "GetProperty", "GetMember", "InvokeMember", "GetRuntimeMethod", "GetType"),
            late_pattern(r'"(\w{2,40})(?:"\s*\+|\{)'),
            late_pattern(r'(?:\+\s*"|\})(\w{2,40})"'),
        ),
        layout_uses=re.compile(r"\bStructLayout\b(?!.*\bAuto\b)"),
        native_calls=re.compile(r"\b(?:DllImport|LibraryImport)\b"),
        list_other_names=_list_shortened,
    ),
    definition_lines=DEFINITION_LINES,
)
