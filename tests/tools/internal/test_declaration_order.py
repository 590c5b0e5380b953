"""Definitions are listed before what only declares them."""

from __future__ import annotations

from avionics.tools.internal.symbols.find_symbol import find_symbol


def test_a_definition_comes_before_a_file_that_only_declares_it(workspace):
    files = {
        "lib/box.d.ts": "export declare function open(): void;\n",
        "src/box.js": "export function open() {}\n",
        "tests/box.js": "function open() {}\n",
    }
    found = find_symbol(workspace(files), "open").symbols
    assert [each.file for each in found] == ["src/box.js", "lib/box.d.ts", "tests/box.js"]
