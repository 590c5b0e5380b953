"""Ask a language server about a copy of a checkout, one question at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import quote, unquote

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.modules.cargo_manifests import Package, read_packages

Place = tuple[str, int]
Position = tuple[str, int, int]
_LANGUAGES = {
    ".py": "python", ".c": "c", ".h": "c", ".go": "go", ".rs": "rust", ".ts": "typescript",
    ".tsx": "typescriptreact", ".php": "php", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp",
}  # fmt: skip
_JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx")
_CPP = (".cc", ".cpp", ".cxx")
_PARSED = (".c", ".h", ".hpp", *_CPP)
_FUNCTIONS = {6, 9, 12}
"""Methods, constructors, functions, in the protocol's numbers."""
_LEFT_OUT = shutil.ignore_patterns(".git", ".gitignore", "node_modules", "[jt]sconfig*.json", "pyrightconfig.json")
"""Rules of git leave out what they name, but not what is tracked; without `.git` nobody can tell the two apart."""
_PYRIGHT = {"include": ["."], "exclude": ["**/.git"], "useLibraryCodeForTypes": True}
_TSCONFIG = {"include": ["**/*"]}
_SETTINGS = {
    "typescript": {"disableAutomaticTypeAcquisition": True},
    "js/ts": {"tsserver": {"automaticTypeAcquisition": {"enabled": False}}},
}
"""The settings that servers ask for, by section: TypeScript's installs the types of packages otherwise."""
_RUST_PROJECT = "rust-project.json"
_RUST_OPTIONS = {"cachePriming": {"enable": False}, "checkOnSave": False, "procMacro": {"enable": False}}
_BUSY = {-32801, -32802}
"""The protocol's numbers of withdrawn answers: the content was modified, or the server cancelled the request."""
_TRIES = 20
_QUIET_SECONDS = 1.0
"""A server that has said nothing for so long, and reports no progress, has read what it wants to read."""
_READING_SECONDS = 1800.0
_LEAVING_SECONDS = 10.0
_SAID_LINES = 15
_GO_STANDARD = re.compile(r"[^./]+(/|$)")
_GO_MAJOR = re.compile(r"[/.]v(\d+)$")
_OPTIONS = {
    "allowJs": True, "checkJs": True, "strict": True, "target": "esnext", "module": "preserve", "jsx": "preserve",
    "moduleResolution": "bundler", "allowImportingTsExtensions": True, "noEmit": True, "types": [],
    "disableSizeLimit": True,
    "customConditions": ["@zod/source"],
}  # fmt: skip


class ServerEndedError(Exception):
    """A language server ended while it was asked; the message has the end of what it printed."""


