"""Read what describes an option beside its declaration: a comment, a help text, a default."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from avionics.index.options.declared_names import COMMENT, DOCSTRING
from avionics.index.options.documentation import fold_option
from avionics.late_pattern import late_pattern

ANNOTATION = late_pattern(r"\s*(?:@[A-Z]\w*(?:\.\w+)*|\[[A-Z]\w*)\b(?:\(.*\)\]?|\])?\s*\Z")
"""An annotation alone on its line."""
_ANNOTATED_DEFAULT = late_pattern(
    r"@\w*Default\w*\(\s*(?:value\s*=\s*)?(\"[^\"\n]*\"|[\w.-]+)\s*\)|\bdefaultValue\s*=\s*(\"[^\"\n]*\"|[\w.-]+)"
    r"|\[DefaultValue\((\"[^\"\n]*\"|[\w.-]+)\)\]|\(\)\s+default\s+(\"[^\"\n]*\"|[\w.-]+)\s*;"
    r"|@Value\(\"[^\"\n]{0,40}?\$\{[\w.-]+:([^{}\"\n#]+)\}"
)
"""A default that an annotation gives, or a method of one: `@WithDefault("5m")`, `int tries() default 3;`."""
ATTRIBUTE = late_pattern(r"\s*(?:#\[|@\w|#\s*if)")
_BEFORE, LINES_AFTER, LINES_BEFORE_ATTRIBUTE = 6, 8, 16
_IN_BLOCK = 40
"""The most lines of a block comment, whose first says most."""
_OPENS_BLOCK = late_pattern(r"\s*/\*[*!]?(?:\s(?!.*\*/).*)?\Z")
_STRING = late_pattern(r"\"([^\"\n]*)(?:\"|$)|'([^'\n]*)'|`([^`\n]*)`", re.MULTILINE)
_MIN_HELP = 12
_BEHIND = late_pattern(r"(?:[;,}]\s*|\S\s++)(?://+|/\*+)\s*((?:(?!\*/).){8,}?)\s*(?:\*/)?\s*$")
"""A comment after what it describes."""
_HELP_KEY = late_pattern(
    r"(?<![\w-])(?:help|describe|description|desc|usage|summary)(?:[_-]?(?:text|string|msg|message))?\s*+(?:=>|[=:(])\s*+"
    r"(?>(?:[\w.:]++!?\(\s*+){0,2})\{?",
    re.IGNORECASE,
)
"""What stands before the text about an option that a declaration gives, as `help=textwrap.dedent(`, `.help(`,
`usage:`; a comment above may be about several declarations."""
_NAMES_OPTION = late_pattern(r"[^ ]*|(?:-\w[ ,]+)?--[\w-]+(?:[ =][<\[][^<>\[\] ]+[>\]])?")
"""A string that names an option, perhaps with a letter for it and its value: `-p, --port <number>`."""
_PIECES = late_pattern(
    r"[fFrRuUbB]{0,2}(?:\"\"\"((?>(?:[^\"]++|\"(?!\"\"))*))(?:\"\"\"|\Z)|'''((?>(?:[^']++|'(?!''))*))(?:'''|\Z)|\"((?>(?:[^\"\\]++|\\.)*))\"|'((?>(?:[^'\\]++|\\.)*))'|`([^`]*+)`)"
)
_JOINS = late_pattern(r"[\s+.\\]*+")
_WORDS = late_pattern(r"[^\W\d_]{2,}")
_DECORATION = late_pattern(r"([*=#~_-])\1{2,}")
_DECLARES = late_pattern(
    r"\s*\.(?:add)?(?:option|requiredOption|flag|arg|argument|positional|switch)"
    r"\(\s*(?:new \w+\(\s*|\w+::\w+\(\s*)?[\"'`]",
    re.IGNORECASE,
)
"""A call of a chain that declares an option by its arguments: `.option("--port <n>", "where to listen")`."""
_MAX_CHAIN = 30
"""The most lines of a chain of calls below the one with the name."""
_ALIKE = 6
"""The last letters of an assigned name that an option of the same meaning has."""
_VALUE = (
    r"([\"'][^\"'\n]{0,40}[\"']|[A-Z]\w+\.\w+\(\d\w*\)|\d[\w.]*+(?: ?[*+-] ?\w[\w.]*+){1,4}|[\w.+*-][\w.+*<-]{0,40}?)"
)
_FALLBACK = late_pattern(
    rf"(?:\?\?\s*|unwrap_or(?:_else)?\(|,\s*(?:default|fallback)\w*\s*=\s*|\bdefault\w*\s*\(){_VALUE}\s*(?:[,;)}}]|$)"
)
_OTHERWISE = late_pattern(r"[^,;]*?(?:\|\||\?:|\bor\b)\s*([\"'][^\"'\n]{0,40}[\"']|\d[\w.]*+)\s*(?:[,;)}\]]|$)")
"""What follows a variable that is read, in case it is unset: `env.PORT || 3001`."""
_READ_INTO = late_pattern(r"(?<!\w)(\w++)\s*+:?=[^=]")
_LITERAL = r"([\"'][^\"'\n]{0,40}[\"']|\d[\w.]*+)\s*;?\s*\Z"
_LETTER_BEFORE = r"(?:\"\w?\",\s*+(?=[^\s\",][^\",\n]*+,\s*+\"|\"[^\"\n]*+\",\s*+\"))?"
_SECOND = late_pattern(
    rf"\(\s*(?:&?[\w.]+,\s*)?[\"']([\w./:-]+)[\"'],\s*{_LETTER_BEFORE}{_VALUE}\s*(?:\)|,\s*(?:[\"'`]|$|[A-Z]+_\w))"
)
"""A name and the argument after it, if nothing, a string or a flag of the library follows: `getenv("NAME", "value")`,
`CFG_INT("size", 20, CFGF_NONE)`; a letter for a flag may be between them: `IntP("port", "p", 80, "…")`."""
_TYPED = late_pattern(
    rf"\b(?:Option|Argument|Field|Int|Integer|Float|Bool|Unicode|DEFINE_\w+|ABSL_FLAG)"
    rf"\(\s*(?:[\w:]+,\s*){{0,2}}(?!\.\.\.){_VALUE}\s*,\s*(?:\w+=|[\"'])"
)
"""A call with the default before what describes the option: `Field(30, description="…")`, `DEFINE_int32(n, 3, "…")`."""
_LAST = late_pattern(rf"\.(?:requiredO|o)ption\(\s*[\"'][^\"'\n]+[\"'],\s*(?:\"[^\"\n]*\"|'[^'\n]*'),\s*{_VALUE}\s*\)")
"""A call that has the default behind what describes the option: `.option("--port <n>", "where to listen", "80")`."""
_WORDS_OF_VALUES = frozenset({"true", "false", "null", "none", "nil", "undefined"})
_ASSIGNED_VALUE = late_pattern(rf"(\w+)\b[^=\"'\n(]{{0,30}}[^=!<>]=\s*{_VALUE}\s*(?:[,;)}}]|//|/\*|#|$)")
_TAKES_VALUE = late_pattern(r"\b(?:addOption|new Option)\((?:\s*(?:\"[\w-]+\"|null),){1,2}\s*(true|false)\b")
"""A call that says of a flag whether it takes a value: https://commons.apache.org/proper/commons-cli."""
_VARIABLE = late_pattern(r"(?!default)[a-z][a-z\d]*[A-Z]\w*")
"""A name in camel case, which is that of a variable or parameter."""
_MACRO_VALUE = late_pattern(rf"\s*#\s*define\s+\w+\s+(?:{_VALUE}|\((\d[^()]*)\))\s*(?:/[/*]|$)")
_SET_VALUE = late_pattern(
    r"\s*(\w+)\s*:\s+([\"'][^\"'\n]{0,40}[\"']|-?\d[\w.]*+(?: ?[*+-] ?\w[\w.]*+){0,4}|[tT]rue|[fF]alse)\s*+,?\s*+\Z"
)
"""An entry of a literal that sets a field: `FetchInterval: 60,`."""
_CONTINUES = (".", "'", '"', "`")
"""How lines begin that go on with a statement."""
ARGUMENT = late_pattern(r"\s*+[\"'`][\w.-]+[\"'`],\s*+\Z")
_VALUE_ARGUMENT = late_pattern(
    r"\s*+(?![\"']--?[A-Za-z])"
    r"([\"'][^\"'\n ]{0,40}[\"']|-?\d[\w.]*+(?>(?: ?\* ?\d[\w.]*+)*)|[tT]rue|[fF]alse|[A-Z][A-Z0-9_]++),\s*+\Z"
)
"""A value alone on its line; a further spelling of a flag is none."""
_LETTER = late_pattern(r"\s*+\"\w?\",\s*+\Z")
"""An argument alone on its line that is one letter, or none."""
_TEXT_ARGUMENT = late_pattern(r"\s*+[fFrRuU]?(?:\"\"\"|'''|[\"'`]\w[^\"'`\n]* )")
_PIECE = late_pattern(r"\s*+(?:\+\s*+)?[fFrRuU]?([\"'`])(.*)\1\s*+[+\\]?([,)\]]*+)[;,]?\s*+\Z")
"""An argument alone on its line: the name of an option, a value, a text, and the strings that it is joined from."""
_DEFAULT_NEAR = late_pattern(
    r"(?:\b(?:default|envDefault)\w*\s*[=:(]|\bDefault\s*=|\.Default\(|@default)\s*([\"'][^\"'\n]{0,40}[\"']|[\w.+-][\w.+-]{0,40})"
)


