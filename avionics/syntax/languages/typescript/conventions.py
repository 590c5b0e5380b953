"""The conventions of TypeScript and JavaScript."""

from __future__ import annotations

import functools
import re
from itertools import chain

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Import, Symbol
from avionics.syntax.conventions import (
    PLAIN_STRINGS,
    REMARKS,
    BuiltNames,
    Conventions,
    Decorators,
    FileNames,
    ImplicitUse,
    NamingString,
    ScriptStrings,
    StoredClasses,
    Visibility,
)
from avionics.syntax.testing import TestConventions, TestRunner

RUNNERS = (
    TestRunner(("npx", "vitest", "run"), "{file}", file="package.json", text="vitest"),
    TestRunner(("npx", "jest"), "{file}", file="package.json", text="jest"),
    TestRunner(("npx", "mocha"), "{file}", file="package.json", text="mocha"),
    TestRunner(("npx", "ava"), "{file}", file="package.json", text='"ava"'),
    TestRunner(("node", "--test"), "{file}"),
)

_SCRIPT_STRINGS = ScriptStrings(
    ("`",),
    late_pattern(
        rf"""{REMARKS}|(?P<script>`(?>(?:[^`\\]++|\\[\s\S])*))`?+|{PLAIN_STRINGS}|'(?>(?:[^'\\\n]++|\\.)*)'?+"""
        r"""|[(,=:\[!&|?{};]\s*+/(?![*/])(?>(?:[^/\\\n\[]++|\\.|\[(?>(?:[^\]\\\n]++|\\.)*)\]?+)*)/?+"""
    ),
)
"""Templates. What follows an operator and begins with a slash is a regular expression."""
_REQUIRED = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.METHOD, SymbolKind.PROPERTY})


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether objects of an interface need its new member, because it is not optional and no overload."""
    is_required = added.signature.removeprefix(added.name)[:1] != "?" and all(
        each.name != added.name for each in members
    )
    return of.kind is SymbolKind.INTERFACE and added.kind in _REQUIRED and is_required


def get_visibility(of: Symbol) -> Visibility | None:
    """Return where a definition that is not exported is visible: in the file, or in the class and its subclasses."""
    if of.exported:
        return None
    return Visibility.FILE if of.parent < 0 else Visibility.CLASS


_ERRORS = frozenset(
    {
        "AggregateError", "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError",
    }
)  # fmt: skip
_CALLED_BY_ERRORS = frozenset({"cause", "message", "name", "stack", "toString"})


def get_called_members(base: str) -> frozenset[str] | None:
    """Return the members that a class from outside may call on objects of its subclasses; None if it may call any."""
    return _CALLED_BY_ERRORS if base.removeprefix("builtins.") in _ERRORS else None


_QUOTED = r"""(["'`])NAME\1"""
_COMPUTED = late_pattern(r"[\w$)\]]\[(?!(?:[ijn]|idx|\w*[iI]ndex|\w*[cC]ount)\])[A-Za-z_$][\w$]*\]|\bkeyof\b")
"""An access by a name that is computed, or a type of such names: `table[key]`, `keyof Table`."""

LISTING = "values"
"""The name of an access to every value that an object itself has."""
LISTING_CALLS = frozenset({"Object.values", "Object.entries", "Object.getOwnPropertyDescriptors", "Reflect.get"})

_NAME = late_pattern(r"[\w$]+")
_EXPORTS = late_pattern(r"\bexport\s++(?:type\s++)?(?:\{([^{}]*+)\}|\*\s*+as\s++(\w++)|default\s++(\w++))")


@functools.lru_cache(maxsize=16)
def _read_exported(text: str) -> frozenset[str] | None:
    """Return the words of the clauses that export names; None if a file, as one of CommonJS, has no `export`."""
    clauses = (filter(None, each.groups()) for each in _EXPORTS.finditer(text))
    return frozenset(_NAME.findall(" ".join(chain.from_iterable(clauses)))) if "export " in text else None


def passes_on(text: str, found: Import) -> bool:
    """Return whether a clause of a file exports a name that it imports; those of CommonJS are not told apart."""
    exported = _read_exported(text)
    return exported is None or found.alias in exported


CONVENTIONS = Conventions(
    passes_on=passes_on,
    stored=StoredClasses(
        modules=late_pattern(r"typeorm|mikro-orm|sequelize|mongoose|typegoose|objection|lucid|dexie"),
        bases=late_pattern(r"(?:\w+\.)*(?:Model|BaseModel|BaseEntity)(?:<.*)?"),
        decorators=late_pattern(r"(?:Entity|Table|Schema|ViewEntity|modelOptions)\b"),
    ),
    files=FileNames(
        vendored=late_pattern(
            r"-\d+(\.\d+)+(\.\w+)*\.js$|(^|/)(jquery|underscore|lodash|bootstrap)(\.\w+)*\.js$"
            r"|(^|/)(bower_components|\.yarn)/|(^|/)\.pnp\.(loader\.)?[cm]?js$",
            needs=("-", "jquery", "underscore", "lodash", "bootstrap", "bower_components/", ".yarn/", ".pnp."),
        ),
        generated=late_pattern(
            r"(^|/)([\w-]+-)?dist/|^(packages/[^/]+/)?build/[^\n]*\.d\.[cm]?ts$", needs=("dist/", "build/")
        ),
        # What is built, if it is kept beside its source, or what builds it.
        auxiliary=late_pattern(r"^(packages/[^/]+/)?build/", needs=("build/",)),
        directory_stems=("index",),
        # Next, Nuxt, Remix, Gatsby and SvelteKit take what these export by its name.
        loaded_places=late_pattern(
            r"(?:^|/)(?:pages|routes)/[^\n]*\.[cm]?[jt]sx?$|(?:^|/)\+[\w.-]+\.[jt]s$"
            r"|(?:^|/)app/(?:[^\n]*/)?(?:page|layout|route|template|error|loading|not-found|default)\.[jt]sx?$"
        ),
        declaration_suffixes=(".d.ts", ".d.mts", ".d.cts"),
        unread_code=late_pattern(
            r"\.(?:coffee|litcoffee|cjsx|ls|mdx|astro|marko|pug|jade|handlebars|res|re|elm|imba|riot|civet|svx|gts|gjs|gs"
            r"|jsp|aspx?|cshtml|hta|xul|es6|es|jsm|sjs|jsxinc|wxs|wxml)$"
        ),
        views=late_pattern(r"\.(?:ui|blp)$"),
        viewed=late_pattern(r"\bGtk\b"),
        importing=late_pattern(r"^(?:(?:import|export)\b[^\n]*|\})[ \t]*from[ \t]*['\"]|=[ \t]*require\(['\"]", re.M),
    ),
    tests=TestConventions(
        runner_marks=late_pattern(r"test\b"),
        collected=(),
        case_names=(),
        # Pages and components among tests are what tests load; no runner takes them for tests.
        support_files=late_pattern(
            r"(^|/)settings\.\w+$|\.(?:config|setup|d)\.[cm]?[jt]sx?$|\.(?:html?|vue|svelte)$"
            r"|(^|/)(?:testdata|fixtures|__fixtures__)/"
        ),
        calls=("test", "it", "describe", "suite", "specify", "context", "QUnit", "bench", "assert", "expect"),
        runners=RUNNERS,
        titled=late_pattern(
            r"^\s*+(?:it|test)(?>(?:\.\w+(?:\([^()\n]*\))?)*)\(\s*+([\"'`])(?P<title>(?:\\.|(?!\1)[^\n])+)\1",
            re.MULTILINE,
        ),
    ),
    implicit=ImplicitUse(
        script_strings=_SCRIPT_STRINGS,
        # One of several variables that is marked as unused, and what keeps a member out of the rest of an object.
        placeholders=late_pattern(
            r"_[\w$]* (?:export )?(?:const|let|var) [\[{].*|[\w$]+ (?:export )?(?:const|let|var) \{[^}]*\.\.\..*",
            re.DOTALL,
        ),
        outside_scripts=late_pattern(
            r"""<script\b[^>]{0,200}?\ssrc\s?=\s?["']?(?:https?:)?//|\bcreateElement\(\s?["']script["']""",
            re.IGNORECASE,
        ),
        shape_keys=(
            r"""(["'`])NAME\1(?![\w$])|(?<![\w$.?])(?<!\? )NAME\s*:(?!:)|[{,]\s*NAME\s*[,}]|^\s*NAME,\s*$"""
            r"|NAME\?\s*:\s*infer\b"
        ),
        handing_out=late_pattern(
            r"(?P<kept>\.\s*(?:call|apply|bind)\s*(?=\())?"
            r"(?:[(,\[{]\s*(?:[\w$]+\s*:\s*)?this\s*(?=[,)\]}])|(?:\.[\w$]+|\])\s*=\s*this\s*(?=[;\n]))",
            needs=("this",),
        ),
        own_listing=late_pattern(
            r"\b(?:JSON\.stringify|structuredClone|Object\.(?:assign|entries|getOwnPropertyNames|keys|values))\("
            r"(?:[^(),]{0,80},){0,2}\s*this\s*[,)]|\{\s*\.\.\.this\s*[,}]|\bin\s+this\s*\)",
            needs=("this",),
        ),
        outside_blocks=late_pattern(
            r"""(?<![\w$.])declare\s+(?:global|module\s+(?:"[^"\n]*"|'[^'\n]*')|(?:namespace|module)\s+(?P<space>[\w$.]+))\s*\{""",
            needs=("declare",),
        ),
        merged_blocks=late_pattern(
            r"^(?:namespace\s+[\w$.]+|interface\s+(?:(?:Readonly)?Array|String|Number|Object|Function|Promise|Map|Set|Date|Error"
            r"|RegExp|JSON|Math|Console|Window|Document|Navigator|Node|Element|Event|Storage|HTML\w*|\w+Constructor))(?:\s*<[^<>{}\n]{0,100}>)?(?:\s+extends\s[^{}\n]{0,200})?\s*\{",
            re.MULTILINE,
            needs=("interface", "namespace"),
        ),
        module_marks=late_pattern(
            r"^\s*(?:import|export)\b|\brequire\s*\(|\bmodule\.exports\b|\bexports\.", re.MULTILINE
        ),
        naming_strings=(
            NamingString(_QUOTED, late_pattern(r"(?<![\w$])(?P<object>[\w$]++|[)\]])\s*+,\s*+(?:\[\s*+)?\Z")),
            # A path of members: `set('user.name', …)`.
            # The title of a test is not a path.
            NamingString(
                r"""(["'`])[\w$]++(?>(?:\[\d++\])?)(?:\.[\w$]++(?>(?:\[\d++\])?))*?\.NAME(?![\w$-])""",
                late_pattern(r"(?<!\bit)(?<!\btest)(?<!\bdescribe)(?<!\.only)(?<!\.skip)(?<!\.todo)[(,]\s*+\Z"),
            ),
            NamingString(_QUOTED, late_pattern(r"[\w\])>]\s+=\s+\Z"), _COMPUTED),
            NamingString(_QUOTED, late_pattern(r"(?<![\w$])(?P<callee>[\w$]++)\(\s*+\Z"), is_key=True),
            NamingString(r"""(?<!\|)\|\s*(["'])NAME\1|(["'])NAME\2\s*\|(?!\|)""", condition=_COMPUTED, needs=("|",)),
            # Code of a page in a string.
            NamingString(
                r"""\b(?:on[a-z]{2,20}|data-bind|href)\s?=\s?\\?["'][^"'\n]{0,200}?(?<![\w$.-])NAME(?![\w$-])""",
                is_linked=True,
                needs=('="', "='", '= "', "= '", '=\\"', "=\\'", '= \\"', "= \\'", "=\t", "=\n"),
            ),
            # Code in a string that is run.
            NamingString(
                r"""\b(?:eval|execScript|set(?:Timeout|Interval)|Function)\s?\((?:\s?["'][\w$, ]*["'],)?"""
                r"""\s?(?P<quote>["'`])"""
                r"""(?:(?!(?P=quote))[^\n]){0,200}?(?<![\w$.-])NAME(?![\w$-])""",
                is_linked=True,
                needs=("eval", "execScript", "Timeout", "Interval", "Function"),
            ),
            # Code of a template in a string.
            NamingString(r"<%[^%\n]{0,200}\bNAME\b", is_linked=True, needs=("<%",)),
        ),
        built_names=BuiltNames(
            (),
            late_pattern(r"""["'](\w{2,40})["']\s*\+|`(\w{2,40})\$\{"""),
            late_pattern(r"""\+\s*["'](\w{2,40})["']|\}(\w{2,40})`"""),
            condition=late_pattern(r"[\w$)\]]\[\s*(?:[A-Za-z_$][\w$.]*\s*\]|`|[\"'][^\"'\n]*[\"']\s*\+)"),
            of_members=True,
            global_condition=late_pattern(
                r"\b(?:window|globalThis|global|self)\[\s*(?:[A-Za-z_$][\w$.]*\s*[\]+]|`|[\"'][^\"'\n]*[\"']\s*\+)"
            ),
        ),
        marking_members=late_pattern(
            r"[^:\n]*(?i:brand|phantom|nominal|opaque)[^:\n]*:.*"
            r"|[^:\n]+:\s*(?:unknown|never|void|undefined|null|unique symbol|[\"'`][^\"'`\n]*[\"'`])\s*;?"
        ),
        # Code that an application passes to a browser that it embeds or drives.
        bridge=NamingString(
            r"(?<![\w$])NAME\s*\(",
            condition=late_pattern(
                r"(?i)\b(?:evaluate_?javascript|stringByEvaluatingJavaScript|execute_?(?:async_?)?script|run_?javascript"
                r"|evaluate_js|InvokeScript|Invoke(?:Void)?Async|loadUrl|eval_js|js_sys)\b|page\.evaluate\b"
            ),
        ),
        # Editors call these two in the main file of an extension.
        run_functions=frozenset({"activate", "deactivate"}),
        native_calls=late_pattern(r"\b(?:ffi|koffi|ccall|cwrap|dlopen)\b|\bModule\b|\binstance\.exports\b"),
        harmless_decorators=frozenset({"deprecated", "final", "overload", "override"}),
        get_called_members=get_called_members,
        element_interfaces=frozenset({"IntrinsicElements"}),
        constructors=("constructor",),
        reflective_calls=("keyof",),
        written_keys=late_pattern(r"""\??\s*+[:=](?>(?:\s*+\|?\s*+(?:"[^"\n]*+"|'[^'\n]*+'))+)\s*+(?:[,;)=]|\Z)"""),
        computed_keys=late_pattern(r"[\w$)\].]\[\s*+[^\s\d'\"\]]|\b(?:Object|Reflect)\.\w+\("),
        own_listings=frozenset({LISTING}),
        key_queries=("keyof",),
    ),
    # Signatures above a body are extracted with this mark.
    decorators=Decorators(overloads=("overload",), keep_parameters=True),
    is_name_first=True,
    has_written_types=True,
    names_owners=True,
    definition_lines=(
        r"[ \t]*(?:[a-z]+[ \t]+)*(?:function[ \t]*\*?|class|interface|enum|type|namespace)[ \t]+([\w$]+)"
        r"|[ \t]*(?:[a-z]+[ \t]+)*([\w$]+)[ \t]*(?::[^=]*)?=[ \t]*(?:[a-z]+[ \t]+)?"
        r"(?:function\b|(?:<[^>]*>)?\([^=]*(?:=>.*)?$|[\w$]+[ \t]*=>)"
        r"|(?:[\w$]+\.)+([\w$]+)[ \t]*=[ \t]*(?:async[ \t]+)?(?:function\b|\([^=]*=>)"
        r"|[ \t]+([\w$]+)[ \t]*:[ \t]*(?:async[ \t]+)?(?:function\b|\([^=]*=>)"
        r"|[ \t]+(?:[a-z]+[ \t]+)*([\w$]+)[ \t]*(?:<[^>]*>)?\([^;=]*\)[^;=()]*\{[ \t]*$"
    ),
    must_name=must_name,
    get_visibility=get_visibility,
)
