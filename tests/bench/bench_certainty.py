"""Check the usages of random symbols of any checkout, and the claims that they are complete, against an oracle.

    python tests/bench/bench_certainty.py DIR SUFFIXES COUNT ORACLE…

    python tests/bench/bench_certainty.py repos/click .py 150 pyright-langserver --stdio
    python tests/bench/bench_certainty.py repos/redux .ts,.tsx,.js 150 tsc --lsp --stdio      # TypeScript 7
    python tests/bench/bench_certainty.py repos/lua .c,.h 150 clangd
    python tests/bench/bench_certainty.py repos/spdlog .cpp,.h 150 clangd         # its compile_flags.txt, if any
    python tests/bench/clang_uses.py repos/spdlog 40 >spdlog.tsv                  # in less time than clangd
    python tests/bench/bench_certainty.py repos/spdlog .cpp,.h 150 rows spdlog.tsv
    GOPROXY=off python tests/bench/bench_certainty.py repos/chi .go 150 gopls
    go build -o gouses tests/bench/GoErrors.go
    python tests/bench/bench_certainty.py repos/chi .go 150 go ./gouses           # generics, no libraries needed
    python tests/bench/bench_certainty.py repos/fd .rs 150 rust-analyzer          # RUST_SRC_PATH: the sources of std
    python tests/bench/bench_certainty.py repos/fd .rs 150 rustdoc --edition 2021 # the crate at src/lib.rs
    python tests/bench/bench_certainty.py repos/exa .rs 150 rustdoc src/main.rs --edition 2021 -L … --extern …
    python tests/bench/bench_certainty.py repos/gson .java 150 javac
    python tests/bench/bench_certainty.py repos/slim .php 150 intelephense --stdio
    dotnet CSharpUses.dll repos/polly REFERENCES >polly.tsv                       # its head says how it is compiled
    python tests/bench/bench_certainty.py repos/polly .cs 150 rows polly.tsv
    java KotlinUses repos/clikt LIBRARY.jar… >clikt.tsv           # its head says how it is compiled
    python tests/bench/bench_certainty.py repos/clikt .kt 150 rows clikt.tsv
    (cd repos/rack; RUBYOPT=-r…/ruby_uses.rb RUBY_USES=rack.tsv rake test)        # its head says what it sees
    python tests/bench/bench_certainty.py repos/rack .rb 150 rows rack.tsv

COUNT symbols with at least one reference are taken in turn from each kind, seeded by the name of DIR. A reference
counts where the server's own `definition` leads from it back to the symbol; what it says only one way round counts
neither way, as do lines that define the symbol and usages of ours of which it knows nothing (a type it cannot see,
the other side of an `#if`): `silent`. The rows of Ruby are only what a run of tests saw: an answer is false where it
lacks one of them, and a usage wrong where the run saw only other definitions of the name at its line. Of clangd,
which takes names of several programs for one and corrects spelling, lines count neither way that lack the name, or
that are nearer to another file that defines a name of the same kind. Callers are told the same way; a call in a
nameless function is its named one's. A server works on a copy, with settings of its own. Oracles err too: read the
disagreements.

For each symbol, the ledger has to add up and to have the mentions that ripgrep finds. Exits with 1 if an answer claims
to be complete and is not, or if a ledger is wrong.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any, Protocol

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench_consistency import count_words
from compiler_uses import CompilerUses, ask_go, ask_javac, ask_rustdoc, read_rows
from language_server import Place, Position, Server, prepare

from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.settings import Settings
from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer, explore_symbol_usage
from avionics.workspace import Workspace

_SHORTHAND = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")
_VARIABLES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT})
C_SUFFIXES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp")
_MAX_REFERENCES = 150
"""Symbols used more often are passed over: each reference costs a server a question."""


@attrs.frozen
class Sample:
    """A definition and what the oracle says of it.

    Attributes:
        homes: The lines that define it.
        references: The lines that use it.
        neutral: Lines that count neither way.
        callers: The functions that call it; None if the oracle cannot tell.
    """

    definition: Definition
    homes: frozenset[Place]
    references: frozenset[Place]
    neutral: frozenset[Place]
    callers: frozenset[Place] | None


class Oracle(Protocol):
    """What is compared with."""

    def look_at(self, definitions: Sequence[Definition]) -> None:
        """Prepare for questions about some definitions."""

    def sample(self, definition: Definition) -> Sample | None:
        """Return what is said of a definition; None where that is nothing, or too much."""

    def leads(self, name: str, at: Position) -> set[Place]:
        """Return the definitions of the name that stands at a place, as far as they are known."""


class RecallingServer(Server):
    """A server that is asked nothing twice: clangd keeps three files parsed, and parses another for each question."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._known: dict[str, Any] = {}
        super().__init__(command, root)

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of a request, the one from before if there is one."""
        key = json.dumps([method, params], sort_keys=True)
        if key not in self._known:
            self._known[key] = super().ask(method, **params)
        return self._known[key]


class ServerOracle:
    """A language server."""

    def __init__(self, server: Server, files: set[str], workspace: Workspace) -> None:
        self._server = server
        self._files = files
        self._workspace = workspace

    def look_at(self, definitions: Sequence[Definition]) -> None:
        """Ask what has to be known of some definitions, of one file after the other."""
        server, places = self._server, set[Position]()
        for definition in sorted(definitions, key=lambda each: (each.file, each.line)):
            at = (definition.file, definition.line, definition.symbol.column)
            found = server.places("textDocument/references", at, context={"includeDeclaration": False})
            if found and len(found) <= _MAX_REFERENCES:
                server.places("textDocument/references", at, context={"includeDeclaration": True})
                server.places("textDocument/definition", at)
                is_called = definition.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
                calls = (server.incoming(at) or []) if is_called else []
                places.update(found, chain.from_iterable(map(server.iter_calls, calls)))
        for place in sorted(each for each in places if each[0] in self._files):
            server.places("textDocument/definition", place)

    def sample(self, definition: Definition) -> Sample | None:
        """Return the references that lead back to the definition."""
        server, files = self._server, self._files
        at = (definition.file, definition.line, definition.symbol.column)
        found = server.places("textDocument/references", at, context={"includeDeclaration": False})
        whole = server.places("textDocument/references", at, context={"includeDeclaration": True})
        if not found or len(found) > _MAX_REFERENCES:
            return None
        defined = server.places("textDocument/definition", at)
        is_shorthand = definition.kind in _VARIABLES and at[0].endswith(_SHORTHAND)
        if is_shorthand and at[:2] not in {each[:2] for each in defined}:
            # The name of `const { a } = b` leads to the member that it is read from, whose uses are not the variable's.
            defined = []
        if defined and at[0].endswith(".rs") and at[:2] not in {each[:2] for each in defined}:
            # What the server says of an item of an `impl` is said of the trait's.
            return None
        homes = {place[:2] for place in (at, *defined) if place[0] in files}
        neutral: set[Place] = homes | {place[:2] for place in set(whole) - set(found)}
        references: set[Place] = set()
        for place in found:
            if place[:2] in neutral or place[0] not in files:
                continue
            is_passed_over = server.is_comment(place) or server.is_destructor(place)
            is_passed_over = is_passed_over or self._is_confused(definition, place) or self._is_no_use(place)
            is_reference = not is_passed_over and self.leads(definition.name, place) & homes
            (references if is_reference else neutral).add(place[:2])
        if not references:
            return None
        callers = server.callers(at, homes) if definition.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD} else None
        known = None if callers is None else frozenset(each for each in callers if each[0] in files)
        return Sample(definition, frozenset(homes), frozenset(references), frozenset(neutral - references), known)

    def _is_no_use(self, place: Position) -> bool:
        """Return whether `super` or a definition in Rust is at a place: the server lists items of an `impl`."""
        if not place[0].endswith(".rs"):
            return False
        line = self._workspace.code.source.read_text(place[0]).split("\n")[place[1] - 1]
        if line.startswith("super", place[2]):
            return True
        symbols = self._workspace.code.facts(place[0]).symbols
        return any((each.line, each.column) == place[1:] for each in symbols)

    def _is_confused(self, definition: Definition, place: Position) -> bool:
        """Return whether a reference in C or C++ is surely none: it lacks the name, or is nearer to another of it."""
        code, home = self._workspace.code, definition.file
        if not home.endswith(C_SUFFIXES):
            return False
        text = code.source.read_text(place[0]).split("\n")[place[1] - 1]
        if not re.search(rf"\b{definition.name}\b", text):
            return True
        qualname, kind = definition.symbol.qualname, definition.kind
        defining = [
            file
            for file in code.source.files_defining(fold_name(definition.name))
            if any((each.qualname, each.kind) == (qualname, kind) for each in code.facts(file).symbols)
        ]
        is_linked = kind in {SymbolKind.FUNCTION, SymbolKind.VARIABLE} and definition.symbol.exported
        near = max((common_length(place[0], file) for file in defining if file != home), default=-1)
        return not is_linked and near > common_length(place[0], home)

    def leads(self, name: str, at: Position) -> set[Place]:
        """Return where the server's `definition` leads."""
        return {(file, line) for file, line, _ in self._server.places("textDocument/definition", at)}


