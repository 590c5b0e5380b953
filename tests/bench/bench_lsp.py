"""Definitions and references of the language server, beside those of the language's own server on the same positions.

    python tests/bench/bench_lsp.py DIR SUFFIXES COUNT SERVER…

    python tests/bench/bench_lsp.py repos/flask .py 100 pyright-langserver --stdio
    python tests/bench/bench_lsp.py repos/vue-core .ts,.tsx 100 tsc --lsp --stdio          # TypeScript 7
    python tests/bench/bench_lsp.py repos/redis .c,.h 100 clangd
    python tests/bench/bench_lsp.py repos/gin .go 100 gopls
    RUST_SRC_PATH=… python tests/bench/bench_lsp.py repos/ripgrep .rs 100 rust-analyzer    # the sources of std

Both work on the same copy, over stdio. COUNT names are drawn from the text, seeded by the name of DIR, none twice, of
those whose definition the other server finds in the copy; names that only a library defines, which is not installed,
are passed over, and those of which it shows nothing and only searched the text, as clangd does in code with errors,
that are in a line that clangd cannot parse, those of a header that exists a second time (in one file with all
headers), which clangd takes for one, or that the file defines itself and clangd takes for one with that of
another program, such as `main`; also destructors, which clangd takes for their class, and words in `__attribute__`.
A definition is right if one place of ours is one of theirs, by line, or the `extern "C"` body in C++ of a function
that C declares, which clangd does not join.
References are asked at COUNT names of different definitions, and compared by line as in `bench_certainty.py`: what the
other server says only one way round counts neither way. Cold start is from starting the process to the first answer
that has a place in it; ours once on a copy that was never read, and once with its index stored. If a server ends, its
last words are printed, and both are asked once more.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench_certainty import RecallingServer, score
from language_server import Place, Server, ServerEndedError, prepare

from avionics.index.model.values import External, Variable
from avionics.model.enums import BindingKind
from avionics.settings import Settings
from avionics.workspace import Workspace

Position = tuple[str, int, int]
_NAME = re.compile(
    r"\b(?!__\w+__\b|(?:self|Self|super|crate|this|return|break|continue|goto|typedef|include|sizeof|await|struct|union"
    r"|enum|const|extern|static)\b)[^\W\d]\w+"
)
"""Names alone: some servers take keywords for names, and say that `__name__` is defined where its file begins."""
_CPP_KEYWORDS = {
    "auto", "class", "const_cast", "constexpr", "decltype", "delete", "dynamic_cast", "explicit", "final", "friend",
    "inline", "namespace", "new", "noexcept", "operator", "override", "private", "protected", "public", "static_cast",
    "template", "typename", "using", "virtual",
}  # fmt: skip
_HEADERS = (".h", ".hpp")
_HEAD = re.compile(r"\s*(?:template\s*<.*>\s*)?(?:class|struct|(?:inline\s+)?namespace)\b")
_MOST_REFERENCES = 150
"""Each costs the other server a question."""
_PATIENCE_SECONDS = 300.0
_OURS = [sys.executable, "-m", "avionics.cli", "lsp"]


@attrs.frozen
class Sample:
    """A name in the text, and where the other server says that it is defined."""

    at: Position
    homes: frozenset[Place]


def iter_names(root: Path, files: tuple[str, ...], seed: str) -> Iterator[Position]:
    """Names in random places; one in a comment is no name to a server and will be passed over."""
    chance = random.Random(seed)
    texts = {file: (root / file).read_text("utf-8", "replace").split("\n") for file in files}
    weighted = [file for file in files for _ in range(1 + len(texts[file]) // 100)]
    while True:
        file = chance.choice(weighted)
        line = chance.randrange(len(texts[file]))
        found = list(_NAME.finditer(texts[file][line]))
        if not file.endswith((".c", ".py", ".go", ".rs", ".ts", ".tsx", ".js")):
            found = [each for each in found if each[0] not in _CPP_KEYWORDS]
        if found:
            yield file, line + 1, len(texts[file][line][: chance.choice(found).start()].encode("utf-16-le")) // 2


def lines_of(found: Iterable[Position]) -> frozenset[Place]:
    return frozenset(each[:2] for each in found)


def find_outside(workspace: Workspace, files: tuple[str, ...]) -> set[Place]:
    """The lines that import what only libraries define; a server without them takes each for another thing."""
    code = workspace.code
    imports = (
        (Variable(file, each.scope, name), each.line)
        for file in files
        for name, bindings in code.uses(file).bindings.items()
        for each in bindings
        if each.kind is BindingKind.IMPORT
    )
    return {
        (at.file, line)
        for at, line in imports
        if all(isinstance(target, External) for target in code.resolver.scopes.follow(at))
    }


def draw(server: Server, names: Iterator[Position], files: set[str], outside: set[Place], count: int) -> list[Sample]:
    """Names whose definition the other server finds in the copy, elsewhere than where it was asked."""
    samples: list[Sample] = []
    drawn = list(dict.fromkeys(islice(names, 200 * count)))
    for start in range(0, len(drawn), count):
        # Clangd keeps few files parsed, so that it is asked about one after the other.
        batch = drawn[start : start + count]
        homes = {at: find_homes(server, at, files, outside) for at in sorted(batch)}
        samples += (Sample(at, homes[at]) for at in batch if homes[at])
        if len(samples) >= count:
            break
    return samples[:count]


def find_homes(server: Server, at: Position, files: set[str], outside: set[Place]) -> frozenset[Place]:
    """Where the other server says that a name is defined; nowhere where the name is passed over."""
    found = server.places("textDocument/definition", at)
    homes = lines_of(found)
    is_passed_over = (
        not homes
        or bool(homes & outside)
        or not all(file in files for file, _ in homes)
        or at[:2] in homes
        or server.is_comment(at)
        or server.is_destructor(at)
        or is_attribute(server.root, at)
        or server.has_error(at)
        or not server.shown(at)
        or any(map(server.is_undeclared, found))
        or is_copied(server, at, homes, files)
        or is_joined(server, at, homes)
        or is_recovered(server.root, at, homes)
    )
    return frozenset() if is_passed_over else homes


def look_at(server: Server, samples: list[Sample], files: set[str]) -> None:
    """Ask the other server for what it is asked later, about one file after the other."""
    asked = sorted({each.homes: each.at for each in reversed(samples)}.values())
    lists = (server.places("textDocument/references", at, context={"includeDeclaration": True}) for at in asked)
    for place in sorted({place for found in lists if len(found) <= _MOST_REFERENCES for place in found}):
        if place[0] in files:
            server.places("textDocument/definition", place)


def is_attribute(root: Path, at: Position) -> bool:
    """Whether a word stands in `__attribute__((…))` of C, where it is no name of the program."""
    line = (root / at[0]).read_text("utf-8", "replace").split("\n")[at[1] - 1]
    return "__attribute__" in line[: at[2]]


def is_recovered(root: Path, at: Position, homes: frozenset[Place]) -> bool:
    """Whether clangd leads to a class or namespace of another name, as it does from types whose headers are missing."""
    if not at[0].endswith((".h", ".hpp", ".cc", ".cpp", ".cxx")):
        return False
    lines = ((root / file).read_text("utf-8", "replace").split("\n")[line - 1] for file, line in homes)
    name = re.escape(name_at(root, at))
    return all(_HEAD.match(line) is not None and not re.search(rf"\b{name}\b", line) for line in lines)


def is_copied(server: Server, at: Position, homes: frozenset[Place], files: set[str]) -> bool:
    """Whether a header that defines a name exists a second time, as in one file with all headers.

    clangd takes the two for one, and leads to either, whichever of them is included.
    """
    name = name_at(server.root, at)
    if not name or not all(file.endswith(_HEADERS) for file, _ in homes):
        return False
    texts = {file: (server.root / file).read_text("utf-8", "replace").split("\n") for file, _ in homes}
    written = {texts[file][line - 1].strip() for file, line in homes}
    for file in (each for each in files - texts.keys() if each.endswith(_HEADERS)):
        lines = (server.root / file).read_text("utf-8", "replace").split("\n")
        same = {at for at, text in enumerate(lines, 1) if text.strip() in written}
        if same and any(each == name and line in same for each, line in server.outline(file)):
            return not any(text.startswith("namespace") for text in written)
    return False


def is_same_linked(root: Path, found: frozenset[Place], homes: frozenset[Place]) -> bool:
    """Whether we give the `extern "C"` body in C++ of a function that C declares, which clangd does not join."""
    if not all(file.endswith((".c", ".h")) for file, _ in homes):
        return False
    lines = ((root / file).read_text("utf-8", "replace").split("\n")[line - 1] for file, line in found)
    return any(re.match(r'\s*extern\s+"C"', line) is not None for line in lines)


def is_joined(server: Server, at: Position, homes: frozenset[Place]) -> bool:
    """Whether the file of a name defines it, while clangd names the definition that another program has of it."""
    kind = server.shown(at).partition("\n")[0]
    if not at[0].endswith((".c", ".cc", ".cpp")) or any(file == at[0] for file, _ in homes):
        return False
    if (name_at(server.root, at), at[1]) in server.outline(at[0]):
        return True
    if "function" not in kind and "variable" not in kind:
        return False
    lines, name = (server.root / at[0]).read_text("utf-8", "replace").split("\n"), name_at(server.root, at)
    for line in (line for each, line in server.outline(at[0]) if each == name):
        text = "\n".join(lines[line - 1 :])
        declared = re.split(r"[;{]", text, maxsplit=1)[0]
        is_whole = "(" not in declared or text[len(declared) :].startswith("{")
        if is_whole and not declared.lstrip().startswith("extern"):
            return True
    return False


def compare_definitions(ours: Server, samples: list[Sample], root: Path) -> str:
    """Prints what is not found, and gives the figures."""
    right = wrong = lost = 0
    for sample in samples:
        found = lines_of(ours.places("textDocument/definition", sample.at))
        is_right = bool(found & sample.homes) or is_same_linked(root, found, sample.homes)
        right += is_right
        wrong += bool(found) and not is_right
        lost += not is_right
        if not is_right:
            print(f"    definition {'WRONG ' if found else 'missed'} {show(root, sample.at)}")
            print(f"        theirs {sorted(sample.homes)[:3]}, ours {sorted(found)[:3]}")
    return "F1 {:.3f}, precision {:.3f}, recall {:.3f}".format(*score(right, wrong, lost))


def compare_references(ours: Server, server: Server, samples: list[Sample], files: set[str], root: Path) -> str:
    """Prints what only one of the two lists, and gives the figures."""
    look_at(server, samples, files)
    scores = []
    lines = 0
    seen: set[frozenset[Place]] = set()
    for sample in samples:
        if sample.homes in seen:
            continue
        seen.add(sample.homes)
        expected, neutral = ask_references(server, sample, files)
        if not expected:
            continue
        places = ours.places("textDocument/references", sample.at, context={"includeDeclaration": True})
        found = lines_of(places)
        lost = expected - found
        new = [place for place in places if place[0] in files and place[:2] not in expected | neutral]
        extra = lines_of(place for place in new if is_refuted(server, place, sample, expected | neutral))
        scores.append(score(len(expected & found), len(extra), len(lost)))
        lines += len(expected)
        for what, lines_of_kind in (("missed", lost), ("WRONG ", extra)):
            for place in sorted(lines_of_kind)[:3]:
                print(f"    reference {what} of {show(root, sample.at)}\n        {show(root, (*place, 0))}")
    f1, precision, recall = (statistics.fmean(each[at] for each in scores or [(0, 0, 0)]) for at in range(3))
    return f"{len(scores)} names, {lines} lines: F1 {f1:.3f}, precision {precision:.3f}, recall {recall:.3f}"


def ask_references(server: Server, sample: Sample, files: set[str]) -> tuple[set[Place], set[Place]]:
    """The lines that the other server lists and leads back from; and those that count neither way."""
    found = server.places("textDocument/references", sample.at, context={"includeDeclaration": True})
    if not 0 < len(found) <= _MOST_REFERENCES:
        return set(), set()
    expected: set[Place] = set()
    neutral = set(sample.homes)
    own, name = {file for file, _ in sample.homes}, name_at(server.root, sample.at)
    # clangd takes what several programs call alike for one.
    others = {file for file, _, _ in found if file.endswith((".c", ".cc", ".cpp"))} - own
    joined = {file for file in others if name in {each for each, _ in server.outline(file)}}
    neutral.update(place[:2] for place in found if place[0] in joined)
    for place in found:
        if place[:2] in neutral or place[0] not in files:
            continue
        leads = lines_of(server.places("textDocument/definition", place))
        is_name = not server.is_comment(place) and not server.is_destructor(place)
        (expected if leads & sample.homes and is_name else neutral).add(place[:2])
    return expected, neutral - expected


def is_refuted(server: Server, place: Position, sample: Sample, listed: set[Place]) -> bool:
    """Whether the other server says that the name at a place of ours is defined elsewhere.

    Not if it leads to a line that it lists as a reference too, as the other signatures of an overloaded function, nor
    if it shows nothing of the name and only searched the text, as clangd does in the other branch of a condition.
    """
    leads = lines_of(server.places("textDocument/definition", place))
    return bool(leads) and not leads & (sample.homes | listed) and bool(server.shown(place))


def name_at(root: Path, at: Position) -> str:
    text = (root / at[0]).read_text("utf-8", "replace").split("\n")[at[1] - 1]
    match = _NAME.match(text, min(at[2], len(text)))
    return match[0] if match else ""


def show(root: Path, at: Position) -> str:
    text = (root / at[0]).read_text("utf-8", "replace").split("\n")[at[1] - 1].strip()
    return f"{at[0]}:{at[1]}:{at[2]} {name_at(root, at)!r}: {text[:100]}"


def time_first(command: list[str], root: Path, at: Position) -> float:
    """Seconds from starting a server to its first answer with a place in it."""
    started = time.perf_counter()
    server = Server(command, root)
    try:
        server.open(at[0])
        while not server.places("textDocument/definition", at):
            if time.perf_counter() > started + _PATIENCE_SECONDS:
                return float("inf")
            time.sleep(0.01)
        return time.perf_counter() - started
    finally:
        server.close()


def memory_mb(pid: int) -> float:
    """What a process and those it started hold, in MB; 0 where there is no /proc."""
    held = 0
    pending = [pid]
    while pending:
        place = Path(f"/proc/{pending.pop()}")
        try:
            held += int((place / "status").read_text().partition("VmRSS:")[2].split()[0])
            pending += [int(child) for each in place.glob("task/*/children") for child in each.read_text().split()]
        except (OSError, IndexError, ValueError):
            continue
    return held / 1024


def main() -> None:
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    root, suffixes, count = Path(sys.argv[1]).resolve(), tuple(sys.argv[2].split(",")), int(sys.argv[3])
    command = [shutil.which(sys.argv[4]) or sys.argv[4], *sys.argv[5:]]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / root.name
        os.environ["AVIONICS_CACHE_DIR"] = f"{scratch}/cache"
        with Workspace.open(root, Settings(cache_directory=Path(scratch) / "other")) as workspace:
            files = tuple(file for file in workspace.code.files if file.endswith(suffixes))
            outside = find_outside(workspace, files)
        prepare(root, copy, files)
        for tries_left in (1, 0):
            try:
                compare(command, copy, files, outside, count)
            except ServerEndedError as error:
                print(f"    {error}")
                if not tries_left:
                    sys.exit("a language server ended twice")
            else:
                break


def compare(command: list[str], copy: Path, files: tuple[str, ...], outside: set[Place], count: int) -> None:
    """Asks both servers, and prints the differences and the figures.

    Raises:
        ServerEndedError: One of them ended.
    """
    servers: list[Server] = []
    try:
        server = RecallingServer(command, copy)
        servers.append(server)
        for file in files:
            server.open(file)
        server.wait()
        samples = draw(server, iter_names(copy, files, copy.name), set(files), outside, count)
        if not samples:
            refusals = "".join(f"        {each[:300]}\n" for each in dict.fromkeys(server.refusals))
            sys.exit(f"the other server finds no definition in the copy\n{refusals}{server.printed()}")
        at = samples[0].at
        unread = time_first(_OURS, copy, at)
        ours = Server(_OURS, copy)
        servers.append(ours)
        definitions = compare_definitions(ours, samples, copy)
        references = compare_references(ours, server, samples, set(files), copy)
        held = memory_mb(ours.pid), memory_mb(server.pid)
    finally:
        for each in servers:
            each.close()
    warm = statistics.median(time_first(_OURS, copy, at) for _ in range(3))
    theirs = statistics.median(time_first(command, copy, at) for _ in range(3))
    print(f"\n{copy.name}, {len(files)} files, against {Path(command[0]).name}")
    print(f"definitions, {len(samples)} names: {definitions}")
    print(f"references, {references}")
    print(f"first answer: {warm:.2f} s, {unread:.2f} s on files never read; theirs {theirs:.2f} s")
    print(f"memory: {held[0]:.0f} MB; theirs {held[1]:.0f} MB")


if __name__ == "__main__":
    main()
