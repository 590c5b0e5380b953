"""Tests of questions for options in the words of strangers: what is listed where none leads, and what is not."""

import pytest

from avionics.tools.unified.analyze import analyze

RELAY = {
    "src/relay/settings.py": "class Settings:\n"
    "    hold_minutes = 30\n    keep_partial = False\n    spool_dir = '/var/spool'\n"
    "    retry_minutes = 10\n    retry_attempts = 5\n    ban_minutes = 60\n",
    "src/relay/mail.py": "def deliver(settings, mail):\n    for _ in range(settings.retry_attempts):\n"
    "        if mail.send():\n            return True\n    return False\n\n\n"
    "def pause(settings):\n    return settings.retry_minutes * 60\n",
    "man/relay.conf.5.tmpl": ".TP\n.B hold_minutes\nTime for which messages of unknown senders stay in quarantine.\n",
    "docs/configuration.md": "# Configuration\n\n"
    " * **ban_minutes:** Number (default = 60) How long a host is refused after too many failures.\n",
    "relay.settings.toml": "# Whether an interrupted transfer remains on the disk.\n# keep_partial = false\n",
}


def list_names(workspace, question, files=RELAY):
    """Return the names of the options that an answer lists, likeliest first."""
    found = analyze(workspace(files), question)
    return [each.name for part in ("options", "other_options") for each in found.get_items(part)]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which setting says how long messages are in quarantine?", "hold_minutes"),
        ("which setting refuses hosts after too many failures?", "ban_minutes"),
        ("which setting keeps an interrupted transfer on the disk?", "keep_partial"),
    ],
)
def test_templates_of_manuals_samples_and_lists_with_bold_names_describe_options(workspace, question, name):
    assert list_names(workspace, question)[:1] == [name]


def test_where_two_options_fit_alike_neither_is_named_alone(workspace):
    answer = analyze(workspace(RELAY), "which setting controls when it retries?")
    assert answer.summary.startswith("perhaps the ")
    assert "nearly as well" in answer.summary
    assert {each.name for each in answer.get_items("options")} >= {"retry_attempts", "retry_minutes"}
    assert {(each.file, each.line) for each in answer.get_items("lines")} == {
        ("src/relay/mail.py", 2),
        ("src/relay/mail.py", 9),
    }


def test_a_label_of_code_is_no_option(workspace):
    signals = " Q_SIGNALS:\n  // Emitted when the crossfade of a duration begins\n  void FadeBegins();\n"
    files = {f"src/{name}.h": f"class {name} {{\n public:\n  {name}();\n\n{signals}}};\n" for name in ("A", "B")}
    assert "Q_SIGNALS" not in list_names(workspace, "which setting controls the crossfade duration?", files)


def test_an_option_that_has_most_of_the_words_and_leads_is_named_alone(workspace):
    answer = analyze(workspace(RELAY), "which setting is the directory of the spool?")
    assert answer.summary.startswith("most likely the setting spool_dir (src/relay/settings.py:4)")


@pytest.mark.parametrize(
    "wish",
    ["limit how many attempts it makes to send a mail", "nobody should be able to see how many attempts a mail takes"],
)
def test_what_the_program_shall_do_lists_options_although_code_has_the_words(workspace, wish):
    assert "retry_attempts" in list_names(workspace, wish)


def test_a_flag_and_the_variable_in_its_attribute_are_one_option(workspace):
    files = {
        "src/cli.rs": "#[derive(Parser)]\npub struct Options {\n    /// Sender of the letters.\n"
        '    #[clap(long, env = "POST_LETTER_SENDER")]\n    pub letter_sender: Option<String>,\n\n'
        '    /// Sender of the bills.\n    #[clap(long, env = "POST_BILL_SENDER")]\n'
        "    pub bill_sender: Option<String>,\n}\n",
    }
    answer = analyze(workspace(files), "which option is the sender?")
    names = sorted(each.name for each in answer.get_items("options"))
    assert names == ["--bill-sender", "--letter-sender"]


@pytest.mark.parametrize(
    "question",
    [
        "deliver returns False although the mail was sent",
        "where is a mail sent?",
        "the parser crashes when a line is empty",
    ],
)
def test_what_the_code_does_lists_no_options(workspace, question):
    assert list_names(workspace, question) == []


