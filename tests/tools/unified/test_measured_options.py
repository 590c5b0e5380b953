"""Tests of options by what their number measures, and of those that schemas, attributes and usage texts declare."""

import pytest

from avionics.tools.unified.analyze import analyze

DEPOT = {
    "src/depot/settings.py": "class Settings:\n"
    "    max_parcel_size = 500\n    parcel_age_days = 9\n    parcel_limit = 40\n    parcel_backoff_limit = 3\n",
    "src/depot/shelf.py": "def clear(settings, parcels):\n"
    "    while len(parcels) > settings.parcel_limit:\n        parcels.pop(0)\n",
}
HELD = {
    "src/config.rs": "/// What the depot is started with\n#[derive(Parser, Deserialize)]\npub(crate) struct Config {\n"
    "    /// Forget every parcel older than this\n    ///\n    /// [default: 3d]\n"
    "    #[arg(long, value_parser = parse_duration)]\n"
    '    #[serde(default, with = "duration_serde")]\n    parcel_age: Option<Duration>,\n\n'
    "    /// Colour of the labels\n    #[arg(long)]\n    label_colour: Option<String>,\n}\n",
}
PRINTED = {
    "src/depot.h": "struct depot_config {\n\tint c_acceptonly; /* Accept-only mode */\n"
    "\tint c_doors; /* Number of doors */\n};\n",
    "src/depot.c": '#include "depot.h"\nvoid usage(void)\n{\n'
    '\tfprintf(stderr, "-a       Accept-only mode\\n");\n'
    '\tfprintf(stderr, "-o file  Write the parcels to a file.\\n");\n}\n'
    "int main(int argc, char **argv)\n{\n\tswitch (getopt(argc, argv, \"ao:\")) {\n\tcase 'a':\n"
    "\t\treturn 1;\n\t}\n\treturn 0;\n}\n",
}
SCHEMAS = {
    "depot/config/schema.yaml": "type: object\nproperties:\n    parcel_rate:\n        type: integer\n"
    "        description: |\n            Parcels that leave the depot\n            in an hour.\n        default: 12\n"
    "    doors:\n        type: object\n        properties:\n            stay_open:\n                type: boolean\n"
    "                description: Whether doors remain open at night. Defaults to false.\n",
    "schema/labels.json": '{\n  "title": "Configuration of the labels",\n  "properties": {\n    "inkColour": {\n'
    '      "type": "string",\n      "description": "The colour of the ink on a label.",\n      "default": "black"\n'
    "    }\n  }\n}\n",
    "api/schema.json": '{\n  "openapi": "3.0.0",\n  "properties": {\n    "courierName": {\n      "type": "string",\n'
    '      "description": "Who carries the parcel of the order."\n    }\n  }\n}\n',
    "depot/main.py": "import yaml\n\n\ndef load(path):\n    return yaml.safe_load(open(path))\n",
}


def list_options(workspace, files, question):
    """Return the options that an answer lists, likeliest first."""
    found = analyze(workspace(files), question)
    return [each for part in ("options", "other_options") for each in found.get_items(part)]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which setting controls how many parcels are kept?", "parcel_limit"),
        ("which option limits the number of parcels?", "parcel_limit"),
        ("which setting is the size of a parcel?", "max_parcel_size"),
        ("which setting says how long a parcel is kept?", "parcel_age_days"),
    ],
)
def test_a_number_of_the_measure_that_is_asked_for_comes_first(workspace, question, name):
    assert [each.name for each in list_options(workspace, DEPOT, question)][:1] == [name]


THROTTLED = {
    "src/gate.h": "struct gate_options {\n\tint gate_count; /* number of gates */\n"
    "\tint gate_ratelimit; /* max qps for one depot, 0 is nolimit */\n\tint gate_prefix; /* 2x gate */\n};\n"
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How can I limit how many answers one depot gets per second?", "gate_ratelimit"),
        ("which setting is the number of gates?", "gate_count"),
    ],
)
def test_answers_in_a_second_are_a_rate(workspace, question, name):
    options = list_options(workspace, THROTTLED, question)
    assert options[0].name == name
    assert not any(each.help.endswith("*/") for each in options)


def test_a_flag_may_have_several_attributes(workspace):
    first = list_options(workspace, HELD, "which flag controls how long parcels stay valid?")[0]
    assert (first.kind, first.name, first.line, first.default) == ("flag", "--parcel-age", 9, "3d")


def test_a_flag_leads_where_a_field_has_the_same_description(workspace):
    found = list_options(workspace, PRINTED, "which option makes it only accept parcels?")
    assert [(each.kind, each.name) for each in found][:2] == [("flag", "-a"), ("setting", "c_acceptonly")]