_TAG = late_pattern(r"(?<=\S) +@(?:default|example|see|since|param|returns?|type|deprecated)\w*\b")
_SAID_DEFAULT = late_pattern(
    r"\bdefaults?\b(?: (?:value|time|timeout|size|length|number))?[*_]*(?: ?[:=]| is| to| of)[*_]* ?"
    r"([`\"'][^`\"'\n]{1,40}[`\"']|-?\d[\w.]*\b|(?:true|false|none|null|nil)\b)"
    r"|@default(?:Value)? +([\"'][^\"'\n]{0,40}[\"']|[\w.+-]{1,40}(?= *(?:@|\Z)))",
    re.IGNORECASE,
)
"""A default in the text that describes an option: `Defaults to 5`, `*Default:* false`, `@default Infinity`."""


def read_chain(lines: list[str], number: int) -> list[str]:
    """Return a line with the other calls of its chain, () if it is not a call in a chain.

    What a builder says of an option stands in calls before and after the one with the name: `.help("…")`.
    """
    indent = get_indent(lines[number])
    if _DECLARES.match(lines[number]):
        # Each call of this chain declares an option of its own.
        inner = takewhile(lambda line: get_indent(line) > indent, lines[number + 1 : number + _MAX_CHAIN])
        return [lines[number], *inner]
    if not lines[number].startswith(".", indent):
        if number + 1 == len(lines) or not lines[number + 1].lstrip().startswith("."):
            return []
        indent = max(indent, get_indent(lines[number + 1]))
    first = last = number
    while first and lines[number].startswith(".", indent) and _continues_chain(lines[first - 1], indent):
        first -= 1
    while last + 1 < min(len(lines), number + _MAX_CHAIN) and _continues_chain(lines[last + 1], indent):
        last += 1
    return [lines[number], *lines[first:number], *lines[number + 1 : last + 1]]


