"""Whether `avionics check` reports what a language's own checker newly reports, on seeded edits of real repositories.

    python tests/bench/bench_check.py python=CHECKOUT rust=CHECKOUT … [--rounds 10] [--edits 12] [--seed 1] [--show 20]

Each round makes a batch of edits to a fresh copy (seeded_edits.py): a definition is renamed, removed or hidden from
other files, a parameter is added, removed, required or changes its place, an override takes another parameter, a field
is added beside another one, a module is moved. The truth is what the checker reports after the edits and did
not report before: pyright and tsc (on PATH), `gopls check` (or a program that prints the errors of a directory,
`--go PROGRAM`: GoErrors.go), rustc on the library of a crate without dependencies, javac, gcc. Rust gets one edit a
round: rustc stops after a phase that found errors.
Gcc names an undeclared identifier once a function, and not every use of an unknown type, so a report of the same name
in the same file is right too; it reads nothing of a function whose header it cannot read.

Precision: the share of reported places near which the checker newly reports something. Recall: of the
files that were not edited and where the checker newly reports a line that names something edited, the share where a
report names it too or is about the same line, and with warnings. Recall is by kind of edit too, with the losing
places. A call of a function that declares an exception whose class is gone does not count: javac then takes it for one
that has to be caught; nor does a parameter that tsc cannot give a type any more, or a call that javac finds ambiguous
since a type is gone.

The checkers are looked up in the PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import tomllib
import venv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs
from seeded_edits import Edit, find_anchors, make_edits, move

from avionics.index.changes.symbol_diff import ChangedFile
from avionics.index.code_index import CodeIndex
from avionics.index.verdicts.check import check_change
from avionics.index.verdicts.findings import ChangeFinding, Site
from avionics.index.verdicts.suppression import list_guarded_lines
from avionics.settings import Settings
from avionics.workspace import Workspace

_PLACE = re.compile(r"^(?P<file>[^\s:(]+)(?::|\()(?P<line>\d+)[:,)]")
_COLUMN = re.compile(r"^\s*\d+(?:[,)]\d*)?[:)]\s*")
_EXPLAINED = re.compile(r"\((?:value|variable|constant)\b[^)]* of [^)]*\)")
"""What Go explains of an expression; its words are no names."""

_PHRASES = re.compile(
    r"\berror:|cannot find symbol|\bmethod (?=\w+ in )|no suitable (?:method|constructor) found for|"
    r"cannot be applied to given types"
)
"""What javac says in every report of a kind; `error` and `find` are names of methods too."""

_FOLLOWING = re.compile(r"unreported exception (\w+);")
"""What javac says of each call of a function that declares an exception whose class is gone: it cannot know any more
that nobody has to catch it. What is broken is the declaration."""

_AMBIGUOUS = re.compile(r"reference to \w+ is ambiguous")
"""What javac says of a call of overloads that take something of a type that is gone, which fits every argument."""

_UNTYPED = "implicitly has an 'any' type"
"""What tsc says of a parameter that would get its type from something that is broken elsewhere."""

_NOT_PARSED = re.compile(r"error TS1\d{3}:")
"""Tsc reports nothing else where a file does not parse; such a round is not counted."""

_STOPPED = re.compile(r"error(?:\[E0585\])?: (?:expected|found a documentation comment)")
"""Rustc reports nothing else where a file does not parse; a comment of documentation with nothing below is one."""

_WHOLE = re.compile(r"^error TS.*", re.M)
"""What tsc says of the whole program, such as a file that its configuration names and that was moved."""

_BARE = "bare"
"""A Python without packages: pyright takes an installed package of the same name for a module that was moved."""

_BRANCH = re.compile(r"\s*(?:if|elif|else)\b")
_DECIDED = re.compile(r"\b(?:sys\.(?:version_info|platform)|os\.name|TYPE_CHECKING)\b")
"""Conditions that pyright decides; it reports nothing in a branch that is not taken then."""

_TSCONFIG = "tsconfig.measured.json"
_WITHOUT_TYPES = '{"extends": "./tsconfig.json", "compilerOptions": {"types": []}}'
"""Tsc reports nothing else where types are named that are not installed."""

_WARNED = frozenset({"reportUnsupportedDunderAll", "reportMissingModuleSource"})
"""What pyright only warns of: names that raise `AttributeError` where all names of the module are imported, and modules
of which it knows nothing but stubs; it has stubs of some of the measured repositories."""

_BROKEN_IMPORT = re.compile(r"""^"(\w+)" is unknown import symbol|has no exported member (?:named )?'(\w+)'""")
"""What pyright and tsc say of an import that leads nowhere, and of no use of the name through what imports it."""

_MEMBERS_FIRST = re.compile(r"in type '(\w+)[^']*' is not assignable to the same property in base type")
"""What tsc says of a class whose members do not fit its interface; then it reports none that is missing."""

_UNRESOLVED = re.compile(r"Cannot find module '([^']+)'")
"""What tsc says of a module that it finds no more after an edit than before it, once for all names of an import."""

_NO_FILE = re.compile(r"error\[E0583\]: file not found for module `(\w+)`")
"""What rustc says of a module whose file is gone, and of nothing that is imported from there."""

_NO_OPTION = re.compile(r"error TS(?:5|6046)")
"""What tsc says of its configuration; then it checks nothing."""

_QUOTED = re.compile(r"'([^']*)'")
"""The names in a report of tsc; its other words, such as `type`, are names of members too."""

_PLATFORM = re.compile(r"^\s*assert sys\.platform\b", re.M)
"""What makes pyright pass over the rest of a file on other systems."""

_UNJUDGED = re.compile(r"^#\s*pyright:.*=\s*false", re.M)
"""What has pyright pass over some kind of error in a whole file."""

_GO_FILES = "{{$at := .Dir}}{{range .GoFiles}}{{$at}}/{{.}}\n{{end}}{{range .TestGoFiles}}{{$at}}/{{.}}\n{{end}}"
_GO_FILES += "{{range .XTestGoFiles}}{{$at}}/{{.}}\n{{end}}"

_AUGMENTED = r"\bself\.%s\s*(?:[-+*/%%&|^@]|//|\*\*|<<|>>)="
"""What pyright takes for a declaration of a member, although it reads it first."""

_UNDECLARED = re.compile(r"[‘'](\w+)[’'] undeclared")
_UNKNOWN_TYPE = re.compile(r"unknown type name [‘'](\w+)[’']")
_IMPLICIT = re.compile(r"implicit declaration of function [‘'](\w+)[’']")
_NOT_READ = re.compile(r"expected [‘']=[’'], .* before")
_ARGUMENTS = re.compile(r"arguments in call to (?:\w+\.)*(\w+)")
_NAMING = (_UNDECLARED, _UNKNOWN_TYPE, _IMPLICIT, _ARGUMENTS)
"""What gcc says once, of a name that may stand on more lines, and Go where the parenthesis of a call closes."""

_NO_KEY = "does not satisfy the constraint 'keyof"
"""What tsc says once of a member that `Pick` names and that is gone, and of no use of it."""

_FATAL = "fatal error"
_CONDITIONAL = frozenset({"rust", "c"})
_NEAR, _NEAR_OF_CALL = 1, 12
"""Lines by which a report and a checker's may differ; a call's arguments may stand lines below its name."""


Error = tuple[str, int, str]
"""File, line, message."""

_Said = defaultdict[str, set[tuple[int, str]]]
"""File → lines and what is reported there."""


def run(*command: str, cwd: Path) -> str:
    """Return what a checker prints."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout + done.stderr