GATE = {
    "gate/settings.py": "class Settings:\n"
    "    # Seconds between two attempts of a guest with an incorrect password.\n    reentry_delay = 3\n"
    "    # Folder of the letters of the guests.\n    letter_path = '/var/letters'\n"
    "    # Command that runs behind each visit.\n    guest_hook = ''\n"
    "    # Second look at each POST request of a guest.\n    two_steps = False\n",
    "gate/report.py": "def report(conf):\n    limit = conf.get('reports', 'max_rows')\n"
    "    if limit < 0:\n        raise ValueError('bad report, wrong password of a guest')\n",
    "docs/configuration.md": "# Configuration\n\n## Doors\n\nA guest who rings twice waits for the porter.\n",
    "gate/doors.py": "def enter(porter):\n    doors = 'doors'\n    return porter.open(doors)\n",
    "src/config.ts": "export const env = z.object({\n  MAX_LETTER_SIZE: z.coerce.number().default(50),\n});\n"
    "export const config = {\n    maxLetterSize: val.MAX_LETTER_SIZE,\n};\n",
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        # What a sentence only hints at need not be there: hooks are programs that are run, and paths where things are.
        ("run a command behind each visit", "guest_hook"),
        ("which setting says where the letters of the guests are stored?", "letter_path"),
        ("how long is the pause after a wrong password?", "reentry_delay"),
        # An abbreviation in capitals is a plain word, and people of any kind wish.
        ("somebody has to look at each POST request again", "two_steps"),
        ("which property is the folder of the letters?", "letter_path"),
    ],
)
def test_wishes_and_questions_list_the_option_first(workspace, question, name):
    found = analyze(workspace(GATE), question)
    assert [each.name for part in ("options", "other_options") for each in found.get_items(part)][:1] == [name]


def test_the_line_that_only_passes_a_variable_on_is_not_its_declaration(workspace):
    found = analyze(workspace(GATE), "which setting limits the size of a letter?").get_items("options")[0]
    assert (found.name, found.line, found.default) == ("MAX_LETTER_SIZE", 2, "50")


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        # A message of the next statement says nothing about an option, nor does a heading of one word name one.
        ("which setting is about a wrong password in a bad report?", "reports.max_rows"),
        ("which setting says that a guest who rings twice waits for the porter?", "Doors"),
    ],
)
def test_messages_and_headings_describe_no_option(workspace, question, wrong):
    answer = analyze(workspace(GATE), question)
    assert wrong not in answer.summary
    assert all("bad report" not in each.help for each in answer.get_items("options"))


AGES = {
    "post/settings.py": "class Settings:\n    # Of a visit.\n    visit_ttl = 30\n"
    "    # Days after which a letter is renewed.\n    letter_days = 5\n"
    "    # Of a guest.\n    guest_expiry_age = 7\n",
}


def test_a_word_of_an_option_counts_for_one_word_of_the_question(workspace):
    answer = analyze(workspace(AGES), "which setting says how old an expired letter may be?")
    assert "visit_ttl" not in answer.summary


def test_two_words_of_an_option_count_for_two_words_of_one_meaning(workspace):
    answer = analyze(workspace(AGES), "which setting says how old an expired guest may be?")
    assert answer.summary.startswith("most likely the setting guest_expiry_age")


_FLAG = (
    "options = [\n    {\n        'long': 'output-folder',\n        'default': 'new_site',\n"
    "        'help': 'Where it is.',\n    },\n]\n"
)
_READS = "def build(site):\n    return site.config['OUTPUT_FOLDER']\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"importing.py": _FLAG, "building.py": _READS}, "perhaps"),
        ({"importing.py": _FLAG}, "most likely"),
        ({"importing.py": f"{_FLAG}{_READS}"}, "most likely"),
    ],
)
def test_a_flag_and_a_setting_in_capitals_elsewhere_may_be_two_options(workspace, files, said):
    answer = analyze(workspace(files), "which option sets the output folder")
    assert answer.summary.partition(" the ")[0] == said
    assert next(each.name for each in answer.get_items("options")).endswith("output-folder")


@pytest.mark.parametrize(("name", "document"), [("conf.py.in", "conf.py.in:2"), ("conf.py", "")])
def test_a_program_of_settings_that_is_copied_describes_them(workspace, name, document):
    files = {
        name: "# Where pages are written.\n# PAGES_FOLDER = 'out'\n",
        "build.py": "folder = config['PAGES_FOLDER']\n",
    }
    answer = analyze(workspace(files), "which option says where pages are written")
    assert document in answer.summary
    assert bool(document) is ("described at" in answer.summary)