class Server:
    """A language server on a copy of a checkout: one question at a time."""

    def __init__(self, command: list[str], root: Path, environment: dict[str, str] | None = None) -> None:
        self.root = root.resolve()
        self.refusals: list[str] = []
        """The messages of the errors that it answered with."""
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._printed
        )
        self._unread: set[str] = set()
        self._working: set[str | int] = set()
        self._status: dict[str, Any] = {}
        self._messages: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        # A server that nobody reads from stops reading what it is sent, once it has much to say of the files opened.
        Thread(target=self._read, daemon=True).start()
        self._asked = 0
        self._errors: set[Place] = set()
        uri = self._uri("")
        definition = {"linkSupport": False}
        options = _RUST_OPTIONS if (root / _RUST_PROJECT).exists() else _typescript_options()
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
                "window": {"workDoneProgress": True},
            },
        )
        self._send({"method": "initialized", "params": {}})

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def leave(self) -> subprocess.Popen[bytes]:
        """Asks the server to end, and gives its process."""
        self.ask("shutdown")
        self._send({"method": "exit"})
        return self._process

    def close(self) -> None:
        """Ends the server; politely, because clangd leaves its files in the temporary directory otherwise."""
        with suppress(ServerEndedError, subprocess.TimeoutExpired):
            self.leave().wait(_LEAVING_SECONDS)
        self._process.kill()
        self._process.wait()

    def open(self, file: str) -> None:
        """Shows the server a file."""
        text = (self.root / file).read_text("utf-8", "replace")
        language = _LANGUAGES.get(Path(file).suffix, "javascript")
        document = {"uri": self._uri(file), "languageId": language, "version": 1, "text": text}
        self._unread.add(document["uri"])
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def places(self, method: str, place: tuple[str, int, int], **more: Any) -> list[tuple[str, int, int]]:
        """The places that a question about a place is answered with: file, line from 1, column."""
        found = self.ask(method, **self._at(place), **more) or []
        return [self._place(each) for each in ([found] if isinstance(found, dict) else found)]

    def wait(self) -> None:
        """Returns once the server has read everything, as far as it tells.

        The one of Rust answers nothing before, and clangd answers from the files that it has parsed.
        """
        until = time.monotonic() + _READING_SECONDS
        is_rust = (self.root / _RUST_PROJECT).exists()
        while time.monotonic() < until:
            try:
                self._answer(self._receive(_QUIET_SECONDS))
            except Empty:
                is_parsed = not any(uri.endswith(_PARSED) for uri in self._unread)
                if is_parsed and not self._working and (self._status.get("quiescent") or not is_rust):
                    return
        print(f"    the server has not read everything after {_READING_SECONDS:.0f} s")

    def callers(self, place: tuple[str, int, int], homes: set[Place]) -> set[Place] | None:
        """Where the functions are defined that call what is at a place; None where the server cannot tell."""
        calls = self.incoming(place)
        if calls is None:
            return None
        sources = [call["from"] for call in calls if call["from"]["kind"] in _FUNCTIONS and self._is_call(call, homes)]
        return {self._place({"uri": each["uri"], "range": each["selectionRange"]})[:2] for each in sources}

    def incoming(self, place: Position) -> list[dict[str, Any]] | None:
        """What the server lists as calls of what is at a place, by caller; None where it cannot tell."""
        items = self.ask("textDocument/prepareCallHierarchy", **self._at(place))
        return (self.ask("callHierarchy/incomingCalls", item=items[0]) or []) if items else None

    def shown(self, place: tuple[str, int, int]) -> str:
        """What the server shows of a name."""
        found = (self.ask("textDocument/hover", **self._at(place)) or {}).get("contents", "")
        return str(found.get("value", "") if isinstance(found, dict) else found or "")

    def is_undeclared(self, home: tuple[str, int, int]) -> bool:
        """Whether a function is only called: clangd takes the first call of one without header for its declaration."""
        if not home[0].endswith((".c", ".h")) or "function" not in self.shown(home).partition("\n")[0]:
            return False
        return home[1] not in {line for _, line in self.outline(home[0])}

    def outline(self, file: str) -> set[tuple[str, int]]:
        """The symbols that the server sees in a file: name and line."""
        pending = list(self.ask("textDocument/documentSymbol", textDocument={"uri": self._uri(file)}) or [])
        found = set()
        while pending:
            each = pending.pop()
            found.add((each["name"], (each.get("selectionRange") or each["location"]["range"])["start"]["line"] + 1))
            pending += each.get("children", ())
        return found

    def has_error(self, place: tuple[str, int, int]) -> bool:
        """Whether clangd cannot parse a line of C, as without a generated header; what it says of it is a guess."""
        return place[0].endswith(_PARSED) and place[:2] in self._errors

    def is_comment(self, place: tuple[str, int, int]) -> bool:
        """Whether a place lies in a comment: some servers read the types and links written there.

        In JavaScript the types in comments are code, and the links are not.
        """
        text = (self.root / place[0]).read_text("utf-8", "replace").split("\n")[place[1] - 1][: place[2]]
        if place[0].endswith(_JAVASCRIPT):
            return re.search(r"\{@\w+\s[^}]*$", text) is not None
        return text.lstrip().startswith(("*", "/*", "//")) or "/*" in text

    def is_destructor(self, place: Position) -> bool:
        """Whether a place is the name of a destructor, which some servers list as a use of its class."""
        text = (self.root / place[0]).read_text("utf-8", "replace").split("\n")[place[1] - 1]
        return place[2] > 0 and text[place[2] - 1 : place[2]] == "~"

    def _is_call(self, call: dict[str, Any], homes: set[Place]) -> bool:
        """Whether the symbol is called somewhere in a caller: servers also list those that only hand it on.

        Some also list the callers of what overrides the symbol.
        """
        found = (self.places("textDocument/definition", at) for at in self.iter_calls(call))
        return any(homes & {each[:2] for each in places} for places in found)

    def iter_calls(self, call: dict[str, Any]) -> Iterator[Position]:
        """The ends of the names that are called, among those that a server lists of a caller."""
        file = self._place({"uri": call["from"]["uri"], "range": call["from"]["range"]})[0]
        lines = (self.root / file).read_text("utf-8", "replace").split("\n")
        for span in call["fromRanges"]:
            end = span["end"]
            after = lines[end["line"]][end["character"] :].lstrip() if end["line"] < len(lines) else ""
            if after.startswith(("(", "<", "::<")):
                yield file, span["start"]["line"] + 1, end["character"] - 1

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; what the server itself asks meanwhile gets an empty answer.

        Raises:
            ServerEndedError: It has ended.
        """
        for _ in range(_TRIES):
            message = self._ask_once(method, params)
            error = message.get("error")
            if error is None:
                break
            if error.get("code") not in _BUSY:
                self.refusals.append(f"{method}: {error.get('message')}")
                break
            time.sleep(_QUIET_SECONDS)
        return message.get("result")

    def _ask_once(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._receive()
            self._answer(message)
            if message.get("id") == self._asked and "method" not in message:
                return message

    def _answer(self, message: dict[str, Any]) -> None:
        """Takes in what the server says by itself, and answers what it asks."""
        params = message.get("params") or {}
        match message.get("method"):
            case "textDocument/publishDiagnostics":
                self._unread.discard(params["uri"])
                errors = [each for each in params["diagnostics"] if each.get("severity") == 1]
                self._errors.update(self._place({"uri": params["uri"], **each})[:2] for each in errors)
            case "experimental/serverStatus":
                self._status = params
            case "$/progress":
                kind = params["value"].get("kind")
                (self._working.discard if kind == "end" else self._working.add)(params["token"])
        if "method" in message and "id" in message:
            items = params.get("items") if message["method"].endswith("configuration") else None
            settings = None if items is None else [_SETTINGS.get(each.get("section")) for each in items]
            self._send({"id": message["id"], "result": settings})

    def printed(self) -> str:
        """The end of what the server has printed to its standard error."""
        self._printed.seek(0)
        lines = self._printed.read().decode("utf-8", "replace").splitlines()
        return "\n".join(f"        {line[:300]}" for line in lines[-_SAID_LINES:])

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
        try:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None

    def _receive(self, seconds: float | None = None) -> dict[str, Any]:
        message = self._messages.get(timeout=seconds)
        if message is None:
            self._messages.put(None)
            raise self._ended()
        return message

    def _ended(self) -> ServerEndedError:
        """The error of a server that has ended, with its exit code and what it printed."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEAVING_SECONDS)
        command = " ".join(map(str, self._process.args))  # type: ignore[arg-type]
        return ServerEndedError(f"{command} ended with {self._process.returncode}\n{self.printed()}")

    def _read(self) -> None:
        """Keeps what the server says until someone asks for it; at last None."""
        assert self._process.stdout is not None
        while True:
            length = 0
            while line := self._process.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            if not length:
                self._messages.put(None)
                return
            self._messages.put(json.loads(self._process.stdout.read(length)))


