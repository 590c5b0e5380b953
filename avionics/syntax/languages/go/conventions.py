"""The conventions of Go."""

from __future__ import annotations

import re

from avionics.model.enums import SymbolKind
from avionics.model.facts import Symbol
from avionics.syntax.conventions import Conventions, FileNames, ImplicitUse, NamingString, TestConventions, TestRunner


def must_name(of: Symbol, members: tuple[Symbol, ...], added: Symbol) -> bool:
    """Return whether types outside have to have a new method of an interface: no unexported one forbids them to."""
    is_method = of.kind is SymbolKind.INTERFACE and added.kind is SymbolKind.METHOD
    return is_method and all(each.exported for each in members)


CONVENTIONS = Conventions(
    files=FileNames(
        generated=re.compile(r"\.pb(\.\w+)?\.go$|(^|/)zz_generated|_gen\.go$"),
        unread_code=re.compile(r"\.(?:gotmpl|templ|qtpl|y|rl|peg|leg|rules|go\.\w+)$"),
        linked_code=re.compile(r"\.[sS]$"),
    ),
    tests=TestConventions(
        names=re.compile("Test|Benchmark|Fuzz|Example"),
        collected=("Test", "Benchmark", "Example", "Fuzz"),
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
        parts=re.compile(r'\b[tb]\.Run\(\s*"(?P<title>[^"\n]{1,200})"'),
    ),
    implicit=ImplicitUse(
        naming_strings=(
            NamingString(r"(?:MethodByName|FieldByName)\(\s*\"NAME\""),
            NamingString(r"\{\{[^}\n]*\.NAME\b"),
        ),
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
    definition_lines=(
        r"(?:func[ \t]*(?:\([^()]*\)[ \t]*)?|type[ \t]+)(\w+)|[ \t]+(\w+)[ \t]+(?:struct|interface)[ \t]*\{"
    ),
    must_name=must_name,
)  # fmt: skip
