"""Questions in the words of people who do not know the code: wishes, synonyms, and what happens to their own files."""

from __future__ import annotations

import pytest

from avionics.tools.unified.analyze import analyze

TOOL = {
    "cli.go": "package main\n\nvar flags = []cli.Flag{\n"
    '\t&cli.StringFlag{Name: "throttleUpload", Usage: "throttle the upload speed"},\n'
    '\t&cli.BoolFlag{\n\t\tName: "ignore-crawlers",\n\t\tUsage: "do not count them in the report",\n\t},\n}\n',
    "options.js": "const OPTIONS = [\n  {\n    short: 'p',\n    flag: 'concurrent',\n    type: 'string',\n"
    "    description: 'the number of linters to run at once, or false for serial',\n  },\n"
    "  {\n    short: 'q',\n    flag: 'quiet',\n    type: 'boolean',\n    description: 'print nothing',\n  },\n]\n",
    "Factory.java": "class Factory {\n"
    '    public static final String PROP_DAEMON = "app.scheduler.makeThreadDaemon";\n}\n',
    "config/defaults.py": "class Config:\n    strict = c.Type(bool, default=False)\n"
    '    """Stop the build when there are warnings."""\n    exclude_docs = c.Optional(c.Paths())\n'
    '    """Patterns of files to exclude from the site."""\n',
    "main.py": "clean_help = 'Remove stale pages from the target before building.'\n\n\n"
    "@click.option('-c', '--clean/--dirty', help=clean_help)\ndef build():\n    pass\n",
}


@pytest.mark.parametrize(
    ("question", "name", "file"),
    [
        ("sending eats all my bandwidth, can I slow it down", "throttleUpload", "cli.go"),
        ("leave bots out of the report", "ignore-crawlers", "cli.go"),
        ("run the linters one after the other", "concurrent", "options.js"),
        ("property so that the thread is a daemon of the scheduler", "app.scheduler.makeThreadDaemon", "Factory.java"),
        ("how do I make the build fail on warnings", "strict", "config/defaults.py"),
        ("can I leave a few files out of the site? which setting", "exclude_docs", "config/defaults.py"),
        ("which flag deletes stale pages from the target?", "--clean", "main.py"),
    ],
)
def test_an_option_is_found_by_what_somebody_wants(workspace, question, name, file):
    first = analyze(workspace(TOOL), question).get_items("options")[0]
    assert (first.name, first.file) == (name, file)


@pytest.mark.parametrize(
    "question", ["where are bots left out of the report?", "crawlers", "paint the walls of the house"]
)
def test_what_is_no_wish_or_fits_no_option_is_not_answered_with_one(workspace, question):
    assert not analyze(workspace(TOOL), question).get_items("options")


def test_an_entry_that_describes_a_flag_is_no_option(workspace):
    options = analyze(workspace(TOOL), "which option has the description of the type").get_items("options")
    assert "options.js" not in {each.file for each in options}


def test_an_option_of_a_tool_is_none_of_the_program(workspace):
    files = {
        "vite.config.ts": "export default {\n  uploadTimeout: 30,\n}\n",
        "src/options.ts": "export interface Options {\n"
        "  /** Seconds until an upload is given up. */\n  uploadTimeout: number\n}\n",
    }
    found = analyze(workspace(files), "which option sets the upload timeout?").get_items("options")
    assert {each.file for each in found} == {"src/options.ts"}


RECOVERY = {
    "README.md": "# Store\n",
    "store.py": "def recover_jobs(dead_instance):\n    for job in dead_instance.jobs:\n        job.restart()\n\n\n"
    "def list_jobs(instance):\n    return instance.jobs\n",
    "files.py": "def exclude_duplicates(folder):\n    # README.md gives way to an index in the same folder\n"
    "    return [each for each in folder if each != 'README.md']\n",
}


@pytest.mark.parametrize(
    ("question", "symbol"),
    [
        ("an instance died: where are its jobs taken over?", "recover_jobs"),
        ("what happens if there is both a README.md and an index in a folder?", "exclude_duplicates"),
        ("how does it restart the jobs of a dead instance of git blame?", "recover_jobs"),
        ("what happens to my unstaged changes of the jobs of a dead instance", "recover_jobs"),
    ],
)
def test_what_a_program_does_is_answered_with_its_code(workspace, question, symbol):
    assert symbol in {each.symbol for each in analyze(workspace(RECOVERY), question).get_items("symbols")}


def test_a_file_is_still_explained(workspace):
    assert analyze(workspace(RECOVERY), "what is in store.py?").summary.startswith("store.py")


MESSAGES = {
    "labels.h": '#define ERR_NO_TIME \\\n  _("No time format was found.")\n',
    "table.c": '#include "codes.h"\nstatic const char *texts[] = {\n  [E_FULL] = "the queue of the server is full",\n'
    '  [E_LATE] = "the request came too late",\n};\nconst char *text(int code) { return texts[code]; }\n',
    "codes.h": "enum { E_FULL, E_LATE };\n",
    "use.c": '#include "codes.h"\n#include "labels.h"\n'
    "int push(int n) {\n  if (n > 9)\n    return E_FULL;\n  return 0;\n}\n"
    "const char *verify(int t) {\n  if (!t)\n    return ERR_NO_TIME;\n  return 0;\n}\n",
}


@pytest.mark.parametrize(
    ("message", "holder", "line"),
    [("No time format was found.", "ERR_NO_TIME", 10), ("the queue of the server is full", "E_FULL", 5)],
)
def test_a_message_leads_to_the_uses_of_the_constant_that_stands_for_it(workspace, message, holder, line):
    answer = analyze(workspace(MESSAGES), message)
    assert f"as {holder}, which is used at use.c:{line}" in answer.summary
    assert {each.file for each in answer.get_items("usages")} == {"use.c"}
