"""Recognize the lines that may declare an option, by patterns, and read its name.

Options are declared in many ways, most of them plain data: a call that reads the environment, a flag in a string, a
field with a tag, an entry of a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import pairwise

from avionics.late_pattern import late_pattern


class OptionKind(str, Enum):
    """Where the value of an option comes from."""

    ENVIRONMENT = "environment variable"
    PROPERTY = "system property"
    FLAG = "flag"
    SETTING = "setting"
    CONSTANT = "constant"


_GUESS = late_pattern(r"(?<!value_name\()[\"'`](?!ERR_)(_*[A-Z][A-Z0-9]*_[A-Z0-9_]+)[\"'`]")
"""The pattern for the name of an environment variable in a line that may be about anything."""
_SAYS_ENVIRONMENT = late_pattern(r"(?<![a-z])env(?![a-df-z])|(?<![A-Z])ENV|Env(?=[A-Z_]|iron)|environ")
_READS_ANY = late_pattern(
    r"\b(?:[gG]et|[lL]ookup|[bB]ind|[aA]utomatic)_?[eE]nv\w*\(\s*(?:\)|&?[A-Za-z_$*])|\benv::vars?(?:_os)?\(\s*(?:\)|&?[a-z_])"
    r"|\bENV(?:\.fetch\(|\[)\s*[a-z_]|\benviron(?:\.get\(|\[)\s*[A-Za-z_]|\bprocess\.env\[\s*[A-Za-z_$`]"
    r"|\bfor \w[\w, ]{0,40} in os\.environ\b(?!\.get|\[)|\benviron\.(?:items|keys|values)\("
    r"|(?<!dict)(?<!append)\((?:os\.environ|os\.Environ\(\)|process\.env)[,)]|\brange os\.Environ\(\)"
)
"""Code that reads every environment variable, or one by a name that is not written there."""
_IN_SENTENCE = r" (?:is|are|requires?|must|cannot|can|needs?|and|or|has|does|may|should|was|with|option|not)\b"
"""What follows a flag in a message about it, which declares none: `"--limit is not a number"`."""
_OTHER_ANNOTATION = late_pattern(
    r"@(?![\w.]*(?:[oO]ption|[cC]onfig|[sS]etting|[fF]lag|[aA]rgument|[pP]ropert)|Parameter\b|(?:Default)?Value\b|Key\b|JsonProp)[\w.]++\([^()@]*+\)?"
)
"""An annotation or decorator that declares no option: `@PathVariable(name = "id")`, `@Table(name = "pets")`."""
_OTHER_TAG = late_pattern(
    r"<(?!\w*(?:[oO]ption|[cC]onf|[sS]etting|[pP]ref|[pP]ropert)|param|entry|env|arg|item\b|add\b)[a-zA-Z][^<>]*+\Z"
)
"""The beginning of a tag that declares no option: `<table id="pets"`."""
_OF_TEXTS = late_pattern(
    r"(?:[mM]essages?|[bB]undle|i18n|[lL]ocali[sz]\w*|[tT]ranslat\w*|[tT]exts?|Exception)(?:\.\w+)?\(\s*\Z"
)
"""A call that takes the key of a text for people: `bundle.format("UI_PORT_HELP")`."""
_PATTERNS: tuple[tuple[OptionKind, tuple[str, ...], re.Pattern[str]], ...] = (
    (
        OptionKind.ENVIRONMENT,
        ("", "env", "Env", "ENV"),
        late_pattern(
            # `load_env(app: "Shop")` has a type in quotes.
            r"(?:[eE]nv|ENV)(?>(?:(?![eE]nv|ENV)\w)*)(?:::\w+|\.\w+)?\s*[(\[][^)\]\n]{0,40}?"
            r"(?:[\"'`](_*[A-Z][A-Z0-9_]{2,})|(?<!\w: )[\"'`](_*[A-Za-z]\w{2,}))[\"'`]"
        ),
    ),
    (
        OptionKind.ENVIRONMENT,
        ("env",),
        late_pattern(
            r"\benv(?:iron(?:ment)?)?\.(_*[A-Z][A-Z0-9_]{2,})\b|\benv(?:var)?\s*[=:]\s*[\"']([A-Z][A-Z0-9_]+)[\"']"
            # The tags of a Go field: `arg:"--port,env:SHOP_PORT"`, `envconfig:"SHOP_PORT"`.
            r"|[\"`, ]env(?:config)?:\"?([A-Z][A-Z0-9_]+)(?=[,\"])"
        ),
    ),
    (OptionKind.ENVIRONMENT, ("", "="), late_pattern(r"\b([A-Z][A-Z0-9_]{3,})\b[^=\"'\n]{0,20}=\s*[\"']\1[\"']")),
    (
        OptionKind.ENVIRONMENT,
        ("", "env"),
        late_pattern(r"[\"'`](_*[A-Z][A-Z0-9_]{2,})[\"'`]\s+(?:not\s+)?in\s+(?:\w+\.)?env"),
    ),
    (OptionKind.ENVIRONMENT, ("", "_"), _GUESS),
    (
        OptionKind.PROPERTY,
        ("get",),
        late_pattern(
            r"(?:[gG]etProperty|\b(?:Boolean\.getBoolean|Integer\.getInteger|Long\.getLong))"
            r"\(\s*(?:[\w.]+\.)?[\"']?([\w.-]+)"
        ),
    ),
    (OptionKind.SETTING, ("", "@Value"), late_pattern(r"@Value\(\s*\"[^\"\n]{0,40}?\$\{([a-z][\w-]*+(?:\.[\w-]+)*)")),
    (
        OptionKind.PROPERTY,
        ("", "="),
        late_pattern(
            r"\b(?:static\s+final|final\s+static|const(?:\s+val)?)\b[^=\"'\n]{1,100}=\s*\"([a-z][\w-]*(?:\.[\w-]+)+)\""
        ),
    ),
    (OptionKind.FLAG, ("", "--"), late_pattern(rf"[\"'`](?:-\w(?:,\s*|\s+))?(--[A-Za-z][\w-]++)(?!{_IN_SENTENCE})")),
    (OptionKind.FLAG, ("", "{"), late_pattern(r"=\s*\{\s*\"([a-z][a-z\d]+(?:-[a-z\d]+)*)\"\s*,\s*[A-Z][A-Z_]{2,}\(")),
    (
        OptionKind.FLAG,
        ("", "lag"),
        late_pattern(r"[fF]lag\w*\{\s*Name:\s*\"([\w.-]+)\"|(?<!\w)flag:\s*[\"']([a-z][\w-]+)[\"']"),
    ),
    (
        OptionKind.FLAG,
        ("", "long", "arg:"),
        late_pattern(
            r"[\s(,]long\s*=\s*\"([a-z][\w-]+)\"|[\s`]long:\"([a-z][\w-]+)\""
            r"|[\s`]arg:\"(?:[^\"\n]{0,80},)?(--[a-z][\w-]+)"
        ),
    ),
    (
        OptionKind.FLAG,
        ("", "("),
        late_pattern(
            r"(?:\.(?:long|switch|named)|[Ff]lags?(?:[sS]et)?(?:\(\))?(?:\.|::)\w+|\b(?:fs|fl|pf|[fF]lag[sS]et)\.\w+"
            r"|\bf\.(?:Bool|String|Int|Uint|Float|Duration|Count)\w*|\.\w+VarP?|\bArg::(?:new|with_name)|\.option)"
            r"\(\s*(?:&?[\w.&{}]+,\s*)?[\"']([\w-]{2,}(?:\.[\w-]+)*)[\"']|\.Flag\(\s*\"([\w.-]{2,})\""
        ),
    ),
    (
        OptionKind.FLAG,
        ("", "Opt", "opt", "accepts"),
        late_pattern(
            r"\.longOpt\(\s*\"([\w-]{2,})\""
            r"|\b(?:addOption|new Option)\(\s*(?:\"\w+\"|null),\s*\"([\w-]{2,})\",\s*(?!\s|\"|\))"
            r"|\b(?:addOption|new Option)\(\s*\"([\w-]+)\",\s*(?:true|false)\b"
            r"|\baccepts(?:All\(\s*[\w.]*[lL]ist(?:\.of)?)?\(\s*(?:\"\w\",\s*)?\"([\w-]{2,})\""
            # https://docs.rs/getopts and https://doc.qt.io/qt-6/qcommandlineparser.html
            r"|\.(?:req)?opt(?:opt|flag|multi|flagopt|flagmulti)?\(\s*\"\w?\",\s*\"([\w-]{2,})\""
            r"|\[Option\(\s*(?:'\w',\s*)?\"([\w-]{2,})\""
            r"|\b(?:QCommandLineOption\b|addOption\(\{)[^\"\n]{0,80}(?:\"\w\"[^\"\n]{0,40})?\"([a-z][\w-]+)\""
        ),
    ),
    # https://gflags.github.io/gflags and https://abseil.io/docs/cpp/guides/flags
    (
        OptionKind.FLAG,
        ("DEFINE_", "ABSL_FLAG("),
        late_pattern(r"^\s*(?:DEFINE_[a-z]\w*\(|ABSL_FLAG\([\w:<>, ]{1,60}?,)\s*([a-z]\w+),"),
    ),
    (
        OptionKind.FLAG,
        ("Flags.", "flags."),
        late_pattern(r"^\s+[\"']?([a-z][\w-]*)[\"']?:\s*[fF]lags\.\w+[(<]"),
    ),
    (
        OptionKind.SETTING,
        ("option ", "accessor ", "setting "),
        late_pattern(r"^\s*(?:(?:class_|method_)?option|[mc]attr_accessor|config_accessor|setting)\s+:([a-z]\w+)"),
    ),
    # https://docs.openstack.org/oslo.config, Kafka's `ConfigDef`, Tornado's options, the settings of pytest's plugins
    (
        OptionKind.SETTING,
        ("", "Opt(", "define(", "addini(", "@Key(", "Node(", "@DefaultValue("),
        late_pattern(
            r"\b[A-Z][a-z]+Opt\(\s*[\"']([a-z][\w-]+)[\"']|\baddini\(\s*[\"'](\w+)[\"']|@Key\(\s*\"([a-z][\w.-]+)\""
            r"|\.define\(\s*\"([a-z][\w.-]+)\",\s*\w|(?<![\w.])define\(\s*[\"']([a-z]\w+)[\"'],\s*(?:default|type|help)="
            r"|->[a-z]+Node\(\s*'([a-z]\w+)'\)|@DefaultValue\([^()\n]{0,60}\)\s+\w[\w.<>]*\s([a-z]\w+)\b"
        ),
    ),
    # The keys of https://learn.microsoft.com/dotnet/core/extensions/configuration
    (
        OptionKind.SETTING,
        ("", "onfig"),
        late_pattern(r"[cC]onfig(?:uration)?(?:\.\w+(?:<[\w?]+>)?)?[(\[]\s*\"([A-Z]\w+(?::\w+)+)\""),
    ),
    (
        OptionKind.SETTING,
        ("", "name", "key", "id", "option"),
        late_pattern(
            r"(?<!\w)\.?(?:name|key|id|option)\s*[=:]\s*(?:[a-z]\w*\()?[\"'`]([a-zA-Z][\w.-]+)(?<!Error)(?<!Exception)[\"'`]"
        ),
    ),
    (
        OptionKind.SETTING,
        ("", "(", "["),
        late_pattern(
            r"(?:[sS]et_?[dD]efault|[vV]iper|[sS]etting|[oO]ption|[cC]onf|[pP]ref|\b[oO]pts|\b[pP]arams|\bkwargs)\w*(?:\(\))?(?:(?:\.|->)\w+)?[(\[]"
            r"\s*(?:[a-z][\w.]*+,\s*)?[\"']([a-z][\w.-]+)[\"']"
        ),
    ),
    (
        OptionKind.SETTING,
        ("", "alue("),
        late_pattern(
            r"[sS]ettings?\w*(?:\(\))?(?:\.|->)(?:value|setValue)\(\s*(?:(?:QStringLiteral|QLatin1String|QString)\(|u)?"
            r"\"([A-Za-z][\w.-]*(?:/[\w.-]+)*)\""
        ),
    ),
    (
        OptionKind.SETTING,
        ("", "Key(", "Property(", "Flag(", "Knob("),
        late_pattern(r"(?:Key|Property|Flag|Knob)\(\s*[\"']([a-z]\w*[.-]\w[\w.-]*)[\"']"),
    ),
    (
        OptionKind.SETTING,
        ("", "("),
        late_pattern(
            r"(?:conf|cfg|option|setting|param|propert)"
            r"(?>(?:(?!conf|cfg|option|setting|param|propert|_(?:get|lookup|find|read))\w)*)_(?:get|lookup|find|read)"
            # `cfg_getint(cfg_getsec(cfg, "cache"), "size")` reads a key of a section, which is no option itself.
            r"(?!_?(?:sec|group|table))\w{0,30}\((?:[^\"()\n]{1,80}|\w{1,40}\([^()\n]{1,80}\)),\s*\"([a-z][\w.-]+)\""
        ),
    ),
    (
        OptionKind.SETTING,
        (":",),
        late_pattern(
            r"^\s+[\"']?([a-zA-Z][\w-]*)[\"']?:\s*(?:[A-Za-z_$][\w$]*\.\w+\(.{0,200}?\.(?:default|describe|description|meta)\("
            r"|\{.{0,200}?\b(?:(?:describe|desc|description|help|doc)\s*:\s*[\"'`]|type:.{0,80}?\b(?:short|default):))"
        ),
    ),
    (OptionKind.SETTING, ("", "- "), late_pattern(r"[\"'`]\s*-\s([a-z][\w.-]+)(?:=\S+)?:\s+\w+")),
    (
        OptionKind.SETTING,
        ("/",),
        late_pattern(
            r"^\s*(?!return|goto|throw|delete|typedef|else)(?:\w[\w:]*(?<!:)[\s*]+){1,3}([A-Za-z]\w+)(?:\s*=\s*[^;]{1,40})?;"
            r"\s*/[/*]"
        ),
    ),
    (
        OptionKind.SETTING,
        ("", ':"'),
        late_pattern(
            r"(?:json|yaml|toml|mapstructure|ini|env|hcl|koanf|config|conf|cfg|flag):\"([A-Za-z][\w.-]*)"
            r"|^\s+([A-Z]\w+)\s+[\w.*\[\]]{2,40}\s+`(?:[^`\n]{0,200} )?(?:help|usage|split_words|envDefault):\""
        ),
    ),
    (
        OptionKind.SETTING,
        (":",),
        late_pattern(
            r"^\s*(?:(?:public|private|protected|static|final|readonly|pub(?:\([a-z]+\))?|val|var"
            r"|let)\s+)*(?![A-Z_]+:\s*$)([a-zA-Z_]\w*)\??(?!\s+:\w)\s*:(?!:|//)\s*(?:[^=;{(]{1,60}(?:[=,;]|$)|$)"
        ),
    ),
    # Options of a caller, which have defaults where they are read: `config.limit = given.limit || 20`.
    (
        OptionKind.SETTING,
        (".",),
        late_pattern(
            r"\b(?:config|conf|cfg|options|opts|settings|params)\.([a-z]\w+)\s*(?:\?\?|\|\|)=?\s*[^|\s]"
            r"|^\s*(?:config|conf|cfg|options|opts|settings|params)\.([a-z]\w+)\s*=\s*(?:\w+\.)+\2\b"
        ),
    ),
    (OptionKind.SETTING, ("=",), late_pattern(r"^\s+([a-z]\w+)=(?:\w+\.)*[A-Z]\w*\(")),
    (
        OptionKind.SETTING,
        ("=",),
        late_pattern(
            r"^ {4}([a-z]\w+)(?:\s*:[^=\n]{1,60})?\s*=\s*(?:\w+\.)*"
            r"(?:[A-Z]\w*[(\[]|(?:option|argument|setting)\()"
        ),
    ),
    (
        OptionKind.SETTING,
        ("=",),
        late_pattern(
            r"^\s*(?!\w+\s*=\s*\d+\s*;)(?:(?:pub|export|static|const)\s+)*([A-Z][A-Z0-9_]{3,})\s*(?::\s*\w+\s*)?="
            r"(?!\s*[\"'][^\"']* [^\"']* )"
        ),
    ),
    (
        OptionKind.SETTING,
        ("(",),
        late_pattern(
            r"^\s+(?:(?:public|protected|default|abstract|final|override|virtual)\s+)*(?:(?:void|T|B|S|Self|this"
            r"|\w*(?:Builder|Options|Config\w*|Settings))(?:<[^>(]{0,40}>)?\s+([a-z]\w+)"
            r"|\w[\w<>\[\].]*\s+((?:set|with)[A-Z]\w+))"
            r"\((?:final )?\w[\w.]*+(?:<[^()]{0,60}>)?(?>(?:\[\]|\.\.\.)*) \w+\)\s*(?:[;{]|$)"
        ),
    ),
    (OptionKind.SETTING, (";",), late_pattern(r"^\s*(?:\w[\w<>\[\].]*\s+){1,3}([a-z]\w+)\(\w+ \w+\)\s*;")),
    (
        OptionKind.SETTING,
        ("(",),
        late_pattern(
            r"^\s*pub fn (?:((?:set|with)_\w+)(?:<[^>(]{0,40}>)?\(\s*&?(?:mut )?self,\s*\w+:|(\w+)\(mut self, \w+: )"
            r"|^\s*(?:async )?def (set_\w+)\(self, \w+|^func (?:\(\w+ \*?\w+\) )?((?:With|Set)[A-Z]\w*)\(\w+ "
        ),
    ),
)
"""The kind of an option; texts, one of which is in every line that the pattern matches; the pattern. A first text ""
says that such a line also has a quotation mark."""
OF_SETTINGS = (
    late_pattern(r"^\s+(?:\w[\w:<>]*[\s*]+){1,3}([a-z]\w+)(?:\s*=\s*[^;]{1,40})?;"),
    late_pattern(r"^\s+this\.([a-z]\w+)\s*=\s"),
    late_pattern(r"^\s+(set[A-Z]\w*)\(\w[^()]{0,60}\)\s*\{\s*$"),
    late_pattern(r"\bstr(?:case|i)?n?cmp\w*\(\s*\w+,\s*[\"]([A-Za-z]\w+)[\"]"),
    late_pattern(r"\bget\w*\(\s*(?:[\w.]+,\s*|[\"']\w+[\"'],\s*)?[\"']([a-z]\w+)[\"']\s*[,)]"),
    late_pattern(r"^\s+([a-z]\w+|[A-Z][A-Z\d_]+)\??:\s+[\w.]+\("),
    late_pattern(r"^\s+([A-Z]\w+)\s+\*?(?:bool|u?int\d*|float\d*|string|time\.Duration|\[\]string)\b"),
    late_pattern(
        r"^\s+(?!(?:return|throw|new|await|yield|else|delete|void|co_\w+)\b)(?:(?:public|abstract)\s+)*"
        r"\w[\w.]*+(?:<[^()\n]{1,60}>)?(?:\[\])?\s+([a-z]\w+)\(\)(?:\s+default\s+[^;]{1,60})?;\s*$"
    ),
    late_pattern(
        r"^\s+(?:@\w+(?:\([^()]*\))?\s+)*(?:private|protected|public)\s+(?:(?:final|volatile)\s+)*"
        r"(?!static\b|class\b)\w[\w.]*+(?:<[^()\n]{1,60}>)?(?:\[\])?\s+([a-z]\w+)\s*(?:=(?!=).*|;\s*)$"
    ),
    late_pattern(r"^\s+(?:\w[\w.]*+(?:<[^()\n]{1,60}>)?(?:\[\])?\??\s+){2,4}([A-Z]\w+)\s*\{\s*get;"),
)
"""The patterns for fields, keys and properties, and for methods without a body, of a file or type of settings."""
GO_FIELD = late_pattern(r"^\s+([A-Z]\w+)\s+(?:func\(|chan |map\[|\*?(?:\[\w*\])?\*?[A-Za-z][\w.]*+\s*(?:[`/]|$))")
"""A field of a Go struct whose name says that it has settings."""
CLASS_ATTRIBUTE = late_pattern(
    r" {4}([a-z][a-z\d]*+_\w++)\s*+=\s*+(?:[\"'][^\"'\n]{0,60}[\"']|-?\d[\d_.]*+|True|False|None)\s*+(?:#|\Z)"
)
"""An attribute of a class with a plain value, which subclasses or users may set to another one."""
NUMBER_CONSTANT = late_pattern(
    r"\s*(?:(?:pub(?:\([a-z]+\))?|export|public|private|protected|internal|static|final|readonly|const|constexpr|inline"
    r"|unsigned|val)\s+)*"
    r"(?:[A-Za-z_][\w.<>\[\]]*\s+)?([A-Za-z_]\w{3,})\s*(?::\s*[\w.<>:]+\s*)?=\s*"
    r"(?:[\w.:]+\()?-?\d[\d_.]*(?:[a-z]\w*)?\b"
)
"""A constant with a number: `const maxRetries = 5`, `timeout = 7 * 24 * time.Hour` in a group of constants."""
USAGE = late_pattern(
    r"(?:\s*+(?:[\w.:]++!?\((?>(?:[\w.]++,\s?)?))?[\"'`]\s*+|\s++)(?:(-\w)(?:,? (?=--))?)?(--[a-z][\w-]+)?(?:, -\w)?"
    r"(?:[=\[ ][<\[]*+[\w:.|=\[\]<>-]+)?\s{2,}(\w[\w'’/-]* \w.+)"
)
"""A line of a usage text with what it says: `  -s, --size=N   Maximum number of entries`; also one within a string, or
printed by a call."""
_SECTIONED = late_pattern(
    r"(?:[cC]onf|[cC]fg|[sS]etting|[pP]arser|[iI]ni)\w*(?:\.|->)((?:get|has|set)\w*)"
    r"\(\s*[\"'](\w[\w-]*)[\"'],\s*[\"']([a-z][\w-]*)[\"']\s*([,)])"
)
"""A call that may have the name of a section before that of a key: `config.get("server", "port")`."""
_SUBSCRIPT = late_pattern(
    r"(?:\b[cC]|[cC]onf\w*|[cC]fg|[sS]ettings?)\[[\"']([\w.-]+)[\"']\](?:\.(?:get|as_)\w*\(|\[)\s*[\"']([a-z][\w-]*)[\"']"
)
"""The same by a subscript: `config["server"]["port"]`, `config["server"].get("port")`."""
_TYPED = late_pattern(r"int|bool|float|list", re.IGNORECASE)
"""The part of a getter's name that says that a string after the first is not a default."""
_MIN_KEYS = 2
"""The least keys that a file reads from what is then a section; one may be a default."""
_MACRO = late_pattern(r"\s*#\s*define\s+([A-Z][A-Z0-9_]{3,})\s+(?!\"[^\"]* [^\"]* )\S")
"""A macro with a value; one with a sentence is a message."""