KIOSK = {
    "bin/kiosk": "#!/usr/bin/env node\n\nconst usage = [\n  '  -d --door-port   Port on which the door listens',\n]\n",
    "bin/leaflet": "  --leaf-port   Port on which the leaflets are served\n",
    "kiosk/defaults.py": 'SETTINGS = {\n    "word-separator": "-",\n    "date-mark": True,\n'
    '    "heartbeat_seconds": 30,\n    "wall_seconds": 9,\n    "disconnect_guests": False,\n'
    '    "silent_guests": 3,\n    "allow-iframe": False,\n'
    '    "leaflet-size": 5,\n    "others_wall": 7,\n}\n',
    "docs/settings.rst": ".. kiosk-config:: word-separator\n    :type: str\n\n"
    "    The mark between the words of a folder, by default a hyphen.\n\n"
    ".. kiosk-config:: date-mark\n\n    Timestamp of a leaflet.\n\n"
    ".. kiosk-config:: leaflet-size\n\n    Size of a leaflet.\n\n"
    ".. kiosk-config:: heartbeat_seconds\n\n    Seconds between two signs of life of a wall.\n\n"
    ".. kiosk-config:: wall_seconds\n\n    Seconds for which a wall is shown.\n\n"
    ".. kiosk-config:: disconnect_guests\n\n    What happens to silent guests.\n\n"
    ".. kiosk-config:: silent_guests\n\n    Number of a screen.\n\n"
    ".. kiosk-config:: allow-iframe\n\n    Where others may show a wall.\n\n"
    ".. kiosk-config:: others_wall\n\n    Number of a wall.\n\n"
    ".. kiosk-list:: paper\n\n    Folder of the paper of the leaflets with hyphens.\n",
}


@pytest.mark.parametrize(
    ("question", "name", "file"),
    [
        ("which flag is for the port of the door?", "--door-port", "bin/kiosk"),
        ("folders come out with hyphens between the words. which setting?", "word-separator", "kiosk/defaults.py"),
        ("which setting is for the moment of a leaflet?", "date-mark", "kiosk/defaults.py"),
        ("which setting is for the pings of a wall?", "heartbeat_seconds", "kiosk/defaults.py"),
        ("which setting hangs up on silent guests?", "disconnect_guests", "kiosk/defaults.py"),
        ("which setting lets others embed a wall?", "allow-iframe", "kiosk/defaults.py"),
    ],
)
def test_options_of_scripts_without_a_suffix_and_of_a_projects_own_directives_are_found(
    workspace, question, name, file
):
    first = analyze(workspace(KIOSK), question).get_items("options")[0]
    assert (first.name, first.file) == (name, file)


def test_what_is_no_program_and_a_directive_for_something_else_declare_no_options(workspace):
    for question in ("which flag is for the port of the leaflets?", "which setting is for the paper of the leaflets?"):
        answer = analyze(workspace(KIOSK), question)
        listed = {each.name for part in ("options", "other_options") for each in answer.get_items(part)}
        assert listed.isdisjoint({"--leaf-port", "paper"})


LANTERN = {
    "src/options.c": "static const struct entry entries[] = {\n"
    '    [310] = {"write-mark-path"  , NAMED_STRING(mark, "PATH")  , "Write the mark of the process to a file."},\n'
    '    [311] = {"lamp-delay"       , INTEGER(delay, 0, INT_MAX)  , "Seconds until the lamp is lit."},\n};\n'
    "void check(int limit) {\n"
    '  if (limit < 0)\n    log_warn("--lamp-limit is not a number of lamps");\n}\n',
    "man/lantern.1.adoc": "*--write-mark-path* _PATH_::\n\tWrite the mark of the process to a file.\n\n"
    "*--lamp-colors* _VALUE_::\n\tColors of the lamp. Defaults to 7.\n",
    "doc.md": "# Lantern\n\n### dusk_minutes (int)\n\nMinutes between two looks at the sky.\n",
    "README.md": "# Lantern\n\nA lantern.\n",
    "src/sky.c": "struct sky {\n  int dusk_minutes;\n};\n"
    'const char *where(void) {\n  return or(\n    getenv("PATH"),\n    getenv("LANTERN_CONFIG_HOME"));\n}\n',
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which flag writes the mark of the process to a file?", "write-mark-path"),
        ("how long until the lamp is lit, which flag?", "lamp-delay"),
        ("which setting is for the minutes between two looks at the sky?", "dusk_minutes"),
        ("which environment variable moves the config directory?", "LANTERN_CONFIG_HOME"),
    ],
)
def test_tables_of_macros_manuals_and_the_words_for_files_lead_to_options(workspace, question, name):
    assert analyze(workspace(LANTERN), question).get_items("options")[0].name == name


