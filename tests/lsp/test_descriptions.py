"""Hovers, lenses, hints, diagnostics and commands."""

from __future__ import annotations

import pytest
from lsprotocol import types


def test_a_hover_says_signature_documentation_and_usages(editor):
    assert editor.hover("shop/app.py", "cart.a|dd") == (
        "````python\ndef add(self, item, count=1)\n````\n\nPut an item into the cart.\n\n"
        "method `Cart.add` · shop/cart.py:16 · 2 usages in 2 files"
    )


def test_a_hover_is_only_as_sure_as_the_count(editor):
    shown = editor.hover("shop/cart.py", "return wanted\n\n    def tot|al")
    assert shown.endswith("method `Cart.total` · shop/cart.py:22 · at least 0 usages")


def test_a_hover_of_a_local_says_its_type(editor):
    assert editor.hover("shop/app.py", "return c|art") == "variable `cart: Cart`"
    assert editor.hover("shop/cart.py", "Money(it|em)") == "parameter `item`"


def test_a_hover_cannot_leave_its_block(start):
    editor = start({"a.py": 'def f(a="````\x1b[2J"): ...\n\n\nf()\n'})
    shown = editor.hover("a.py", "\n|f()")
    assert shown.count("````") == 2
    assert "\x1b" not in shown


def test_nothing_is_said_of_no_name(editor):
    assert editor.hover("shop/app.py", "\n|\n\ndef main") == ""


def test_lenses_are_worked_out_when_they_come_into_sight(editor):
    document = types.TextDocumentIdentifier((editor.root / "shop/cart.py").as_uri())
    lenses = editor.ask("textDocument/codeLens", types.CodeLensParams(document))
    assert [(each.range.start.line + 1, each.command) for each in lenses] == [
        (4, None), (5, None), (9, None), (12, None), (16, None), (22, None),
    ]  # fmt: skip
    add = editor.ask("codeLens/resolve", lenses[4])
    assert add.command.title == "2 usages in 2 files · 1 test"
    shown = editor.ask(
        "workspace/executeCommand", types.ExecuteCommandParams(add.command.command, add.command.arguments)
    )
    assert shown.startswith("Cart.add (method, shop/cart.py:16): 2 usages in 2 files (1 in tests)")


def test_lenses_can_be_turned_off(start_own):
    editor = start_own({"a.py": "def f(): ...\n"}, options={"codeLenses": False})
    assert editor.initialized.capabilities.code_lens_provider is None


def hints(editor, file):
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    document = types.TextDocumentIdentifier((editor.root / file).as_uri())
    found = editor.ask("textDocument/inlayHint", types.InlayHintParams(document, whole))
    return [(each.position.line + 1, each.position.character, each.label) for each in found]


def test_hints_are_off_unless_they_are_asked_for(editor, start_own):
    assert editor.initialized.capabilities.inlay_hint_provider is None
    other = start_own(options={"inlayHints": True})
    assert hints(other, "shop/app.py") == [(5, 8, ": Cart")]
    other.notify(
        "workspace/didChangeConfiguration", types.DidChangeConfigurationParams({"avionics": {"inlayHints": False}})
    )
    assert hints(other, "shop/app.py") == []


def last_of(editor, file):
    uri = (editor.root / file).as_uri()
    return next((each for each in reversed(editor.published) if each.uri == uri), None)


def test_an_edit_that_breaks_the_syntax_is_an_error_until_it_is_mended(start):
    editor = start({"a.py": "def f():\n    return 1\n"})
    editor.open("a.py")
    editor.wait_for(lambda: (found := last_of(editor, "a.py")) and found.version == 1)
    assert not last_of(editor, "a.py").diagnostics
    editor.replace("a.py", "return 1", "return (1")
    editor.wait_for(lambda: last_of(editor, "a.py").version == 2)
    (found,) = last_of(editor, "a.py").diagnostics
    assert (found.severity, found.source, found.code) == (types.DiagnosticSeverity.Error, "avionics", "syntax")
    editor.replace("a.py", "return (1", "return (1)")
    editor.wait_for(lambda: last_of(editor, "a.py").version == 3)
    assert not last_of(editor, "a.py").diagnostics


def test_what_head_has_too_is_a_notice(start_own, git_repository):
    repository = git_repository({"a.py": "x = (1\ny = 2\n"})
    editor = start_own(folders=[repository.root])
    editor.open("a.py")
    editor.wait_for(lambda: last_of(editor, "a.py"))
    (found,) = last_of(editor, "a.py").diagnostics
    assert found.severity == types.DiagnosticSeverity.Information


def test_diagnostics_go_with_the_document(start):
    editor = start({"a.py": "x = (1\n"})
    editor.open("a.py")
    editor.wait_for(lambda: (found := last_of(editor, "a.py")) and found.diagnostics)
    editor.close_document("a.py")
    editor.wait_for(lambda: not last_of(editor, "a.py").diagnostics)


def run(editor, tool, parameters):
    """What a tool says of the editor's own folder; the server that tests share has many."""
    return run_anywhere(editor, tool, {"uri": editor.root.as_uri(), **parameters})


def run_anywhere(editor, tool, parameters):
    return editor.ask("workspace/executeCommand", types.ExecuteCommandParams(f"avionics.{tool}", [parameters]))


def test_tools_see_what_is_not_saved(start):
    editor = start({"a.py": "def old(): ...\n"})
    editor.open("a.py", "def brand_new(): ...\n")
    assert run(editor, "locate", {"symbol": "brand_new"}).startswith("'brand_new': 1 match by exact name")
    assert "def brand_new" in run(editor, "read_code", {"path": "a.py"})
    assert "brand_new" in run(editor, "locate", {"symbol": "and_ne"})


def test_commands_are_announced_and_say_what_is_wrong(editor):
    commands = editor.initialized.capabilities.execute_command_provider.commands
    assert {"avionics.analyze", "avionics.explore_symbol_usage", "avionics.compare_revisions"} <= set(commands)
    assert run(editor, "locate", {"simbol": "x"}).startswith("error: invalid parameters:")


def test_a_command_asks_which_folder_is_meant(start_own, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"def {name}(): ...\n")
    editor = start_own(folders=[tmp_path / "one", tmp_path / "two"])
    with pytest.raises(Exception, match="name one of the folders"):
        run_anywhere(editor, "locate", {"symbol": "two"})
    uri = (tmp_path / "two").as_uri()
    assert "def two" in run(editor, "locate", {"symbol": "two", "uri": uri})
