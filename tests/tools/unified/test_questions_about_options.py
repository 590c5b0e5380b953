"""Tests of questions for options: what declares one, what describes it, and what is none."""

import re

import pytest

from avionics.agents.rules import RulePlanner
from avionics.tools.unified.analyze import analyze

DAEMON = {
    "src/served.c": "static int MarkInterval = 20 * 60; /* seconds between two marks in the log */\n"
    "static int Level; /* how much is told */\n\n"
    "int usage(void)\n{\n"
    '    printf("Options:\\n"\n'
    '           "  -K        Disable kernel logging, useful in containers\\n"\n'
    '           "  -s SIZE   Greatest size of a packet that is sent\\n"\n'
    '           "  -v        Show the version\\n");\n}\n\n'
    "int main(int argc, char **argv)\n{\n    switch (getopt(argc, argv)) {\n"
    "    case 'K':\n        kernel = 0;\n        break;\n    }\n    return reply(MAXLINE);\n}\n",
    "src/served.h": "#define MAXLINE        2048 /* maximum line length */\n"
    "#define RETRY_TIME 180 /* equal to 3 minutes */\n#define RECEIVE_MIN (80 * 1024) /* smallest buffer */\n",
}
SERVICE = {
    "service/api.py": "def load(config):\n"
    "    origins = config.get_value('web', 'url_prefix', default='')\n"
    "    minutes = config.get_int_value('web', 'token_expire_minutes', default=60)\n"
    "    kept = config.get_int_value('alerts', 'max_events', default=10)\n"
    "    theme = config.get('theme', 'dark')\n",
    "service/keys.py": "LARGE_KEYS = frozenset(\n    [\n"
    '        "bytesWritten",\n        "bytesRead",\n        "unitsRead",\n        "hostWriteCommands",\n    ]\n)\n',
    "service/args.py": "def add(parser):\n    # Security options\n"
    "    parser.add_argument(\n        '--no-exec',\n        action='store_true',\n"
    "        help='disable the execution of commands in values',\n    )\n"
    "    parser.add_argument('--no-lines', action='store_true', help='no lines of alerts are shown')\n",
    "service.example.yaml": "# Where guests come from.\nguest:\n  # Seconds after which a silent guest is removed.\n  "
    "# Default: 30\n  idle_seconds: 90\n",
    "service/guests.py": "def clean(config):\n    return config.lookup('guest.idle_seconds')\n",
}
TOOL = {
    "bin/run.ts": "yargs.options({\n    'max-jobs': {\n        alias: 'm',\n"
    "        describe: 'How many jobs run at once.',\n        type: 'string',\n    },\n"
    "    plain: {\n        describe: 'Print what the jobs print.',\n        type: 'boolean',\n    },\n"
    "    points: {\n        x: 1,\n    },\n"
    "    width: {\n        alias: 'w',\n        describe:\n            'How many letters of a title ' +\n"
    "            'are printed.',\n        type: 'number',\n    },\n"
    "    corner: {\n        alias:\n            'left',\n        title: 'A corner of the sheet that letters fill',\n"
    "    },\n});\n",
    "client.py": "class Client:\n    def __init__(self, c):\n"
    "        self.beep = float(c['main']['beep_after_seconds'] or 0)\n"
    "        self.ticks = c['connection'].as_int('keepalive_ticks')\n",
    "toolrc": "[main]\n# Beep after long queries; 0 to disable.\nbeep_after_seconds = 0\n",
    "cmd/user.go": 'package cmd\n\nvar cmd = &cobra.Command{\n\tLong: "Create and delete users",\n}\n\n'
    "func save() {\n\terr = store.Put(1)\n\tif err != nil {\n"
    '\t\tpanic("The start of the root was refused")\n\t}\n}\n',
}
SERVER = {
    "cmd/root.go": 'package cmd\n\nfunc init() {\n\trootCmd.PersistentFlags().\n\t\tBool("force", false, '
    '"Disable prompts and force the execution")\n\trootCmd.PersistentFlags().\n\t\tStringP("output", "o", "", '
    '"Format of the output")\n}\n',
    "config/config.go": "package config\n\n// Config is what is set.\ntype Config struct {\n"
    "\tProbeInterval time.Duration\n}\n\nfunc load() {\n"
    '\tviper.SetDefault("node.probe_interval", "10s")\n'
    '\tviper.SetDefault("database.write_ahead_log", true)\n}\n',
    "config/fields.go": 'package config\n\nconst (\n\tAPP_DEBUG_LOCKS = "APP_DEBUG_LOCKS"\n)\n',
    "src/args.rs": "#[derive(Args)]\npub struct Disks {\n"
    "    /// Whether to include devices that are not mounted.\n    pub(crate) include_unmounted: Option<bool>,\n}\n\n"
    '#[cfg(test)]\nmod test {\n    fn parses() {\n        let pixels = Config { "--zoom-pixels": 5 };\n    }\n}\n',
}