def prepare(language: str, root: Path) -> None:
    """Write the configuration that the checker is run with."""
    if language == "python":
        venv.create(root.parent.parent / _BARE)
        (root / "pyrightconfig.json").write_text("{}", "utf-8")  # The project's own may leave its tests out.
    if language == "typescript":
        (root / _TSCONFIG).write_text(_WITHOUT_TYPES, "utf-8")


def read_errors(language: str, root: Path, go: str) -> list[Error]:
    """Return the errors of a language's checker."""
    if language == "python":
        python = root.parent.parent / _BARE / "bin" / "python"
        output = run("pyright", "--outputjson", "--pythonpath", str(python), str(root), cwd=root)
        found = json.loads(output[output.index("{") :])["generalDiagnostics"]
        return [
            (str(Path(e["file"]).relative_to(root)), e["range"]["start"]["line"] + 1, e["message"])
            for e in found
            if e["severity"] == "error" or e.get("rule") in _WARNED
        ]
    if language == "typescript":
        output = run("tsc", "--noEmit", "--pretty", "false", "-p", _TSCONFIG, cwd=root)
        return [*(("", 0, line) for line in _WHOLE.findall(output)), *_parse(output, root, "error TS")]
    if language == "go":
        files = sorted(str(path) for path in root.rglob("*.go"))
        return list(_parse(run(go, str(root), cwd=root) if go else run("gopls", "check", *files, cwd=root), root, ""))
    if language == "rust":
        return list(_read_rust(root))
    if language == "java":
        files = [str(path) for path in sorted(root.rglob("*.java")) if path.name != "module-info.java"]
        options = (
            "-proc:none",
            "-Xmaxerrs",
            "10000",
            "-Xmaxwarns",
            "0",
            "-XDshould-stop.ifError=FLOW",
            "-cp",
            str(root.parent / "none"),  # Else it looks for a class whose name is gone in the file of that name.
            "-d",
            str(root.parent / "classes"),
        )
        return list(_parse(run("javac", *options, *files, cwd=root), root, "error:"))
    return list(_read_c(root))


