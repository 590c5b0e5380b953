"""Random grants: what a caller is told equals what a fleet without the other repositories would tell."""

from __future__ import annotations

import json
import random
import re

import psycopg
import pytest

from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.catalogue import Catalogue
from avionics.fleet.segments import SegmentStore
from avionics.model.errors import AvionicsError
from avionics.settings import Settings
from avionics.tools.fleet.fleet_tools import FleetTools
from avionics.tools.ids import ToolId

GROUPS = ("red", "green", "blue")
QUESTIONS = {
    "refs": lambda fleet: fleet.ask_usages("pack"),
    "refs of a method": lambda fleet: fleet.ask_usages("Box.put", "shelf"),
    "refs of the secret": lambda fleet: fleet.ask_usages("secret_thing"),
    "locate": lambda fleet: fleet.run(ToolId.LOCATE, {"symbol": "put"}),
    "locate the secret": lambda fleet: fleet.run(ToolId.LOCATE, {"symbol": "secret_thing"}),
    "search": lambda fleet: fleet.run(ToolId.SEARCH_CODE, {"query": "secret thing pack"}),
    "ask": lambda fleet: fleet.answer("who uses secret_thing?"),
    "impact": lambda fleet: fleet.ask_impact(["pack", "secret_thing"]),
    "list": lambda fleet: fleet.list_repositories(),
}
AGE = re.compile(r"\d+ (?:s|min|h) old")


def answers(url: str, bucket: str, groups, settings: Settings) -> dict[str, object]:
    catalogue = Catalogue(url)
    questions = FleetQuestions(catalogue, SegmentStore(bucket), settings)
    fleet = FleetTools(questions, groups, settings)
    found = {}
    for name, ask in QUESTIONS.items():
        try:
            result = ask(fleet)
            data = json.dumps(result.data, sort_keys=True, default=str)
            # How long each step took is no part of the answer.
            data = re.sub(r'"(?:milliseconds|execution_time_ms)": \d+', "", data)
            found[name] = (result.status, AGE.sub("", result.text), AGE.sub("", result.message), data)
        except AvionicsError as error:
            found[name] = (error.code, str(error), error.hint)
    questions.close()
    catalogue.close()
    return found


@pytest.mark.parametrize("seed", range(4))
def test_a_caller_is_told_what_a_fleet_without_the_others_tells(stocked, git_repository, tmp_path, seed, server):
    chance = random.Random(seed)
    secret = {"hidden.py": "from shelf import pack\n\n\ndef secret_thing(): ...\n\n\npack(secret_thing())\n"}
    stocked.run("add", str(git_repository(secret, "more/hidden").root))
    stocked.run("worker", "--drain")
    settings = Settings(cache_directory=tmp_path / "cache")
    for round_number in range(3):
        groups = chance.sample(GROUPS, chance.randint(1, 2))
        with psycopg.connect(stocked.url, autocommit=True) as connection:
            for each in stocked.catalogue.list_repositories():
                given = chance.sample(GROUPS, chance.randint(1, 2))
                connection.execute("UPDATE repositories SET groups = %s WHERE id = %s", (given, each.id))
        visible = {each.name for each in stocked.catalogue.list_repositories(groups)}
        told = answers(stocked.url, str(stocked.bucket), groups, settings)
        stocked.catalogue.close()
        twin = f"twin_{seed}_{round_number}"
        source = re.search(r"/(fleet_\w+)\?", stocked.url)[1]
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {twin}".encode())
            connection.execute(f"CREATE DATABASE {twin} TEMPLATE {source}".encode())
        url = stocked.url.replace(source, twin)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DELETE FROM repositories WHERE NOT name = ANY(%s)", (list(visible),))
        assert told == answers(url, str(stocked.bucket), groups, settings)
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {twin} WITH (FORCE)".encode())