_VARIABLE_MACRO = late_pattern(r"\s*#\s*define\s+(?:ENV_\w+|\w+_ENV)\s+\"([A-Z][A-Z0-9_]+)\"")
"""A macro for the name of an environment variable: `#define ENV_PAGER "SHOP_PAGER"`."""


def _get_finder(pattern: re.Pattern[str]) -> Callable[[str], re.Match[str] | None]:
    """Return what looks for a pattern in a line: at its beginning alone if all that it matches begins there."""
    return pattern.match if pattern.pattern.startswith("^") else pattern.search


_KEYWORDS = frozenset(
    {"case", "default", "else", "true", "false", "null", "return", "public", "private", "protected", "try", "finally"}
)
QUOTES = frozenset("\"'`")
MAX_LINE = 400
"""Characters of a line that are read; patterns take the square of that."""
COMMENT = late_pattern(r"^\s*(?://|/\*|\*|#(?!\[|\s*(?:if|else|elif|endif|define|undef|include|pragma))|--|<!--|;)")
DOCSTRING = late_pattern(r"\s*[rRuU]?(\"\"\"|''')(.*)")
"""How a documentation string begins; it describes what stands above it."""


_Finder = tuple[OptionKind, str, tuple[str, ...], Callable[[str], re.Match[str] | None]]


