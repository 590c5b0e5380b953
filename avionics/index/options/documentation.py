"""Read the documentation of options: under a heading, in a table or list, or indented below the name."""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.late_pattern import late_pattern

_SUFFIXES = (".md", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt", ".inc")
_TEMPLATE = late_pattern(r"\.(?:in|tmpl|template|tpl|j2)\Z")
"""The end of the name of a file from which a build makes a document."""
_PROGRAM = late_pattern(r"(?:conf|config|settings)\.[a-z]{1,4}\.(?:in|tmpl|template|tpl|j2)\Z")
"""The end of the name of a program of settings that each user gets a copy of."""
_SAMPLES = late_pattern(
    r"\.(?:ini|conf|config|cfg|example|sample|dist)\Z"
    r"|(?:example|sample|default|reference|dist|config|settings|server|(?:^|/)application)[^/]{0,80}\.(?:ya?ml|toml|jsonc|json5|properties)\Z"
    r"|(?:example|sample)[^/]{0,80}\.env\Z|\.env(?:\.\w+){1,3}\Z|(?:^|/)\.?[a-z]+rc\Z"
    r"|(?:^|/)(?:etc|conf|configs?|examples?|samples?)/[\w.-]{1,80}\.(?:properties|toml|ya?ml)\Z"
)
"""The name of a file with samples of settings and comments about them."""
_OF_A_TOOL = late_pattern(
    r"(?:\A|/)\.?(?:pylint|flake8|coverage|babel|eslint|jshint|prettier|stylelint|npm|yarn|nyc|mocha|swc|bower|rubocop)rc\Z"
    r"|(?:\A|/)(?:setup|tox|pytest|mypy|\.?editorconfig|\.?flake8|\.?pylint)\.(?:cfg|ini)\Z"
)
"""The settings of a tool for developers, which are no sample of the product's."""
_ABOUT_OPTIONS = late_pattern(
    r"config|option|setting|\benv|environment|cli\b|command|usage|reference|readme|preferences|propert|man\d?\b"
    r"|\b(?:docs?|manual|guide)\.\w+\Z",
    re.IGNORECASE,
)
_NOT_ABOUT_OPTIONS = late_pattern(
    r"change|history|\bnews|release|licen[cs]e|contribut|security|copying|authors|requirements|migrat|(?:^|/)\.(?!env\b|[a-z]+rc\b)",
    re.IGNORECASE,
)
_HTML = late_pattern(
    r"(?:^|/)(?:docs?|man(?:ual)?|help|guide|reference)(?:/[^/\n]{1,80}){1,6}\.x?html?\Z", re.IGNORECASE
)
"""The path of a page of documentation, which is no template of a page that a program shows."""
_TAG, _HTML_HEADING = late_pattern(r"<[^<>\n]{1,300}>"), late_pattern(r"\s*<h[2-6][\s>]", re.IGNORECASE)
_HTML_TERM = late_pattern(r"\s*<dt[\s>]", re.IGNORECASE)
_MAX_DOCUMENTS, _MAX_LENGTH = 120, 400_000
"""Documents read for one question, and characters of each."""
_NAME = r"(?:--?[A-Za-z][\w-]+|[a-z$][\w.-]*\w|[A-Z][A-Z0-9]*_[A-Z0-9_]+)"
_QUOTES = r"[`*\"]{0,4}"
_HEADING = late_pattern(rf"(?:#{{2,6}}|={{2,6}}(?! *$))\s+{_QUOTES}({_NAME}){_QUOTES}(?:\s*[({{:=<\[].{{0,80}})?\s*=*")
_HEADING_LINK = late_pattern(r"\[([^\[\]\n]{1,120})\]\(#[^()\s]*+\)(?:\s*+\{#[^{}\s]*+\})?")
"""A heading that links to itself: `[`limit=<num>`](#limit) {#limit}`."""
_DIRECTIVE_HEADING = late_pattern(rf"#{{2,6}}\s+{_QUOTES}([A-Z][a-z\d]+[A-Z][A-Za-z\d]*){_QUOTES}\s*")
_SETTABLE = late_pattern(r"\W*(?:syntax|default|context|values?)\b\W*", re.IGNORECASE)
"""A heading with the name of a directive, as those of many servers are written, and how a line below it begins."""
_TITLE = late_pattern(r"#{2,6}\s+([A-Z][a-z]+(?: \w+){1,5})\s*")
"""A heading with the name of an option as words: `## Force Single Line`."""
_ANY_HEADING = late_pattern(r"(?:#{1,6}|={1,6})\s+\S")
_UNDERLINED = late_pattern(rf"{_QUOTES}({_NAME}){_QUOTES}\s*")
_BOLD = late_pattern(rf"\*\*({_NAME})\*\*:?\s*")
"""A line with only a name in bold, which stands for a heading."""
_UNDERLINE = late_pattern(r"([-=~^\"'+*.])\1{2,}\s*")
_ROW = late_pattern(rf"\|\s*{_QUOTES}\[?{_QUOTES}({_NAME}){_QUOTES}(?:\]\([^)\s]*\))?[^|]{{0,40}}\|(.{{10,}})")
_BARE_ROW = late_pattern(rf"{_QUOTES}({_NAME}){_QUOTES}\s*+\|(.{{10,}})")
_DELIMITER = late_pattern(r"(?=[^-]*+-[^|]*+\|)[\s|:-]*+")
"""The line below the head of a table, whose rows need not begin with a bar."""
_MAX_ROWS = 80
_ITEM = late_pattern(
    rf"\s*(?:[-*+]|\d{{1,2}}\.)\s+[`*]{{1,4}}({_NAME}):?[`*]{{1,4}}(?:\s*\([^)\n]{{0,60}}\))?\s*[:–—-]*\s+(.*)"
)
_SENTENCE = late_pattern(
    rf"\s*(//|#|;|--)?\s*`({_NAME})`\s+((?:is|are|sets?|says?|defines?|specif(?:y|ies)|indicates?|controls?|allows?"
    r"|enables?|disables?|limits?|determines?|configures?|turns?|makes?|tells?)\b.{8,})"
)
"""A line that begins with what an option does, perhaps a comment in an example: `// `limit` defines how many …`."""
_DIRECTIVE = late_pattern(
    r"\s*\.\. (?:[\w-]+:){0,2}[\w-]{0,30}?(?:conf|option|setting|envvar|param|preference|flag|describe|attribute|data)"
    rf"[\w-]{{0,12}}::\s+({_NAME}).*"
)
"""A directive that describes an option; a project may have its own, as `.. shop-config:: limit`."""
_TERM = late_pattern(rf"(?:\[[^\]\n]{{0,60}}\]\s*)?{_QUOTES}({_NAME}){_QUOTES}(?:\s.{{0,80}})?::\s*")
"""A term of a list with descriptions below: `*max_files* (*APP_MAX_FILES*)::`."""
_SAMPLE = late_pattern(
    r"(\s*)([#;/]{0,3})\s?([A-Za-z][\w.-]*\w)"
    r"(?:\s?=.*|\s?:(?:\s.*)?|\s+(?:yes|no|on|off|true|false|\d[\w.]*+|\"[^\"]*+\"|'[^']*+'|/\S++)\s*+;?\s*+)"
)
_SAMPLE_WORDS = late_pattern(r"(\s*+)([#;]?)([A-Za-z][\w-]*+)[ \t]+[<\[\"'/*.$\w-][^{}]{0,80};?\s*")
"""A setting of a sample whose value follows after a space, as those of many servers: `#MaxTabs <number>`."""
_NO_PLAIN_WORD = late_pattern(r"[a-z][A-Z]|\w[_-]\w")
_SAMPLE_COMMENT = late_pattern(r"\s*(?:[#;]+|//+|/?\*+/?(?=\s|\Z))\s?(.*)")
_SAMPLE_BEHIND = late_pattern(r"([^\n]*?\S)\s+(?:#+|//+|/\*+)\s+(\w[^\n]{7,})")
"""A setting with a comment behind its value: `limit = 8  # most entries of a page`, `limit 8; /* most entries */`."""
_SAMPLE_SECTION = late_pattern(r"\s*\[+([\w.-]+)\]+\s*")
_REMARK = late_pattern(r"(?:default|note|example|see|warning|todo|e\.g|http|options?|values?)s?\Z", re.IGNORECASE)
"""A word before a colon in a comment that begins a sentence and is not a setting."""
_ALONE = late_pattern(
    r"\s*(?:[-*=]+ )?(?:-\w,? )?[`*\"]{0,2}"
    r"(--?[a-z][\w-]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z]+_[a-z_]+|(?<=``)[a-z]\w+(?=``))"
    r"(?:[= ]\S+|\[=[^\]\n]*\])?[`*\"]{0,2}:?:?\s*"
)
"""A line with only the name of an option, and perhaps what its value is."""
_LABELLED = late_pattern(
    r"(?:[-*] )?\*\*[\w ]{2,24}:?\*\*:?\s|(?:Syntax|Default|Context|Module|Compatibility|See also):\s"
)
"""A line below a heading that says no more than what the value may be: `**Default:** `30``."""
_COLON = late_pattern(rf"\s*{_QUOTES}(--[a-z][\w-]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+){_QUOTES}:{_QUOTES}\s+(\S.{{8,}})")
"""A line with the name and what the option does: `TOOL_TRASH: moves files to the trash`."""
_FENCE = late_pattern(r"\s*(?:```+|~~~+)\s*(\w*)[^`]*\Z")
_OF_SETTINGS = frozenset(
    ("toml", "yaml", "yml", "ini", "conf", "cfg", "properties", "env", "dotenv", "json", "json5", "jsonc", "hcl")
)
"""The languages of examples in documents that have settings."""
_MAX_IN_EXAMPLE = 2
"""The most settings of an example that the section around it is about."""
_EXAMPLE_KEY = late_pattern(r"\s*[\"']?([A-Za-z][\w.-]*\w)[\"']?\s*[:=]\s*+(?![\[{|>]*+\s*\Z)\S.*")
_ADVICE = late_pattern(
    rf"\b(?:[pP]ass|[uU]se|[sS]et|[aA]dd|[eE]nable|[dD]isable|[sS]pecify|[pP]rovide|[cC]hange|[aA]djust|[iI]ncrease|[dD]ecrease"
    rf"|(?:[uU]s|[sS]ett|[pP]ass|[aA]dd|[eE]nabl)ing|[vV]ia|with|by)"
    rf" (?:(?:the|a|an|your) )?(?:[\w-]+ ){{0,2}}`{{1,2}}({_NAME})(?:[= :][^`\n]{{0,40}})?`"
)
"""What says in a sentence how to get what the rest of it describes: `pass the `--fast` flag to skip …`."""
_NO_WORD = late_pattern(r"--?[A-Za-z]|[A-Z]|[a-z]\w*[A-Z_.-]|[a-z]{5}")
"""How the name of an option begins that is no short word, as `new` or `true` are."""
_ENDS_SENTENCE = late_pattern(r"(?<=[.!?])\s+(?=[A-Z`*>-])")
_NO_PARAGRAPH = ("|", "```", "#", "..", "    ")
_MIN_ADVICE = 25
"""The least characters of a sentence that describes an option."""
_FORM = late_pattern(
    r"(?:setting|config|option|preference)[^/]{0,80}\.(?:x?html?|tpl|mako|j2|jinja2?|ejs|hbs|p?html|php|erb|twig)\Z",
    re.IGNORECASE,
)
"""The path of a page on which users set options."""
_INPUT = late_pattern(r"<(?:input|select|textarea)\b[^<>]{0,200}?\bname=\"([A-Za-z][\w.-]*+)\"")
_LABEL = late_pattern(r"<label\b", re.IGNORECASE)
_EXPRESSION = late_pattern(r"[$#{]\{[^{}\n]{0,200}\}+|<%[^%\n]{0,200}%>|<\?[^?\n]{0,200}\?>")
"""An expression in a template, whose value a reader of the page sees instead."""
_MAX_ABOVE_INPUT, _MAX_BELOW_INPUT = 8, 14
"""The lines above an input in which its label begins, and those below it that may describe it."""
_MANUAL = late_pattern(r"\.[1-8]\Z")
_ROFF_MACRO = late_pattern(r"\.(?:It\s++(?=\w)|[BI]R?|BI|I[BR]|R[BI]|IP|Fl|Ev|Ic|Cm|Sy|Li|Ar|Pa|Nm|Xr|Em|Va|Dv)\b\s*")
_ROFF_ESCAPE = late_pattern(r"\\f(?:\[\w*\]|.)|\\&")
_ROFF_WORD = late_pattern(
    r"(?:^|(?<=\s))(?:(Fl(?: Fl)?) |(?:Ic|Cm|Sy|Ev|Li) (\w[\w-]+)|(?:Ar|Ns|Op|Oo|Oc|Pa|Em|Va|Dv|Nm|Xr)\b)"
)
"""A macro of mdoc(7) within a line: the mark of a flag, that of a keyword, and others."""
_BESIDE = late_pattern(r"\s*[\"']?\s*([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s{2,}([A-Za-z].{8,})")
"""A line of a usage text about an environment variable: `  TOOL_HOME   Overrides where …`."""
_MAX_LINE = 1_000
"""Characters of a line that are read; patterns take the square of that."""
_SEPARATORS = late_pattern(r"[\W_]+")
_MAX_ALONE, _MAX_HEADING, _MAX_BELOW, _MAX_MERGED = 90, 120, 8, 4


_LANGUAGE = late_pattern(r"[/._-]([a-z]{2}(?:[-_][A-Z]{2})?)(?=/|\.\w+\Z)")
"""A language in a path: `docs/es-ES/README.md`, `README.zh.md`."""


class DocumentedOption(Struct, frozen=True):
    """The documentation of an option in one file.

    Attributes:
        name: The option as the file writes it.
        text: What the file says about it.
        is_example: Whether the text is around an example, or a sentence, with the option, which may say more.
    """

    name: str
    text: str
    file: str
    line: int
    is_example: bool = False

    @property
    def document(self) -> str:
        """Return where a document describes the option as `path:line`; "" if the file is one of code."""
        return f"{self.file}:{self.line}" if is_document(self.file) else ""


def list_documents(code: CodeIndex) -> list[str]:
    """Return the documents whose paths mention options, or all documents if none does; shorter paths come first."""
    found = [
        path
        for path in code.snapshot.entries
        if is_document(path) and role_of(path) < FileRole.TEST and not _NOT_ABOUT_OPTIONS.search(path)
        and not _is_translation(code.snapshot.entries, path)
    ]  # fmt: skip
    about = [path for path in found if _ABOUT_OPTIONS.search(path) or is_sample(path) or _is_manual(path)]
    return sorted(about or found, key=lambda path: (path.count("/"), path))[:_MAX_DOCUMENTS]


def _is_translation(paths: Container[str], path: str) -> bool:
    """Return whether a document in some language is also there without a language in its path, or in English."""
    named = _LANGUAGE.search(path)
    if not named or named[1].startswith("en"):
        return False
    return any(f"{path[: named.start()]}{other}{path[named.end() :]}" in paths for other in ("", "/en", "/en-US"))


def is_document(file: str) -> bool:
    """Return whether a file is prose, or a sample of a configuration."""
    if _OF_A_TOOL.search(file):
        return False
    is_text = _TEMPLATE.sub("", file).endswith(_SUFFIXES) or _HTML.search(file) is not None
    return is_text or is_sample(file) or _is_manual(file)


def is_aside(file: str) -> bool:
    """Return whether the path of a document says that it is about something else than how to use the program."""
    return _NOT_ABOUT_OPTIONS.search(file) is not None


def is_sample(file: str) -> bool:
    """Return whether a file has samples of settings."""
    return _SAMPLES.search(_TEMPLATE.sub("", file)) is not None or _PROGRAM.search(file) is not None


def _is_manual(file: str) -> bool:
    """Return whether a file is a manual page."""
    return _MANUAL.search(_TEMPLATE.sub("", file)) is not None


def read_documentation(texts: Mapping[str, str]) -> dict[str, DocumentedOption]:
    """Return folded name → documentation of the option; a dotted name is also listed under its last part."""
    found: dict[str, list[DocumentedOption]] = {}
    for file, text in texts.items():
        lines = [
            _HEADING_LINK.sub(r"\1", line[:_MAX_LINE]) if line.startswith("#") and "](#" in line else line[:_MAX_LINE]
            for line in text[:_MAX_LENGTH].split("\n")
        ]
        lines = _read_manual(lines) if _is_manual(file) else lines
        lines = list(map(_read_html, lines)) if _HTML.search(file) else lines
        documented = _iter_documented(file, lines) if is_document(file) else _iter_alone(file, lines)
        for each in (*documented, *(_iter_inputs(file, lines) if _FORM.search(file) else ())):
            if each.text:
                for name in {fold_option(each.name), fold_option(each.name.rpartition(".")[2])}:
                    found.setdefault(name, []).append(each)
    return {name: _merge(same) for name, same in found.items()}


def _read_html(line: str) -> str:
    """Return a line of a page without its tags; headings and terms are marked as in other documents."""
    if "<" not in line and "&" not in line:
        return line
    text = html.unescape(_TAG.sub("", line)).strip()
    if not text:
        return ""
    return f"## {text}" if _HTML_HEADING.match(line) else f"{text}::" if _HTML_TERM.match(line) else text


def _read_manual(lines: Sequence[str]) -> list[str]:
    """Return the lines of a manual page without markup; what a list says below each of its terms is indented."""
    read: list[str] = []
    above = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        is_term = above.startswith((".TP", ".TQ")) or line.startswith((".It ", ".IP ")) or below.startswith(".RS")
        text = _read_manual_line(line, is_term=is_term)
        is_title = line.startswith((".SH", ".SS", ".Sh", ".Ss"))
        read.append("Section" if is_title else text if is_term or not text else f"    {text}")
        above = line
    return read


def _read_manual_line(line: str, *, is_term: bool) -> str:
    """Return a line of a manual page without markup; of a term only its name and what its value is."""
    plain = _ROFF_ESCAPE.sub("", line).replace("\\-", "-")
    macro = _ROFF_MACRO.match(plain)
    if plain.startswith(".") and not macro:
        return ""
    if macro:
        mark = f"{plain[1:3]} " if macro[0].strip() in {".Ic", ".Cm", ".Fl"} else ""
        plain = f"{mark}{plain[macro.end() :]}"
    quotes = "``" if is_term else ""
    named = _ROFF_WORD.sub(
        lambda word: "-" * (word[1] or "").count("Fl") + (f"{quotes}{word[2]}{quotes}" * bool(word[2])), plain
    )
    words = " ".join(named.replace('"', "").replace(" ,", ",").split())
    keyword, marked, _ = words.partition("`` ")
    return f"{keyword}``" if is_term and marked else words


def _merge(found: Sequence[DocumentedOption]) -> DocumentedOption:
    """Return the combined documentation of an option, located where most of it is."""
    most = max(found, key=lambda each: (not each.is_example, len(each.text)))
    texts = dict.fromkeys((most.text, *(each.text for each in found[:_MAX_MERGED])))
    return DocumentedOption(most.name, " ".join(texts), most.file, most.line)


def fold_option(name: str) -> str:
    """Return the name of an option in lower case without word separators."""
    return _SEPARATORS.sub("", name).lower()


def _iter_documented(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    if is_sample(file):
        yield from _iter_samples(file, lines)
        return
    for number, line in enumerate(lines):
        named = _read_named(lines, number) if line.strip() else None
        if named:
            yield DocumentedOption(*named, file, number + 1)
    yield from _iter_alone(file, lines)
    yield from _iter_examples(file, lines)
    yield from _iter_advice(file, lines)


def _iter_examples(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    """Yield the settings in the examples of a document: those with comments, and those that a section is about.

    An example with few settings below a heading shows what the section describes.
    """
    heading = start = opened = -1
    for number, line in enumerate(lines):
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence is None:
            heading = number if opened < 0 and _ANY_HEADING.match(line) else heading
            start = heading if start < heading else start
        elif opened < 0:
            opened, language = number, fence[1].lower()
        else:
            inside = lines[opened + 1 : number]
            if language in _OF_SETTINGS or not language:
                for each in _iter_samples(file, inside):
                    yield structs.replace(each, line=each.line + opened + 1)
                yield from _iter_shown(file, lines, start, opened, number)
            start, opened = number, -1


def _iter_shown(file: str, lines: Sequence[str], start: int, opened: int, end: int) -> Iterator[DocumentedOption]:
    """Yield the few settings of an example with the text above it, from its heading or the example before on."""
    keyed = {at: key for at in range(opened + 1, end) if (key := _EXAMPLE_KEY.fullmatch(lines[at]))}
    if not keyed or len(keyed) > _MAX_IN_EXAMPLE or start < 0:
        return
    above = [line.strip("# \t") for line in lines[start:opened] if line.strip() and not line.startswith(("|", "```"))]
    text = " ".join((*above[:1], *above[1:][-_MAX_BELOW:]))
    for at, key in keyed.items():
        yield DocumentedOption(key[1], text, file, at + 1, is_example=True)


def _iter_inputs(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    """Yield the options that the inputs of a form set, each with its label and the text below it."""
    inputs = {at: match[1] for at, line in enumerate(lines) if "name=" in line and (match := _INPUT.search(line))}
    labels = [at for at, line in enumerate(lines) if _LABEL.search(line)]
    for at, name in inputs.items():
        first = max((each for each in labels if at - _MAX_ABOVE_INPUT <= each <= at), default=at)
        others = (each for each in (*labels, *inputs) if each > at and inputs.get(each) != name)
        last = min((*others, at + _MAX_BELOW_INPUT, len(lines)))
        said = (_TAG.sub(" ", _EXPRESSION.sub(" ", line)) for line in lines[first:last])
        text = " ".join(html.unescape(" ".join(said)).split())
        yield DocumentedOption(name, text, file, at + 1)


def _iter_advice(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    """Yield the options that the sentences of a document say to use, each with its sentence."""
    for number, line in enumerate(lines):
        if "`" not in line or line.startswith(_NO_PARAGRAPH):
            continue
        below = lines[number + 1] if number + 1 < len(lines) else ""
        is_split = bool(below.strip()) and not below.startswith(_NO_PARAGRAPH) and line.rstrip()[-1:] not in ".!?:"
        for sentence in _ENDS_SENTENCE.split(f"{line} {below}" if is_split else line):
            advised = _ADVICE.search(sentence) if len(sentence) >= _MIN_ADVICE else None
            if advised and _NO_WORD.match(advised[1]):
                yield DocumentedOption(advised[1], " ".join(sentence.split()), file, number + 1, is_example=True)


def _read_named(lines: Sequence[str], number: int) -> tuple[str, str] | None:
    """Return the option that a line names as documents do, and what the line and those below it say of the option."""
    line = lines[number]
    if row := _ROW.match(line) or _match_bare_row(lines, number):
        return row[1], " ".join(row[2].replace("|", " ").split())
    if item := _ITEM.match(line):
        return item[1], " ".join((item[2], *_iter_below(lines, number))).strip()
    if sentence := _SENTENCE.match(line):
        return sentence[2], " ".join((sentence[3], *_iter_same(lines, number, sentence[1] or "")))
    if len(line) <= _MAX_HEADING:
        if heading := _match_heading(lines, number):
            return heading[1], " ".join(_iter_section(lines, number + 1))
        if title := _TITLE.fullmatch(line):
            return title[1].replace(" ", "_").lower(), " ".join(_iter_section(lines, number + 1))
    if colon := _COLON.match(line):
        return colon[1], " ".join((colon[2], *_iter_below(lines, number)))
    if described := _DIRECTIVE.fullmatch(line) or _TERM.fullmatch(line):
        return described[1], " ".join(_iter_section(lines, number + 1)).strip()
    return None


def _match_heading(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """Return the match of a heading that is the name of an option; None if the line is none."""
    marked = _HEADING.fullmatch(lines[number]) or _BOLD.fullmatch(lines[number])
    return marked or _underlined(lines, number) or _match_directive(lines, number)


def _iter_samples(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    """Yield the settings of a sample configuration, with the comments directly above each.

    Their names begin with those of the section, or of the lines around them that are indented less.
    """
    comments: list[str] = []
    section, around = "", list[tuple[int, str]]()
    for number, written in enumerate(lines, 1):
        behind = _SAMPLE_BEHIND.match(written)
        line = behind[1] if behind else written
        setting, comment, head = (
            _SAMPLE.fullmatch(line),
            _SAMPLE_COMMENT.match(written),
            _SAMPLE_SECTION.fullmatch(line),
        )
        # A line that only looks like one may be a sentence, which goes on.
        is_last = comments and (number == len(lines) or not _SAMPLE_COMMENT.match(lines[number]))
        valued = None if setting or not is_last else _SAMPLE_WORDS.fullmatch(line)
        setting = valued if valued and _NO_PLAIN_WORD.search(valued[3]) else setting
        setting = None if setting and setting[2] and _REMARK.match(setting[3]) else setting
        section, around = (f"{head[1]}.", []) if head else (section, around)
        if setting:
            around = around if setting[2] else [each for each in around if each[0] < len(setting[1])]
            name = ".".join((*(each for _, each in around), setting[3]))
            said = (*comments[-_MAX_BELOW:], behind[2].rstrip("*/ ")) if behind else comments[-_MAX_BELOW:]
            yield DocumentedOption(f"{section}{name}", " ".join(said), file, number)
            if not setting[2] and line.rstrip().endswith(":"):
                around.append((len(setting[1]), setting[3]))
        comments = [*comments, comment[1].removesuffix("*/").rstrip()] if comment and not setting else []


def _match_bare_row(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """Return the match of a row of a table that begins with a name and no bar; None if it is in no table."""
    row = _BARE_ROW.match(lines[number])
    above = range(number - 1, max(-1, number - _MAX_ROWS), -1) if row else ()
    for at in above:
        if "|" not in lines[at]:
            return None
        if _DELIMITER.fullmatch(lines[at]):
            return row
    return None


def _match_directive(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """Return the match of a heading with the name of a directive, below which its syntax or default is said."""
    named = _DIRECTIVE_HEADING.fullmatch(lines[number])
    below = lines[number + 1 : number + 1 + _MAX_BELOW]
    return named if named and any(map(_SETTABLE.match, below)) else None


def _underlined(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """Return the name on a line that the next one underlines."""
    is_heading = number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1])
    return _UNDERLINED.fullmatch(lines[number]) if is_heading else None


def _iter_section(lines: Sequence[str], start: int) -> Iterator[str]:
    """Yield the first lines with text of the section that begins at an index; rows of a table only without others."""
    left, rows = _MAX_BELOW, list[str]()
    for number in range(start, len(lines)):
        line = lines[number].strip()
        if not line or _UNDERLINE.fullmatch(line) or line.startswith(("```", "..")) or _LABELLED.match(line):
            continue
        is_next = _ANY_HEADING.match(line) or _TERM.fullmatch(line) or _BOLD.fullmatch(line)
        if is_next or _underlined(lines, number) or not left:
            break
        if line.startswith("|"):
            rows.append(line)
            continue
        left -= 1
        yield line.removeprefix(": ").lstrip()
    if left == _MAX_BELOW:
        yield from rows[:_MAX_BELOW]


def _iter_same(lines: Sequence[str], number: int, mark: str) -> Iterator[str]:
    """Yield the next lines of the comment or paragraph that a line begins."""
    for line in lines[number + 1 : number + 1 + _MAX_BELOW]:
        text = line.strip()
        if not text.startswith(mark) or not text or text.startswith("`", len(mark) + bool(mark)):
            return
        yield text.removeprefix(mark).strip()


def _iter_alone(file: str, lines: Sequence[str]) -> Iterator[DocumentedOption]:
    """Yield the names on lines of their own above indented lines of text; a label of code is above statements."""
    for number, line in enumerate(lines):
        alone = _ALONE.fullmatch(line) if len(line) < _MAX_ALONE else None
        beside = None if alone else _BESIDE.match(line)
        if beside:
            yield DocumentedOption(beside[1], beside[2], file, number + 1)
        below = [*_iter_below(lines, number)] if alone else []
        if alone and not any(each.endswith((";", "{", "}")) for each in below):
            yield DocumentedOption(alone[1], " ".join(below).strip(), file, number + 1)


def _iter_below(lines: Sequence[str], number: int) -> Iterator[str]:
    """Yield the next lines, without their indentation, as long as they are indented further than a line."""
    depth = len(lines[number]) - len(lines[number].lstrip())
    for line in lines[number + 1 : number + 1 + _MAX_BELOW]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            return
        yield line.strip()