@pytest.mark.parametrize(
    ("question", "name", "place", "default"),
    [
        ("which setting is the rate of parcels per hour?", "parcel_rate", ("depot/config/schema.yaml", 3), "12"),
        ("which setting keeps doors open at night?", "doors.stay_open", ("depot/config/schema.yaml", 12), "false"),
        ("which option sets the colour of the ink?", "inkColour", ("schema/labels.json", 4), "black"),
    ],
)
def test_schemas_of_configurations_declare_settings(workspace, question, name, place, default):
    first = list_options(workspace, SCHEMAS, question)[0]
    assert (first.name, (first.file, first.line), first.default) == (name, place, default)


READ_BY_KEY = {
    "schema/labels.json": '{\n  "title": "Configuration of the labels",\n  "properties": {\n    "spool": {\n'
    '      "type": "integer",\n      "description": "How many labels a roll keeps."\n    }\n  }\n}\n',
    "src/roll.py": "def wind(roll):\n    if roll.spool() > 3:\n        return roll.spool()\n    return 0\n",
    "src/load.py": "def load(given, context):\n    labels = {}\n"
    "    labels['kept'] = given.optional('spool', context)\n    return labels\n",
}


def test_a_setting_is_read_where_its_key_is_a_string_and_what_reads_it_is_no_default(workspace):
    answer = analyze(workspace(READ_BY_KEY), "which setting says how many labels a roll keeps?")
    assert [(each.file, each.line) for each in answer.get_items("lines")][:1] == [("src/load.py", 3)]
    options = [each for part in ("options", "other_options") for each in answer.get_items(part)]
    assert options[0].name == "spool"
    assert {each.default for each in options} == {""}


def test_schemas_of_interfaces_declare_none(workspace):
    found = list_options(workspace, SCHEMAS, "which setting names who carries a parcel?")
    assert "courierName" not in [each.name for each in found]


WORDED = {
    "src/settings.ts": "export interface DepotSettings {\n  suppressSweepAllFoldersConfirmationModal: boolean\n"
    "  foldersToIgnore: string[]\n  destdir: string\n  clickToExit: boolean\n}\n",
    "docs/config.md": "# Configuration\n\nkey | meaning\n:-|:-\n"
    "haul | a command that replaces the usual transport of parcels\n"
    "\nUse cat parcels | grep haul to see them, or haul | sort -u.\n",
    "src/haul.ts": "export interface HaulOptions {\n  haul?: string\n}\n",
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which setting keeps folders from being swept?", "foldersToIgnore"),
        ("which option puts the parcels into another folder?", "destdir"),
        ("which option closes it when I click somewhere else?", "clickToExit"),
    ],
)
def test_options_are_known_by_what_people_say_in_several_words(workspace, question, name):
    assert name in [each.name for each in list_options(workspace, WORDED, question)][:2]


def test_a_name_that_is_mostly_about_something_else_is_not_named_alone(workspace):
    answer = analyze(workspace(WORDED), "which setting suppresses that it sweeps all folders?")
    assert not answer.summary.startswith("most likely")


def test_rows_of_tables_need_no_bar_before_the_name(workspace):
    first = list_options(workspace, WORDED, "which option replaces the usual transport of parcels?")[0]
    assert (first.name, first.help) == ("haul", "a command that replaces the usual transport of parcels")


KEYED = {
    "config/settings.go": "package config\n\nvar defaultSettings = map[string]any{\n"
    '\t"sweepdoors": true,\n\t"labelink": "black",\n\t"shelfdepth": float64(4),\n\t"opengate": false,\n'
    '\t"lampcolour": "red",\n}\n',
    "depot/open.go": "package depot\n\nfunc Open(b *Shelf) int {\n"
    '\tdepth := int(b.Settings["shelfdepth"].(float64))\n\treturn depth\n}\n',
    "help/options.md": "# Options\n\n* `shelfdepth`: how many parcels are behind each other on a shelf.\n\n"
    "* `lampcolour`: the colour of the lamp at the entrance.\n",
}


@pytest.mark.parametrize(
    ("question", "place"),
    [
        (
            "which option sets how many parcels are behind each other on a shelf?",
            ("shelfdepth", "config/settings.go", 6),
        ),
        ("which option sets the colour of the lamp at the entrance?", ("lampcolour", "config/settings.go", 8)),
    ],
)
def test_all_keys_of_a_literal_with_settings_are_declared_there(workspace, question, place):
    first = list_options(workspace, KEYED, question)[0]
    assert (first.name, first.file, first.line) == place


DESCRIBED = {
    "src/types.ts": "export interface HaulOptions {\n"
    "  /** If the delay of a haul is greater than this, the gate is closed. */\n  maxHaulAfter?: number\n"
    "  /** The number of times that a haul is made. */\n  limit?: number\n}\n",
}


def test_descriptions_say_what_a_number_measures(workspace):
    found = list_options(workspace, DESCRIBED, "which option limits the number of hauls?")
    assert [each.name for each in found][:2] == ["limit", "maxHaulAfter"]