def _typescript_options() -> dict[str, Any]:
    """The options of typescript-language-server, with the `tsserver` on the path; others pass them over.

    The syntax server would answer for one file alone while the project is being read.
    """
    found = shutil.which("tsserver")
    own = {"useSyntaxServer": "never"} | ({"path": str(Path(found).resolve().parents[1] / "lib")} if found else {})
    return {"tsserver": own, "maxTsServerMemory": 6000, "disableAutomaticTypingAcquisition": True}


def prepare(checkout: Path, copy: Path, files: tuple[str, ...]) -> None:
    """Copies a checkout and tells the servers to read all of it."""
    paths = {}
    for config in sorted(checkout.glob("tsconfig*.json")):
        # A path such as "@name/*" is no comment.
        noise = r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|(?s:/\*.*?\*/)'
        text = re.sub(noise, lambda found: found[1] or "", config.read_text("utf-8"))
        try:
            paths |= json.loads(re.sub(r",(\s*[}\]])", r"\1", text)).get("compilerOptions", {}).get("paths", {})
        except json.JSONDecodeError:
            print(f"{config.name} is passed over: it is no JSON but for comments and trailing commas")
    shutil.copytree(checkout, copy, ignore=_LEFT_OUT, symlinks=True)
    (copy / "pyrightconfig.json").write_text(json.dumps(_PYRIGHT))
    write_typescript_project(copy, paths)
    headers = [copy.resolve() / file for file in files if file.endswith((".h", ".hpp"))]
    includes = sorted(
        {f"-I{above}" for file in headers for above in file.parents if above.is_relative_to(copy.resolve())}
    )
    compilers = {file: ["c++", "-std=gnu++20"] if file.endswith(_CPP) else ["cc"] for file in files}
    commands = [
        {"directory": str(copy), "file": file, "arguments": [*compiler, "-D_GNU_SOURCE", *includes, "-c", file]}
        for file, compiler in compilers.items()
        if file.endswith((".c", *_CPP))
    ]
    if commands and not (checkout / "compile_flags.txt").exists():
        (copy / "compile_commands.json").write_text(json.dumps(commands))
    if (checkout / "Cargo.toml").exists():
        write_rust_project(checkout, copy, files)
    write_go_modules(copy, files)