def _read_c(root: Path) -> Iterator[Error]:
    headers = sorted({home for path in root.rglob("*.h") for home in (path.parent, path.parent.parent)})
    options = ["-fsyntax-only", "-std=gnu11", "-D_GNU_SOURCE", "-Werror=implicit-function-declaration"]
    options += ["-ftrack-macro-expansion=0"]  # What a macro breaks is reported where the macro is used.
    options += [f"-I{path}" for path in (root, *headers)]
    for path in sorted(root.rglob("*.c")):
        output = run("gcc", *options, str(path), cwd=root)
        own = str(path.relative_to(root))
        if _FATAL in output:
            # Gcc reads no further, whichever header it is that is missing.
            yield own, 1, _FATAL
        for file, line, message in _parse(output, root, "error:"):
            yield file, line, message
            if file != own:
                # Gcc names what is undeclared once, and that may be in a file that this one includes.
                yield own, 0, message


def _read_edition(root: Path) -> str:
    edition = re.search(r'^edition\s*=\s*"(\d+)"', (root / "Cargo.toml").read_text("utf-8"), re.M)
    return edition[1] if edition else "2015"


def _list_features(root: Path) -> list[str]:
    """Return the features that the manifest of a crate has on by default and that need no other crate."""
    declared = tomllib.loads((root / "Cargo.toml").read_text("utf-8")).get("features", {})
    needing = {name for name, listed in declared.items() if any(each not in declared for each in listed)}
    found = ["std", "alloc"]
    for name in found:
        asked = declared.get("default", []) if name == "std" else declared.get(name, [])
        found += [each for each in asked if each in declared and each not in {*found, *needing}]
    return found


def _run_rustc(root: Path, emitted: str, output: str) -> str:
    """Return what rustc prints of the library of a crate."""
    features = [option for each in _list_features(root) for option in ("--cfg", f'feature="{each}"')]
    options = ("--edition", _read_edition(root), "--crate-type", "lib", "--crate-name", "measured")
    command = ("rustc", *options, *features, "--error-format", "short", "--emit", emitted, "-o", str(root / output))
    return run(*command, "src/lib.rs", cwd=root)


def _read_rust(root: Path) -> Iterator[Error]:
    yield from _parse(_run_rustc(root, "metadata", "libmeasured.rmeta"), root, "error")


def _parse(output: str, root: Path, mark: str) -> Iterator[Error]:
    for line in output.splitlines():
        match = _PLACE.match(line)
        if match is not None and mark in line:
            path = Path(os.path.normpath(root / match["file"]))
            inside = path.relative_to(root) if path.is_absolute() and path.is_relative_to(root) else path
            yield str(inside), int(match["line"]), line[match.end() :]