DEFINED = {
    "shop/config.py": '# PICTURES\nConfig.define(\n    "RESPECT_ROTATION",\n    False,\n    "Whether to turn images "\n'
    '    "that have an orientation",\n    "Pictures",\n)\nConfig.define(\n    "STORE_AGE",\n    60 * 60 * 24,\n'
    '    "Seconds until a stored image expires",\n    "Store",\n)\nConfig.define(\n    "MAX_CLIENTS",\n    10,\n'
    '    "Simultaneous connections of the loader",\n    "Loader",\n)\nConfig.define(\n    "STORE",\n'
    '    "shop.stores.files",\n    "Where images are kept",\n    "Store",\n)\n',
}
CONSTRUCTED = {
    "lib/config.js": "class Config {\n  constructor () {\n    this.files = []\n    this.captureTimeout = 60000\n"
    "    this.colors = true\n  }\n}\n",
    "src/conf.c": 'static void limits(const char *Var) {\n    if (strcasecmp(Var, "MaxJoins") == 0)\n        joins();\n'
    '    if (strcasecmp(Var, "PingTimeout") == 0)\n        ping();\n}\n',
    "src/messages.h": '#define ERR_TOOMANYJOINS_MSG "405 %s :You have joined too many channels"\n',
}
BLOCKS = {
    "calendar/config.py": "SCHEMA = OrderedDict([\n"
    '    ("server", OrderedDict([\n'
    '        ("max_visitors", {\n            "value": "8",\n            "help": "greatest number of parallel visits",\n'
    '            "type": positive_int}),\n'
    '        ("grace", {\n            "value": "30",\n            "help": "pause after an incorrect password",\n'
    '            "type": positive_float})]))])\n',
    "cmd/flags.go": "package main\n\nvar flags = []cli.Flag{\n"
    '\t&cli.StringFlag{\n\t\tSources: cli.EnvVars("CAL_SKIN_FILE"),\n\t\tName:    "skin-file",\n'
    '\t\tUsage:   "path of a stylesheet for the " +\n\t\t\t"pages of the site",\n\t\tValue:   "plain.css",\n\t},\n}\n\n'
    'var purge = &cli.Command{\n\tName:  "purge",\n\tUsage: "remove visits of bots",\n}\n',
    "src/Limits.java": "class Limits {\n"
    '  public static final String MOVES_CONFIG = "moves.per.broker";\n'
    "  public static final int DEFAULT_MOVES = 5;\n"
    '  public static final String MOVES_DOC = "The number of replicas that may "\n      + "travel together.";\n'
    '  static final String TITLE_NAME = "title";\n}\n',
    ".env.example.complete": "# Wipe traces of guests\n# Days until records about guests vanish.\nGUEST_DAYS=9\n",
    "config/guests.php": "<?php\nreturn [\n    'guest_days' => env('GUEST_DAYS', 9),\n];\n",
}