def test_a_message_about_a_flag_and_the_next_term_of_a_manual_say_nothing_of_an_option(workspace):
    found = analyze(workspace(LANTERN), "which flag writes the mark of the process to a file?").get_items("options")[0]
    assert found.default == ""
    limits = analyze(workspace(LANTERN), "which flag is for the number of lamps?")
    listed = {each.name for part in ("options", "other_options") for each in limits.get_items(part)}
    assert "--lamp-limit" not in listed


def test_a_type_in_quotes_is_no_variable_that_a_function_for_the_environment_reads(workspace):
    files = {
        "lamp.py": 'def show_env_file(lamp: "LampApp"):\n    """Show the environment of the lamp in a dialog."""\n'
        '    return lamp.env.get("LAMP_HOME")\n'
    }
    answer = analyze(workspace(files), "where are environment variables loaded from the dialog?")
    listed = [each.name for part in ("options", "other_options") for each in answer.get_items(part)]
    assert "LampApp" not in listed


def test_a_key_of_a_framework_s_configuration_is_an_option_that_no_code_declares(workspace):
    files = {
        "src/main/resources/application.properties": "# How long files are cached\nspring.web.cache.max-age=12h\n",
        "src/main/resources/messages.properties": "# How long files are cached\ncache.age=Age\n",
        "src/App.java": "class App { void run() {} }\n",
    }
    (option,) = analyze(workspace(files), "which setting controls how long files are cached").get_items("options")
    assert (option.name, option.default, option.line) == ("spring.web.cache.max-age", "12h", 2)


def test_the_help_of_a_call_in_a_chain_may_stand_on_the_next_lines_and_messages_declare_no_flag(workspace):
    declared = (
        'fn build() {\n    Command::new()\n        .arg(\n            Arg::new("warm")\n                .long("warm")\n'
        '                .help(\n                    "Perform some runs before \\\n'
        '                     the measured ones.",\n'
        "                ),\n        )\n}\n"
    )
    told = "fn hint() -> &str {\n    \"You are already using the '--warm' option before the measured runs\"\n}\n"
    opened = workspace({"src/cli.rs": declared, "src/hints.rs": told})
    options = analyze(opened, "which option performs some runs before the measured ones").get_items("options")
    assert [(each.file, each.line) for each in options][:1] == [("src/cli.rs", 4)]
    assert "src/hints.rs" not in {each.file for each in options}


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("App.java", '    Owner find(@PathVariable(name = "ownerId") int id) { return null; }'),
        ("App.java", '    @JoinTable(name = "owners", joinColumns = @JoinColumn(name = "owner_id")) Set<Owner> all;'),
        ("page.html", '<table id="owners" class="wide"><script>run()</script></table>'),
    ],
)
def test_annotations_of_routes_and_tables_and_plain_tags_declare_no_option(workspace, file, line):
    text = f"class App {{\n{line}\n}}\n" if file == "App.java" else f"{line}\n"
    assert not analyze(workspace({file: text}), "which setting controls the owners").get_items("options")


def test_one_bit_of_a_state_is_less_likely_an_option_than_a_word_that_users_write(workspace):
    files = {
        "view.h": "#define VIEW_WINDOW_GAP 0x020\n#define VIEW_ENABLE_GAP 0x100\n",
        "message.c": '#define COMMAND_CONFIG_WINDOW_GAP "window_gap"\n',
    }
    first = analyze(workspace(files), "which option sets the window gap").get_items("options")[0]
    assert first.name == "COMMAND_CONFIG_WINDOW_GAP"


def test_a_getter_in_the_file_that_declares_an_option_is_no_second_declaration(workspace):
    files = {
        "config.go": 'package config\nvar options = map[string]*v{\n\t"POLL_MINUTES": {\n\t\tdefault: 60,\n\t},\n}\n'
        'func (c *config) PollMinutes() int {\n\treturn c.options["POLL_MINUTES"].number\n}\n',
        "docs/configuration.md": "# Options\n\n- `POLL_MINUTES`: how often feeds are polled\n",
    }
    answer = analyze(workspace(files), "which option sets how often feeds are polled")
    assert [(each.name, each.line) for each in answer.get_items("options")] == [("POLL_MINUTES", 3)]


