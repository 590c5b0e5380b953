"""The conventions of Go."""

from __future__ import annotations

import re
from itertools import takewhile

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import (
    PLAIN_STRINGS,
    REMARKS,
    Conventions,
    FileNames,
    ImplicitUse,
    NamingString,
    ScriptStrings,
    StoredClasses,
)
from avionics.syntax.testing import TestConventions, TestRunner


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether types elsewhere need a new method of an interface: true if all its methods are exported."""
    is_method = of.kind is SymbolKind.INTERFACE and added.kind is SymbolKind.METHOD
    return is_method and all(each.exported for each in members)


_SYSTEMS = re.compile(
    "aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows"
)
_PROCESSORS = re.compile("386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm")
_UNIX, _ANYWHERE = ("unix", "gc", "cgo"), ("gc", "cgo")
_BUILDS = {
    "linux/amd64": {"linux", "amd64", *_UNIX},
    "linux/arm64": {"linux", "arm64", *_UNIX},
    "linux/386": {"linux", "386", *_UNIX},
    "darwin/amd64": {"darwin", "amd64", *_UNIX},
    "darwin/arm64": {"darwin", "arm64", *_UNIX},
    "windows/amd64": {"windows", "amd64", *_ANYWHERE},
}
"""The most common builds, and the tags set in each."""

_CONSTRAINT = re.compile(r"//go:build\s(.+)")
_TOKEN = re.compile(r"&&|\|\||[!()]|[\w.]+")
_VERSION = re.compile(r"go1\.\d+")


def list_builds(path: str, text: str) -> frozenset[str]:
    """Return the usual builds that compile a file, by its name and its build constraint."""
    parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:][-2:]
    kinds = [(_SYSTEMS.fullmatch(part) is not None, _PROCESSORS.fullmatch(part) is not None) for part in parts]
    named = parts if kinds == [(True, False), (False, True)] else parts[-1:] if kinds and any(kinds[-1]) else []
    head = takewhile(lambda line: not line.startswith("package "), text.split("\n"))
    constraint = next((found[1] for found in map(_CONSTRAINT.match, head) if found is not None), "")
    return frozenset(
        build for build, tags in _BUILDS.items() if tags.issuperset(named) and _holds(_TOKEN.findall(constraint), tags)
    )


def _holds(tokens: list[str], tags: set[str]) -> bool:
    """Return whether a build constraint holds with some tags."""
    return not tokens or _read_any(tokens, tags)


def _read_any(tokens: list[str], tags: set[str]) -> bool:
    """Consume `a && b || c` at the beginning of a constraint, and return whether it holds."""
    found, is_next = False, True
    while is_next:
        found = _read_all(tokens, tags) or found
        is_next = _take(tokens, "||")
    return found


def _read_all(tokens: list[str], tags: set[str]) -> bool:
    found, is_next = True, True
    while is_next:
        found = _read_one(tokens, tags) and found
        is_next = _take(tokens, "&&")
    return found


def _read_one(tokens: list[str], tags: set[str]) -> bool:
    is_negated = False
    while _take(tokens, "!"):
        is_negated = not is_negated
    if _take(tokens, "("):
        found = _read_any(tokens, tags)
        _take(tokens, ")")
    else:
        tag = tokens.pop(0) if tokens else ""
        found = tag in tags or _VERSION.fullmatch(tag) is not None
    return found is not is_negated


def _take(tokens: list[str], wanted: str) -> bool:
    """Take the first token if it is the wanted one, and return whether it was."""
    is_there = tokens[:1] == [wanted]
    del tokens[: int(is_there)]
    return is_there


CONVENTIONS = Conventions(
    stored=StoredClasses(
        modules=late_pattern(r"gorm|uptrace/bun|go-pg|\bent\b|xorm|beego"),
        bases=late_pattern(r"\*?(?:gorm\.Model|bun\.BaseModel|ent\.Schema|orm\.Model)"),
        members=frozenset({"TableName"}),
        tags=frozenset({"gorm", "xorm", "bun", "orm"}),
    ),
    files=FileNames(
        generated=re.compile(r"\.pb(\.\w+)?\.go$|(^|/)zz_generated|_gen\.go$"),
        unread_code=re.compile(r"\.(?:gotmpl|templ|qtpl|y|rl|peg|leg|rules|go\.\w+)$"),
        linked_code=re.compile(r"\.[sS]$"),
        # https://pkg.go.dev/embed
        embedding=late_pattern(
            r"^//go:embed (?:[^\n]{0,200}[ /])?(?P<file>[\w.-]+)", re.MULTILINE, needs=("//go:embed",)
        ),
        embedding_words=("embed",),
    ),
    tests=TestConventions(
        # https://pkg.go.dev/testing: `Testing` is no test, and `TestMain` runs them.
        names=re.compile(r"Test(?!Main\Z|[a-z])|(?:Benchmark|Fuzz|Example)(?![a-z])"),
        collected=("Test", "Benchmark", "Example", "Fuzz"),
        calls=("ginkgo",),
        runners=(
            TestRunner(
                ("go", "test", "{package}", "-run", "^({tests})$"),
                "{first}",
                "|",
                group="{directory}",
                titled=("go", "test", "{package}", "-run", "^{first}$/^{title}$"),
                whole=("go", "test", "{package}"),
                passed_over=("Benchmark",),
            ),
        ),
        titled=late_pattern(r'^\s*+(?:It|Specify|Entry)\(\s*+"(?P<title>(?>(?:\\.|[^"\\\n])+))"', re.MULTILINE),
        parts=re.compile(r'\b[tb]\.Run\(\s*"(?P<title>[^"\n]{1,200})"'),
    ),
    implicit=ImplicitUse(
        naming_strings=(
            NamingString(r"(?:MethodByName|FieldByName)\(\s*\"NAME\""),
            # https://pkg.go.dev/plugin#Plugin.Lookup
            NamingString(r"\.Lookup\(\s*\"NAME\"", condition=late_pattern(r'"plugin"'), is_linked=True),
            # https://pkg.go.dev/github.com/traefik/yaegi/interp#Interpreter.Eval
            NamingString(r"\.Eval\(\s*[\"`](?:\w+\.)?NAME\b", condition=late_pattern(r"\byaegi\b"), is_linked=True),
            NamingString(r"\{\{[^}\n]*\.NAME\b"),
            # A directive links a name to another one, exports it, or passes it to a generator.
            NamingString(r"^//(?:export |go:(?:linkname|cgo_\w++) [^\n]*?)(?<![\w/-])NAME\b", is_linked=True),
            NamingString(r"^//go:generate [^\n]*?[=, ]NAME(?![\w./-])", is_linked=True),
            NamingString(r"^//go:wasmexport [^\n]*+\n(?>(?://[^\n]*+\n)*)func NAME\b", is_linked=True),
        ),
        # https://github.com/swaggo/swag, https://goswagger.io, https://book.kubebuilder.io/reference/markers and the
        # directives of other tools: `//encore:api public`. Checkers read theirs only to say less.
        comment_marks=late_pattern(
            r"^\s*//(?:\s*(?:swagger:\w|\+(?:kubebuilder|k8s|genclient|operator-sdk)\b|@(?i:router|deprecatedrouter|summary"
            r"|success|failure|tags|accept|produce|id|title|version|basepath|host|x-\w[\w-]*)\s)"
            r"|(?!(?:go|line|lint|nolint|revive|exhaustive|exhaustruct|staticcheck|todo|fixme|note|deprecated):)"
            r"[a-z]\w{2,20}+:[a-z])"
        ),
        script_strings=ScriptStrings(
            ("`",), late_pattern(rf"{REMARKS}|(?P<script>`[^`]*+)`?+|{PLAIN_STRINGS}|'(?:[^'\\\n]|\\.)'")
        ),
        # `go vet` reports copies of what holds such a field, and the compiler comparisons and layouts.
        marking_members=late_pattern(
            r"\w+ (?:\w+\.)?(?:(?i:(?:no|do_?not)_?(?:copy|compare))|HostLayout|\[0\](?:func\(\)|sync\.Mutex))"
        ),
        # `T{1, 2}`, `Ts{{1, 2}}`, and the first braces in `[]T{…}` and `map[K]T{…}`.
        counted_group=("const (", "iota"),
        ordered_fields=(
            r"(?:\][\w.*]{0,80}?\bNAME\{[^{};]{0,200}?\{|(?<![\]*])\bNAME(?>(?:\[[^\]\n]{0,80}\])?)\{(?>(?:\s*+\{)?))"
            r"\s*+(?!\}|\w++\s*+:)"
        ),
        layout_uses=re.compile(r"\bunsafe\.(?!String)[A-Z]|\bbinary\.(?:Read|Write|Size|Append|Encode|Decode)\("),
        tagged_members=re.compile(r"""`[^`\n]*\w:"[^`\n]*`"""),
        native_calls=re.compile(r'(?m)^import "C"|^\s+"C"$|\bpurego\b'),
        run_functions=frozenset({"main", "init"}),
        # Types of the language, and structs of the standard library that do not call methods of the struct that embeds
        # them.
        plain_bases=frozenset(
            {
                "__slice__", "__map__", "__chan__",
                "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Once", "sync.Map", "sync.Pool", "bytes.Buffer",
                "strings.Builder", "time.Time", "Mutex", "RWMutex", "WaitGroup", "Once", "Buffer", "Builder", "Time",
            }
        ),
    ),
    is_name_first=True,
    has_written_types=True,
    own_name=re.compile(r"(?<=^func \()\w+ "),
    list_builds=list_builds,
    definition_lines=(
        r"(?:func[ \t]*(?:\([^()]*\)[ \t]*)?|type[ \t]+)(\w+)|[ \t]+(\w+)[ \t]+(?:struct|interface)[ \t]*\{"
    ),
    must_name=must_name,
)  # fmt: skip