def common_length(one: str, other: str) -> int:
    """Return how many parts of two paths are the same from the start; more for the same file than for any other."""
    parts = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], parts))


class CompilerOracle:
    """A compiler's table of uses."""

    def __init__(self, uses: CompilerUses) -> None:
        self._uses = uses

    def look_at(self, definitions: Sequence[Definition]) -> None:
        """Do nothing: all is known."""

    def sample(self, definition: Definition) -> Sample | None:
        """Return the uses of the definition."""
        home, name = (definition.file, definition.line), definition.name
        if len(re.findall(rf"\b{re.escape(name)}(?!\w)", definition.symbol.signature)) > 1:
            columns = [definition.symbol.column]
        else:
            columns = [definition.symbol.column, -1]
        found = [place for column in columns for place in self._uses.references.get((name, (*home, column)), ())]
        references = frozenset(found) - {home}
        if not references or len(references) > _MAX_REFERENCES:
            return None
        return Sample(definition, frozenset({home}), references, frozenset({home}), None)

    def leads(self, name: str, at: Position) -> set[Place]:
        """Return what the name means on the line."""
        return self._uses.leads.get((name, at[:2]), set())


@attrs.define
class Tally:
    """The figures of one repository."""

    scores: list[tuple[float, float, float]] = attrs.field(factory=list)
    callers: Counter[str] = attrs.field(factory=Counter)
    verdicts: Counter[str] = attrs.field(factory=Counter)
    references: int = 0
    claimed: int = 0
    false: int = 0
    wrong_ledgers: int = 0

    def report(self, name: str) -> str:
        """Return the figures as text."""
        count = len(self.scores)
        f1, precision, recall = (statistics.mean(each[at] for each in self.scores) for at in range(3))
        by_callers = score(self.callers["right"], self.callers["extra"], self.callers["lost"])
        return (
            f"\n{name}: {count} symbols, {self.references} references; claimed complete {self.claimed} "
            f"({100 * self.claimed / count:.0f} %), of these false {self.false}; wrong ledgers {self.wrong_ledgers}\n"
            f"    macro F1 {f1:.3f}  precision {precision:.3f}  recall {recall:.3f}  callers F1 {by_callers[0]:.3f}  "
            f"recall {by_callers[2]:.3f}; lines: {dict(self.verdicts)}"
        )