def write_go_modules(copy: Path, files: tuple[str, ...]) -> None:
    """Makes the modules of Go need nothing from outside: gopls loads no package of one whose modules are missing.

    Each package of another module is an empty one.
    """
    homes = [path for path in copy.rglob("go.mod") if "vendor" not in path.parts]
    named = ((path, re.search(r"(?m)^module\s+\"?([^\s\"]+)", path.read_text("utf-8"))) for path in homes)
    modules = {found[1]: path.parent for path, found in named if found is not None}
    imports: dict[str, set[str]] = {module: set() for module in modules}
    for file in files:
        above = [module for module, home in modules.items() if (copy / file).is_relative_to(home)]
        if file.endswith(".go") and above:
            module = max(above, key=lambda each: len(modules[each].parts))
            text = (copy / file).read_text("utf-8", "replace")
            found = re.findall(r'(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\s]+)"\s*(?://.*)?$', text)
            imports[module] |= {each for each in found if not _GO_STANDARD.match(each)}
    for module, home in modules.items():
        needed = {_find_module(each, modules) or each for each in imports[module]} - {module}
        lines = [f"module {module}", "go 1.18"]
        for each in sorted(needed):
            major = _GO_MAJOR.search(each)
            version = f"v{major[1] if major else 0}.0.0"
            place = modules.get(each) or _write_empty_package(copy.parent / "modules" / each, each)
            lines += [f"require {each} {version}", f"replace {each} => {place}"]
        (home / "go.mod").write_text("\n".join(lines) + "\n")


def _find_module(path: str, modules: Iterable[str]) -> str:
    """The innermost module of a checkout that has a package; "" for a package from outside."""
    return max((each for each in modules if f"{path}/".startswith(f"{each}/")), key=len, default="")


def _write_empty_package(home: Path, path: str) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    (home / "go.mod").write_text(f"module {path}\n")
    name = re.sub(r"\W", "_", _GO_MAJOR.sub("", path).rpartition("/")[2])
    (home / "empty.go").write_text(f"package {name}\n")
    return home


def write_typescript_project(root: Path, paths: dict[str, list[str]]) -> None:
    """Makes all files one project, whose packages find each other's sources."""
    options = _OPTIONS | {"paths": unbuilt_packages(root) | paths}
    (root / "tsconfig.json").write_text(json.dumps(_TSCONFIG | {"compilerOptions": options}))
    for home, name in _list_packages(root):
        linked = root / "node_modules" / name
        if not name.startswith(".") and not linked.exists():
            linked.parent.mkdir(parents=True, exist_ok=True)
            linked.symlink_to(home.resolve())


def _list_packages(root: Path) -> list[tuple[Path, str]]:
    """The directories and names of the packages below a directory, outermost first."""
    found = []
    for manifest in sorted(root.rglob("package.json"), key=lambda path: (len(path.parts), path)):
        with suppress(ValueError, AttributeError):
            name = json.loads(manifest.read_text("utf-8")).get("name")
            if name and isinstance(name, str) and "node_modules" not in manifest.parts:
                found.append((manifest.parent, name))
    return found