@pytest.mark.parametrize(
    ("files", "question"),
    [
        # A constant in capitals is no option that users set, nor is a field that nothing describes.
        (
            {"log.h": "enum levels {\n    LREMOVESEMI = 60, /* remove semicolons */\n};\n"},
            "which setting removes semicolons?",
        ),
        ({"post/app.py": "class Post:\n    letter_pin: str = '1'\n"}, "which flag is the pin of a letter?"),
        ({"post/edge.py": "class Edge:\n    depth_difference: int\n"}, "which option tells the depth difference?"),
    ],
)
def test_only_what_users_set_is_called_the_likeliest_option(workspace, files, question):
    assert not analyze(workspace(files), question).summary.startswith("most likely")


DECLARED = {
    "cli/args.py": "import argparse\n\nparser = argparse.ArgumentParser()\n"
    'parser.add_argument("-n", "--max-rows", type=int, default=50,\n'
    '                    help="print at most that many lines of a table")\n',
    "cli/program.ts": "program\n  .option('-p, --port <number>', 'where visitors are served', '8080')\n"
    "  .option('--no-color', 'print without colours')\n  .addOption(new Option('--level <x>').default('info'));\n",
    "cli/Options.java": "class Options {\n"
    '    @Option(names = {"-o"}, description = "File the report is written to", defaultValue = "out.txt")\n'
    "    File output;\n\n"
    '    private static final String BASE = "database";\n\n    /** The key for shrinking at the end. */\n'
    '    private static final String PARAM_COMPACT = BASE + ".compact";\n\n'
    '    void build() {\n        all.addOption("v", "chatty", false, "tell about every step");\n    }\n}\n',
    "lib/config.ts": "export interface Config {\n\tbanTime: number; // for how long visitors stay banned\n"
    "\tcacheDir: string;\n}\n\nexport const schema = z.object({\n"
    '  maxUploads: z.number().default(5).describe("Uploads at the same time"),\n});\n',
    "src/conf.c": "void read(void) {\n"
    '    item = gate_config_get(config, general, gate_item, "linger_limit"); /* for how long idle peers linger */\n}\n',
    "gate.conf": "# Specify the largest number of tabs that may be open\n# MaxTabs of 0 means that there is no limit.\n"
    "#MaxTabs <number>\n\n# Tabs close_all at once.\n",
}


@pytest.mark.parametrize(
    ("question", "name", "default"),
    [
        ("which flag controls how many lines of a table are printed?", "--max-rows", "50"),
        ("which flag says where visitors are served?", "--port", "'8080'"),
        ("which flag prints without colours?", "--no-color", ""),
        ("which property is for shrinking at the end?", "database.compact", ""),
        ("which flag tells about every step?", "chatty", ""),
        ("which setting says for how long visitors stay banned?", "banTime", ""),
        ("which setting limits the uploads at the same time?", "maxUploads", "5"),
        ("which setting says how long idle peers linger?", "linger_limit", ""),
        ("which setting limits the number of open tabs?", "MaxTabs", ""),
    ],
)
def test_options_are_named_described_and_defaulted_by_their_own_declaration(workspace, question, name, default):
    found = analyze(workspace(DECLARED), question).get_items("options")
    assert [(each.name, each.default) for each in found[:1]] == [(name, default)]


SHOP = {
    "shop/Args.java": "class Args {\n    Option size() {\n"
    '        return new Option(null, "basket-size", true, "Goods in a basket");\n    }\n\n'
    '    Option silent() {\n        return new Option("q", false, "print nothing of what is sold");\n    }\n\n'
    "    Args(final int maxBasketSize) {\n        this.basketSize = maxBasketSize;\n    }\n}\n",
    "shop/shop.h": '/* Lines between two headers */\n#define ENV_HEADER_LINES "SHOP_HEADER_LINES"\n'
    "#define SHOP_COLS 80\n",
    "shop/sell.c": "void write_basket(int basket)\n{\n\tputs(getenv(ENV_HEADER_LINES));\n}\n",
    "shop/offer.py": "import os\n\n\nclass Shop:\n    open_url: str\n\n\ndef get_default():\n"
    '    return os.getenv("SHOP_OFFER_KIND", "secret")\n',
}


