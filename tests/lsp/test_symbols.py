"""Outlines, names of the workspace, and hierarchies."""

from __future__ import annotations

from lsprotocol import types


def outline(found, depth=0):
    for each in found:
        yield "  " * depth + f"{types.SymbolKind(each.kind).name} {each.name} {each.range.start.line + 1}"
        yield from outline(each.children or (), depth + 1)


def test_the_outline_is_a_tree(editor):
    document = types.TextDocumentIdentifier((editor.root / "shop/cart.py").as_uri())
    found = editor.ask("textDocument/documentSymbol", types.DocumentSymbolParams(document))
    assert list(outline(found)) == [
        "Class Base 4",
        "  Method total 5",
        "Class Cart 9",
        "  Method __init__ 12",
        "  Field items 13",
        "  Field limit 14",
        "  Method add 16",
        "  Method total 22",
    ]


def find_names(editor, query):
    """Names of the editor's own folder; the server that tests share has many."""
    found = editor.ask("workspace/symbol", types.WorkspaceSymbolParams(query))
    return [each for each in found if each.location.uri.startswith(editor.root.as_uri())]


def test_names_of_the_workspace_whatever_their_case(editor):
    found = find_names(editor, "listsize")
    assert [(each.name, editor.place(each.location.uri, each.location.range)) for each in found] == [
        ("list_size", "native/list.c:3:4"),
        ("list_size", "native/list.h:1:4"),
    ]
    assert [each.name for each in find_names(editor, "Cart.add")] == ["add"]
    assert find_names(editor, "") == []


def item_at(editor, kind, file, mark):
    params = {"Call": types.CallHierarchyPrepareParams, "Type": types.TypeHierarchyPrepareParams}[kind]
    return editor.ask(f"textDocument/prepare{kind}Hierarchy", params(**editor.at(file, mark)))


def test_who_calls_a_method_and_what_it_calls(editor):
    (add,) = item_at(editor, "Call", "shop/app.py", "cart.a|dd")
    assert (add.name, add.detail) == ("add", "Cart.add, shop/cart.py")
    callers = editor.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(add))
    assert [(each.from_.name, [span.start.line + 1 for span in each.from_ranges]) for each in callers] == [
        ("main", [6]),
        ("test_add", [5]),
    ]
    called = editor.ask("callHierarchy/outgoingCalls", types.CallHierarchyOutgoingCallsParams(add))
    assert [(each.to.name, [span.start.line + 1 for span in each.from_ranges]) for each in called] == [("Money", [18])]


def test_code_outside_of_functions_calls_for_its_file(start):
    editor = start({"a.py": "def f(): ...\n\n\nf()\n"})
    (item,) = item_at(editor, "Call", "a.py", "def |f")
    (caller,) = editor.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(item))
    assert (caller.from_.name, caller.from_.kind) == ("a.py", types.SymbolKind.File)
    assert editor.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(caller.from_)) == []


def test_an_item_is_found_again_after_an_edit(start):
    editor = start()
    editor.open("shop/cart.py")
    (add,) = item_at(editor, "Call", "shop/cart.py", "def ad|d")
    editor.replace("shop/cart.py", "class Base", "# one\n# two\nclass Base")
    assert len(editor.ask("callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(add))) == 2


def test_what_a_name_that_is_no_function_calls(editor):
    assert item_at(editor, "Call", "shop/cart.py", "self.lim|it") == []
    assert item_at(editor, "Type", "shop/cart.py", "def ad|d") == []


def test_classes_above_and_below(editor):
    (cart,) = item_at(editor, "Type", "shop/app.py", "cart = C|art")
    above = editor.ask("typeHierarchy/supertypes", types.TypeHierarchySupertypesParams(cart))
    assert [each.name for each in above] == ["Base"]
    below = editor.ask("typeHierarchy/subtypes", types.TypeHierarchySubtypesParams(above[0]))
    assert [each.name for each in below] == ["Cart"]
    assert editor.ask("typeHierarchy/subtypes", types.TypeHierarchySubtypesParams(cart)) == []