def _list_finders(*, is_quoted: bool) -> tuple[_Finder, ...]:
    """Return kind, first text, further texts and finder of the patterns for lines with or without quotation marks."""
    needs_of = (
        (kind, needs if needs[0] else needs[1:], pattern) for kind, needs, pattern in _PATTERNS if needs[0] or is_quoted
    )
    return tuple((kind, needs[0], needs[1:], _get_finder(pattern)) for kind, needs, pattern in needs_of)


_FINDERS = {is_quoted: _list_finders(is_quoted=is_quoted) for is_quoted in (False, True)}


def read_declared(line: str, more: Sequence[re.Pattern[str]] = ()) -> dict[OptionKind, str]:
    """Return the names of options that a line may declare; a setting only if there is no more specific kind."""
    if len(line) > MAX_LINE or not line or line.isspace():
        return {}
    if "-" in line and (described := USAGE.match(line)) and (described[2] or described[1]):
        return {OptionKind.FLAG: described[2] or described[1]}
    if "#" in line and (defined := _MACRO.match(line)):
        variable = _VARIABLE_MACRO.match(line)
        return {OptionKind.ENVIRONMENT: variable[1]} if variable else {OptionKind.SETTING: defined[1]}
    found: dict[OptionKind, str] = {}
    line = _OTHER_ANNOTATION.sub("@", line) if "@" in line else line
    is_quoted = not QUOTES.isdisjoint(line)
    if COMMENT.match(line) or (is_quoted and DOCSTRING.match(line)):
        return found
    for kind, need, others, find in _FINDERS[is_quoted]:
        if need not in line and not (others and any(other in line for other in others)):
            continue
        if kind in found or (found and kind is OptionKind.SETTING):
            continue
        if (match := find(line)) and not _is_of_another(line, match):
            name = next(filter(None, match.groups()))
            if name not in _KEYWORDS:
                found[kind] = name
    field = None if found else next(filter(None, (pattern.search(line) for pattern in more)), None)
    return {OptionKind.SETTING: field[1]} if field and field[1] not in _KEYWORDS else found