@pytest.mark.parametrize(
    ("question", "name", "default"),
    [
        ("which flag limits the goods in a basket?", "basket-size", ""),
        ("which flag makes it print nothing of what is sold?", "q", ""),
        ("which environment variable says how many lines are between two headings?", "SHOP_HEADER_LINES", ""),
        ("my offers are secret by default, which variable do I have to set?", "SHOP_OFFER_KIND", '"secret"'),
    ],
)
def test_calls_that_make_flags_macros_with_variables_and_defaults_that_are_told_lead_to_options(
    workspace, question, name, default
):
    found = analyze(workspace(SHOP), question).get_items("options")
    assert [(each.name, each.default) for each in found[:1]] == [(name, default)]


def test_an_adjective_is_no_limit_where_no_number_is_asked_for(workspace):
    files = {
        "shop/config.py": "class Config:\n    # How many lines a list has\n    max_lines = 80\n"
        "    # Show tables slowly, with a pause between their rows\n    slow_tables = False\n"
        "    # How many tables fit\n    max_tables = 9\n"
    }
    assert list_names(workspace, "which setting lets long tables appear with pauses?", files)[0] == "slow_tables"
    assert list_names(workspace, "which setting says how many lines a list has?", files)[0] == "max_lines"


def test_a_function_of_c_is_no_setter(workspace):
    assert "write_basket" not in list_names(workspace, "which setting writes the basket?", SHOP)


def test_the_type_of_a_field_and_words_of_a_sentence_are_no_options(workspace):
    names = list_names(workspace, "which setting limits the number of tabs that close at once?", DECLARED)
    assert not {"number", "string", "close_all", "Tabs"} & {*names}


def test_an_acronym_that_begins_a_question_is_no_name_of_an_option(workspace):
    files = {
        "pool.py": "class PoolSettings:\n    smtp = None\n"
        "    # Seconds until unused connections of the pool are dropped.\n    idle_seconds = 60\n"
    }
    text = "SMTP servers close theirs sooner. Which setting says when unused connections of the pool are dropped?"
    assert list_names(workspace, text, files)[:1] == ["idle_seconds"]


def test_the_field_that_holds_the_value_names_an_option_that_has_no_other_name(workspace):
    files = {
        "conf.py": 'SETTINGS = (\n    ConfigSetting(\n        dest="microcode_host",\n        parse=boolean,\n'
        '        help="Only include what the processor of this host needs",\n    ),\n'
        '    ConfigSetting(\n        dest="initrds",\n        long="--initrd-profile",\n'
        '        help="Profiles that the first disk is built with",\n    ),\n)\n'
    }
    text = "which setting includes only what the processor of the host needs?"
    assert list_names(workspace, text, files)[:1] == ["microcode_host"]
    text = "which setting says what profiles the first disk is built with?"
    assert list_names(workspace, text, files)[:1] == ["--initrd-profile"]


FERRY = {
    # What users may set is described in pages, the paths of which do not say so.
    "doc/modules/mod_deck.html": '<html><body>\n<h3><a name="VeiledCargo">VeiledCargo</a></h3>\n'
    "<strong>Syntax:</strong> VeiledCargo <em>on|off</em><br>\n"
    "<p>The <code>VeiledCargo</code> directive loads crates in two steps: a crate gets\nits label when it is stowed.\n"
    "<h3>HarborMaster</h3>\n<p>Whoever stows a crate tells the harbor master.\n",
    "README.md": "# Ferry\n\nSee the pages.\n",
    "docs/usage.md": "# Usage\n\nStart it.\n",
    "modules/deck.c": "static conftable deck_conftab[] = {\n"
    '  { "SlowEngine", set_slowengine, NULL },\n  { "VeiledCargo", set_veiledcargo, NULL },\n  { NULL }\n};\n',
    "config/load.go": "package config\n\nfunc load(f *flag.FlagSet) {\n"
    '\tf.IntVar(&cfg.Deck.NoCrewStatus, "deck.nocrewstatus", 503, "status where nobody is aboard")\n'
    '\tf.StringVar(&cfg.Deck.Color, "deck.color", "red", "color of the hull")\n}\n',
    "src/TollProperty.java": 'enum TollProperty {\n  TOLL_DETAIL_HIDDEN(\n      "tollDetailHidden",\n      "true",\n'
    '      "Leave the names of passengers out of the receipt."),\n  PLAIN(1),\n'
    '  TOLL_COLOR("tollColor", "blue", "The color of a ticket."),\n'
    '  OTHER("another", "x", "Anything at all about whales.");\n}\n',
    "src/GateProperties.java": '@ConfigurationProperties("ferry.gate")\npublic class GateProperties {\n'
    "    /**\n     * Refuse luggage of passengers who have left the boat.\n     */\n"
    "    private boolean refuseStrayLuggage;\n}\n",
    "src/Gate.java": "public class Gate {\n    public void sendLuggage(final Luggage luggage) {\n"
    "        open();\n    }\n}\n",
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which directive gives a crate its label only when it is stowed?", "VeiledCargo"),
        ("which flag is the status when nobody is aboard?", "deck.nocrewstatus"),
        ("which property leaves the passengers' names out of receipts?", "tollDetailHidden"),
        ("which property is the color of tickets?", "tollColor"),
        # What is described as an option is likelier one than a function that shares a word with the question.
        ("people send luggage although they have gone ashore, can I have that turned down?", "refuseStrayLuggage"),
    ],
)
def test_an_option_is_found_by_what_pages_say_of_it_or_by_the_names_that_users_know(workspace, question, name):
    assert list_names(workspace, question, FERRY)[:1] == [name]