def iter_definitions(workspace: Workspace, files: Iterable[str], seed: str) -> Iterator[Definition]:
    """Yield the symbols that are not local to a function, in random order, the kinds in turn."""
    kinds: dict[SymbolKind, list[Definition]] = {}
    for file in files:
        symbols = workspace.code.facts(file).symbols
        for index, symbol in enumerate(symbols):
            parent = symbols[symbol.parent] if symbol.parent >= 0 else None
            is_local = parent is not None and parent.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
            # The name of a method in Ruby may end with a sign.
            if not is_local and symbol.name.rstrip("?!=").isidentifier():
                kinds.setdefault(symbol.kind, []).append(Definition(file, symbol, index))
    chance = random.Random(seed)
    for each in kinds.values():
        chance.shuffle(each)
    while any(kinds.values()):
        yield from [each.pop() for each in kinds.values() if each]


def named_around(workspace: Workspace, place: Place) -> Place:
    """Return where the function is defined in whose body a nameless one begins; a named one's own place."""
    symbols = workspace.code.facts(place[0]).symbols
    kinds = {SymbolKind.FUNCTION, SymbolKind.METHOD}
    around = [each for each in symbols if each.kind in kinds and each.span.contains(place[1])]
    return (place[0], max(around, key=lambda each: each.line).line) if around else place


def score(right: int, extra: int, lost: int) -> tuple[float, float, float]:
    """Return F1, precision and recall."""
    precision = right / (right + extra) if right + extra else float(not lost)
    recall = right / (right + lost) if right + lost else 1.0
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision, recall


def compare(oracle: Oracle, workspace: Workspace, root: Path, samples: list[Sample], files: set[str]) -> Tally:
    """Print the disagreements; return the figures."""
    tally = Tally()
    for sample in samples:
        of = sample.definition
        answer = explore_symbol_usage(workspace, of.name, of.file, of.line)
        told = dict(judge(oracle, sample, answer, files))
        count = Counter(told.values())
        lost = len(sample.references & told.keys())
        tally.scores.append(score(len(sample.references) - lost, count["wrong?"], lost))
        tally.references += len(sample.references)
        tally.claimed += is_complete(answer)
        tally.false += bool(lost) and is_complete(answer)
        tally.verdicts.update(count)
        if sample.callers:
            known = {named_around(workspace, each) for each in sample.callers}
            callers = {(each.file, each.line) for each in answer.callers if each.file in files}
            tally.callers.update(right=len(callers & known), extra=len(callers - known), lost=len(known - callers))
            told |= dict.fromkeys(callers - known, "caller?")
            told |= dict.fromkeys(known - callers, "caller missed")
        print_disagreements(sample, told, root)
        if wrong := find_ledger_fault(workspace, answer, of, root):
            tally.wrong_ledgers += 1
            print(f"LEDGER {of.symbol.qualname} ({of.file}:{of.line}): {wrong}")
    return tally


