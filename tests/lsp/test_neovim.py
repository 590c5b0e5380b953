"""Neovim without a screen starts the server, jumps, lists references, renames, and shows diagnostics."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.lsp.conftest import FILES, write

NEOVIM = shutil.which("nvim")

SCRIPT = """
local root, command, out = unpack(vim.json.decode(table.concat(vim.fn.readfile(os.getenv("ASKED")))))
local seen = {}

local function wait(condition)
  assert(vim.wait(120000, condition, 20), "it did not come")
end

local function ask(client, method, more)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  for name, value in pairs(more or {}) do
    params[name] = value
  end
  local answer = assert(vim.lsp.buf_request_sync(0, method, params, 120000))
  for _, each in pairs(answer) do
    assert(each.error == nil, vim.inspect(each.error))
    return each.result
  end
end

local function places(found)
  local shown = {}
  for _, each in ipairs(found) do
    table.insert(shown, vim.uri_to_fname(each.uri):sub(#root + 2) .. ":" .. each.range.start.line + 1)
  end
  return shown
end

local function main()
  vim.cmd("edit " .. root .. "/shop/app.py")
  local id = vim.lsp.start_client({ name = "avionics", cmd = command, root_dir = root })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  wait(function() return client.initialized end)
  vim.api.nvim_win_set_cursor(0, { 5, 12 })
  seen.definition = places(ask(client, "textDocument/definition"))
  seen.references = places(ask(client, "textDocument/references", { context = { includeDeclaration = false } }))
  vim.api.nvim_win_set_cursor(0, { 4, 4 })
  local edit = ask(client, "textDocument/rename", { newName = "start" })
  vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  seen.renamed = vim.api.nvim_buf_get_lines(0, 3, 4, false)[1]
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "broken = (1" })
  wait(function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostic = vim.diagnostic.get(0)[1].source
end

local ok, fault = pcall(main)
seen.fault = not ok and tostring(fault) or nil
vim.fn.writefile({ vim.json.encode(seen) }, out)
vim.cmd("qall!")
"""


def read_version():
    """Return the version of Neovim, (0, 0) where there is none."""
    if NEOVIM is None:
        return (0, 0)
    shown = subprocess.run([NEOVIM, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"v(\d+)\.(\d+)", shown).groups()))


@pytest.mark.skipif(read_version() < (0, 7), reason="Neovim 0.7 or newer is not installed")
def test_neovim_jumps_lists_references_renames_and_shows_diagnostics(tmp_path):
    root = write(tmp_path.resolve() / "repository", FILES)
    script, asked, out = tmp_path / "script.lua", tmp_path / "asked.json", tmp_path / "seen.json"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "avionics.cli", "lsp"]
    asked.write_text(json.dumps([str(root), command, str(out)]))
    places = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    environment = {**os.environ, **dict.fromkeys(places, str(tmp_path)), "ASKED": str(asked)}
    environment["AVIONICS_CACHE_DIR"] = str(tmp_path / "cache")
    subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-c", f"luafile {script}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    assert json.loads(out.read_text()) == {
        "definition": ["shop/cart.py:9"],
        "references": ["shop/app.py:1", "shop/app.py:5", "tests/test_cart.py:1", "tests/test_cart.py:5"],
        "renamed": "def start():",
        "diagnostic": "avionics",
    }
