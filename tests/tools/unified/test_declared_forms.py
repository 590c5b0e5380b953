"""Tests of the forms in which libraries and builds declare options: what is read as one, and what is not."""

import pytest

from avionics.tools.unified.analyze import analyze

_SAID = "Seconds until the relay gives up"
QUESTION = "which option says when the relay gives up?"


def list_options(workspace, file, text, question=QUESTION):
    """Return name and default of the options that an answer lists for a file, likeliest first."""
    found = analyze(workspace({file: text, "other.py": "LIMIT = 3\n"}), question)
    listed = (each for part in ("options", "other_options") for each in found.get_items(part))
    return [(each.name, each.default) for each in listed if each.name != "LIMIT"]


FORMS = (
    ("a.cpp", f'DEFINE_int32(relay_timeout, 30, "{_SAID}");\n', "relay_timeout", "30"),
    ("a.cpp", f'ABSL_FLAG(int, relay_timeout, 30, "{_SAID}");\n', "relay_timeout", "30"),
    ("a.cpp", f'void f() {{\n  app.add_option("-r,--relay-timeout", t, "{_SAID}");\n}}\n', "--relay-timeout", ""),
    (
        "a.cpp",
        "void f() {\n  desc.add_options()\n"
        f'    ("relay-timeout,r", po::value<int>()->default_value(30), "{_SAID}")\n    ("quiet", "Say nothing");\n}}\n',
        "relay-timeout",
        "30",
    ),
    (
        "a.cpp",
        f'void f() {{\n  QCommandLineOption t(QStringList() << "r" << "relay-timeout", "{_SAID}");\n}}\n',
        "relay-timeout",
        "",
    ),
    (
        "a.c",
        "static struct argp_option options[] = {\n"
        f'  {{"relay-timeout", \'r\', "SECS", 0, "{_SAID}", 0}},\n  {{0}}\n}};\n',
        "relay-timeout",
        "",
    ),
    (
        "a.c",
        "static const command_rec cmds[] = {\n"
        f'    AP_INIT_TAKE1("RelayTimeout", set_t, NULL, RSRC_CONF, "{_SAID}"),\n    {{NULL}}\n}};\n',
        "RelayTimeout",
        "",
    ),
    (
        "A.java",
        f'static ConfigDef D = new ConfigDef()\n    .define("relay.timeout.ms", Type.INT, 30, LOW, "{_SAID}");\n',
        "relay.timeout.ms",
        "",
    ),
    ("a.py", f"opts = [\n    cfg.IntOpt('relay_timeout', default=30, help='{_SAID}'),\n]\n", "relay_timeout", "30"),
    ("a.py", f"define('relay_timeout', default=30, help='{_SAID}')\n", "relay_timeout", "30"),
    ("a.py", f"def f(\n    relay_timeout: int = typer.Option(30, help='{_SAID}'),\n): ...\n", "relay_timeout", "30"),
    (
        "a.go",
        f'package a\n\nfunc f() {{\n\tcmd.Flags().IntP("relay-timeout", "r", 30, "{_SAID}")\n}}\n',
        "relay-timeout",
        "30",
    ),
    (
        "a.go",
        f'package a\n\ntype CLI struct {{\n\tRelayTimeout int `help:"{_SAID}" default:"30"`\n}}\n',
        "RelayTimeout",
        '"30"',
    ),
    ("a.rs", f'fn f() {{\n    opts.optopt("r", "relay-timeout", "{_SAID}", "SECS");\n}}\n', "relay-timeout", ""),
    (
        "a.ts",
        f"static flags = {{\n    'relay-timeout': Flags.integer({{description: '{_SAID}', default: 30}}),\n}}\n",
        "relay-timeout",
        "30",
    ),
    ("a.ts", f"program\n  .option('--relay-timeout <n>', '{_SAID}', '30')\n", "--relay-timeout", "'30'"),
    (
        "a.cs",
        f'class O\n{{\n    [Option(\'r\', "relay-timeout", Default = 30, HelpText = "{_SAID}")]\n'
        "    public int T { get; set; }\n}\n",
        "relay-timeout",
        "30",
    ),
    ("a.rb", f"option :relay_timeout, type: :numeric, default: 30, desc: '{_SAID}'\n", "relay_timeout", "30"),
    (
        "data/a.gschema.xml",
        '<schema id="a">\n  <key name="relay-timeout" type="i">\n    <default>30</default>\n'
        f"    <summary>{_SAID}</summary>\n  </key>\n</schema>\n",
        "relay-timeout",
        "30",
    ),
    ("CMakeLists.txt", 'option(WITH_RELAY "Build the relay that gives up" ON)\n', "WITH_RELAY", "ON"),
    (
        "meson_options.txt",
        "option('relay', type: 'boolean', value: true, description: 'the relay that gives up')\n",
        "relay",
        "true",
    ),
    ("Kconfig", f'config RELAY_TIMEOUT\n\tint "{_SAID}"\n\tdefault 30\n', "RELAY_TIMEOUT", "30"),
    (
        "configure.ac",
        "AC_ARG_ENABLE([relay],\n  AS_HELP_STRING([--enable-relay], [Build the relay that gives up]))\n",
        "--enable-relay",
        "",
    ),
)


@pytest.mark.parametrize(("file", "text", "name", "default"), FORMS)
def test_a_form_of_declaring_an_option_is_read_with_its_default(workspace, file, text, name, default):
    assert list_options(workspace, file, text)[:1] == [(name, default)]


def test_a_preference_of_android_is_described_by_the_strings_that_it_refers_to(workspace):
    files = {
        "app/src/main/res/xml/preferences.xml": "<PreferenceScreen>\n    <SwitchPreference\n"
        '        android:key="pref_quick"\n        android:title="@string/quick_title"\n'
        '        android:defaultValue="true" />\n</PreferenceScreen>\n',
        "app/src/main/res/values/strings.xml": "<resources>\n"
        '    <string name="quick_title">Give up on the relay early</string>\n</resources>\n',
        "app/src/A.java": "class A {}\n",
    }
    [found] = analyze(workspace(files), "which preference gives up on the relay?").get_items("options")
    assert (found.name, found.default, found.help) == ("pref_quick", "true", "Give up on the relay early")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.py", f"choices = [\n    ('relay', '{_SAID}'),\n    ('draft', 'Not yet sent'),\n]\n"),
        ("a.js", "define('relay', ['gives', 'up'], function (gives, up) { return gives })\n"),
        ("a.go", 'package a\n\nfunc f() {\n\tzap.String("relay", "gives up")\n}\n'),
        ("a.xml", f'<beans>\n  <key name="relay">{_SAID}</key>\n</beans>\n'),
        ("a.cmake.txt", 'option(WITH_RELAY "Build the relay that gives up" ON)\n'),
    ],
)
def test_what_only_looks_like_such_a_form_declares_no_option(workspace, file, text):
    assert list_options(workspace, file, text) == []