INTERFACES = {
    "src/relay/RelayConfiguration.java": '@ConfigMapping(prefix = "relay")\npublic interface RelayConfiguration {\n'
    '    /** Age after which a letter is deleted. */\n    @NotNull\n    @WithDefault("90d")\n'
    "    Duration lettersMaxAge();\n\n"
    "    /** Number of couriers that run at once. */\n    @Min(1)\n    int courierThreads() default 3;\n\n"
    "    default boolean isOld(Instant now) {\n        return lettersMaxAge().toMillis() > 0;\n    }\n\n"
    "    /** Forgets all stamps. */\n    void forgetStamps();\n}\n",
    "src/relay/Courier.java": '@Data\n@ConfigurationProperties("courier")\npublic class Courier {\n'
    "\t/**\n\t * How often the letterbox is emptied.\n\t */\n\t@DurationUnit(ChronoUnit.MILLIS)\n"
    "\tprivate Duration roundInterval = Duration.ofMinutes(30);\n\n"
    "\t/** Villages that are passed by. */\n\t@Nullable private List<String> ignoredVillages;\n\n"
    "\tprivate static final Logger village = LoggerFactory.getLogger(Courier.class);\n}\n",
    "src/relay/Door.java": '@Component\nclass Door {\n\t@Value("${relay.mrpc.port:7070}")\n\tprivate int mrpcPort;\n\n'
    "\t@Value(\"#{new Integer('${relay.bell-rings:3}')}\")\n\tprivate Integer rings;\n}\n",
    "relay.go": "package main\n\nvar usage = `\nOptions:\n\n  -purge=<kind>\n      Burns letters without a stamp\n\n"
    "  -keep\n      Stores them\n`\n\nfunc parse() {\n\tflags.Var((boolVar)(func(b bool) error {\n\t\treturn nil\n"
    '\t}), "purge", "")\n}\n',
    "src/relay/Bag.java": "public class Bag {\n\t/** Letters that nobody wants. */\n"
    "\tprivate List<String> unwanted;\n}\n",
    "Relay/MailOptions.cs": "class MailOptions\n{\n    /// <summary>Colour of the envelope.</summary>\n"
    '    public string EnvelopeColor { get; set; } = "white";\n\n'
    "    public string Describe() { return Format(); }\n}\n",
}


DESCRIBED = {
    "mill/options.py": 'parser.add_argument(\n    "-m", "--millers",\n    metavar="N",\n    help="""\n'
    '    people who turn the wheel\n    """\n)\nparser.add_argument(\n    "--sacks",\n    help="""\n'
    '    what the flour is put in\n    """\n)\n',
    "mill/app.py": 'class Mill(Application):\n    wheel_pause = Integer(\n        30,\n        help="""\n'
    '        Seconds of rest after each sack\n        """,\n    )\n    grain_depth = Integer(\n        8,\n'
    '        help="""How far the grain may reach""",\n    )\n',
    "cmd/options.go": "package cmd\n\ntype Options struct {\n"
    '\tCoarse bool `json:"-" long:"coarse-flour" description:"Leave the bran in"`\n'
    '\tFine   bool `json:"-" long:"fine-flour" description:"Sift twice"`\n}\n',
    "src/flags.go": "package main\n\nfunc parse() {\n\t// Options that take a text.\n"
    '\tflagSet.StringVar(&args.miller, "miller", "", "Name over the door")\n}\n',
    "src/options.rs": 'fn app() {\n    Command::new("mill").arg(\n        Arg::new("night-shift").long("night-shift")\n'
    '            .env("MILL_NIGHT")\n            .help("Work while it is dark")\n    )\n}\n',
    "src/milld.c": 'static const struct option options[] = {\n    {"donkey", no_argument, NULL, 1},\n'
    '    {"hopper", required_argument, NULL, 2},\n    {"sieve", required_argument, NULL, 3},\n'
    '    {"tower", no_argument, NULL, 4},\n};\n',
    "man/milld.conf.5": ".Sh DESCRIPTION\n.Bl -tag -width indent\n.It Ic donkey\nLet an animal do the turning.\nSee\n"
    ".Ic tower\nfor the wind.\n.It Ic hopper Ar size\nHow much corn waits above the stones.\n.El\n",
    "man/milld.8": '.SH OPTIONS\n.TP\n.BI "\\-s, \\-\\-sieve " MESH\nWidth of the holes for bran.\n.PP\n'
    "\\fB\\-\\-tower\\fR\n.RS 4\nUse the breeze.\n.RE\n",
    "docs/configuration.rst": "Settings\n========\n\n**stone_weight**\n\nPounds that press on the grain.\n\n"
    "**stone_count**\n\nPairs that grind.\n",
    "mill/config.py": 'DEFAULTS = {\n    "stone_weight": 40,\n    "stone_count": 2,\n}\n',
}


