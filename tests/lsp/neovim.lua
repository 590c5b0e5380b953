-- Opens a file in Neovim with the language server: jumps, lists references, renames, and breaks the file.
-- $ASKED names a JSON file: root, command, out (where the findings go), file, at and renamed_at (line from 1, column
-- from 0), name (the new one), broken (a line that no grammar takes).
local asked = vim.json.decode(table.concat(vim.fn.readfile(os.getenv("ASKED"))))
local root, seen = asked.root, {}

local function wait(condition)
  assert(vim.wait(300000, condition, 20), "it did not come")
end

local function ask(client, method, more)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  for name, value in pairs(more or {}) do
    params[name] = value
  end
  local answer = assert(vim.lsp.buf_request_sync(0, method, params, 300000))
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
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. asked.file))
  local id = vim.lsp.start_client({ name = "avionics", cmd = asked.command, root_dir = root })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  wait(function() return client.initialized end)
  vim.api.nvim_win_set_cursor(0, asked.at)
  seen.definition = places(ask(client, "textDocument/definition"))
  seen.references = places(ask(client, "textDocument/references", { context = { includeDeclaration = false } }))
  vim.api.nvim_win_set_cursor(0, asked.renamed_at)
  local edit = ask(client, "textDocument/rename", { newName = asked.name })
  vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  seen.renamed = {}
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      if line:find(asked.name, 1, true) then
        table.insert(seen.renamed, vim.api.nvim_buf_get_name(buffer):sub(#root + 2) .. ":" .. number)
      end
    end
  end
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { asked.broken })
  wait(function() return #vim.diagnostic.get(0) > 0 end)
  seen.diagnostic = vim.diagnostic.get(0)[1].source
end

local ok, fault = pcall(main)
seen.fault = not ok and tostring(fault) or nil
vim.fn.writefile({ vim.json.encode(seen) }, asked.out)
vim.cmd("qall!")