def _is_of_another(line: str, match: re.Match[str]) -> bool:
    """Return whether a match is quoted in a text, `"use the '--limit' option"`, its key, or an attribute of a tag."""
    before = line[: match.start()]
    is_quoted = match[0][0] in "'`" and before.count('"') % 2 == 1
    is_text = match[0][0] in QUOTES and _OF_TEXTS.search(before) is not None
    return is_quoted or is_text or ("<" in before and _OTHER_TAG.search(before) is not None)


_ENUM_ENTRY = late_pattern(r"\s*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)\(\s*(?:\"([a-z][\w.-]*)\".*)?\Z")
_FIRST_STRING = late_pattern(r"\s*\"([a-z][\w.-]*)\",?\s*\Z")


def read_enum_entries(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → name for the entries of an enum that are created with their own name as users write it.

    Such an entry is `LOGIN_TIMEOUT("loginTimeout", "0", "Seconds to wait for …")`, perhaps over several lines.
    """
    found: dict[int, str] = {}
    for number, (line, below) in enumerate(pairwise((*lines, ""))):
        entry = _ENUM_ENTRY.match(line) if "(" in line else None
        first = None if entry is None or entry[2] else _FIRST_STRING.match(below)
        name = (entry[2] or (first[1] if first else "")) if entry else ""
        if entry and name and re.sub(r"[\W_]", "", name).lower() == entry[1].replace("_", "").lower():
            found[number] = name
    return found


_TYPE = late_pattern(r"\s*(?:struct|class)\s+(\w+)\s*(?:final\s*)?:\s*(?:public\s+)?\w")
_NAMES_ITSELF = late_pattern(
    r"\s*(?:static\s+)?[\w:]+\s+\w*[nN]ame\(\)[^{\"]{0,30}\{\s*return\s+(?:\w+\()?\"([a-z][\w.-]+)\""
)
_MAX_BEHIND = 3
"""The lines behind the beginning of a type on which it may say its name."""


def read_named_types(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → name for the types of C++ that are one setting each, and are called as it is.

    Such a type is `struct page_limit : Config<int> { static QString name() { return "page_limit"; } … };`.
    """
    found: dict[int, str] = {}
    for number, line in enumerate(lines):
        opened = _TYPE.match(line) if ":" in line else None
        behind = range(number, min(len(lines), number + 1 + _MAX_BEHIND)) if opened else ()
        for at in behind:
            named = _NAMES_ITSELF.match(lines[at])
            if opened and named and named[1] == opened[1]:
                found[at] = named[1]
    return found


def read_sectioned(lines: Sequence[str]) -> dict[int, str]:
    """Return line index → name with its section, as `server.port`, for the calls that get or set a key of a section."""
    calls = {number: match for number, line in enumerate(lines) if "(" in line and (match := _SECTIONED.search(line))}
    subscripts = ((number, _SUBSCRIPT.search(line)) for number, line in enumerate(lines) if "[" in line)
    found = {number: f"{match[1]}.{match[2]}" for number, match in subscripts if match}
    keys: dict[str, set[str]] = {}
    for match in calls.values():
        keys.setdefault(match[2], set()).add(match[3])
    return found | {
        number: f"{match[2]}.{match[3]}"
        for number, match in calls.items()
        if match[4] == ","
        or (
            # What is set may be the second text.
            not match[1].startswith("set") and (_TYPED.search(match[1]) or len(keys[match[2]]) >= _MIN_KEYS)
        )
    }


def may_be_anything(line: str) -> bool:
    """Return whether only the spelling of a name says that a line is about an environment variable."""
    if "#" in line and _VARIABLE_MACRO.match(line):
        return False
    found = (pattern for kind, _, pattern in _PATTERNS if kind is OptionKind.ENVIRONMENT and pattern.search(line))
    return next(found, None) is _GUESS


def is_variable(line: str, group: str) -> bool:
    """Return whether a line or the name of the group around it says that a name is that of an environment variable."""
    return not may_be_anything(line) or _SAYS_ENVIRONMENT.search(f"{group} {line}") is not None


def reads_any_variable(text: str) -> bool:
    """Return whether code reads all environment variables, or one whose name is not written where it is read.

    The names of such variables stand elsewhere, as in a table, where only their spelling tells what they are.
    """
    lines = text.split("\n")
    about = (f"{line}\n{below}" for line, below in pairwise((*lines, "")) if "nv" in line or "NV" in line)
    return any(_SAYS_ENVIRONMENT.search(each) and _READS_ANY.search(each) for each in about)