GIVEN = {
    "lib/git.js": "async function notes() {\n  const { stdout } = await execa(\n"
    '    "git",\n    [\n      "log",\n      "--no-walk", // shows only the tags of released letters\n    ],\n  );\n}\n',
    "src/post.rs": 'fn post(ctx: &Context) {\n    ctx.execute("post").arg("--list-stamps").status();\n}\n',
    "cli.js": 'program.option("--dry-run", "only print which letters would be released")\n'
    '  .option("--stamps <file>", "file with the stamps to list")\n  .option("--nobell", "be silent");\n',
    "src/bell.c": 'int main(int argc, char **argv) {\n\tif (strcmp(argv[1], "--fix-bell") == 0)\n\t\tfix_bell();\n'
    "#define POST_BELL 1ULL << 4\n}\n",
    "src/checkpost.c": 'void read_config(char *ptr) {\n\tif (strcmp(ptr, "queue-most") == 0)\n'
    "\t\tcfg.most = atoi(ptr + 11);\n}\n",
    "etc/post.config": "# How many letters may stand at the counter.\n# queue-most 30\n",
    "src/PostConfig.js": "class PostConfig {\n  /** How many couriers run side by side. */\n  setCouriers(number) {\n"
    "    this.couriers = number;\n  }\n}\n",
}


CHUTE = {
    "src/Chute.java": "class Chute {\n    static final Option<Integer> READ_TIMEOUT =\n"
    '        Option.simple(Chute.class, "READ_TIMEOUT", Integer.class);\n}\n',
    "src/pour.ts": "export const pour = (config) => ({\n  minSackSize: config.minSackSize ?? 1,\n});\n",
    "docs/options.md": "# Options\n\n### minSackSize\n\n| | |\n| --: | :-- |\n| Type: | `number` |\n\n"
    "Sacks that weigh less are poured together.\n",
}


def test_a_table_under_a_heading_is_no_description_and_a_type_is_no_default(workspace):
    opened = workspace(CHUTE)
    poured = analyze(opened, "which option pours light sacks together?").get_items("options")[0]
    assert (poured.name, poured.help) == ("minSackSize", "Sacks that weigh less are poured together.")
    read = analyze(opened, "which option is the timeout of reading?").get_items("options")[0]
    assert (read.name, read.default) == ("READ_TIMEOUT", "")


