"""Tests of what describes an option: examples and sentences of documents, comments behind settings, tags of fields."""

import pytest

from avionics.tools.unified.analyze import analyze

READER = {
    "go.mod": "module example.com/reader\n",
    "args.go": "package reader\n\ntype Args struct {\n"
    '\tBase    string   `arg:"env:READER_BASE" default:"/" help:"where pages begin."`\n'
    '\tNoStats bool     `arg:"--no-stats,env:READER_NO_STATS" help:"sends no anonymous statistics"`\n'
    '\tKeep    []string `arg:"env:READER_KEEP,--keep,separate" help:"retains entries with a tag"`\n'
    '\tLimit   int      `envconfig:"READER_LIMIT" default:"8" desc:"longest feed"`\n}\n',
}
PLAYER = {
    "src/conf.c": "static cfg_opt_t sec_audio[] = {\n"
    '    CFG_INT("buffer_ms", 2250, CFGF_NONE),\n    CFG_BOOL("rescan", cfg_true, CFGF_NONE),\n'
    '    CFG_STR("skin", NULL, CFGF_NONE),\n    CFG_INT("bit_rate", 192, CFGF_NONE),\n    CFG_END()\n};\n'
    'static cfg_opt_t toplevel[] = {\n    CFG_SEC("audio", sec_audio, CFGF_NONE),\n'
    '    CFG_SEC("video", sec_video, CFGF_NONE),\n    CFG_SEC("buffers", sec_b, CFGF_NONE),\n'
    '    CFG_SEC("skins", sec_s, CFGF_NONE),\n};\n',
    "src/out.c": "void start(void) {\n  /* Wait so long before the playback begins. */\n"
    '  int ms = cfg_getint(cfg_getsec(cfg, "audio"), "buffer_ms");\n}\n',
}
SHOTS = {
    "package.json": '{"name": "shots"}\n',
    "core/extend.js": "function extend (config, given) {\n  config.parallelLimit = given.parallelLimit;\n"
    "  config.archive = given.archive || false;\n  return config;\n}\n",
    "core/run.js": "module.exports = config => {\n  if (config.strictSize) { fail(); }\n};\n",
    "README.md": "# Shots\n\n## Capturing pictures side by side\n\nUp to ten are made at a time. Lower this to need"
    " less memory.\n\n```json\nparallelLimit: 5\n```\n\n## Reports\n\nTo let a test fail when the picture has another"
    " height, set `strictSize` to `true`. It is `off` by default.\n\n```toml\n# Former results stay on the disk\n"
    "archive = true\n```\n",
}


def list_options(workspace, files, question):
    """Return name, default and description of the options that an answer lists, likeliest first."""
    found = analyze(workspace(files), question)
    listed = (each for part in ("options", "other_options") for each in found.get_items(part))
    return [(each.name, each.default, each.help) for each in listed]


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("which environment variable prevents statistics from being sent?", "READER_NO_STATS"),
        ("which environment variable says where pages begin?", "READER_BASE"),
        ("which environment variable limits the longest feed?", "READER_LIMIT"),
        ("which flag retains entries with a tag?", "--keep"),
    ],
)
def test_the_tags_of_a_field_name_its_variable_and_its_flag(workspace, question, option):
    assert [name for name, *_ in list_options(workspace, READER, question)][:1] == [option]


def test_the_help_in_a_tag_ends_with_the_tags_of_its_field(workspace):
    found = list_options(workspace, READER, "which flag stops anonymous statistics?")
    assert ("--no-stats", "", "sends no anonymous statistics") in found


def test_what_reads_a_key_of_a_section_reads_no_option_called_like_the_section(workspace):
    found = list_options(workspace, PLAYER, "which setting says how long to wait before the playback begins?")
    assert found[0][:2] == ("buffer_ms", "2250")
    assert "audio" not in [name for name, *_ in found]


def test_rows_whose_macros_end_with_the_type_of_the_option_are_one_table_without_its_sections(workspace):
    found = list_options(workspace, PLAYER, "which setting is the bit rate?")
    assert found[0][:2] == ("bit_rate", "192")
    assert list_options(workspace, PLAYER, "which setting is for skins?")[0][0] == "skin"


@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("which setting lets it need less memory?", "parallelLimit"),
        ("which setting lets a test fail if the height differs?", "strictSize"),
        ("which setting keeps former results on the disk?", "archive"),
    ],
)
def test_examples_and_sentences_of_a_document_describe_the_options_in_them(workspace, question, option):
    assert [name for name, *_ in list_options(workspace, SHOTS, question)][:1] == [option]