def _continues_chain(line: str, indent: int) -> bool:
    """Return whether a line is a call of a chain with an indentation, or belongs to the arguments of one."""
    own = get_indent(line)
    return bool(line.strip()) and (own > indent or (own == indent and line.startswith((".", ")"), indent)))


CONSTANT = late_pattern(r"\b([A-Z][A-Z0-9_]+)\s*=\s*\"([\w.-]+)\"")
"""A constant with a text, which may be the name of an option."""
_DECLARES_FLAG = (
    r"(?:\.(?:accepts|longOpt|withLongOpt|long|[oO]ption)|\badd_(?:option|argument)|[fF]lags?(?:\(\))?\.\w+)\("
)
_NAMED_FLAG = late_pattern(rf"{_DECLARES_FLAG}\s*([A-Z][A-Z0-9_]+)\s*[,)]")
_NAMED_FIRST, _OPENS_FLAG = late_pattern(r"\s*([A-Z][A-Z0-9_]+)\s*,\s*\Z"), late_pattern(rf"{_DECLARES_FLAG}\s*\Z")
"""A call that declares a flag by a constant, in one line, or with the constant on a line of its own."""


def mark_comments(lines: list[str]) -> list[str]:
    """Return the lines with a star before each line of a block comment that has none."""
    marked = list(lines)
    start = 0
    for number, line in enumerate(lines):
        if "/*" in line and _OPENS_BLOCK.match(line):
            start = number + 1
        elif start and line.rstrip().endswith("*/"):
            for at in range(start, number + 1):
                text = lines[at].lstrip()
                marked[at] = lines[at] if text.startswith("*") else f"{' ' * get_indent(lines[at])}* {text}"
            start = 0
    return marked