def is_complete(answer: ExploreSymbolUsageAnswer) -> bool:
    """Return whether an answer claims that its usages are all."""
    return answer.coverage.certainty is Certainty.EXACT and not answer.unresolved


def judge(
    oracle: Oracle, sample: Sample, answer: ExploreSymbolUsageAnswer, files: set[str]
) -> Iterator[tuple[Place, str]]:
    """Yield the lines about which the two disagree, and how."""
    usages = {(each.file, each.line): each.column for each in answer.usages if each.file in files}
    maybe = {(each.file, each.line) for each in answer.unresolved}
    defined = {(each.file, each.line) for each in answer.definitions}
    for place in sorted(sample.references - usages.keys() - defined):
        yield place, "possible" if place in maybe else "FALSELY COMPLETE" if is_complete(answer) else "missed"
    for place in sorted(usages.keys() - sample.references - sample.neutral):
        homes = oracle.leads(sample.definition.name, (*place, usages[place]))
        yield place, "wrong?" if homes and not homes & sample.homes else "silent"


def find_ledger_fault(workspace: Workspace, answer: ExploreSymbolUsageAnswer, of: Definition, root: Path) -> str:
    """Return what is wrong with the ledger of an answer; "" for nothing."""
    if answer.ledger is None:
        return "none"
    if not answer.ledger.adds_up:
        return f"does not add up: {answer.ledger}"
    skipped = {each.path for each in workspace.source.walk().skipped}
    known = workspace.code.snapshot.entries.keys() - skipped
    counts = {file: count for file, count in count_words(root, of.name.rstrip("?!=")).items() if file in known}
    differing = set(counts.items()) ^ set(workspace.code.source.count_word(of.name).items())
    # Ripgrep decodes UTF-16, and stops at a null byte elsewhere.
    differing = {(file, count) for file, count in differing if b"\0" not in (root / file).read_bytes()}
    return f"differs from ripgrep: {sorted(differing)[:4]}" if differing else ""


def print_disagreements(sample: Sample, told: dict[Place, str], root: Path) -> None:
    """Print the lines about which the two disagree."""
    of = sample.definition
    if set(told.values()) - {"silent"}:
        print(f"{of.symbol.qualname} ({of.kind.value}, {of.file}:{of.line}): {len(sample.references)} references")
    for (file, line), verdict in told.items():
        if verdict != "silent":
            text = (root / file).read_text("utf-8", "replace").split("\n")[line - 1].strip()
            print(f"    {verdict:16} {file}:{line}  {text[:110]}")


def run(oracle: Oracle, workspace: Workspace, root: Path, files: tuple[str, ...], count: int) -> None:
    """Take the samples, compare, print the figures."""
    definitions, samples = iter_definitions(workspace, files, root.name), list[Sample]()
    while len(samples) < count and (batch := tuple(islice(definitions, count))):
        oracle.look_at(batch)
        samples += filter(None, map(oracle.sample, batch))
    samples = samples[:count]
    if not samples:
        sys.exit("the oracle knows no references; look whether it reads these files, and its libraries are installed")
    tally = compare(oracle, workspace, root, samples, set(files))
    print(tally.report(root.name))
    sys.exit(bool(tally.false or tally.wrong_ledgers))


def main() -> None:
    """Ask both, and print what they disagree about."""
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    root, suffixes, count = Path(sys.argv[1]).resolve(), tuple(sys.argv[2].split(",")), int(sys.argv[3])
    program, arguments = sys.argv[4], sys.argv[5:]
    with (
        tempfile.TemporaryDirectory() as scratch,
        Workspace.open(root, Settings(cache_directory=Path(scratch) / "cache")) as workspace,
    ):
        workspace.index()
        # Copies for servers leave out what is installed, of which some repositories track a part.
        paths = (file for file in workspace.code.files if "node_modules" not in Path(file).parts)
        files = tuple(file for file in paths if file.endswith(suffixes))
        if not files:
            sys.exit(f"{root} has no files that end with {' or '.join(suffixes)}")
        if program in {"javac", "rustdoc", "go", "rows"}:
            ask = {
                "javac": lambda: ask_javac(root, files),
                "go": lambda: ask_go(root, arguments[0]),
                "rows": lambda: read_rows(root, arguments[0]),
            }
            uses = ask.get(program, lambda: ask_rustdoc(root, arguments))()
            run(CompilerOracle(uses), workspace, root, files, count)
        copy = Path(scratch) / root.name
        prepare(root, copy, files)
        server = RecallingServer([shutil.which(program) or program, *arguments], copy)
        try:
            for file in files:
                server.open(file)
            server.wait()
            run(ServerOracle(server, set(files), workspace), workspace, root, files, count)
        finally:
            server.close()


if __name__ == "__main__":
    main()
