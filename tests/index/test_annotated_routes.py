"""Routes that annotations of methods and classes declare."""

from __future__ import annotations

from collections.abc import Callable

from avionics.index.entrypoints.discovery import find_entry_points
from avionics.workspace import Workspace

SPRING = """package shop;

import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/items")
class ItemController {
    public static void main(String[] args) { }
    void main(int no) { }

    @GetMapping
    String list() { return ""; }

    @PostMapping(value = "/{id}", consumes = "text/plain")
    String put(@PathVariable int id) { return ""; }

    @RequestMapping(path = {"/a", "b"}, method = {RequestMethod.PUT, RequestMethod.DELETE})
    String both() { return ""; }

    @Override
    public String toString() { return "/no"; }
}
"""
JAX_RS = """package shop;

@Path("/carts")
class Carts {
    @GET
    @Path("{id}")
    String one() { return ""; }

    @POST
    String add() { return ""; }
}
"""


def test_mappings_join_what_class_and_method_say(workspace: Callable[..., Workspace]) -> None:
    opened = workspace({"src/main/java/shop/ItemController.java": SPRING, "src/main/java/shop/Carts.java": JAX_RS})
    found = find_entry_points(opened.code)
    assert [(e.kind.value, e.name, e.methods, e.definition and e.definition.symbol.qualname) for e in found] == [
        ("script", "shop.ItemController", (), "ItemController.main"),
        ("route", "/carts/{id}", ("GET",), "Carts.one"),
        ("route", "/carts", ("POST",), "Carts.add"),
        ("route", "/items", ("GET",), "ItemController.list"),
        ("route", "/items/{id}", ("POST",), "ItemController.put"),
        ("route", "/items/a", ("PUT", "DELETE"), "ItemController.both"),
        ("route", "/items/b", ("PUT", "DELETE"), "ItemController.both"),
    ]