@pytest.mark.parametrize(
    ("files", "question", "name", "line", "default"),
    [
        (DAEMON, "how many seconds are between two marks, which setting?", "MarkInterval", 1, "20 * 60"),
        (DAEMON, "which option turns off the logging of kernel messages?", "-K", 7, ""),
        (DAEMON, "which flag sets the greatest size of a packet", "-s", 8, ""),
        (DAEMON, "what is the longest line it accepts", "MAXLINE", 1, "2048"),
        (DAEMON, "which constant sets the time until a retry", "RETRY_TIME", 2, "180"),
        (DAEMON, "which constant sets the minimum of the receive buffer", "RECEIVE_MIN", 3, "80 * 1024"),
        (SERVICE, "after how many minutes does a token expire, which setting?", "web.token_expire_minutes", 3, "60"),
        (SERVICE, "how many alerts are kept at most?", "alerts.max_events", 4, "10"),
        (SERVICE, "keyword in service.conf for the theme", "theme", 5, "'dark'"),
        (SERVICE, "how do I stop it from executing commands?", "--no-exec", 4, ""),
        (TOOL, "limit the number of jobs that run at the same time", "--max-jobs", 2, ""),
        # What describes an option may begin on the line behind the word for it.
        (TOOL, "how many letters of a title are printed, which flag?", "--width", 14, ""),
        (TOOL, "how do I make it beep when a query took long?", "main.beep_after_seconds", 3, ""),
        (TOOL, "which setting keeps the connection alive by ticks", "connection.keepalive_ticks", 4, ""),
        (SERVER, "which flag skips all questions and just goes ahead?", "force", 5, "false"),
        (SERVER, "default interval of the probe of a node", "node.probe_interval", 9, '"10s"'),
        (SERVER, "setting that lists also devices that are not mounted", "include_unmounted", 4, ""),
        (DEFINED, "which option turns images that have an orientation?", "RESPECT_ROTATION", 3, "False"),
        (DEFINED, "after what time does a stored picture expire, which setting?", "STORE_AGE", 10, "60 * 60 * 24"),
        (DEFINED, "which option limits how many downloads run at once", "MAX_CLIENTS", 16, "10"),
        (CONSTRUCTED, "which option says how long it waits for the capture", "captureTimeout", 4, "60000"),
        (CONSTRUCTED, "which setting limits how many joins there may be", "MaxJoins", 2, ""),
        (BLOCKS, "which setting limits the number of parallel visits", "max_visitors", 3, '"8"'),
        (BLOCKS, "which setting is the pause after an incorrect password?", "grace", 7, '"30"'),
        (BLOCKS, "which flag gives the stylesheet of the pages?", "skin-file", 6, '"plain.css"'),
        (BLOCKS, "which environment variable gives the stylesheet of the pages?", "CAL_SKIN_FILE", 5, '"plain.css"'),
        (BLOCKS, "which property says how many replicas travel together?", "moves.per.broker", 2, "5"),
        (BLOCKS, "which variable says when traces are wiped?", "GUEST_DAYS", 3, "9"),
        (INTERFACES, "which setting says after what age letters are deleted?", "lettersMaxAge", 6, "90d"),
        (INTERFACES, "how many couriers run at once, which setting?", "courierThreads", 10, "3"),
        (
            INTERFACES,
            "how often is the letterbox emptied?",
            "roundInterval",
            8,
            "Duration.ofMinutes(30)",
        ),
        (INTERFACES, "which property says what villages are passed by?", "ignoredVillages", 11, ""),
        (INTERFACES, "which setting is the port for mRPC?", "relay.mrpc.port", 3, "7070"),
        (INTERFACES, "how many times does the bell ring, which property?", "relay.bell-rings", 6, "3"),
        (INTERFACES, "which flag burns letters without a stamp?", "-purge", 16, ""),
        (DESCRIBED, "which flag sets how many people turn the wheel?", "--millers", 2, ""),
        (DESCRIBED, "which setting is the rest after each sack in seconds?", "wheel_pause", 2, ""),
        (DESCRIBED, "which flag leaves the bran in?", "coarse-flour", 4, ""),
        (DESCRIBED, "which flag sifts twice?", "fine-flour", 5, ""),
        (DESCRIBED, "which flag is the name over the door?", "miller", 5, '""'),
        (DESCRIBED, "which flag makes it work while it is dark?", "night-shift", 3, ""),
        (DESCRIBED, "which option lets an animal turn it?", "donkey", 2, ""),
        (DESCRIBED, "which flag says how much corn waits above the stones?", "hopper", 3, ""),
        (DESCRIBED, "which flag is the width of the holes for bran?", "sieve", 4, ""),
        (DESCRIBED, "which option is for the breeze?", "tower", 5, ""),
        # A flag that is given to another program is no option of this one.
        (GIVEN, "which flag prints only the letters that would be released?", "--dry-run", 1, ""),
        (GIVEN, "which flag lists stamps?", "--stamps", 2, ""),
        (GIVEN, "which flag turns off the bell?", "--nobell", 3, ""),
        (GIVEN, "how many letters may stand at the counter, which setting?", "queue-most", 2, ""),
        (GIVEN, "how many couriers run side by side, which setting?", "setCouriers", 3, "number"),
        (DESCRIBED, "how many pairs grind, which setting?", "stone_count", 3, ""),
        (INTERFACES, "which option is the colour of the envelope?", "EnvelopeColor", 4, '"white"'),
    ],
)
def test_an_option_is_found_however_it_is_declared(workspace, files, question, name, line, default):
    found = analyze(workspace(files), question).get_items("options")[0]
    assert (found.name, found.line, found.default) == (name, line, default)


def test_what_a_flag_does_is_its_help_and_not_the_heading_above_it(workspace):
    found = analyze(workspace(SERVICE), "how do I stop it from executing commands?").get_items("options")[0]
    assert found.help == "disable the execution of commands in values"