def test_a_heading_without_a_syntax_and_an_entry_with_another_name_are_no_options(workspace):
    assert "HarborMaster" not in list_names(workspace, "which directive tells the harbor master of crates?", FERRY)
    assert "another" not in list_names(workspace, "which property is about whales?", FERRY)


def test_the_texts_of_a_program_in_a_language_are_no_options(workspace):
    files = {
        f"web/i18n/{language}.js": f"export default {{\n  spool_dir: '{said}',\n  spool_dir_full: '{said}',\n}}\n"
        for language, said in (("en", "Directory of the spool"), ("de", "Verzeichnis"), ("pt-BR", "Pasta"))
    }
    # A directory with such a name may have settings of a language.
    files["web/lang/go.js"] = "export default {\n  spool_lines: 40,\n}\n"
    found = analyze(workspace(RELAY | files), "which setting is about the spool?")
    places = {each.file for part in ("options", "other_options") for each in found.get_items(part)}
    assert places == {"src/relay/settings.py", "web/lang/go.js"}


NESTED = {
    "ticker/ticker.js": 'Module.register("ticker", {\n\tdefaults: {\n\t\thideDrafts: false,\n\t\tmaxLines: 4\n\t},\n'
    '\tstyles: {\n\t\tcolorOfLines: "red"\n\t}\n})\n',
    "site/settings.go": "package site\n\ntype (\n\t// SiteSettings are what a user may set.\n\tSiteSettings struct {\n"
    '\t\tPageRetention int `json:"page_retention"`\n\t}\n\n\tRow struct {\n\t\tPageCount int\n\t}\n)\n',
    "site/main.go": "package site\n\nvar flags = []cli.Flag{\n"
    '\t&cli.IntFlag{Name: "max-upload-size", Usage: "kilobytes"},\n'
    '\t&cli.IntFlag{Name: "max-visits", Usage: "per hour"},\n'
    '\t&cli.IntFlag{Name: "chunk-size", Usage: "of a transfer"},\n}\n',
}


@pytest.mark.parametrize(
    ("question", "name", "file"),
    [
        ("Guests shouldn't see drafts", "hideDrafts", "ticker/ticker.js"),
        ("for how long are pages kept? We need 90 days. Which setting?", "page_retention", "site/settings.go"),
        # Where only the words for a limit fit, the name must have two of them.
        ("somebody sent a whole film. How do I cap the size of a letter?", "max-upload-size", "site/main.go"),
    ],
)
def test_settings_within_a_literal_or_a_group_of_types_and_limits_are_options(workspace, question, name, file):
    answer = analyze(workspace(NESTED), question)
    first = answer.get_items("options")[0]
    assert (first.name, first.file) == (name, file)
    assert "PageCount" not in list_names(workspace, question, NESTED)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("it refuses a host for an hour after failures, make that shorter", "ban_minutes"),
        ("it is refused after 3 failures, make it 60 minutes", "ban_minutes"),
    ],
)
def test_a_duration_in_the_text_says_what_the_option_measures(workspace, question, name):
    assert list_names(workspace, question)[0] == name


