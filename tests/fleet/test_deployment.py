"""The examples of deployment: their commands exist, their variables are read, and their parts fit together."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
import yaml

from avionics.cli.shell.group import group as cli
from avionics.settings import __file__ as settings_file

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
OBJECTS = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))
BY_KIND = {(each["kind"], each["metadata"]["name"]): each for each in OBJECTS}


def pods():
    return {name: each["spec"]["template"] for (_, name), each in BY_KIND.items() if "template" in each.get("spec", {})}


def commands():
    yield from (each["command"] for each in COMPOSE["services"].values() if "command" in each)
    for pod in pods().values():
        yield from (each["args"] for each in pod["spec"]["containers"] if "args" in each)


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_is_one(words):
    command, rest = cli, list(words)
    context = click.Context(cli)
    while isinstance(command, click.Group):
        name = rest.pop(0)
        command = command.get_command(context, name)
        assert command is not None, name
    command.make_context(" ".join(words), rest)


def test_every_variable_is_read():
    known = Path(settings_file).read_text("utf-8")
    given = {name for each in COMPOSE["services"].values() for name in each.get("environment", ())}
    given |= set(BY_KIND["Secret", "avionics"]["stringData"])
    given |= set(re.findall(r"^ENV (\w+)=", (DEPLOY / "Dockerfile").read_text("utf-8"), re.M))
    ours = {name for name in given if name.startswith("AVIONICS_")}
    assert {"AVIONICS_FLEET", "AVIONICS_TOKEN", "AVIONICS_WEBHOOK_SECRET", "AVIONICS_FORGE_TOKENS"} <= ours
    assert not [name for name in ours if f'"{name}"' not in known]


def test_there_are_a_database_two_workers_and_a_server():
    services = COMPOSE["services"]
    assert services["worker"]["deploy"]["replicas"] == 2
    assert all(name in services for each in services.values() for name in each.get("depends_on", ()))
    used = {each.partition(":")[0] for one in services.values() for each in one.get("volumes", ())}
    assert used == set(COMPOSE["volumes"])
    assert BY_KIND["Deployment", "avionics-worker"]["spec"]["replicas"] == 2
    assert {("StatefulSet", "postgres"), ("Deployment", "avionics-server"), ("Job", "avionics-init")} <= set(BY_KIND)


def test_selectors_volumes_and_secrets_fit():
    labels = [pod["metadata"]["labels"] for pod in pods().values() if "metadata" in pod]
    for each in OBJECTS:
        spec = each.get("spec", {})
        selector = spec.get("selector", {}).get("matchLabels") or spec.get("selector")
        assert selector is None or selector in labels
    for name, pod in pods().items():
        claims = BY_KIND.get(("StatefulSet", name), {}).get("spec", {}).get("volumeClaimTemplates", ())
        volumes = {each["name"] for each in pod["spec"].get("volumes", ())} | {
            each["metadata"]["name"] for each in claims
        }
        for container in pod["spec"]["containers"]:
            assert {each["name"] for each in container.get("volumeMounts", ())} <= volumes
            secrets = [each["secretRef"]["name"] for each in container.get("envFrom", ())]
            assert set(secrets) <= {"avionics"}


def test_the_probes_are_what_the_server_answers():
    (server,) = pods()["avionics-server"]["spec"]["containers"]
    from avionics.mcp.transports import http

    text = Path(http.__file__).read_text("utf-8")
    for probe in ("livenessProbe", "readinessProbe"):
        assert f'"{server[probe]["httpGet"]["path"]}"' in text
        assert server[probe]["httpGet"]["port"] == int(server["args"][-1])


def test_only_examples_stand_for_secrets():
    assert set(BY_KIND["Secret", "avionics"]["stringData"].values()) <= {
        "replace-me", "", "postgresql://avionics:replace-me@postgres/avionics",
    }  # fmt: skip
