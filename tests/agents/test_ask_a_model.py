"""`avionics ask --model` from the command line to the server and back."""

from __future__ import annotations

import json

import pytest

from avionics.cli.main import main


@pytest.fixture(autouse=True)
def key(tmp_path, monkeypatch):
    """A key in a file; the cache is the test's own."""
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "key"
    file.write_text("sk-secret\n")
    return file


@pytest.mark.parametrize(("api", "path"), [("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")])
def test_a_model_plans_and_answers(api, path, shop, chat_server, key, capsys):
    script = ({"calls": [("locate", {"symbol": "Order"})]}, {"text": "At shop/models.py:11."})
    server = chat_server(*script, *script)
    url = server.url + ("/v1" if api == "openai" else "")
    arguments = ["--repo", str(shop.root), "--model", "m", "--base-url", url, "--api", api, "--key-file", str(key)]
    assert main(["ask", "where is Order?", *arguments]) == 0
    assert capsys.readouterr().out == "At shop/models.py:11.\n"
    assert [request[0] for request in server.requests] == [path, path]
    assert "sk-secret" in str(server.requests[0][1])
    assert main(["ask", "where is Order?", *arguments, "--json", "--explain"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["data"]["citations"] == ["shop/models.py:11"]
    assert "sk-secret" not in json.dumps(document)


def test_a_plan_that_stays_malformed_is_refused_with_the_reasons(shop, chat_server, capsys):
    server = chat_server({"calls": [("rm", {"path": "/"})]})
    assert main(["ask", "x", "--repo", str(shop.root), "--model", "m", "--base-url", server.url]) == 3
    printed = capsys.readouterr().err
    assert "the plan was refused: step c0: there is no tool 'rm'" in printed
    assert "hint: ask again, or without --model" in printed


def test_a_server_that_refuses_is_said(shop, chat_server, key, capsys):
    server = chat_server({"text": "no sk-secret", "status": 401})
    assert (
        main(["ask", "x", "--repo", str(shop.root), "--model", "m", "--base-url", server.url, "--key-file", str(key)])
        == 3
    )
    assert capsys.readouterr().err == "error: 127.0.0.1 refused the key (401)\nhint: check the key\n"