def test_the_help_of_a_field_is_that_of_its_own_attribute(workspace):
    fields = (("disable_click", "Disables mouse clicks."), ("disable_keys", "Disables keyboard shortcuts."))
    attributes = "".join(f'    #[arg(\n        long,\n        help = "{text}"\n    )]\n    pub {name}: bool,\n\n'
                         for name, text in fields)  # fmt: skip
    opened = workspace({"src/args.rs": f"pub struct Args {{\n{attributes}}}\n"})
    found = analyze(opened, "which flag disables the keyboard shortcuts?").get_items("options")[0]
    assert (found.name, found.help) == ("--disable-keys", "Disables keyboard shortcuts.")
    clicks = analyze(opened, "which flag disables the clicks of the mouse?").get_items("options")[0]
    assert (clicks.name, clicks.help) == ("--disable-click", "Disables mouse clicks.")


def test_a_short_flag_is_read_where_its_letter_is_compared(workspace):
    answer = analyze(workspace(DAEMON), "which option turns off the logging of kernel messages?")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("src/served.c", 15)]


def test_the_comments_of_a_sample_describe_the_setting_below_within_its_section(workspace):
    answer = analyze(workspace(SERVICE), "which setting says when a silent guest is removed?")
    assert answer.get_items("options")[0].name == "guest.idle_seconds"
    assert "described at service.example.yaml:5" in answer.summary


@pytest.mark.parametrize(
    ("files", "question", "wrong"),
    [
        # A list of keys of something else, although its name has the letters of "arg".
        (SERVICE, "which option forbids to write commands to the host?", "hostWriteCommands"),
        # A second string that may be a default is no key of a section.
        (SERVICE, "which setting chooses the dark theme", "theme.dark"),
        # Tests within a product file pass options, and declare none.
        (SERVER, "which option sets the pixels of a zoom?", "--zoom-pixels"),
        # Neither is a variable of a function.
        (TOOL, "is there an option that refuses to start as root?", "err"),
        (TOOL, "which setting has the points of a curve?", "points"),
        (TOOL, "which flag is the corner of the sheet that letters fill?", "--corner"),
        # A command has a name and a text as an option has, and a constant without a text may be anything.
        (BLOCKS, "which flag removes the visits of bots?", "purge"),
        (BLOCKS, "which property is the title of a move?", "title"),
        # A field of a class that no configuration is bound to is no setting, and neither is a constant.
        (INTERFACES, "which property has the letters that nobody wants?", "unwanted"),
        (INTERFACES, "which property logs a village?", "village"),
        # A method that returns nothing, or has a body, has no value that anybody sets.
        (INTERFACES, "which setting forgets all stamps?", "forgetStamps"),
        (INTERFACES, "which setting says whether it is old now?", "isOld"),
        # A setting does not answer a question for a flag with half of its words.
        (SERVER, "which flag lets it go ahead and write the pages?", "database.write_ahead_log"),
    ],
)
def test_what_is_no_option_is_not_claimed_to_be_one(workspace, files, question, wrong):
    answer = analyze(workspace(files), question)
    assert not re.search(rf"\b(?:setting|flag|variable) {wrong}\b", answer.summary)
    assert wrong not in [each.name for each in answer.get_items("options")][:1]


def test_the_name_of_a_variable_is_not_its_default(workspace):
    found = analyze(workspace(SERVER), "which environment variable debugs the locks").get_items("options")[0]
    assert (found.name, found.default) == ("APP_DEBUG_LOCKS", "")


def test_where_a_number_is_asked_for_a_switch_comes_later(workspace):
    found = analyze(workspace(SERVICE), "how many lines of alerts, which option?").get_items("options")
    assert [each.name for each in found][:1] == ["alerts.max_events"]


@pytest.mark.parametrize(
    "question",
    [
        "how many minutes is a token valid and where is that configured?",
        "how long is a token valid, and how do I change that?",
        "after how many minutes does a token expire and which setting is it?",
    ],
)
def test_a_second_sentence_that_only_asks_for_the_option_belongs_to_the_first(workspace, question):
    steps = RulePlanner(workspace(SERVICE)).plan(question).steps
    assert [step.arguments["query"] for step in steps] == [question]


