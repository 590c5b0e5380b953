"""How often `avionics contract check` and another checker of architecture rules come to the same verdict.

    python tests/bench/bench_contract.py import-linter repos/django repos/flask …
    python tests/bench/bench_contract.py dependency-cruiser repos/vue-core repos/express …
        (with dependency-cruiser's `depcruise` on the PATH, or DEPCRUISE=…/node_modules/.bin/depcruise)

For each checkout the same rules are written for both checkers: forbidden imports between two parts of the code, direct
and through others, layers and independent siblings (import-linter), and cycles (dependency-cruiser). Parts are the
packages, modules or directories directly below the roots; the rules are drawn at random, seeded by the checkout's name.
A rule is kept or broken; printed are the rules on which the two differ, with the first import that one of them cites.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.tools.composite.check_architecture import check_architecture
from avionics.workspace import Workspace

MAX_PARTS, MAX_PAIRS, MAX_TRIPLES = 16, 40, 10
SKIPPED = {"node_modules", "test", "tests", "docs", "doc", "examples", "benchmarks", "dist", "build", "__tests__"}
CODE = {".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"}


@attrs.frozen
class DrawnRule:
    """A rule in the words of both checkers."""

    name: str
    kind: str
    parts: tuple[str, ...]

    def to_toml(self) -> str:
        lines = ["[[contract.rules]]", f"name = {json.dumps(self.name)}"]
        one, *others = map(json.dumps, self.parts)
        if self.kind in {"direct", "indirect"}:
            is_indirect = str(self.kind == "indirect").lower()
            lines += ['type = "forbidden"', f"from = {one}", f"to = {others[0]}", f"indirect = {is_indirect}"]
        elif self.kind == "layers":
            lines += ['type = "layers"', f"layers = [{', '.join((one, *others))}]"]
        elif self.kind == "independent":
            lines += ['type = "independent"', f"siblings = [{', '.join((one, *others))}]"]
        else:
            lines += ['type = "cycles"', 'level = "files"', f"among = {one}"]
        return "\n".join(lines) + "\n"

    def to_import_linter(self) -> str:
        type_of = {"direct": "forbidden", "indirect": "forbidden", "independent": "independence"}
        lines = [
            f"[importlinter:contract:{self.name}]",
            f"name = {self.name}",
            f"type = {type_of.get(self.kind, self.kind)}",
        ]
        if self.kind in {"direct", "indirect"}:
            lines += [f"source_modules = {self.parts[0]}", f"forbidden_modules = {self.parts[1]}"]
            lines += ["allow_indirect_imports = True"] if self.kind == "direct" else []
        else:
            lines += ["layers =" if self.kind == "layers" else "modules =", *(f"    {part}" for part in self.parts)]
        return "\n".join(lines) + "\n"

    def to_cruiser(self) -> dict[str, Any]:
        one = f"^{re.escape(self.parts[0])}(/|$)"
        if self.kind == "cycles":
            return {"name": self.name, "from": {"path": one}, "to": {"circular": True, "viaOnly": {"path": one}}}
        to: dict[str, Any] = {"path": f"^{re.escape(self.parts[1])}(/|$)"}
        if self.kind == "indirect":
            to["reachable"] = True
        return {"name": self.name, "from": {"path": one}, "to": to}


def draw(name: str, parts: Sequence[str], triples: Sequence[str], cycles: bool) -> list[DrawnRule]:
    """Return rules over parts, the same ones every time."""
    chosen = random.Random(name)
    some = sorted(chosen.sample(parts, min(MAX_PARTS, len(parts))))
    pairs = list(itertools.permutations(some, 2))
    rules = []
    for kind in ("direct", "indirect"):
        for pair in chosen.sample(pairs, min(MAX_PAIRS, len(pairs))):
            rules.append(DrawnRule(f"{kind}-{len(rules)}", kind, pair))
    for kind in triples:
        for _ in range(MAX_TRIPLES if len(some) > 2 else 0):
            rules.append(DrawnRule(f"{kind}-{len(rules)}", kind, tuple(chosen.sample(some, 3))))
    rules += [DrawnRule(f"cycles-{at}", "cycles", (part,)) for at, part in enumerate(some) if cycles]
    return rules


def ask_avionics(root: Path, rules: Sequence[DrawnRule]) -> dict[str, str]:
    """Return rule → the first violation, "" where it is kept."""
    with (
        tempfile.TemporaryDirectory() as cache,
        Workspace.open(root, Settings(cache_directory=Path(cache))) as workspace,
    ):
        (root / "avionics.toml").write_text("[contract]\n" + "\n".join(rule.to_toml() for rule in rules), "utf-8")
        answer = check_architecture(workspace)
        (root / "avionics.toml").unlink()
    first: dict[str, str] = {}
    for each in answer.violations:
        first.setdefault(each.rule, f"{each.file}:{each.line} {'; '.join(each.chain)}")
    return {rule.name: first.get(rule.name, "") for rule in rules}


def ask_import_linter(root: Path, packages: Sequence[Path], rules: Sequence[DrawnRule]) -> dict[str, str]:
    """Return rule → the chain that import-linter cites, "" where it is kept."""
    names = "".join(f"\n    {package.name}" for package in packages)
    head = f"[importlinter]\nroot_packages ={names}\n"
    configuration = root / ".importlinter"
    configuration.write_text("\n".join((head, *(rule.to_import_linter() for rule in rules))), "utf-8")
    path = os.pathsep.join(sorted({str(package.parent) for package in packages}))
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or "lint-imports"
    done = subprocess.run(
        [program, "--config", configuration.name, "--no-cache"], cwd=root, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"},
    )  # fmt: skip
    found = dict(re.findall(r"^(\w+-\d+) (KEPT|BROKEN)", done.stdout, re.MULTILINE))
    if len(found) != len(rules):
        raise SystemExit(
            f"import-linter judged {len(found)} of {len(rules)} rules:\n{done.stdout[-800:]}{done.stderr[-800:]}"
        )
    details = dict(re.findall(r"^(\w+-\d+)\n-+\n\n(.{0,600})", done.stdout, re.MULTILINE | re.DOTALL))
    return {
        name: "" if verdict == "KEPT" else " ".join(details.get(name, "broken").split())
        for name, verdict in found.items()
    }


def ask_cruiser(root: Path, parts: Sequence[str], rules: Sequence[DrawnRule]) -> dict[str, str]:
    """Return rule → the dependency that dependency-cruiser cites, "" where it is kept."""
    options: dict[str, Any] = {
        "tsPreCompilationDeps": True, "doNotFollow": {"path": "node_modules"}, "combinedDependencies": True,
        "enhancedResolveOptions": {
            "extensions": [*sorted(CODE), ".json", ".vue"], "mainFields": ["module", "main", "types"],
        },
    }  # fmt: skip
    if (root / "tsconfig.json").is_file():
        options["tsConfig"] = {"fileName": "tsconfig.json"}
    configuration = root / ".contract-cruiser.json"
    configuration.write_text(
        json.dumps({"forbidden": [rule.to_cruiser() for rule in rules], "options": options}), "utf-8"
    )
    tops = sorted({part.partition("/")[0] for part in parts})
    program = os.environ.get("DEPCRUISE", "depcruise")
    done = subprocess.run(
        [program, "--config", configuration.name, "--output-type", "json", *tops], cwd=root, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    configuration.unlink()
    if not done.stdout.startswith("{"):
        raise SystemExit(f"dependency-cruiser failed:\n{done.stderr[-800:]}")
    violations = json.loads(done.stdout)["summary"]["violations"]
    first: dict[str, str] = {}
    for each in violations:
        via = " → ".join(
            step["name"] if isinstance(step, Mapping) else step for step in each.get("via", each.get("cycle", ()))
        )
        first.setdefault(each["rule"]["name"], f"{each['from']} → {via or each['to']}")
    return {rule.name: first.get(rule.name, "") for rule in rules}


def find_python_parts(root: Path) -> tuple[list[Path], list[str]]:
    """Return the packages of a checkout, and the modules and packages directly below them."""
    packages = [
        init.parent for base in (root, root / "src") for init in sorted(base.glob("*/__init__.py"))
        if init.parent.name not in SKIPPED
    ]  # fmt: skip
    parts = [
        f"{package.name}.{each.stem}" for package in packages for each in sorted(package.iterdir())
        if each.stem.isidentifier() and each.stem != "__init__"
        and (each.suffix == ".py" or (each.is_dir() and (each / "__init__.py").is_file()))
    ]  # fmt: skip
    return packages, parts


def find_script_parts(root: Path) -> list[str]:
    """Return directories with code: those at the second level, or files and directories of a single root."""
    files = [
        path.relative_to(root) for path in sorted(root.rglob("*"))
        if path.suffix in CODE and path.is_file() and not SKIPPED & set(path.relative_to(root).parts)
        and len(path.relative_to(root).parts) > 1
    ]  # fmt: skip
    listed = [
        sorted({Path(*file.parts[:depth]).as_posix() for file in files if len(file.parts) >= depth})
        for depth in range(2, 6)
    ]
    return next((parts for parts in listed if len(parts) >= 8), max(listed, key=len))


def compare(checker: str, root: Path) -> tuple[int, int]:
    """Print one line for a checkout, and one for each difference; return how many rules agree, and of how many."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / root.name
        shutil.copytree(
            root, copy, ignore=shutil.ignore_patterns(".git", "node_modules", ".importlinter"), symlinks=True
        )
        if checker == "import-linter":
            packages, parts = find_python_parts(copy)
            rules = draw(root.name, parts, ("layers", "independent"), cycles=False)
            theirs = ask_import_linter(copy, packages, rules)
        else:
            parts = find_script_parts(copy)
            rules = draw(root.name, parts, (), cycles=True)
            theirs = ask_cruiser(copy, parts, rules)
        ours = ask_avionics(copy, rules)
    differing = [rule for rule in rules if bool(ours[rule.name]) != bool(theirs[rule.name])]
    broken = sum(bool(each) for each in theirs.values())
    print(f"{root.name}: {len(rules) - len(differing)} of {len(rules)} rules agree; {broken} broken", flush=True)
    for rule in differing:
        cited = f"ours: {ours[rule.name]}" if ours[rule.name] else f"theirs: {theirs[rule.name][:400]}"
        print(f"    {rule.kind} {' , '.join(rule.parts)}  {cited}", flush=True)
    return len(rules) - len(differing), len(rules)


def main() -> None:
    checker, *roots = sys.argv[1:]
    counts = [compare(checker, Path(root)) for root in roots]
    agreed, total = (sum(each) for each in zip(*counts, strict=True))
    print(f"all: {agreed} of {total} verdicts agree, {100 * agreed / total:.1f} %")


if __name__ == "__main__":
    main()