def spell_constants(lines: list[str]) -> list[str]:
    """Return lines with the text of a constant in place of its name, where a call declares a flag by that name.

    The constant is one of the same file: `parser.accepts(PORT, "…")` with `PORT = "port"`.
    """
    constants = {match[1]: match[2] for line in lines if '"' in line and (match := CONSTANT.search(line))}
    if not constants:
        return lines
    spelled, above = [], ""
    for line in lines:
        named = _NAMED_FLAG.search(line) or (_NAMED_FIRST.match(line) if _OPENS_FLAG.search(above) else None)
        if named and named[1] in constants:
            spelled.append(f'{line[: named.start(1)]}"{constants[named[1]]}"{line[named.end(1) :]}')
        else:
            spelled.append(line)
        above = line
    return spelled


def read_annotations(lines: list[str], number: int) -> list[str]:
    """Return the lines of annotations directly above a line."""
    start = number
    while start and ANNOTATION.match(lines[start - 1]):
        start -= 1
    return lines[start:number]


def skip_attributes(lines: Sequence[str], number: int) -> int:
    """Return the index where the attributes directly above a line begin, that of the line if there are none.

    A field may have several, each of several lines: `#[arg(long)]` above `#[serde(default)]`.
    """
    start = number
    for at in range(number - 1, max(-1, number - LINES_BEFORE_ATTRIBUTE), -1):
        if at == start - 1 and not lines[at].rstrip().endswith(")]"):
            break
        if ATTRIBUTE.match(lines[at]):
            start = at
    return start


def read_comment_above(lines: list[str], number: int) -> list[str]:
    """Return the comment lines directly above a line, or above the attribute or condition that it is part of."""
    start = number
    for at in range(number - 1, max(-1, number - _BEFORE - 1), -1):
        if not lines[at].strip() or COMMENT.match(lines[at]):
            break
        if ATTRIBUTE.match(lines[at]):
            start = skip_attributes(lines, at)
            break
    start -= len(read_annotations(lines, start))
    end = start
    is_block = start > 0 and lines[start - 1].rstrip().endswith("*/")
    most = _IN_BLOCK if is_block else _BEFORE if start == number else LINES_BEFORE_ATTRIBUTE
    while start > 0 and end - start < most and COMMENT.match(lines[start - 1]):
        start -= 1
        if is_block and end - start >= _BEFORE and lines[start].lstrip().startswith("/*"):
            break
    return lines[start:end]


def read_text(text: str) -> str:
    """Return the text of the strings at the start of an expression, which may be joined from several."""
    at = len(text) - len(text.lstrip(" \t\n("))
    pieces: list[str] = []
    while piece := _PIECES.match(text, at):
        pieces.append(next(filter(None, piece.groups()), ""))
        joined = _JOINS.match(text, piece.end())
        at = joined.end() if joined else piece.end()
        # The backtick behind a tag of a Go field ends all of its tags.
        if text.startswith("`", at) and "+" not in text[piece.end() : at]:
            break
    return " ".join("".join(pieces).replace("\\n", " ").split())


def _is_prose(text: str) -> bool:
    """Return whether a text has at least two words."""
    return len(_WORDS.findall(text)) > 1