def test_a_value_in_a_sentence_is_no_option(workspace):
    names = [name for name, *_ in list_options(workspace, SHOTS, "which setting is off by default?")]
    assert not {"true", "off"} & set(names)


def test_the_key_of_a_text_for_people_is_no_option(workspace):
    files = {
        "src/Frame.java": "class Frame {\n"
        '    JLabel port = new JLabel(BundleMessage.format("UI_ALLOW_REMOTE_HOSTS"));\n'
        '    boolean allow = Settings.getBoolean("relay.allowRemote");\n}\n',
    }
    names = [name for name, *_ in list_options(workspace, files, "which setting allows remote hosts?")]
    assert names == ["relay.allowRemote"]


def test_a_comment_behind_a_setting_of_a_sample_describes_it(workspace):
    files = {
        "app/settings.py": "def read(config):\n    return config['linger'], config['depth']\n",
        "etc/app.toml": "linger = 8  # seconds until an idle client is dropped\ndepth = 3\n",
    }
    assert list_options(workspace, files, "which setting drops idle clients?")[0][0] == "linger"


@pytest.mark.parametrize("question", ["what does RELAY_CONFIG do?", "what is `RELAY_CONFIG` for?"])
def test_a_question_about_a_variable_that_no_symbol_is_called_shows_the_variable(workspace, question):
    files = {"relay.py": 'import os\n\n\ndef find():\n    return os.environ.get("RELAY_CONFIG") or "relay.ini"\n'}
    assert analyze(workspace(files), question).summary.startswith("most likely the environment variable RELAY_CONFIG")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("what does --skip-after do?", "--skip-after"),
        ("what does skip-after mean?", "--skip-after"),
    ],
)
def test_a_question_about_a_flag_shows_its_declaration(workspace, question, name):
    files = {
        "relay.py": "def parse(parser):\n"
        '    parser.add_argument("--skip-after", default=3, help="leave a host out after so many failures")\n'
    }
    assert list_options(workspace, files, question) == [(name, "3", "leave a host out after so many failures")]


def test_the_letter_for_a_flag_is_not_its_default(workspace):
    flags = "".join(
        f'\tf.{kind}(\n\t\t"{name}",\n\t\t"{letter}",\n\t\t{value},\n\t\t"{text}")\n'
        for kind, name, letter, value, text in (
            ("BoolP", "tidy", "t", 'get("TIDY")', "removes what is old"),
            ("IntP", "depth", "", "4", "how far to go down"),
        )
    )
    files = {"go.mod": "module example.com/a\n", "a.go": f"package a\n\nfunc Flags(f *FlagSet) {{\n{flags}}}\n"}
    assert list_options(workspace, files, "which flag removes what is old?") == [("tidy", "", "removes what is old")]
    assert list_options(workspace, files, "which flag is for the depth?") == [("depth", "4", "how far to go down")]


def test_a_question_about_a_name_that_no_option_has_shows_no_option(workspace):
    files = {"relay.py": "def parse(parser):\n    parser.add_argument('--skip-after', help='leave a host out')\n"}
    assert list_options(workspace, files, "what does --skip-before do?") == []


POST = {
    "post/config.py": "import os\n\n_CONFIG_DEFINITIONS = {\n    'KEEP_DAYS': (int, 3),\n    'GREETING': (str, ''),\n"
    "    'SHOW_ADS': (int, 0),\n    'PORT': (int, 80),\n}\n\nfor name in os.environ:\n    print(name)\n",
    "post/web/settings.html": '<form>\n<label for="keep">Retention</label>\n<div>\n<input type="text" id="keep"'
    ' name="keep_days" value="${config[0]}">\n</div>\n<p>How many days letters stay here.</p>\n'
    '<label>Greeting</label>\n<input name="greeting">\n<p>Said to a new visitor.</p>\n</form>\n',
    "post/web/letter.html": '<form><label>Weight</label><input name="show_ads"><p>Pounds of a parcel.</p></form>\n',
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which setting says how many days letters stay?", "KEEP_DAYS"),
        ("which setting is for new visitors?", "GREETING"),
    ],
)
def test_the_form_on_which_users_set_an_option_describes_it(workspace, question, name):
    found = analyze(workspace(POST), question).get_items("options")[0]
    assert (found.name, found.kind) == (name, "setting")


def test_a_form_on_another_page_describes_no_option(workspace):
    assert "Pounds" not in "".join(text for *_, text in list_options(workspace, POST, "which setting shows ads?"))


