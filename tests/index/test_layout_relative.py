"""Specifiers lead to files as TypeScript, Node and bundlers resolve them."""

from __future__ import annotations

from pathlib import Path

import pytest

from avionics.index.model.values import External
from avionics.model.facts import Import
from avionics.settings import Settings
from avionics.workspace import Workspace
from tests.conftest import write_files

_FILES = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "tsconfig.json": '{"extends": "./tsconfig.base.json", "references": [{"path": "./packages/core"}]}',
    "tsconfig.base.json": (
        '{// comments are allowed\n"compilerOptions": {"baseUrl": ".", "paths": {'
        '"@app/*": ["./src/app/*"], "@one": ["src/one.ts"],},}}'
    ),
    "src/one.ts": "export const one = 1",
    "src/app/menu.tsx": "export const menu = 1",
    "src/app/index.ts": "export const app = 1",
    "src/types.d.ts": "export interface T {}",
    "src/a.ts": "",
    "packages/core/package.json": (
        '{"name": "@scope/core", "main": "dist/index.js", "exports": {".": {"types": "./dist/index.d.ts",'
        ' "import": "./dist/index.mjs"}, "./deep": "./src/deep/entry.js", "./parts/*": "./src/parts/*.ts"},'
        ' "imports": {"#own": "./src/own.ts"}}'
    ),
    "packages/core/src/index.ts": "export const core = 1",
    "packages/core/src/deep/entry.ts": "export const deep = 1",
    "packages/core/src/parts/first.ts": "export const first = 1",
    "packages/core/src/own.ts": "export const own = 1",
    "packages/plain/package.json": '{"name": "plain", "main": "lib/main"}',
    "packages/plain/lib/main.js": "module.exports = 1",
    "packages/broken/package.json": '{"name": ',
    "packages/ignored/.gitignore": "package.json\n",
    "packages/ignored/package.json": '{"name": "ignored", "exports": {"./v1": {"@own/source": "./src/v1/main.ts"}}}',
    "packages/ignored/src/v1/main.ts": "export const v1 = 1",
}


@pytest.mark.parametrize(
    ("specifier", "importer", "found"),
    [
        ("./one", "src/a.ts", "src/one.ts"),
        ("./one.js", "src/a.ts", "src/one.ts"),
        ("./app", "src/a.ts", "src/app/index.ts"),
        ("./app/", "src/a.ts", "src/app/index.ts"),
        (".", "src/app/menu.tsx", "src/app/index.ts"),
        ("..", "src/app/menu.tsx", ""),
        ("./app/menu.jsx", "src/a.ts", "src/app/menu.tsx"),
        ("./types", "src/a.ts", "src/types.d.ts"),
        ("./one?raw", "src/a.ts", "src/one.ts"),
        ("../../../etc/passwd", "src/a.ts", ""),
        ("./absent", "src/a.ts", ""),
        ("@app/menu", "src/a.ts", "src/app/menu.tsx"),
        ("@one", "src/a.ts", "src/one.ts"),
        ("src/one", "packages/core/src/own.ts", "src/one.ts"),
        ("@scope/core", "src/a.ts", "packages/core/src/index.ts"),
        ("@scope/core/deep", "src/a.ts", "packages/core/src/deep/entry.ts"),
        ("@scope/core/parts/first", "src/a.ts", "packages/core/src/parts/first.ts"),
        ("@scope/core/parts/second", "src/a.ts", ""),
        ("#own", "packages/core/src/index.ts", "packages/core/src/own.ts"),
        ("#own", "src/a.ts", ""),
        ("plain", "src/a.ts", "packages/plain/lib/main.js"),
        ("ignored/v1", "src/a.ts", "packages/ignored/src/v1/main.ts"),
        ("ignored/v2", "src/a.ts", ""),
        ("react", "src/a.ts", ""),
        ("node:fs", "src/a.ts", ""),
    ],
)
def test_a_specifier_means_one_file_or_something_outside(
    specifier: str, importer: str, found: str, tmp_path: Path
) -> None:
    with _workspace(tmp_path) as workspace:
        meant = workspace.code.modules.find(Import(specifier, "x", "x", 0, 1), importer)
        assert (External(specifier) if isinstance(meant, External) else meant.file) == (found or External(specifier))


def test_an_importer_is_found_by_the_words_it_must_write(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        modules = workspace.code.modules
        assert modules.system_of("src/app/menu.tsx").mentions("src/app/menu.tsx") == ("menu", "root")
        assert modules.system_of("packages/core/src/own.ts").mentions("packages/core/src/own.ts") == ("own", "core")
        assert modules.system_of("src/app/index.ts").mentions("src/app/index.ts") == ("src", "app", "root")
        assert modules.dotted_name("src/app/index.ts") == "src/app"
        assert modules.dotted_name("src/types.d.ts") == "src/types"


def _workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(write_files(tmp_path / "root", _FILES), Settings(cache_directory=tmp_path / "cache"))
