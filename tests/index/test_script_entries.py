"""Servers written in JavaScript and TypeScript say their routes by calls, packages their commands in package.json."""

from __future__ import annotations

from avionics.index.entrypoints.discovery import find_entry_points
from avionics.model.enums import EntryKind

FILES = {
    "package.json": (
        '{\n  "name": "@shop/cli",\n  "bin": {\n    "shop": "./bin/shop.js",\n    "gone": "bin/gone.js"\n  }\n}\n'
    ),
    "packages/one/package.json": '{\n  "name": "@shop/one",\n  "bin": "run.mjs"\n}\n',
    "packages/one/run.mjs": "start()\n",
    "broken/package.json": '{"bin": ',
    "bin/shop.js": "require('../src/server')\n",
    "src/users.ts": "export function list(req: unknown, res: unknown) {}\n",
    "src/server.ts": (
        "import { list } from './users'\n"
        "const app = express()\n"
        "app.get('/users', list)\n"
        "app.post('/users', check, async (req, res) => {\n"
        "  res.send(1)\n"
        "})\n"
        "router.delete('/users/:id', function (req, res) {})\n"
        "fastify.put(`/items`, list)\n"
        "// app.get('/comment', list)\n"
        "app.get('setting', list)\n"
        "cache.get('/key', list)\n"
        "app.get('/key')\n"
    ),
}


def described(entry):
    runs = entry.definition
    return (entry.kind, entry.name, entry.methods, f"{entry.file}:{entry.line}", runs and f"{runs.file}:{runs.line}")


def test_routes_and_commands_of_scripts_are_found_with_what_they_run(workspace):
    opened = workspace(FILES)
    assert sorted(described(entry) for entry in find_entry_points(opened.code)) == [
        (EntryKind.ROUTE, "/items", ("PUT",), "src/server.ts:8", "src/users.ts:1"),
        (EntryKind.ROUTE, "/users", ("GET",), "src/server.ts:3", "src/users.ts:1"),
        (EntryKind.ROUTE, "/users", ("POST",), "src/server.ts:4", "src/server.ts:4"),
        (EntryKind.ROUTE, "/users/:id", ("DELETE",), "src/server.ts:7", "src/server.ts:7"),
        (EntryKind.SCRIPT, "gone", (), "package.json:5", None),
        (EntryKind.SCRIPT, "one", (), "packages/one/package.json:3", "packages/one/run.mjs:1"),
        (EntryKind.SCRIPT, "shop", (), "package.json:4", "bin/shop.js:1"),
    ]