@attrs.define
class Score:
    """What was counted for a language."""

    reported: int = 0
    right: int = 0
    unseen: int = 0
    stopped: int = 0
    true: Counter[str] = attrs.Factory(Counter)
    found: Counter[str] = attrs.Factory(Counter)
    warned: Counter[str] = attrs.Factory(Counter)
    edits: Counter[str] = attrs.Factory(Counter)
    lost: list[str] = attrs.Factory(list)


def is_conditional(lines: list[str], at: int) -> bool:
    """Return whether a line is compiled only under a condition: `#[cfg(…)]` before what holds it, or `#if`."""
    if any(line.startswith("#![cfg(") for line in lines):
        return True
    margin = len(lines[at - 1]) - len(lines[at - 1].lstrip())
    is_end = lines[at - 1].lstrip().startswith(")")
    depth = 0
    for number in range(at - 1, -1, -1):
        line = lines[number]
        if re.match(r"\s*#\s*endif\b", line):
            depth += 1
        elif re.match(r"\s*#\s*if", line):
            depth -= 1
            is_guard = number + 1 < len(lines) and re.match(r"\s*#\s*(?:define|pragma once)\b", lines[number + 1])
            if depth < 0 and not is_guard:
                return True
            depth = max(depth, 0)
        here = len(line) - len(line.lstrip())
        if line.strip() and here <= margin:
            if re.match(r"\s*#!?\[(?:cfg\(|test\])", line):
                return True
            if here < margin:
                margin, is_end = here, line.lstrip().startswith(")")
            elif is_end:
                # `) -> T {` ends the first lines of an item, which begin with the same margin.
                is_end = number == at - 1
                continue
            elif number != at - 1 and not line.lstrip().startswith(("#[", "//")):
                # Another item of the same block stands between; only what holds the line counts above it.
                margin = here - 1
    return False


def is_decided(lines: list[str], at: int) -> bool:
    """Return whether a line of Python is in a branch of a condition that pyright decides."""
    margin, is_branch = len(lines[at - 1]) - len(lines[at - 1].lstrip()), False
    for line in reversed(lines[: at - 1]):
        here = len(line) - len(line.lstrip())
        if not line.strip() or here > margin or (here == margin and not is_branch):
            continue
        is_branch = _BRANCH.match(line) is not None
        if is_branch and _DECIDED.search(line):
            return True
        # The conditions of a branch stand above it with the same margin, up to its `if`.
        is_branch = is_branch and not line.lstrip().startswith("if")
        margin = here
    return False


def list_seen(language: str, root: Path) -> frozenset[str] | None:
    """Return the files that the checker reads; None for all."""
    if language == "rust":
        _run_rustc(root, "dep-info", "measured.d")
        if not (root / "measured.d").is_file():
            return frozenset()  # Rustc does not get as far as names, for example where a library is not there.
        return frozenset(re.findall(r"^(\S+):$", (root / "measured.d").read_text(), re.M))
    if language == "go":
        roots = sorted({path.parent for path in root.rglob("go.mod")})
        listed = [
            line
            for each in roots
            for line in run("go", "list", "-find", "-e", "-f", _GO_FILES, "./...", cwd=each).split("\n")
        ]
        return frozenset(str(Path(each).relative_to(root)) for each in listed if each.startswith(f"{root}/"))
    if language == "typescript":
        listed = run("tsc", "--noEmit", "--listFilesOnly", "-p", _TSCONFIG, cwd=root).split("\n")
        return frozenset(str(Path(each).relative_to(root)) for each in listed if each.startswith(f"{root}/"))
    if language == "c":
        folders = sorted({f"-I{home}" for path in root.rglob("*.h") for home in (path.parent, path.parent.parent)})
        listed = run("gcc", "-MM", f"-I{root}", *folders, *map(str, root.rglob("*.c")), cwd=root).split()
        inside = (Path(os.path.normpath(each)) for each in listed if each.startswith(f"{root}/"))
        return frozenset(str(each.relative_to(root)) for each in inside)
    return None


