"""Go packages: imports, entry points, runners and maps, over real workspaces."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from avionics.index.analysis.module_summary import build_module_map
from avionics.index.entrypoints.discovery import find_entry_points
from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.workspace import Workspace

Open = Callable[..., Workspace]

FILES = {
    "go.mod": "module example.com/shop/v2\n\ngo 1.22\n",
    "cart/cart.go": "// Package cart holds goods.\npackage cart\n\ntype Cart struct{}\n\nfunc (c *Cart) Add() {}\n",
    "cart/new.go": "package cart\n\nfunc New() *Cart { return nil }\n\nfunc hidden() {}\n",
    "cart/cart_test.go": 'package cart\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) { New().Add() }\n',
    "cmd/shop/main.go": (
        'package main\n\nimport (\n\t"net/http"\n\n\t"example.com/shop/v2/cart"\n\t"github.com/gin-gonic/gin"\n'
        '\t"github.com/spf13/cobra"\n)\n\ntype server struct{}\n\nfunc (s *server) index(c *gin.Context) {}\n\n'
        'func main() {\n\ts := &server{}\n\tr := gin.New()\n\tr.GET("/", gin.Logger(), s.index)\n'
        '\tr.POST("/cart", func(c *gin.Context) {\n\t\tcart.New()\n\t})\n\thttp.HandleFunc("/old", old)\n'
        "\tr.Get(name, old)\n}\n\nfunc old(w http.ResponseWriter, r *http.Request) {}\n\nfunc init() {}\n\n"
        'var sell = &cobra.Command{\n\tUse:   "sell [flags]",\n\tRunE:  runSell,\n}\n\n'
        "func runSell(cmd *cobra.Command, args []string) error { return nil }\n"
    ),
}


@pytest.fixture
def opened(workspace: Open) -> Workspace:
    return workspace(FILES)


def test_an_import_of_a_package_leads_to_the_files_whose_names_are_taken(opened: Workspace) -> None:
    (link,) = [link for link in opened.code.imports("cmd/shop/main.go") if link.target]
    assert (link.target, link.module, link.names) == ("cart/new.go", "example.com/shop/v2/cart", ("New",))
    assert opened.code.importers("cart/new.go") == (link,)
    assert opened.code.importers("cart/cart.go") == ()


def test_only_names_behind_that_of_the_package_are_taken_from_it(workspace: Open) -> None:
    files = {
        "go.mod": "module m\n",
        "cart/a.go": "package cart\n\nfunc Open() {}\n",
        "cart/b.go": "package cart\n\nfunc Close() {}\n",
        "one/one.go": 'package one\n\nimport "m/cart"\n\nfunc run(menu Menu) {\n\tcart.Open()\n\tmenu.Close()\n}\n',
        "two/two.go": 'package two\n\nimport . "m/cart"\n\nfunc run() {\n\tClose()\n}\n',
        "six/six.go": 'package six\n\nimport c "m/cart"\n\nfunc run() {\n\tc.\n\t\tClose()\n}\n',
    }
    code = workspace(files).code
    assert [link.file for link in code.importers("cart/a.go")] == ["one/one.go"]
    assert [link.file for link in code.importers("cart/b.go")] == ["six/six.go", "two/two.go"]


def test_files_are_imported_by_the_path_of_their_package(opened: Workspace) -> None:
    assert opened.code.dotted_name("cart/new.go") == "example.com/shop/v2/cart"
    assert opened.code.modules.system_of("cart/new.go").mentions("cart/new.go") == ("cart",)


def test_entry_points_are_mains_routes_and_commands(opened: Workspace) -> None:
    found = find_entry_points(opened.code)
    assert [(e.kind.value, e.name, e.methods, e.definition.line if e.definition else 0) for e in found] == [
        ("script", "shop", (), 15),
        ("command", "sell", (), 35),
        ("route", "/", ("GET",), 13),
        ("route", "/cart", ("POST",), 19),
        ("route", "/old", (), 26),
    ]


def test_what_the_language_and_its_test_runner_call_is_known(opened: Workspace) -> None:
    code = opened.code
    (test,) = code.find_definitions("TestAdd")
    assert code.usages(test).reasons == (Reason(ReasonKind.COLLECTED_TEST),)
    (new,) = code.find_definitions("New")
    assert code.usages(new).certainty is Certainty.EXACT


def test_a_package_offers_its_types_with_their_methods(opened: Workspace) -> None:
    found = build_module_map(opened.code, "cart", 1, opened.source.text)
    assert [(o.name, o.importers, o.members) for o in found.offers] == [("New", 2, ()), ("Cart", 1, ("Add",))]
    assert found.standard == ("testing",)


def test_packages_outside_are_named_by_their_module(opened: Workspace) -> None:
    found = build_module_map(opened.code, "cmd", 1, opened.source.text)
    assert found.standard == ("net/http",)
    assert [link.place for link in found.outside] == ["github.com/gin-gonic/gin", "github.com/spf13/cobra"]


def test_what_functions_from_outside_give_is_from_outside(workspace: Open) -> None:
    text = (
        'package a\n\nimport (\n\t"os"\n\t"slices"\n)\n\ntype File struct{}\n\nfunc (f *File) Close() {}\n\n'
        'func use(all []*File) {\n\tf, _ := os.Open("a")\n\tf.Close()\n\tslices.Max(all).Close()\n}\n'
    )
    code = workspace({"go.mod": "module a\n", "a.go": text}).code
    (close,) = code.find_definitions("File.Close")
    assert [use.line for use in code.usages(close).unresolved] == [15]