def get_help(above: list[str], below: list[str], documented: str) -> str:
    """Return the text that describes an option: its help, a comment above or after it, a string, or a document."""
    text = "\n".join(_take_statement(below))
    keyed = ((key.start(), read_text(text[key.end() :])) for key in _HELP_KEY.finditer(text))
    at, help_text = next(((at, said) for at, said in keyed if _is_prose(said)), (len(text), ""))
    last = "" if at < len(below[0]) else _read_last_argument(below[0])
    if last or help_text:
        return last or help_text
    # Prefer a text in the call to a comment above it, which may be the title of several calls.
    argument = _skip_arguments(below)
    if text := _read_docstring(argument) or _join_pieces(argument):
        return text
    plain = (re.sub(r"^\s*(?:///?|/\*+|\*+/?|#+)\s?|\*/\s*$", "", line) for line in above)
    prose = " ".join(filter(None, (_DECORATION.sub("", line).strip() for line in plain)))
    behind = None if _is_prose(prose) else _BEHIND.search(below[0])
    # In Python two slashes divide: `set("load", used // count)`.
    if behind and behind[1].count(")") > behind[1].count("("):
        behind = None
    if _is_prose(prose) or behind:
        return behind[1] if behind else prose
    if text := _read_docstring(below[1:]):
        return text
    # A string in the next statement, such as a message, does not describe the option.
    indent = get_indent(below[0])
    own = list(takewhile(lambda line: get_indent(line) > indent or line.lstrip().startswith(_CONTINUES), below[1:]))
    for text in (below[0], "" if documented else "\n".join((below[0], *own))):
        strings = ("".join(each).strip() for each in _STRING.findall(text))
        longest = max((each for each in strings if _is_sentence(each)), key=len, default="")
        if longest:
            return longest
    return documented


def _is_sentence(text: str) -> bool:
    """Return whether a string may be a text for people."""
    return len(text) >= _MIN_HELP and " " in text and _is_prose(text)


def _read_last_argument(line: str) -> str:
    """Return the text in a call that has an option's name first, as `flag("limit", 8, "Maximum number of …")`."""
    strings = ["".join(each).strip() for each in _STRING.findall(line)] if "(" in line else []
    texts = [each for each in strings[1:] if " " in each and _is_prose(each)]
    return texts[-1] if texts and _NAMES_OPTION.fullmatch(strings[0]) else ""


def cut_string_end(text: str) -> str:
    """Return a line of a usage text without what ends it where it is a string: a newline, a quote and a comma."""
    text = text.rstrip().rstrip(",);")
    text = text[:-1] if text.endswith(("'", '"', "`")) else text
    while text.endswith("\\n"):
        text = text[:-2]
    return text


def _take_statement(lines: list[str]) -> list[str]:
    """Return the lines up to one that is indented less than the first, which belongs to something else."""
    indent = get_indent(lines[0])
    return [lines[0], *takewhile(lambda line: not line.strip() or get_indent(line) >= indent, lines[1:])]


def _join_pieces(lines: Sequence[str]) -> str:
    """Return the text of a string at the start of some lines, with the strings below that continue it."""
    pieces: list[str] = []
    for line in lines:
        piece = _PIECE.match(line)
        if not piece:
            break
        pieces.append(piece[2])
        if piece[3]:
            break
    return " ".join("".join(pieces).split())


