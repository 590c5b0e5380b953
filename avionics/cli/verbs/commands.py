"""The commands of the verbs, made from the table and the parameters that the tools declare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct, structs

from avionics.cli import text
from avionics.cli.input.values import build_call_writer, parse_parameters, write_command
from avionics.cli.options import (
    examples,
    fleet_option,
    get_given_options,
    no_ignore_option,
    owner_option,
    repo_option,
    revision_option,
    timeout_option,
)
from avionics.cli.output.exit_codes import NOTHING_FOUND
from avionics.cli.output.printing import OutputForm, RowListing, print_listing
from avionics.cli.output.rows import Row, find_near, list_rows, prune, take_first, without_tests
from avionics.cli.output.session import get_terminal
from avionics.cli.output.style import choose_style
from avionics.cli.running import call_tool, get_asked_fleet
from avionics.cli.shell.values import suggest_values
from avionics.cli.verbs.table import VERBS, Verb, get_verb
from avionics.model import HistoryError, Status, ToolCall, ToolResult, UsageError
from avionics.model.naming import did_you_mean, plural
from avionics.model.results import to_plain
from avionics.model.tools import CallWriter
from avionics.settings import Settings
from avionics.tools.schema.parameters import Parameter, Shape

_MAX_NEAR = 3

_OUTPUT_OPTIONS = (
    click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document, without empty values."),
    click.Option(["--jsonl"], is_flag=True, help="Print one JSON object for each result."),
    click.Option(["-c", "--count"], is_flag=True, help="Print only the number of results."),
    click.Option(["-l", "--files-only"], is_flag=True, help="Print only the files, each once."),
    click.Option(["-0", "--null"], is_flag=True, help="End each result with NUL instead of a newline."),
    click.Option(["--no-tests"], is_flag=True, help="Leave out results in test files."),
    click.Option(["-n", "--limit"], type=click.IntRange(min=1), metavar="N", help="List at most N of each kind."),
    click.Option(["--wide"], is_flag=True, help="Wrap long lines on a terminal."),
    click.Option(
        ["--color"], type=click.Choice(["auto", "always", "never"]), default="auto",
        help="When to use colours and links.  [default: auto, on a terminal unless NO_COLOR is set]",
    ),
)  # fmt: skip
_POSSIBLE = "unresolved"
"""The section of possible usages; a terminal lists them if there are no confirmed ones."""
_ALL = click.Option(["-a", "--all", "is_all"], is_flag=True, help="Also list possible results.")

_ACROSS_REPOSITORIES = frozenset({"def", "grep", "impact", "refs", "search"})
"""The verbs that can ask a fleet."""


class VerbCommand(click.Command):
    """The command of a verb, which explains the error if a positional parameter is given as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Raise `UsageError` if an argument is given as an option."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as refusal:
            placed = [each for each in self.params if isinstance(each, click.Argument)]
            if refusal.option_name.lstrip("-") not in {each.name for each in placed}:
                raise
            usage = " ".join(["avionics", str(self.name), *(str(each.metavar) for each in placed)])
            raise click.UsageError(
                f"{refusal.option_name} is an argument, not an option\nhint: {usage}", None
            ) from None


class Request(Struct, frozen=True):
    """The options of a verb that are not parameters of its tool."""

    repo: Path
    timeout: float | None
    as_json: bool
    limit: int | None
    no_tests: bool
    is_all: bool
    color: str
    form: OutputForm


def build_verb_command(name: str) -> click.Command:
    """Return the command of a verb: its arguments, the tool's other parameters, and the options of the output."""
    verb = get_verb(name)
    parameters = _get_parameters(verb)
    taken = {name for argument in verb.arguments for name in _get_names(argument)}
    options = [_build_option(each) for name, each in parameters.items() if name not in {*taken, "limit"}]
    is_cut = [_ALL] if verb.more else []
    is_across = verb.name in _ACROSS_REPOSITORIES

    def run(**given: Any) -> int:
        url = get_asked_fleet(given.pop("fleet"), get_given_options()) if is_across else ""
        if not url and given.pop("owner", None):
            raise UsageError("--owner chooses among the repositories of a fleet", hint="give --fleet URL too")
        return _ask_fleet(url, verb, parameters, given) if url else run_verb(verb, parameters, given)

    command = VerbCommand(
        verb.name,
        callback=run,
        params=[*map(_build_argument, verb.arguments), *options, *is_cut, *_OUTPUT_OPTIONS],
        help=verb.summary,
        epilog=examples(*(f"avionics {verb.name} {each}".rstrip() for each in verb.examples)),
    )
    across = (fleet_option, *((owner_option,) if verb.name == "refs" else ())) if is_across else ()
    for shared in (timeout_option, no_ignore_option, revision_option, repo_option, *across):
        shared(command)
    return command


