"""How right the usages of a symbol are on any checkout, against a language server that is installed.

    python tests/bench/bench_oracle.py DIR SUFFIXES COUNT SERVER…

    python tests/bench/bench_oracle.py repos/click .py 60 pyright-langserver --stdio
    python tests/bench/bench_oracle.py repos/redux .ts,.tsx,.js 60 tsc --lsp --stdio      # TypeScript 7
    python tests/bench/bench_oracle.py repos/lua .c,.h 60 clangd
    python tests/bench/bench_oracle.py repos/spdlog .cpp,.h 60 clangd
    GOPROXY=off python tests/bench/bench_oracle.py repos/chi .go 60 gopls
    python tests/bench/bench_oracle.py repos/fd .rs 60 rust-analyzer                      # and rustc with its sources

COUNT symbols with at least one reference are taken in turn from each kind, seeded by the name of DIR. A reference
counts where the server's own `definition` leads from it back to the symbol; what it says only one way round counts
neither way, as do lines that define the symbol and usages of ours of which it knows nothing (a type it cannot see, the
other side of an `#if`): `silent`. Callers are told the same way; a call in a nameless function is its named one's. The
server works on a copy, with settings of its own. Servers err too: read the disagreements.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.modules.cargo_manifests import read_packages
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.knowledge import Definition
from avionics.settings import Settings
from avionics.tools.composite.explore_symbol_usage import ExploreSymbolUsageAnswer, explore_symbol_usage
from avionics.workspace import Workspace

Place = tuple[str, int]
_MOST_REFERENCES = 150
"""Symbols used more often are passed over: each reference costs the server a question."""
_LANGUAGES = {
    ".py": "python", ".c": "c", ".h": "c", ".go": "go", ".rs": "rust", ".ts": "typescript",
    ".tsx": "typescriptreact", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp",
}  # fmt: skip
_FUNCTIONS = {6, 9, 12}
"""Methods, constructors, functions, in the protocol's numbers."""
_LEFT_OUT = shutil.ignore_patterns(".git", "node_modules", "tsconfig*.json", "pyrightconfig.json")
_PYRIGHT = {"include": ["."], "exclude": ["**/.git"], "useLibraryCodeForTypes": True}
_TSCONFIG = {"include": ["**/*"]}
_RUST_PROJECT = "rust-project.json"
_RUST_OPTIONS = {"cachePriming": {"enable": False}, "checkOnSave": False, "procMacro": {"enable": False}}
_OPTIONS = {
    "allowJs": True, "checkJs": True, "strict": True, "target": "esnext", "module": "preserve", "jsx": "preserve",
    "moduleResolution": "bundler", "allowImportingTsExtensions": True, "noEmit": True, "types": [],
    "customConditions": ["@zod/source"],
}  # fmt: skip