CLINIC = {
    "Clinic.java": 'class Clinic {\n    private static final String NIGHT_SHIFT = "night-shift";\n'
    '    private static final String BEDS = "bed-limit";\n    private static final String WARD = "ward";\n\n'
    "    Clinic(String... args) {\n        parser.accepts(\n            BEDS,\n"
    '            "The most patients that may stay.").withRequiredArg();\n'
    '        parser.accepts(NIGHT_SHIFT, "Open after sunset.");\n        patients.get(WARD, "The ward with a view.");\n'
    "    }\n}\n",
    "src/config.h": "struct ring_bell : Config<bool> {\n"
    '    static QString name() { return QStringLiteral("ring_bell"); }\n'
    "    static Value defaultValue() { return true; }\n};\n\n"
    'struct Porter : Person {\n    static QString name() { return QStringLiteral("old_porter"); }\n};\n',
    "src/lamp.cpp": "void Lamp::load() {\n"
    '    dim = m_settings->value(QStringLiteral("Lamp/dimAfter"), 30).toInt();\n}\n',
}


@pytest.mark.parametrize(
    ("question", "name", "line"),
    [
        ("which flag opens it after sunset?", "night-shift", 10),
        ("which flag limits how many patients may stay?", "bed-limit", 8),
        ("A bell rings. Can I turn the bell off?", "ring_bell", 2),
        ("which setting says when the lamp dims?", "Lamp/dimAfter", 2),
    ],
)
def test_flags_named_by_constants_and_settings_of_qt_are_options(workspace, question, name, line):
    first = analyze(workspace(CLINIC), question).get_items("options")[0]
    assert (first.name, first.line) == (name, line)


@pytest.mark.parametrize("name", ["ward", "old_porter"])
def test_an_argument_of_another_call_and_the_name_of_another_thing_are_no_options(workspace, name):
    question = f"which option is the {name.replace('_', ' ')}?"
    assert name not in list_names(workspace, question, CLINIC)


MIXER = {
    "mixer.py": "def parse(p):\n"
    "    p.add_argument('--merge-limit', default=20, help='how many pictures are merged in parallel')\n"
    "    p.add_argument('--tolerance', default=0.1, help='share of pixels in which two pictures may differ')\n"
    "    p.add_argument('--quiet', help='say nothing')\n",
}


def test_an_option_with_a_word_that_none_of_the_best_has_is_listed_behind_them(workspace):
    names = list_names(workspace, "which flag limits how many pixels a merge may fail in?", MIXER)
    assert names == ["--merge-limit", "--tolerance"]


def test_words_that_no_listed_option_has_are_named(workspace):
    answer = analyze(workspace(MIXER), "which flag limits the merge of holograms?")
    assert answer.summary.endswith("default 20; it does not mention 'holograms'")


def test_an_option_that_has_all_words_lacks_none(workspace):
    answer = analyze(workspace(MIXER), "which flag is the share of pixels that may differ?")
    assert "mention" not in answer.summary


BOXES = {
    "cli.py": "import os\n\nDEFAULT_BOX_DAYS = int(os.environ.get('RELAY_BOX_DAYS', 30))\n\n\n"
    "@click.option('--box-days', default=DEFAULT_BOX_DAYS, help='Days that a box is kept.')\n"
    "@click.option('--box-mode', default='open', help='How a box is kept.')\n"
    "def main(box_days, box_mode):\n    if box_days < 0:\n        raise ValueError(box_mode)\n",
}


def test_the_variable_that_a_default_is_read_from_is_no_other_option_and_no_line_is_listed_twice(workspace):
    found = analyze(workspace(BOXES), "which option decides how many days a box is kept?")
    assert [each.name for each in found.get_items("options")] == ["--box-days", "RELAY_BOX_DAYS"]
    lines = [(each.file, each.line) for each in found.get_items("lines")]
    assert len(lines) == len(set(lines))


HOLDERS = {
    "relay.ts": "export interface Options {\n  customRelayPath?: string;\n}\n\n"
    "const settings = {\n  customRelayPath: given,\n};\n",
    "server.ts": "import { Options } from './relay'\n\nexport interface Server {\n  customRelayPath?: string;\n}\n",
}


def test_a_further_declaration_that_only_has_the_name_is_a_place_of_the_first_one(workspace):
    found = analyze(workspace(HOLDERS), "which option sets the custom path of the relay?")
    listed = [each for part in ("options", "other_options") for each in found.get_items(part)]
    assert [each.name for each in listed].count("customRelayPath") == 1
    places = {f"{each.file}:{each.line}" for each in listed} | {place for each in listed for place in each.also}
    assert len(places) > len(listed)