def test_two_questions_for_different_options_stay_two(workspace):
    question = "which setting is the prefix of the url and which option disables the execution of commands?"
    assert len(RulePlanner(workspace(SERVICE)).plan(question).steps) == 2


PRINTED = {
    "store/db.go": "package store\n\nfunc open(kind string) error {\n\treturn fmt.Errorf(\n"
    '\t\t"database of type %s is not supported: %w",\n\t\tkind,\n\t\terrKind,\n\t)\n}\n',
    "show/stats.py": "def show(plugin, attribute, err):\n"
    '    log(f"Can not display stat {plugin}.{attribute} ({err})")\n\n\n'
    'TIME = {"description": "Refresh time (in seconds) of one port"}\n'
    'log(f"Query failed early: {type(exc).__name__}: {exc}")\n',
}


INHERITED = {
    "ferry/settings.py": "from pydantic import BaseModel\nfrom pydantic_settings import BaseSettings\n\n\n"
    "class Tariff(BaseModel):\n    child_share: float = 0.5\n\n\n"
    "class Deck(BaseModel):\n    lorry_rows: int = Field(default=4)\n    colors: ClassVar[list] = []\n\n\n"
    "class Settings(\n    Deck,\n    BaseSettings,\n):\n"
    '    """How the ferry runs."""\n\n    model_config = SettingsConfigDict(env_prefix="FERRY_")\n'
    "    crew_size: int = 6\n    horn: str = Field(default='deep', validation_alias='FOG_HORN')\n\n"
    "    def is_full(self) -> bool:\n        guests: int = 3\n        return guests > self.crew_size\n\n\n"
    "class TestSettings(Settings):\n    captain: str | None = None\n    deck: Settings = Settings()\n",
}


@pytest.mark.parametrize(
    ("question", "name", "line", "default"),
    [
        ("which environment variable says how big the crew is?", "FERRY_CREW_SIZE", 21, "6"),
        ("which environment variable is the number of rows for a lorry?", "FERRY_LORRY_ROWS", 10, "4"),
        ("env var for the sound of the horn in fog", "FOG_HORN", 22, "'deep'"),
        ("which environment variable names the captain?", "FERRY_CAPTAIN", 30, ""),
    ],
)
def test_the_fields_of_a_class_of_settings_are_environment_variables(workspace, question, name, line, default):
    found = analyze(workspace(INHERITED), question).get_items("options")[0]
    assert (found.name, found.line, found.kind) == (name, line, "environment variable")
    assert found.default in {default, "None"}


def test_only_the_fields_of_such_classes_are_environment_variables(workspace):
    found = analyze(workspace(INHERITED), "which environment variables are read?").get_items("options")
    names = {each.name for each in found}
    assert names == {"FERRY_CREW_SIZE", "FERRY_LORRY_ROWS", "FOG_HORN", "FERRY_CAPTAIN"}


CHECKED = {
    "src/config.ts": "import { cleanEnv, num, str } from 'envalid'\n\nexport const config = cleanEnv(process.env, {\n"
    "  MAX_PARCELS: num({ default: 40 }),\n  DEPOT: str({ default: 'north' })\n})\n",
    "src/palette.ts": "export const PALETTE = mix({\n  MAX_SHADES: shade({ default: 3 })\n})\n",
}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which environment variable limits the parcels?", ["MAX_PARCELS"]),
        ("which environment variable is the depot?", ["DEPOT"]),
    ],
)
def test_the_keys_of_a_schema_of_the_environment_are_its_variables(workspace, question, names):
    found = analyze(workspace(CHECKED), question).get_items("options")
    variables = [each.name for each in found if each.kind == "environment variable"]
    assert (variables[:1], "MAX_SHADES" in variables) == (names, False)


TABLE = {
    "depot/options.go": "package depot\n\nvar known = map[string]*value{\n"
    '\t"MAX_PARCELS": {\n\t\tnumber: 40,\n\t\traw: "40",\n\t},\n'
    '\t"NIGHT_SHIFT": {\n\t\tis_on: false,\n\t},\n}\n',
    "depot/parser.go": "package depot\n\nfunc Load() error {\n\treturn parseLines(os.Environ())\n}\n",
    "depot/page.go": 'package depot\n\nvar texts = map[string]string{\n\t"PARCEL_TITLE": title(),\n}\n\n'
    'func home() string {\n\treturn os.Getenv("HOME")\n}\n',
    "deploy/compose.yml": "image: ${DEPOT_HOST:+${DEPOT_HOST}:}depot:${DEPOT_TAG:-latest}\n",
}