def _ask_fleet(url: str, verb: Verb, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> int:
    """Run a verb on a fleet, print the answer, and return the exit code."""
    from avionics.cli.fleet import ask_fleet, show_impact, show_usages

    if verb.name == "refs":
        return show_usages(url, given["symbol"], owner=given["owner"], as_json=given["as_json"], is_all=given["is_all"])
    request = _read_request(given)
    arguments = {**verb.fixed, **_read_arguments(verb, parameters, given, request)}
    if verb.name == "impact":
        changed = call_tool(verb.tool.value, arguments, request.repo, 0, request.timeout)
        return show_impact(url, changed, request.repo, as_json=request.as_json)
    return text.show(ask_fleet(url, lambda fleet: fleet.run(verb.tool, arguments), request.timeout), request.as_json)


def _read_request(given: Mapping[str, Any]) -> Request:
    return Request(
        given["repo"], given["timeout"], given["as_json"], given["limit"], given["no_tests"],
        bool(given.get("is_all")), given["color"],
        OutputForm(given["jsonl"], given["count"], given["files_only"], "\0" if given["null"] else "\n", given["wide"]),
    )  # fmt: skip


def run_verb(verb: Verb, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> int:
    """Run the tool of a verb, print what it found, and return the exit code."""
    request = _read_request(given)
    arguments = {**verb.fixed, **_read_arguments(verb, parameters, given, request)}
    writer = build_verb_writer(request.repo, verb)
    result = call_tool(verb.tool.value, arguments, request.repo, 0, request.timeout, writer)
    if result.status is Status.ERROR or result.answer is None:
        return text.show(result, request.as_json)
    rows = list_rows(result.answer, verb.parts, verb.min_depth)
    if request.is_all or (not rows and _POSSIBLE in verb.more and _is_read_by_people(request)):
        request = structs.replace(request, is_all=True)
        rows = list_rows(result.answer, (*verb.parts, *verb.more), verb.min_depth)
    wanted = tuple(without_tests(rows, request.repo)) if request.no_tests else rows
    shown = wanted if "limit" in arguments else take_first(wanted, request.limit)
    if request.as_json:
        text.show_json(_build_document(result, rows, shown))
    else:
        style = choose_style(request.color, request.repo, get_terminal())
        listing = _build_listing(verb, result, rows, shown, request)
        print_listing(listing, request.form, style)
    is_empty = not shown and (rows or verb.name == "callers")
    return NOTHING_FOUND if is_empty else text.exit_code(result)


def _is_read_by_people(request: Request) -> bool:
    """Return whether the results go to a terminal in a form for people."""
    return get_terminal().is_terminal and not (request.as_json or request.form.is_for_programs)


def _build_listing(
    verb: Verb, result: ToolResult, rows: tuple[Row, ...], shown: tuple[Row, ...], request: Request
) -> RowListing:
    """Return what to print: the rows, and a note about what they leave out."""
    coverage = (result.data or {}).get("coverage", {})
    left_out = len(rows) - len(shown)
    held = len(list_rows(result.answer, verb.more)) if verb.more and not request.is_all else 0
    near = find_near(result.answer)[:_MAX_NEAR] if not rows else ()
    notes = [
        did_you_mean(near),
        f"{left_out} of {plural(len(rows), 'result')} not listed" if left_out else "",
        f"{plural(held, 'possible result')} not listed; --all lists {'them' if held > 1 else 'it'}" if held else "",
        "no function is known to call it" if verb.name == "callers" and not rows and not near else "",
        *(each for each in coverage.get("because", ()) if each not in result.answer.headline().replace("'", "")),
    ]
    return RowListing(
        result.answer.headline(), shown, "; ".join(filter(None, notes)), str(coverage.get("next", "")), verb.is_sequence
    )


def _build_document(result: ToolResult, rows: tuple[Row, ...], shown: tuple[Row, ...]) -> dict[str, Any]:
    """Return the documented result, without empty values, with the rows that are shown in place of its sections."""
    document = result.to_dict()
    data = dict(document["data"])
    for part in dict.fromkeys(row.part for row in rows):
        data[part] = [to_plain(row.item) for row in shown if row.part == part]
    return dict(prune({**document, "data": data}))


def _read_arguments(
    verb: Verb, parameters: Mapping[str, Parameter], given: Mapping[str, Any], request: Request
) -> dict[str, Any]:
    """Return the arguments of the call."""
    texts = {name: str(given[name]) for name in parameters if given.get(name) is not None}
    for argument in verb.arguments:
        names = _get_names(argument)
        value = given[names[0]]
        if value is None:
            continue
        if argument.endswith("+"):
            words = list(value)
            # As in `grep` and `rg`, a last argument that is a file or directory is the place to search.
            if len(words) > 1 and (request.repo / words[-1]).exists():
                texts["path"] = words.pop()
            value = " ".join(words)
        if not value.strip():
            raise UsageError(f"the argument {names[-1].upper()} is empty", hint=f"see avionics {verb.name} --help")
        texts.pop(names[0], None)
        texts[names[0] if len(names) == 1 or _is_first(names, value, request.repo) else names[-1]] = value
    if "head" in parameters and ".." in texts.get("base", "") and "head" not in texts:
        texts["base"], _, head = texts["base"].partition("..")
        texts |= {"head": head.lstrip(".")} if head.lstrip(".") else {}
    if "limit" in parameters and request.limit is not None and not request.no_tests:
        texts["limit"] = str(request.limit)
    if given.get("rev") is not None:
        texts["rev"] = given["rev"]
    types = {name: parameter.spelling for name, parameter in parameters.items()}
    return parse_parameters([f"{name}={value}" for name, value in texts.items()], types)


def _is_first(names: Sequence[str], value: str, repo: Path) -> bool:
    """Return whether a value is meant for the first of the parameters that an argument may give."""
    is_path = (repo / value).exists()
    if names[0] != "base":
        # A deleted file has a history, too.
        return is_path or ("/" in value and "::" not in value and not value.rpartition(":")[2].isdecimal())
    if is_path:
        return False
    from avionics.history.history import History

    if ".." in value or not {*"~^@"}.isdisjoint(value):
        return True
    try:
        History.open(repo, Settings.from_environment()).require_commit(value)
    except (UsageError, HistoryError):
        return False
    return True


def build_verb_writer(repo: Path, own: Verb) -> CallWriter:
    """Return a function that writes a call with the current verb, another verb of its tool, or `avionics run`."""
    write_run = build_call_writer(repo)

    def write(call: ToolCall) -> str:
        verb = next((each for each in (own, *VERBS) if each.tool.value == call.name and not each.fixed), None)
        given = {name: value for name, value in call.arguments.items() if name != "budget"}
        words = ["avionics", verb.name] if verb else []
        for argument in verb.arguments if verb else ():
            names = _get_names(argument)
            chosen = [name for name in names if name in given]
            if len(chosen) > 1 or (not chosen and argument[-1] != "?"):
                return write_run(call)
            words += [str(given.pop(name)) for name in chosen]
        if not verb or any(word.startswith("-") for word in words):
            return write_run(call)
        for name, value in given.items():
            words += [f"--{name.replace('_', '-')}", value if isinstance(value, str) else json.dumps(value)]
        return write_command(words, repo)

    return write


def _get_parameters(verb: Verb) -> Mapping[str, Parameter]:
    """Return the parameters of the tool of a verb."""
    from avionics.tools import tool_catalog

    definition = tool_catalog.get_tool(verb.tool.value)
    assert definition is not None
    return definition.parameter_schemas


def _build_argument(argument: str) -> click.Argument:
    """Return the positional argument of a verb."""
    names, is_many = _get_names(argument), argument.endswith("+")
    is_required, shown = not argument.endswith("?"), "|".join(names).upper()
    shown = f"{shown}... [PATH]" if is_many else shown
    return click.Argument(
        [names[0]],
        required=is_required,
        nargs=-1 if is_many else 1,
        metavar=shown if is_required else f"[{shown}]",
        shell_complete=suggest_values,
    )


def _get_names(argument: str) -> list[str]:
    """Return the parameters that an argument may give."""
    return argument.rstrip("?+").split("|")


def _build_option(parameter: Parameter) -> click.Option:
    """Return the option of a parameter of a tool; its help ends with the default and the values that are allowed."""
    name = f"--{parameter.name.replace('_', '-')}"
    kind = parameter.spelling.removesuffix("?").upper()
    notes = "; ".join(_iter_notes(parameter))
    text = f"{parameter.description}  [{notes}]" if notes else parameter.description
    return click.Option([name, parameter.name], shell_complete=suggest_values, help=text, metavar=kind)


def _iter_notes(parameter: Parameter) -> Iterator[str]:
    """Yield the default and the allowed values of a parameter, as click writes them for its own options."""
    if parameter.default is not None:
        yield f"default: {to_plain(parameter.default)}"
    if isinstance(parameter.shape, Shape):
        if parameter.shape.choices:
            yield f"one of {', '.join(map(str, parameter.shape.choices))}"
        low, high = parameter.shape.bounds.ge, parameter.shape.bounds.le
        if low is not None and high is not None:
            yield f"{low}<=x<={high}"
        elif low is not None:
            yield f"x>={low}"