class Server:
    """A language server on a copy of a checkout: one question at a time."""

    def __init__(self, command: list[str], root: Path) -> None:
        self.root = root.resolve()
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._asked = 0
        uri = self._uri("")
        definition = {"linkSupport": False}
        options = _RUST_OPTIONS if (root / _RUST_PROJECT).exists() else {}
        self.ask(
            "initialize",
            processId=os.getpid(),
            rootUri=uri,
            workspaceFolders=[{"uri": uri, "name": "oracle"}],
            initializationOptions=options,
            capabilities={
                "experimental": {"serverStatusNotification": True},
                "workspace": {"configuration": True, "workspaceFolders": True},
                "textDocument": {"definition": definition, "references": {}, "callHierarchy": {}},
            },
        )
        self._send({"method": "initialized", "params": {}})

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def close(self) -> None:
        """Ends the server."""
        self._process.kill()
        self._process.wait()

    def open(self, file: str) -> None:
        """Shows the server a file."""
        text = (self.root / file).read_text("utf-8", "replace")
        language = _LANGUAGES.get(Path(file).suffix, "javascript")
        document = {"uri": self._uri(file), "languageId": language, "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def places(self, method: str, place: tuple[str, int, int], **more: Any) -> list[tuple[str, int, int]]:
        """The places that a question about a place is answered with: file, line from 1, column."""
        found = self.ask(method, **self._at(place), **more) or []
        return [self._place(each) for each in ([found] if isinstance(found, dict) else found)]

    def wait(self) -> None:
        """Returns once the server says that it has read everything: one of Rust answers nothing before."""
        status: dict[str, Any] = {}
        while (self.root / _RUST_PROJECT).exists() and not status.get("quiescent"):
            message = self._receive()
            self._answer(message)
            status = message["params"] if message.get("method") == "experimental/serverStatus" else {}

    def callers(self, place: tuple[str, int, int], homes: set[Place]) -> set[Place] | None:
        """Where the functions are defined that call what is at a place; None where the server cannot tell."""
        items = self.ask("textDocument/prepareCallHierarchy", **self._at(place))
        if not items:
            return None
        calls = self.ask("callHierarchy/incomingCalls", item=items[0]) or []
        sources = [call["from"] for call in calls if call["from"]["kind"] in _FUNCTIONS and self._is_call(call, homes)]
        return {self._place({"uri": each["uri"], "range": each["selectionRange"]})[:2] for each in sources}

    def is_comment(self, place: tuple[str, int, int]) -> bool:
        """Whether a place lies in a comment: some servers read the types and links written there."""
        text = (self.root / place[0]).read_text("utf-8", "replace").split("\n")[place[1] - 1][: place[2]]
        return text.lstrip().startswith(("*", "/*", "//")) or "/*" in text

    def _is_call(self, call: dict[str, Any], homes: set[Place]) -> bool:
        """Whether the symbol is called somewhere in a caller: servers also list those that only hand it on.

        Some also list the callers of what overrides the symbol.
        """
        file = self._place({"uri": call["from"]["uri"], "range": call["from"]["range"]})[0]
        lines = (self.root / file).read_text("utf-8", "replace").split("\n")
        for span in call["fromRanges"]:
            end = span["end"]
            after = lines[end["line"]][end["character"] :].lstrip() if end["line"] < len(lines) else ""
            at = (file, span["start"]["line"] + 1, end["character"] - 1)
            if after.startswith(("(", "<", "::<")) and homes & {
                each[:2] for each in self.places("textDocument/definition", at)
            }:
                return True
        return False

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; what the server itself asks meanwhile gets an empty answer."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._receive()
            self._answer(message)
            if message.get("id") == self._asked and "method" not in message:
                return message.get("result")

    def _answer(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            items = message.get("params", {}).get("items") if message["method"].endswith("configuration") else None
            self._send({"id": message["id"], "result": None if items is None else [None] * len(items)})

    def _at(self, place: tuple[str, int, int]) -> dict[str, Any]:
        file, line, column = place
        return {"textDocument": {"uri": self._uri(file)}, "position": {"line": line - 1, "character": column}}

    def _place(self, found: dict[str, Any]) -> tuple[str, int, int]:
        path = Path(unquote(found["uri"].removeprefix("file://")))
        file = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        return file, found["range"]["start"]["line"] + 1, found["range"]["start"]["character"]

    def _uri(self, file: str) -> str:
        return f"file://{quote(str(self.root / file))}"

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if not length:
            sys.exit("the language server ended")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


@attrs.frozen
class Sample:
    """A definition and what the server says of it."""

    definition: Definition
    homes: frozenset[Place]
    references: frozenset[Place]
    neutral: frozenset[Place]
    callers: frozenset[Place] | None

    def verdict(self, leads: Iterable[tuple[str, int, int]]) -> str:
        """What a usage is that the server did not list, by where its `definition` leads from there."""
        homes = {(file, line) for file, line, _ in leads}
        return "wrong?" if homes and not homes & self.homes else "silent"


def prepare(checkout: Path, copy: Path, files: tuple[str, ...]) -> None:
    """Copies a checkout and tells the servers to read all of it."""
    paths = {}
    for config in sorted(checkout.glob("tsconfig*.json")):
        text = re.sub(r"(?m)(^|\s)//.*$|/\*.*?\*/", "", config.read_text("utf-8"))
        paths |= json.loads(re.sub(r",(\s*[}\]])", r"\1", text)).get("compilerOptions", {}).get("paths", {})
    shutil.copytree(checkout, copy, ignore=_LEFT_OUT, symlinks=True)
    (copy / "pyrightconfig.json").write_text(json.dumps(_PYRIGHT))
    options = _OPTIONS | {"paths": unbuilt_packages(copy) | paths}
    (copy / "tsconfig.json").write_text(json.dumps(_TSCONFIG | {"compilerOptions": options}))
    for manifest in [path for path in copy.rglob("package.json") if "node_modules" not in path.parts]:
        name = json.loads(manifest.read_text("utf-8")).get("name", "")
        linked = copy / "node_modules" / name
        if name and not name.startswith(".") and not linked.exists():
            linked.parent.mkdir(parents=True, exist_ok=True)
            linked.symlink_to(manifest.parent.resolve())
    headers = [copy.resolve() / file for file in files if file.endswith((".h", ".hpp"))]
    includes = sorted(
        {f"-I{above}" for file in headers for above in file.parents if above.is_relative_to(copy.resolve())}
    )
    sources = [(file, "c++" if file.endswith((".cc", ".cpp")) else "cc") for file in files]
    commands = [
        {"directory": str(copy), "file": file, "arguments": [compiler, "-D_GNU_SOURCE", *includes, "-c", file]}
        for file, compiler in sources
        if file.endswith((".c", ".cc", ".cpp"))
    ]
    if commands:
        (copy / "compile_commands.json").write_text(json.dumps(commands))
    if (checkout / "Cargo.toml").exists():
        (copy / _RUST_PROJECT).write_text(json.dumps(rust_project(checkout, copy, files)))


def unbuilt_packages(root: Path) -> dict[str, list[str]]:
    """Where the sources are of a workspace's packages, whose manifests name what a build would make of them."""
    found: dict[str, list[str]] = {}
    for manifest in sorted(root.rglob("package.json")):
        home, name = manifest.parent, json.loads(manifest.read_text("utf-8")).get("name", "")
        if name and "node_modules" not in manifest.parts and (home / "src").is_dir():
            here = f"./{home.relative_to(root).as_posix()}"
            found |= {name: [f"{here}/src/index"], f"{name}/*": [f"{here}/src/*", f"{here}/*"]}
    return found


@attrs.frozen
class _Checkout:
    """What of a checkout the reader of manifests looks at."""

    root: Path
    files: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        found = self.root.rglob("Cargo.toml")
        return tuple(sorted({*self.files, *(path.relative_to(self.root).as_posix() for path in found)}))

    def has_file(self, path: str) -> bool:
        return path in self.files

    def read_text(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")


def rust_project(checkout: Path, copy: Path, files: tuple[str, ...]) -> dict[str, Any]:
    """The crates of a workspace without those of others, which are not at hand."""
    packages = read_packages(_Checkout(checkout, files))  # type: ignore[arg-type]
    crates: list[dict[str, Any]] = []
    roots = [(root, package) for package in packages for root in sorted({*package.roots, package.library} - {""})]
    place = {package.name: roots.index((package.library, package)) for package in packages if package.library}
    for root, package in roots:
        names = {name: of for name, of in package.dependencies.items() if of in place}
        if root != package.library and package.library:
            names[package.crate] = package.name
        given = [{"crate": place[of], "name": name} for name, of in names.items()]
        cfg = ["test", "debug_assertions", "unix", 'target_os="linux"', 'target_family="unix"', 'feature="std"']
        crates.append({"root_module": str(copy / root), "edition": "2021", "deps": given, "cfg": cfg})
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    return {"sysroot": sysroot, "sysroot_src": f"{sysroot}/lib/rustlib/src/rust/library", "crates": crates}


def iter_definitions(workspace: Workspace, files: Iterable[str], seed: str) -> Iterator[Definition]:
    """The symbols that are not local to a function, in random order, the kinds in turn."""
    kinds: dict[SymbolKind, list[Definition]] = {}
    for file in files:
        symbols = workspace.code.facts(file).symbols
        for index, symbol in enumerate(symbols):
            parent = symbols[symbol.parent] if symbol.parent >= 0 else None
            is_local = parent is not None and parent.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD}
            if not is_local and symbol.name.isidentifier():
                kinds.setdefault(symbol.kind, []).append(Definition(file, symbol, index))
    chance = random.Random(seed)
    for each in kinds.values():
        chance.shuffle(each)
    while any(kinds.values()):
        yield from [each.pop() for each in kinds.values() if each]


def ask_server(server: Server, definition: Definition, files: set[str]) -> Sample | None:
    """What the server says of a definition; None where that is nothing, or too much."""
    at = (definition.file, definition.line, definition.symbol.column)
    found = server.places("textDocument/references", at, context={"includeDeclaration": False})
    whole = server.places("textDocument/references", at, context={"includeDeclaration": True})
    if not found or len(found) > _MOST_REFERENCES:
        return None
    homes = {place[:2] for place in (at, *server.places("textDocument/definition", at)) if place[0] in files}
    neutral, references = homes | {place[:2] for place in set(whole) - set(found)}, set()
    for place in found:
        if place[:2] in neutral or place[0] not in files:
            continue
        leads = {each[:2] for each in server.places("textDocument/definition", place)}
        (references if leads & homes and not server.is_comment(place) else neutral).add(place[:2])
    if not references:
        return None
    callers = server.callers(at, homes) if definition.kind in {SymbolKind.FUNCTION, SymbolKind.METHOD} else None
    known = None if callers is None else frozenset(each for each in callers if each[0] in files)
    return Sample(definition, frozenset(homes), frozenset(references), frozenset(neutral - references), known)


def named_around(workspace: Workspace, place: Place) -> Place:
    """Where the function is defined in whose body a nameless one begins; a named one's own place."""
    symbols = workspace.code.facts(place[0]).symbols
    kinds = {SymbolKind.FUNCTION, SymbolKind.METHOD}
    around = [each for each in symbols if each.kind in kinds and each.span.contains(place[1])]
    return (place[0], max(around, key=lambda each: each.line).line) if around else place


def score(right: int, extra: int, lost: int) -> tuple[float, float, float]:
    """F1, precision and recall."""
    precision = right / (right + extra) if right + extra else float(not lost)
    recall = right / (right + lost) if right + lost else 1.0
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision, recall


def compare(server: Server, workspace: Workspace, root: Path, samples: list[Sample], files: set[str]) -> None:
    """Prints the disagreements and then the figures."""
    scores: list[tuple[float, float, float]] = []
    called, verdicts = Counter[str](), Counter[str]()
    for sample in samples:
        of = sample.definition
        answer = explore_symbol_usage(workspace, of.name, of.file, of.line)
        is_whole = answer.coverage.certainty is Certainty.EXACT and not answer.unresolved
        told = dict(judge(server, sample, answer, files))
        count = Counter(told.values())
        lost = len(sample.references & told.keys())
        scores.append(score(len(sample.references) - lost, count["wrong?"], lost))
        if sample.callers:
            known = {named_around(workspace, each) for each in sample.callers}
            callers = {(each.file, each.line) for each in answer.callers if each.file in files}
            called["right"] += len(callers & known)
            called["extra"] += len(callers - known)
            called["lost"] += len(known - callers)
            told |= dict.fromkeys(callers - known, "caller?")
            told |= dict.fromkeys(known - callers, "caller missed")
        verdicts.update(count)
        verdicts["falsely complete symbols"] += bool(lost) and is_whole
        verdicts["falsely none"] += bool(lost) and is_whole and not answer.usages
        print_disagreements(sample, told, root)
    f1, precision, recall = (statistics.mean(each[at] for each in scores) for at in range(3))
    by_callers = score(called["right"], called["extra"], called["lost"])
    print(
        f"\n{root.name:12} {len(samples)} symbols, {sum(len(each.references) for each in samples)} references  "
        f"macro F1 {f1:.3f}  precision {precision:.3f}  recall {recall:.3f}  "
        f"callers F1 {by_callers[0]:.3f}  recall {by_callers[2]:.3f}\n    {dict(verdicts)}"
    )


def judge(
    server: Server, sample: Sample, answer: ExploreSymbolUsageAnswer, files: set[str]
) -> Iterator[tuple[Place, str]]:
    """The lines about which the two disagree, and how."""
    usages = {(each.file, each.line): each.column for each in answer.usages if each.file in files}
    maybe = {(each.file, each.line) for each in answer.unresolved}
    is_whole = answer.coverage.certainty is Certainty.EXACT and not maybe
    for place in sorted(sample.references - usages.keys()):
        yield place, "may be" if place in maybe else "FALSELY COMPLETE" if is_whole else "missed"
    for place in sorted(usages.keys() - sample.references - sample.neutral):
        yield place, sample.verdict(server.places("textDocument/definition", (*place, usages[place])))


def print_disagreements(sample: Sample, told: dict[Place, str], root: Path) -> None:
    """Prints the lines about which the two disagree."""
    of = sample.definition
    if set(told.values()) - {"silent"}:
        print(f"{of.symbol.qualname} ({of.kind.value}, {of.file}:{of.line}): {len(sample.references)} references")
    for (file, line), verdict in told.items():
        if verdict != "silent":
            text = (root / file).read_text("utf-8", "replace").split("\n")[line - 1].strip()
            print(f"    {verdict:16} {file}:{line}  {text[:110]}")


def main() -> None:
    """Takes the samples, asks both, prints what they disagree about."""
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    root, suffixes, count = Path(sys.argv[1]).resolve(), tuple(sys.argv[2].split(",")), int(sys.argv[3])
    command = [shutil.which(sys.argv[4]) or sys.argv[4], *sys.argv[5:]]
    with (
        tempfile.TemporaryDirectory() as scratch,
        Workspace.open(root, Settings(cache_directory=Path(scratch) / "cache")) as workspace,
    ):
        workspace.index()
        files = tuple(file for file in workspace.code.files if file.endswith(suffixes))
        prepare(root, Path(scratch) / root.name, files)
        server = Server(command, Path(scratch) / root.name)
        try:
            for file in files:
                server.open(file)
            server.wait()
            samples: list[Sample] = []
            for definition in iter_definitions(workspace, files, root.name):
                if len(samples) < count and (sample := ask_server(server, definition, set(files))) is not None:
                    samples.append(sample)
            compare(server, workspace, root, samples, set(files))
        finally:
            server.close()


if __name__ == "__main__":
    main()
