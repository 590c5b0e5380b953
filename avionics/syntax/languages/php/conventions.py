"""The conventions of PHP."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
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
from avionics.syntax.testing import TestConventions, TestRunner

CONVENTIONS = Conventions(
    stored=StoredClasses(
        modules=late_pattern(r"Illuminate|Doctrine|Eloquent|yii.db", re.IGNORECASE),
        bases=late_pattern(r"[\\\w]*\b(?:Model|Authenticatable|Pivot|ActiveRecord)"),
        decorators=late_pattern(r"[\\\w]*\b(?:Entity|Table)\b"),
    ),
    files=FileNames(
        stub_places=late_pattern(r"(?:^|/)(?:[\w.-]*[_-])?stubs?/"),
        unread_code=re.compile(r"\.(?:blade\.php|phtml|phpt|inc|module|theme|install|latte|volt|twig|ctp|neon)$"),
    ),
    tests=TestConventions(
        calls=("expect",),
        runners=(
            TestRunner(("vendor/bin/pest",), "{file}", file="composer.json", text='"pestphp/pest"', group="{file}"),
            TestRunner(("vendor/bin/phpunit", "--filter", "{tests}"), "{first}::{last}", "|", many="{first}"),
        ),
        titled=late_pattern(r"^\s*+(?:it|test)\(\s*+([\"'])(?P<title>(?>(?:\\.|(?!\1)[^\\\n])+))\1", re.MULTILINE),
    ),
    implicit=ImplicitUse(
        harmless_decorators=frozenset({"Override", "Deprecated"}),
        handing_out=late_pattern(
            r"(?P<kept>\b(?:get_class|is_\w+|spl_object_\w+|(?:method|property)_exists)\s*(?=\())?"
            r"(?:[(,\[]\s*(?:\w+\s*:\s*)?\$this\s*(?=[,)\]])|(?:->\w+|\])\s*=\s*\$this\s*;)",
            needs=("$this",),
        ),
        own_listing=late_pattern(
            r"\b(?:get_object_vars|get_mangled_object_vars|serialize|var_export|var_dump|print_r|array_walk)\(\s*\$this\s*[,)]"
            r"|\bforeach\s*\(\s*\$this\s+as\b|\(array\)\s*\$this\b(?!\s*->)|\bget_class_vars\(",
            needs=("$this", "get_class_vars"),
        ),
        constructors=("__construct",),
        # Annotations of Doctrine, Symfony and Behat begin with a capital letter, the tags of documentation do not.
        comment_marks=late_pattern(r"^\s*/?\*+\s*@(?:\w+\\)*[A-Z]\w*+(?:[(\s:]|\Z)"),
        finding_bases=late_pattern(r"\w++(?>(?:\.\w++)+)(?<!Exception)(?<!Error)"),
        # https://laravel.com/docs/authorization#policy-discovery, https://symfony.com/doc/current/service_container.html
        class_finders=ClassFinders(
            late_pattern(r"(?:^|/)composer\.json$"),
            late_pattern(
                r"(?<=\")(?:laravel/(?:lumen-)?framework|symfony/(?:framework-bundle|symfony)|cakephp/cakephp|yiisoft/yii2"
                r"|codeigniter4/\w+|drupal/core[\w-]*|typo3/cms-core|magento/[\w-]+|shopware/\w+|hyperf/framework)(?=\")"
            ),
            spaces=late_pattern(r"""["']\\*(?P<space>(?:\w++\\{1,2})+)(?:["']\s*\.|\{?\$)"""),
            directories=late_pattern(r"""["'](?:[^"'\n]*/)?(?P<directory>\w+)/["']\s*\.\s*[$\w]"""),
            making=late_pattern(r"\bnew\s+\$\w"),
            calling=late_pattern(r"\bcall_user_func|(?:->|::)\s*\{?\$\w+\}?\s*\("),
        ),
        script_strings=ScriptStrings(
            ("<<<",),
            late_pattern(
                rf"""#(?!\[)[^\n]*+|{REMARKS}|(?P<script><<<["']?+(?P<end>\w++)[\s\S]{{0,9000}}?\n[ \t]*+(?P=end)\b)"""
                rf"""|{PLAIN_STRINGS}|'(?>(?:[^'\\]++|\\[\s\S])*)'?+"""
            ),
        ),
        built_names=BuiltNames(
            (
                "call_user_func",
                "call_user_func_array",
                "function_exists",
                "method_exists",
                "property_exists",
                "is_callable",
                "class_exists",
                "ReflectionMethod",
            ),
            late_pattern(
                r"""'(?>(?:\\?\w*+\\)*)(\w{2,40})'\s*\.(?!\d)|"(?>(?:\\?\w*+\\)*)(\w{2,40})(?:"\s*\.(?!\d)|\{?\$)"""
            ),
            late_pattern(r"""\.\s*(?:'(\w{2,40})'|"(\w{2,40})")|\}(\w{2,40})\""""),
        ),
        # `"NAME"`, `"Space\\NAME"`, and both sides of `"Space\\Class::method"` and of a route's `"Class@method"`.
        naming_strings=(
            NamingString(r"""["'](?:[\w\\]+(?:::|@|:))?NAME["']"""),
            NamingString(r"""["'](?:[\w\\]*\\)?NAME(?:(?:::|@|:)\w+)?["']"""),
        ),
    ),
    definition_lines=r"[ \t]*(?:[a-z]+[ \t]+)*(?:function|class|interface|trait|enum)[ \t]+&?(\w+)",
)