def is_seen(language: str, work: Path, site: Site, seen: frozenset[str] | None, changed: list[ChangedFile]) -> bool:
    """Return whether the checker reads a place: its file is compiled, and no condition leaves it out."""
    if seen is not None and _before(site.file, changed) not in seen:
        return False
    if language == "python":
        text = (work / site.file).read_text("utf-8", "replace")
        is_judged = _PLATFORM.search(text) is None and _UNJUDGED.search(text) is None
        return is_judged and not is_decided(text.split("\n"), site.line)
    if language == "go" and any(part.startswith("_") for part in Path(site.file).parts):
        return False
    lines = (work / site.file).read_text("utf-8", "replace").split("\n")
    return language not in _CONDITIONAL or not is_conditional(lines, site.line)


def is_augmented(path: Path, finding: ChangeFinding) -> bool:
    """Return whether a file of Python adds to the member that an object lost."""
    is_member = finding.rule.value == "missing-member" and path.suffix == ".py"
    name = re.escape(finding.subject.rpartition(".")[2])
    return is_member and re.search(_AUGMENTED % name, path.read_text("utf-8", "replace")) is not None


def iter_skipped(code: CodeIndex, errors: list[Error]) -> Iterator[tuple[str, int]]:
    """Yield the lines of the functions that gcc does not read, because it cannot read their first lines."""
    for file, line, message in errors:
        if line and _NOT_READ.search(message) and code.has_file(file):
            for symbol in code.facts(file).symbols:
                if symbol.line == line:
                    yield from ((file, each) for each in range(line + 1, symbol.span.end_line + 1))


def judge(
    language: str,
    score: Score,
    edits: list[Edit],
    known: list[Error],
    new: list[Error],
    base: Path,
    work: Path,
    settings: Settings,
    changed: list[ChangedFile],
    unread: frozenset[str],
    seen: frozenset[str] | None,
) -> None:
    """Count what is reported against the checker's new errors, where the checker looks."""
    with Workspace.open(base, settings) as before, Workspace.open(work, settings) as after:
        verdict = check_change(before.code, after.code, changed)
        skipped = frozenset(iter_skipped(after.code, new))
    places: defaultdict[str, list[int]] = defaultdict(list)
    named: defaultdict[str, set[str]] = defaultdict(set)
    broken = (found for _, _, message in new if (found := _BROKEN_IMPORT.search(message)) is not None)
    unimported = {found[1] or found[2] for found in broken}
    masked = {(file, name) for file, _, message in new for name in _MEMBERS_FIRST.findall(message)}
    masked.update((file, name) for file, _, message in known for name in _UNRESOLVED.findall(message))
    gone = {name for _, _, message in new for name in _NO_FILE.findall(message)}
    halted = {file for file, _, message in new if message == _FATAL}
    unclear = {(file, text) for file, text, _ in _keys(base, known) if text}
    for file, line, message in new:
        places[file].append(line)
        named[file].update(name for each in _NAMING for name in each.findall(message))
        named[file].update(re.findall(r'"(\w+)"', message) if _NO_KEY in message else ())
        named[file].update(_UNRESOLVED.findall(message))
    for each in verdict.findings:
        is_long = each.rule.value == "call-mismatch" or each.cause.value.startswith("module_")
        near = _NEAR_OF_CALL if is_long else _NEAR
        for site in each.broken if each.severity.value == "error" else ():
            if site.file in unread:
                continue
            if (site.file, site.line) in skipped or not is_seen(language, work, site, seen, changed):
                score.unseen += 1
                continue
            score.reported += 1
            back = near if each.cause.value.startswith("module_") else _NEAR
            is_near = any(-back <= line - site.line <= near for line in places[site.file])
            if is_near or not named[site.file].isdisjoint({each.subject, each.subject.rpartition(".")[2]}):
                score.right += 1
            elif (
                (site.file, each.subject) in masked
                or (each.rule.value in {"missing-member", "missing-import"} and each.subject in unimported)
                or (each.rule.value == "missing-import" and not gone.isdisjoint(each.subject.split(".")))
            ):
                score.reported -= 1
                score.unseen += 1
            else:
                text = (work / site.file).read_text("utf-8", "replace").split("\n")[site.line - 1].strip()
                if (
                    (_before(site.file, changed), text) in unclear
                    or site.file in halted
                    or is_augmented(work / site.file, each)
                ):
                    # The checker reported the line before the edits, or does not read it since a header is missing.
                    score.reported -= 1
                    score.unseen += 1
                    continue
                score.lost.append(
                    f"WRONG {site} {each.rule.value} {each.cause.value} {each.subject} ({each.detail}) | {text}"
                )
    reported, warnings = (list_said(verdict.findings, each) for each in ("error", "warning"))
    count_breaks(score, edits, new, reported, warnings, work)