def test_the_keys_of_a_table_beside_code_that_reads_the_whole_environment_are_variables(workspace):
    found = analyze(workspace(TABLE), "which environment variable limits the parcels?").get_items("options")[0]
    assert (found.name, found.line, found.kind) == ("MAX_PARCELS", 4, "environment variable")
    listed = analyze(workspace(TABLE), "which environment variables are read?").get_items("options")
    assert {each.name for each in listed} == {"MAX_PARCELS", "NIGHT_SHIFT", "HOME", "DEPOT_HOST", "DEPOT_TAG"}


def test_what_is_set_is_the_key_of_a_section_and_two_slashes_may_divide(workspace):
    files = {
        "lamp.py": "def dim(conf, share):\n    conf.set('lamps', 'max_share', share // LAMP_COUNT)\n"
        "    conf.set('lamps', 'color')\n    conf.set('lamps', 'white')\n"
    }
    found = analyze(workspace(files), "which option is the maximum share of the lamps?").get_items("options")
    assert [(each.name, each.line, each.help) for each in found[:1]] == [("lamps.max_share", 2, "")]
    assert "lamps.white" not in {each.name for each in found}


def test_all_flags_of_a_program_are_listed_and_those_given_to_others_are_not(workspace):
    files = SERVICE | {"service/run.py": "import subprocess\n\nsubprocess.run(['tar', '--force-local'])\n"}
    answer = analyze(workspace(files), "what are the command-line flags?")
    assert answer.summary == "2 command-line flags, declared in 1 file"
    assert [(each.name, each.line) for each in answer.get_items("options")] == [("--no-exec", 4), ("--no-lines", 8)]


def test_a_program_without_flags_has_none(workspace):
    assert not analyze(workspace(PRINTED), "what are the command-line flags?").get_items("options")


def test_the_dash_before_a_default_is_no_part_of_it(workspace):
    listed = analyze(workspace(TABLE), "which environment variables are read?").get_items("options")
    assert {each.name: each.default for each in listed}["DEPOT_TAG"] == "latest"


def test_advice_below_a_message_is_not_its_cause(workspace):
    code = 'def move(mark):\n    fail(f"Refusing to move the mark back: {mark}", hint="Use --back to allow it.")\n'
    pasted = "Error: Refusing to move the mark back: v2\nHint: Use --back to allow it."
    found = analyze(workspace({"marks/move.py": code, "marks/set.py": f"\n{code}"}), pasted)
    places = [(each.file, each.line) for each in found.get_items("lines")]
    assert places == [("marks/move.py", 2), ("marks/set.py", 3)]


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("getting this on start: database of type mysql is not supported: unknown kind", "store/db.go:5"),
        ("where does it say: Can not display stat cpu.total ('NoneType' has no length)", "show/stats.py:2"),
        ("Query failed early: NameError: name 'pl' is not defined", "show/stats.py:6"),
        ("I see this in the log since today: Can not display stat mem.free ('free')", "show/stats.py:2"),
    ],
)
def test_what_people_write_before_a_message_is_no_part_of_it(workspace, question, place):
    assert analyze(workspace(PRINTED), question).summary.startswith(f"this message is written at {place}")


def test_a_text_that_only_resembles_a_string_is_no_message(workspace):
    assert "message" not in analyze(workspace(PRINTED), "default refresh time in seconds").summary


def test_an_argument_after_another_text_is_no_default(workspace):
    files = {
        "Runner.cs": "class Runner {\n  void Read(Dictionary<string, string> options) {\n"
        '    Log.Warn(TAG, "ParseError", ex, "Failed to parse the speed of uploads", options["throttle-upload"]);\n'
        "  }\n}\n"
    }
    answer = analyze(workspace(files), "which option limits the speed of uploads?")
    assert [(each.name, each.default) for each in answer.get_items("options")] == [("throttle-upload", "")]
