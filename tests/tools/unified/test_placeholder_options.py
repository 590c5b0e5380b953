"""Tests of questions for environment variables that files of settings take values from: `${NAME:default}`."""

import pytest

from avionics.tools.unified.analyze import analyze

GATE = {
    "src/main/resources/application.yml": "gate:\n  # Guests that may wait at once.\n  queue: ${GATE_QUEUE:50}\n"
    "  bell:\n    enabled: ${GATE_BELL:${BELL_ENABLED:true}}\n    offset: ${GATE_BELL_OFFSET:-5}\n"
    "    hosts: ${GATE_HOST:porch}:${GATE_PORT:7000} # Where the bell rings\n"
    "    # color: ${GATE_COLOR:red}\n",
    "src/main/resources/mail.properties": "LETTER_ROOM=attic\nmail.room=${LETTER_ROOM:cellar}\n"
    "# Letters of one delivery.\nmail.letters = ${LETTER_BATCH:20}\nmail.java=${java.home:none}\n",
    "src/main/resources/reference.conf": "porter {\n  # Pause between two rounds.\n  rounds = 30 minutes\n"
    "  rounds = ${?PORTER_ROUNDS}\n  lamp = ${PORTER_LAMP}\n}\n",
    "docker-compose.yml": "services:\n  gate:\n    image: gate:${GATE_IMAGE_TAG:-stable}\n    environment:\n"
    "      GATE_QUEUE: ${GATE_QUEUE:-90}\n      LADDERS: $${LADDER_COUNT:-3}\n"
    "      KEY: ${GATE_SECRET:?the secret of the gate is missing}\n"
    "    command: |\n      echo ${CHIMNEY_SWEEPS:-4}\n    delay: ${GATE_DELAY:-6}\n",
    "build.toml": '[tasks.fence]\nscript = """\npaint ${FENCE_COATS:-2}\n"""\n'
    '[tasks.hedge]\nrun = "cut ${HEDGE_CUTS:-7}"\nshort = "a ${HEDGE_NAME:0:3}"\n[yard]\ntrees = "${YARD_TREES:-8}"\n',
    ".github/workflows/night.yml": "jobs:\n  owls: ${OWL_COUNT:-9}\n",
    "schema.prisma": 'datasource db {\n  provider = "postgres"\n  url = env("BARN_URL") // not env(BARN_NAME)\n}\n',
    "start.sh": "#!/bin/sh\nWELLS=${WELL_DEPTH:-12}\n",
}
APPLICATION = "src/main/resources/application.yml"


@pytest.mark.parametrize(
    ("question", "name", "place", "default"),
    [
        ("which environment variable limits how many guests are in the queue?", "GATE_QUEUE", f"{APPLICATION}:3", "50"),
        # A default may be another variable with a default of its own.
        ("which variable turns the bell of the gate on?", "GATE_BELL", f"{APPLICATION}:5", "true"),
        # Where a default stands right behind the colon, a dash is its sign.
        ("which environment variable is the offset of the bell?", "GATE_BELL_OFFSET", f"{APPLICATION}:6", "-5"),
        ("environment variable with the port where the bell rings", "GATE_PORT", f"{APPLICATION}:7", "7000"),
        ("env var for how many letters a delivery has", "LETTER_BATCH", "src/main/resources/mail.properties:4", "20"),
        # The line above has the default of a value that a variable replaces.
        ("how long is the pause between rounds, which variable?", "PORTER_ROUNDS", "reference.conf:4", "30 minutes"),
        ("which environment variable is the tag of the image?", "GATE_IMAGE_TAG", "docker-compose.yml:3", "stable"),
        ("which environment variable is the secret of the gate?", "GATE_SECRET", "docker-compose.yml:7", ""),
        ("which environment variable delays the gate?", "GATE_DELAY", "docker-compose.yml:10", "6"),
        ("which environment variable is the URL of the barn?", "BARN_URL", "schema.prisma:3", ""),
        ("which environment variable says how many trees the yard has?", "YARD_TREES", "build.toml:9", "8"),
    ],
)
def test_a_variable_is_declared_where_settings_take_it(workspace, question, name, place, default):
    answer = analyze(workspace(GATE), question)
    first = answer.get_items("options")[0]
    assert (first.name, first.kind, first.default) == (name, "environment variable", default)
    assert f"{first.file}:{first.line}".endswith(place)


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        # A comment sets nothing, and a file's own value is no variable of its environment.
        ("which environment variable is the color of the gate?", "GATE_COLOR"),
        ("which environment variable is the room of the letters?", "LETTER_ROOM"),
        ("which environment variable is the home of Java?", "java.home"),
        # A name without a default may be another value of the file.
        ("which environment variable is the lamp of the porter?", "PORTER_LAMP"),
        # Two dollars stand for one, which is left to the program that is started.
        ("which environment variable is the count of ladders?", "LADDER_COUNT"),
        # Scripts have variables of their own, wherever they stand.
        ("which environment variable is the number of chimney sweeps?", "CHIMNEY_SWEEPS"),
        ("which environment variable is the number of coats of the fence?", "FENCE_COATS"),
        ("which environment variable says how often the hedge is cut?", "HEDGE_CUTS"),
        ("which environment variable is the name of the hedge?", "HEDGE_NAME"),
        ("which environment variable is the count of owls?", "OWL_COUNT"),
        ("which environment variable is the depth of the well?", "WELL_DEPTH"),
    ],
)
def test_what_no_program_reads_from_its_environment_is_not_listed(workspace, question, wrong):
    answer = analyze(workspace(GATE), question)
    listed = [each.name for part in ("options", "other_options") for each in answer.get_items(part)]
    assert wrong not in listed
    assert wrong not in answer.summary


def test_all_variables_of_a_workspace_have_those_of_its_settings(workspace):
    answer = analyze(workspace(GATE), "which environment variables are there?")
    names = [each.name for each in answer.get_items("options")]
    assert "PORTER_ROUNDS" in names
    assert "OWL_COUNT" not in names