def _entry_stems(manifest: Path) -> tuple[str, ...]:
    """What the files that a manifest names as the package's entries are called, without their endings."""
    given = json.loads(manifest.read_text("utf-8"))
    named = [given.get(key) for key in ("types", "typings", "main", "module")]
    return tuple(Path(each).name.split(".")[0] for each in named if isinstance(each, str) and each)


def unbuilt_packages(root: Path) -> dict[str, list[str]]:
    """Where the sources are of a workspace's packages, whose manifests name what a build would make of them."""
    found: dict[str, list[str]] = {}
    for home, name in _list_packages(root):
        if name not in found and (home / "src").is_dir():
            here = f"./{home.relative_to(root).as_posix()}"
            entries = dict.fromkeys(("index", *_entry_stems(home / "package.json")))
            found |= {name: [f"{here}/src/{stem}" for stem in entries], f"{name}/*": [f"{here}/src/*", f"{here}/*"]}
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


def write_rust_project(checkout: Path, copy: Path, files: tuple[str, ...]) -> None:
    """Tells rust-analyzer the crates of a checkout."""
    (copy / _RUST_PROJECT).write_text(json.dumps(rust_project(checkout, copy, files)))


def list_features(directory: Path) -> set[str]:
    """Every feature of a package: what one hides, the server knows no uses of."""
    manifest = tomllib.loads((directory / "Cargo.toml").read_text("utf-8"))
    tables = [manifest, *manifest.get("target", {}).values()]
    given = [each.get("dependencies", {}).items() for each in tables]
    optional = {name for found in given for name, of in found if isinstance(of, dict) and of.get("optional")}
    return optional | manifest.get("features", {}).keys()


def _link_libraries(checkout: Path, packages: Iterable[Package], known: set[str]) -> dict[str, dict[str, str]]:
    """Returns the dependencies of each library, without those of its tests that would close a circle.

    The server refuses circles; that of a package's tests to a package that depends on it is allowed.
    """
    linked: dict[str, dict[str, str]] = {package.name: {} for package in packages}

    def reaches(start: str, end: str) -> bool:
        return start == end or any(reaches(each, end) for each in linked[start].values())

    for is_for_tests in (False, True):
        for package in packages:
            manifest = tomllib.loads((checkout / package.directory / "Cargo.toml").read_text("utf-8"))
            tables = [manifest, *manifest.get("target", {}).values()]
            own = {key.replace("-", "_") for table in tables for key in table.get("dependencies", {})}
            for name, of in {**package.released, **package.dependencies}.items():
                if of in known and is_for_tests != (name in own) and not reaches(of, package.name):
                    linked[package.name][name] = of
    return linked


def rust_project(checkout: Path, copy: Path, files: tuple[str, ...]) -> dict[str, Any]:
    """The crates of a checkout without those of others, which are not at hand."""
    packages = read_packages(_Checkout(checkout, files))  # type: ignore[arg-type]
    crates: list[dict[str, Any]] = []
    roots = [(root, package) for package in packages for root in sorted({*package.roots, package.library} - {""})]
    place = {package.name: roots.index((package.library, package)) for package in packages if package.library}
    linked = _link_libraries(checkout, packages, set(place))
    for root, package in roots:
        if root == package.library:
            names = linked[package.name]
        else:
            names = {name: of for name, of in {**package.released, **package.dependencies}.items() if of in place}
            if package.library:
                names[package.crate] = package.name
        given = [{"crate": place[of], "name": name} for name, of in names.items()]
        cfg = ["test", "debug_assertions", "unix", 'target_os="linux"', 'target_family="unix"']
        cfg += [f'feature="{name}"' for name in sorted({"std", *list_features(checkout / package.directory)})]
        crates.append({"root_module": str(copy / root), "edition": "2021", "deps": given, "cfg": cfg})
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    sources = os.environ.get("RUST_SRC_PATH", f"{sysroot}/lib/rustlib/src/rust/library")
    return {"sysroot": sysroot, "sysroot_src": sources, "crates": crates}