def test_the_settings_of_a_tool_for_developers_are_no_options(workspace):
    files = {
        "a.py": "def go(config):\n    return config['depth']\n",
        "pylintrc": "[DESIGN]\n\n# Maximum number of branches of a tree\nmax-branches=12\n",
    }
    names = [name for name, *_ in list_options(workspace, files, "which setting is the maximum number of branches?")]
    assert not any("branches" in name for name in names)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("which setting is the largest number of rooms of a guest?", "maxrooms"),
        ("which setting says how long a guest must have been there before leaving?", "stay-time"),
    ],
)
def test_comments_of_several_lines_and_behind_values_describe_the_settings_of_a_sample(workspace, question, name):
    files = {
        "src/conf.c": 'void read(entry *e) {\n  if (!strcmp(e->name, "maxrooms")) n = 1;\n'
        '  if (!strcmp(e->name, "stay-time")) n = 2;\n}\n',
        "doc/hotel.conf": "set {\n\tmaxrooms 10; /* largest number of rooms of a guest */\n"
        "\t/* How long a guest must have been there\n\t * before leaving is allowed.\n\t */\n\tstay-time 10s;\n}\n",
    }
    assert list_options(workspace, files, question)[0][0] == name


SCANNER = {
    "pyproject.toml": '[project]\nname = "scanner"\n',
    "scanner/settings.py": "import os\n\n# Reading many pages in parallel with it would be slow.\n"
    'os.environ["LEAF_THREAD_LIMIT"] = "1"\n\nJOBS = os.getenv(\n    "SCANNER_JOBS",\n    "4",\n)\n',
    "docs/configuration.md": "# Configuration\n\n#### [`SCANNER_JOBS=<num>`](#SCANNER_JOBS) {#SCANNER_JOBS}\n\n"
    ": How many pages are read in parallel.\n\n    Defaults to 4.\n",
}
"""A heading that links to itself, a description that a colon begins, and a variable that is set for a library."""


def test_a_heading_that_links_to_itself_describes_the_option(workspace):
    assert list_options(workspace, SCANNER, "what does SCANNER_JOBS do?") == [
        ("SCANNER_JOBS", '"4"', "How many pages are read in parallel. Defaults to 4.")
    ]


def test_a_variable_that_the_program_sets_for_others_is_not_the_likeliest_option(workspace):
    found = list_options(workspace, SCANNER, "which environment variable limits the pages read in parallel?")
    assert found[0][0] == "SCANNER_JOBS"


def test_a_variable_that_is_compared_is_read(workspace):
    files = SCANNER | {"scanner/settings.py": 'if os.environ["LEAF_THREAD_LIMIT"] == "1":  # few threads\n    slow()\n'}
    assert list_options(workspace, files, "which environment variable limits the threads?")[0][0] == "LEAF_THREAD_LIMIT"


TRACKER = {
    "Gemfile": "gem 'rails'\n",
    "config/settings.yml": "app_title:\n  default: Tracker\nattachment_max_size:\n  format: int\n  default: 5120\n"
    "lists:\n  page:\n    default: 25\n    description: Entries of a page\n",
    "config/locales/settings.txt": "attachment_min_size:\n  default: 1\n",
    "app/attachment.rb": "class Attachment < ApplicationRecord\n"
    "  has_many_sizes :attachments, limit: 8 # the size of each attachment is limited\nend\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which setting limits the attachment size?", ("attachment_max_size", "5120", "")),
        ("which setting says how many entries a page has?", ("page", "25", "Entries of a page")),
    ],
)
def test_a_key_with_a_default_in_a_table_of_settings_is_an_option(workspace, question, first):
    assert list_options(workspace, TRACKER, question)[0] == first


def test_a_call_with_a_symbol_and_another_file_declare_no_setting(workspace):
    names = {name for name, *_ in list_options(workspace, TRACKER, "which setting limits the attachment size?")}
    assert names.isdisjoint({"has_many_sizes", "attachment_min_size"})


def test_lines_that_have_the_plain_word_of_an_option_do_not_read_it(workspace):
    files = {
        "go.mod": "module example.com/notes\n",
        "main.go": 'package main\n\nfunc init() {\n\tcommand.Flags().String("data", "", "data directory")\n}\n\n'
        'func main() {\n\topen(viper.GetString("data"), opts.data)\n}\n',
        "wave.go": "package main\n\nfunc read(block Block) int {\n\tif block.data == nil {\n\t\treturn len(data)\n"
        "\t}\n}\n",
    }
    answer = analyze(workspace(files), "which flag sets the data directory?")
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("main.go", 8)]