def _takes_type(edit: Edit) -> bool:
    """Return whether an edit takes a type away from other files."""
    return edit.kind == "move-package" or edit.kind.endswith((" class", " interface", " enum"))


def list_said(findings: Iterable[ChangeFinding], severity: str) -> _Said:
    """Return what the findings of one severity say, by file."""
    said: _Said = defaultdict(set)
    for each in findings:
        for site in each.broken if each.severity.value == severity else ():
            said[site.file].add((site.line, f"{each.subject} {each.detail}"))
    return said


def count_breaks(
    score: Score, edits: list[Edit], new: list[Error], reported: _Said, warnings: _Said, work: Path
) -> None:
    """Count the files that an edit elsewhere broke, and those of them where an error or a warning names the edited."""
    edited = {name for each in edits for name in (each.file, move(each.file))}
    broken: dict[tuple[str, Edit], tuple[int, str, str]] = {}
    places: defaultdict[tuple[str, Edit], set[int]] = defaultdict(set)
    for file, line, message in new:
        follows = _FOLLOWING.search(message)
        is_consequence = _UNTYPED in message or (follows is not None and any(e.name == follows[1] for e in edits))
        is_consequence = is_consequence or (_AMBIGUOUS.search(message) is not None and any(map(_takes_type, edits)))
        is_inside = not Path(file).is_absolute() and (work / file).is_file()
        # What an override no longer fits is in another file, and the break in its own.
        asked = [e for e in edits if file not in edited or (e.kind == "change-override" and e.file == file)]
        if not line or not asked or is_consequence or not is_inside:
            continue
        content = (work / file).read_text("utf-8", "replace")
        if file.endswith(".py") and "mport" in message and line in list_guarded_lines(content):
            continue  # The program goes on without the module.
        lines = content.split("\n")
        text = lines[line - 1] if line <= len(lines) else ""
        # What the checker names is more to the point than what stands on the line.
        said_of = _PHRASES.sub("", _EXPLAINED.sub("", message))
        said_of = " ".join(_QUOTED.findall(said_of)) if "error TS" in message else said_of
        named = ((e, said) for said in (said_of, text) for e in asked)
        about = next((e for e, said in named if re.search(rf"\b{re.escape(e.name)}\b", said)), None)
        if about is not None:
            broken.setdefault((file, about), (line, message, text))
            places[file, about].add(line)
    for (file, about), (line, message, text) in broken.items():
        score.true[about.kind] += 1
        lines = (work / file).read_text("utf-8", "replace").split("\n")

        def is_named(
            found: set[tuple[int, str]],
            lines: list[str] = lines,
            name: str = about.name,
            same: set[int] = places[file, about],
        ) -> bool:
            near = (" ".join([said, *lines[max(0, at - 2) : at + 2]]) for at, said in found)
            return any(at in same for at, _ in found) or any(re.search(rf"\b{re.escape(name)}\b", t) for t in near)

        if is_named(reported[file]):
            score.found[about.kind] += 1
            continue
        is_warned = is_named(warnings[file])
        score.warned[about.kind] += is_warned
        word = "WARNED" if is_warned else "MISSED"
        said = f"{' '.join(message.split())[:90]} | {text.strip()[:90]}"
        score.lost.append(f"{word} {file}:{line} {about.kind} {about.name} of {about.file}: {said}")