def _skip_arguments(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines from the first text on, after a line that is the first argument of a call; () for none."""
    if not ARGUMENT.match(lines[0]):
        return ()
    return lines[next((at for at, line in enumerate(lines) if at and _TEXT_ARGUMENT.match(line)), len(lines)) :]


def _read_docstring(lines: Sequence[str]) -> str:
    """Return the text of the docstring at the start of some lines; "" if there is none."""
    opened = DOCSTRING.match(lines[0]) if lines else None
    if not opened:
        return ""
    written = [opened[2], *lines[1:]] if opened[1] not in opened[2] else [opened[2]]
    text = "\n".join(written).partition(opened[1])[0]
    return " ".join(text.split())


def get_default(below: list[str], name: str, help_text: str) -> str:
    """Return the default value as the declaration or the text that describes it has it, "" if it is not seen.

    What an attribute assigns to another of its keys is not a default: `short = 'p'`.
    """
    macro = _MACRO_VALUE.match(below[0])
    if macro:
        value = macro[1] or macro[2]
        return "" if value.strip('"') == name else value
    near = _DEFAULT_NEAR.search("\n".join(_take_statement(below))) or _FALLBACK.search(below[0])
    beside = None if near else _TYPED.search(below[0]) or _LAST.search(below[0])
    value = near[1].strip() if near else beside[1].strip() if beside else _get_second(below[0], name)
    # The name of an option is not its default, nor is what describes it, nor its type.
    others = {*map(fold_option, (name, name.rpartition(".")[2], help_text))} - {""}
    if value and fold_option(value) not in others and not value.endswith(".class"):
        return read_said_default(help_text) if _is_passed_on(value, name) else value
    if ARGUMENT.match(below[0]):
        before = below[1 : len(below) - len(_skip_arguments(below))]
        indent = get_indent(below[0])
        own = [*takewhile(lambda line: get_indent(line) >= indent, before)]
        # A letter for the flag stands before its default: `flags.BoolP("keep", "k", …, "…")`.
        own = own[1:] if len(own) > 1 and _LETTER.match(own[0]) else own
        given = next((match[1] for line in own if (match := _VALUE_ARGUMENT.match(line))), "")
        return given or read_said_default(help_text)
    assigned = _ASSIGNED_VALUE.search(below[0]) or _SET_VALUE.match(below[0])
    named = re.findall(r"\w+", assigned[0].partition("=")[0]) if assigned else ()
    is_own = any(fold_option(name).endswith(fold_option(each)[-_ALIKE:]) for each in named)
    is_value = assigned is not None and is_own and not _is_passed_on(assigned[2].strip(), name)
    return assigned[2].strip() if assigned and is_value else read_said_default(help_text)


def _get_second(line: str, name: str) -> str:
    """Return the argument of a call after the name of an option, "" if no call has the name first."""
    found = _SECOND.search(line)
    if found is None:
        return ""
    # A prefix of an option may be in only one of both: `APP_PORT`, `server.port`.
    written, known, value = fold_option(found[1]), fold_option(name), found[2].strip()
    is_own = written.endswith(known) or known.endswith(written)
    # A variable after the name is more often what the value is read with than a default: `read("timeout", context)`.
    is_variable = value.islower() and value.isidentifier() and "default" not in value and value not in _WORDS_OF_VALUES
    return value if is_own and not is_variable else ""


def read_taken(line: str) -> str:
    """Return "value" or "nothing" for a call that says whether its flag takes a value, "" for any other line."""
    said = _TAKES_VALUE.search(line)
    return "" if said is None else "value" if said[1] == "true" else "nothing"


def _is_passed_on(value: str, name: str) -> bool:
    """Return whether a value is the same option of another object, and so no default: `process.env.PORT`.

    A variable that is named after the option holds it too: `this.size = maxSize`.
    """
    last = re.split(r"\.|->", value)[-1]
    folded, known = fold_option(last), fold_option(name)
    return folded == known or (_VARIABLE.fullmatch(last) is not None and folded.endswith(known))


def get_fallback(below: Sequence[str], name: str) -> str:
    """Return the literal that is used where an environment variable is unset, "" if it is not seen.

    It follows the variable, `env.PORT || 3001`, or the next lines assign it: `if port == "" { port = "3001" }`.
    """
    otherwise = _OTHERWISE.match(below[0].partition(name)[2])
    if otherwise:
        return otherwise[1]
    read = _READ_INTO.search(below[0].partition(name)[0])
    if not read or len(below) < 3 or not re.match(rf"\s*if\b.*\b{read[1]}\b", below[1]):
        return ""
    assigned = re.match(rf"\s*{read[1]}\s*=\s*{_LITERAL}", below[2])
    return assigned[1] if assigned else ""


def get_annotated_default(lines: list[str], number: int) -> str:
    """Return the default that the annotations above a line give, or that of a method of an annotation, "" for none."""
    found = _ANNOTATED_DEFAULT.search("\n".join((*read_annotations(lines, number), lines[number])))
    return next(filter(None, found.groups()), "").strip('"') if found else ""


def read_said_default(text: str) -> str:
    """Return the default value mentioned in a description; "" if there is none."""
    match = _SAID_DEFAULT.search(text)
    return (match[1] or match[2]).strip("`") if match else ""


def cut_tags(text: str) -> str:
    """Return a description without the tags at its end, such as `@default 5` and `@example`."""
    return _TAG.split(text, maxsplit=1)[0].rstrip()


def get_indent(line: str) -> int:
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())
