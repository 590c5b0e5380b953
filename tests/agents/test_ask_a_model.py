"""`avionics ask --model` from the command line to the server and back."""

from __future__ import annotations

import json

import pytest

from avionics.cli.main import main
from avionics.settings import Settings


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


def test_the_environment_can_name_the_model_and_nothing_is_sent_where_it_is_named_away(
    shop, chat_server, monkeypatch, capsys
):
    server = chat_server({"calls": [("locate", {"symbol": "Order"})]}, {"text": "At shop/models.py:11."})
    elsewhere = chat_server({"text": "no idea"})
    monkeypatch.setenv("AVIONICS_MODEL", "m")
    monkeypatch.setenv("AVIONICS_MODEL_URL", server.url + "/v1")
    monkeypatch.setenv("AVIONICS_MODEL_KEY", "sk-env")
    assert main(["ask", "where is Order?", "--repo", str(shop.root)]) == 0
    assert capsys.readouterr().out == "At shop/models.py:11.\n"
    assert [(path, headers["authorization"]) for path, headers, _ in server.requests] == [
        ("/v1/chat/completions", "Bearer sk-env")
    ] * 2
    assert main(["ask", "Order", "--repo", str(shop.root), "--model", ""]) == 0
    assert len(server.requests) == 2
    main(["ask", "Order", "--repo", str(shop.root), "--base-url", elsewhere.url])
    assert [headers.get("authorization") for _, headers, _ in elsewhere.requests] == [None]


def test_an_api_that_nobody_speaks_is_refused(shop, monkeypatch, capsys):
    monkeypatch.setenv("AVIONICS_MODEL_API", "telepathy")
    assert main(["ask", "Order", "--repo", str(shop.root)]) == 2
    assert "AVIONICS_MODEL_API must be openai or anthropic" in capsys.readouterr().err


def test_the_key_is_shown_by_no_settings():
    settings = Settings.from_environment({"AVIONICS_MODEL": "m", "AVIONICS_MODEL_KEY": "sk-env"})
    assert (settings.model, settings.model_key.reveal()) == ("m", "sk-env")
    assert "sk-env" not in repr(settings)