def measure(language: str, checkout: Path, options: argparse.Namespace) -> Score:
    """Run the rounds of one repository."""
    chance, score = random.Random(options.seed), Score()
    with tempfile.TemporaryDirectory() as directory:
        base, work = Path(directory) / "base" / "r", Path(directory) / "work" / "r"
        shutil.copytree(checkout, base, ignore=shutil.ignore_patterns(".git", "target"), symlinks=True)
        prepare(language, base)
        settings = Settings(cache_directory=Path(directory) / "cache")
        shutil.copytree(base, work, symlinks=True)
        known = read_errors(language, work, options.go)
        if any(_NO_OPTION.search(message) for file, _, message in known if file in {"", _TSCONFIG}):
            score.stopped = options.rounds
            return score
        seen = list_seen(language, work)
        if seen is not None and not seen:
            score.stopped = options.rounds
            return score
        # A checker that lacks a library looks at nothing in the calls of it; go passes over directories with `_`.
        unread = frozenset(file for file, _, _ in known if language in {"java", "c"})
        with Workspace.open(base, settings) as workspace:
            anchors = [each for each in find_anchors(workspace.code, language) if seen is None or each[0] in seen]
        for _ in range(options.rounds):
            shutil.rmtree(work)
            shutil.copytree(base, work, symlinks=True)
            edits = make_edits(work, language, anchors, 1 if language == "rust" else options.edits, chance)
            left = Counter(_keys(base, known))
            new = []
            found = read_errors(language, work, options.go)
            for error, key in zip(found, _keys(work, found), strict=True):
                if left[key] > 0:
                    left[key] -= 1
                else:
                    new.append(error)
            if any(_is_stop(language, file, message) for file, _, message in new):
                score.stopped += 1
                continue
            score.edits.update(each.kind for each in edits)
            changed = [
                ChangedFile(each.file, move(each.file) if each.kind == "move-module" else each.file) for each in edits
            ]
            judge(language, score, edits, known, new, base, work, settings, changed, unread, seen)
    return score


def _is_stop(language: str, file: str, message: str) -> bool:
    """Return whether the checker reports nothing else beside a report."""
    if language == "typescript":
        return not file or _NOT_PARSED.search(message) is not None
    return language == "rust" and _STOPPED.search(message) is not None


def _keys(root: Path, errors: list[Error]) -> list[tuple[str, str, str]]:
    """Return file, text of the line and message of each error: lines move, texts do not."""
    texts: dict[str, list[str]] = {}
    found = []
    for file, line, message in errors:
        if file not in texts:
            path = root / file
            texts[file] = path.read_text("utf-8", "replace").split("\n") if path.is_file() else []
        found.append(
            (file, texts[file][line - 1].strip() if 0 < line <= len(texts[file]) else "", _COLUMN.sub("", message))
        )
    return found


def _before(file: str, changed: list[ChangedFile]) -> str:
    return next((each.before for each in changed if each.after == file), file)


def main() -> None:
    """Print precision and recall of every repository."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+", metavar="LANGUAGE=CHECKOUT")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--edits", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--go", default="", help="A program that prints the errors of the packages of a directory.")
    options = parser.parse_args()
    for named in options.repositories:
        language, _, checkout = named.partition("=")
        score = measure(language, Path(checkout).resolve(), options)
        true, found = score.true.total(), score.found.total()
        print(
            f"{language} {Path(checkout).name}: {score.edits.total()} edits; "
            f"errors {score.right}/{score.reported} right "
            f"({_share(score.right, score.reported)}), {score.unseen} unseen by the checker, "
            f"{score.stopped} rounds without a truth; "
            f"cross-file recall {found}/{true} ({_share(found, true)}), "
            f"with warnings {_share(found + score.warned.total(), true)}",
            flush=True,
        )
        for kind in sorted(score.edits):
            print(
                f"  {kind}: {score.edits[kind]} edits, recall {score.found[kind]}/{score.true[kind]}, "
                f"{score.warned[kind]} more as warnings"
            )
        for line in sorted(score.lost, reverse=True)[: options.show]:
            print(f"  {line}", flush=True)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


if __name__ == "__main__":
    main()
