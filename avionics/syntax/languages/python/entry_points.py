"""How programs in Python declare entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.model.facts import line_of
from avionics.syntax.entry_points import (
    HTTP_VERBS,
    TEXT,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    NamedClassRule,
    PassedPaths,
    PlacedRule,
    ProgramFile,
    ResourceRule,
    RouterRules,
    Script,
)
from avionics.syntax.manifests import get_table, read_toml

_MAX_GROUPS, _MAX_SCRIPTS = 20, 300
"""The text is searched again for each; the packages with the most scripts have about fifty."""

_SECTIONS = (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"))
_SETUPTOOLS, _SCRIPT_FILES = ("tool", "setuptools"), "script-files"
"""Files that are installed as commands (https://setuptools.pypa.io/en/latest/userguide/pyproject_config.html)."""
_INI_SECTION = re.compile(r"^\[([^\]]+)\]")
_INI_ENTRY = re.compile(r"^\s+([^\s=]+)\s*=\s*([^\s#]+)")
_SETUP_GROUP = re.compile(r"[\"']?(?:console|gui)_scripts[\"']?\s*(?:[:=]|\])")
_SETUP_ENTRY = re.compile(
    r"(?:[\"']|^)[ \t]{0,100}([\w.-]{1,200})[ \t]{0,100}=[ \t]{0,100}([\w.]{1,200}:[\w.]+)", re.MULTILINE
)


_RUNS = r"(?:[A-Za-z_][\w.]*(?<!as_view)\(\s*)*(?P<runs>[A-Za-z_][\w.]*)"
"""The handler in a registering call, inside any calls that wrap it."""
_ONE = "/{pk}"
_CHANGES = ("update", "partial_update")
_VIEW_SETS = ResourceRule(
    methods={
        "list": ("GET", ""),
        "create": ("POST", ""),
        "retrieve": ("GET", _ONE),
        "update": ("PUT", _ONE),
        "partial_update": ("PATCH", _ONE),
        "destroy": ("DELETE", _ONE),
    },
    bases={
        "ModelViewSet": ("list", "create", "retrieve", *_CHANGES, "destroy"),
        "ReadOnlyModelViewSet": ("list", "retrieve"),
        "ListModelMixin": ("list",),
        "CreateModelMixin": ("create",),
        "RetrieveModelMixin": ("retrieve",),
        "UpdateModelMixin": _CHANGES,
        "DestroyModelMixin": ("destroy",),
    },
    action=late_pattern(r"\A(?>(?:\w++\.)*)(?:action|(?:list|detail)_route)(?:\((?P<arguments>.*)|\Z)", re.DOTALL),
    of_one=late_pattern(r"\bdetail\s*=\s*True\b|\A[\w.]*\bdetail_route\b"),
    one=_ONE,
    path=late_pattern(rf"\burl_path\s*=\s*{TEXT}"),
    verbs=late_pattern(r"\bmethods\s*=\s*[\[({]([^\])}]*)"),
)
"""https://www.django-rest-framework.org/api-guide/routers/"""
_CALLS = (
    CallRule(
        EntryKind.ROUTE,
        "urlpatterns",
        rf"\b(?P<call>path|re_path|url)\(\s*{TEXT}\s*,\s*(?!include\b){_RUNS}",
    ),
    CallRule(
        EntryKind.ROUTE,
        "add_url_rule",
        rf"\.(?P<call>add_url_rule)\(\s*{TEXT}(?:(?:[^()]|\([^()]*\))*?view_func\s*=\s*{_RUNS})?",
    ),
    CallRule(
        EntryKind.ROUTE,
        "Route",
        rf"\b(?P<call>Route|WebSocketRoute)\(\s*{TEXT}\s*,\s*(?:endpoint\s*=\s*)?{_RUNS}",
    ),
    *(
        CallRule(
            EntryKind.ROUTE, f"add_{verb}", rf"\.(?P<call>add_{verb})\(\s*{TEXT}\s*,\s*{_RUNS}", sign=f".add_{verb}("
        )
        for verb in sorted(HTTP_VERBS)
    ),
    *(
        CallRule(EntryKind.ROUTE, verb, rf"\bweb\.(?P<call>{verb})\(\s*{TEXT}\s*,\s*{_RUNS}", sign=f"web.{verb}(")
        for verb in sorted({*HTTP_VERBS, "view"})
    ),
    CallRule(
        EntryKind.ROUTE,
        "add_route",
        rf"\.(?P<call>add_route)\(\s*[\"'](?P<verb>[A-Z]+)[\"']\s*,\s*{TEXT}\s*,\s*{_RUNS}",
    ),
    CallRule(
        EntryKind.ROUTE,
        "add_route",
        rf"\.(?P<call>add_route)\(\s*{TEXT}\s*,\s*(?P<runs>[A-Za-z_][\w.]*)",
        methods=("on_get", "on_post", "on_put", "on_patch", "on_delete"),
    ),
    CallRule(
        EntryKind.ROUTE,
        "register",
        rf"\b\w*[rR]outer\w*\.(?P<call>register)\(\s*{TEXT}\s*,\s*(?P<runs>[A-Za-z_][\w.]*)",
        resource=_VIEW_SETS,
    ),
    CallRule(
        EntryKind.ROUTE,
        "tornado",
        r"(?<![\w\])])\(\s*r?[\"'](?P<name>/[^\"'\n]*)[\"']\s*,\s*(?P<runs>[A-Za-z_][\w.]*)\s*[,)]",
        needs_handler=True,
        methods=("get", "post", "put", "patch", "delete"),
    ),
    CallRule(
        EntryKind.COMMAND,
        "add_command",
        rf"\.(?P<call>add_command)\(\s*(?P<runs>[A-Za-z_][\w.]*+)\s*+(?:,\s*(?:name\s*=\s*)?{TEXT}\s*+)?,?\s*\)",
    ),
    CallRule(
        EntryKind.COMMAND,
        "add_parser",
        rf"\.(?P<call>add_parser)\(\s*{TEXT}"
        rf"(?:(?:(?!\.add_parser\()[\s\S])*?\.set_defaults\(\s*\w+\s*=\s*{_RUNS})?",
    ),
)


_QUOTED_VERB = r"[\"'](?P<verb>{verb})[\"']"
_QUOTED_PATH = r"[\"'](?P<name>/[^\"'\s]*)[\"']"
_HANDLER = r"[\"']?(?P<runs>[A-Za-z_][\w.]*)[\"']?\s*[,)\]]"
_ROWS = tuple(
    CallRule(EntryKind.ROUTE, verb.upper(), rf"(?<![\w\])])[(\[]\s*+{row}", sign=verb.upper(), needs_handler=True)
    for verb in sorted(HTTP_VERBS)
    for written in (_QUOTED_VERB.replace("{verb}", verb.upper()),)
    for row in (
        rf"{written}\s*+,\s*+{_QUOTED_PATH}\s*+,\s*+{_HANDLER}",
        rf"{_QUOTED_PATH}\s*+,\s*+{written}\s*+,\s*+{_HANDLER}",
        rf"[\"']?(?P<runs>[A-Za-z_][\w.]*)[\"']?\s*+,\s*+[(\[]?\s*+{written}\s*+,\s*+{_QUOTED_PATH}",
    )
)
"""Rows of tables that a program registers its routes from: `("GET", "/orders", list_orders)`."""


def iter_pyproject(text: str) -> Iterator[Script]:
    """Yield the scripts of a pyproject.toml, none when it is not TOML."""
    document, lines = read_toml(text), text.split("\n")
    for section in _SECTIONS:
        for name, target in islice(get_table(document, *section).items(), _MAX_SCRIPTS):
            called = target.get("callable") or target.get("reference") if isinstance(target, dict) else target
            if isinstance(called, str) and called:
                yield name, called, _toml_line(lines, section, name)
    files = get_table(document, *_SETUPTOOLS).get(_SCRIPT_FILES)
    for file in islice(files if isinstance(files, list) else (), _MAX_SCRIPTS):
        if isinstance(file, str) and file.endswith(".py"):
            stem = file.removesuffix(".py")
            number = next((at for at, line in enumerate(lines, 1) if file in line), 1)
            yield stem.rpartition("/")[2], stem.replace("/", "."), number


def iter_setup_cfg(text: str) -> Iterator[Script]:
    """Yield the scripts of a setup.cfg."""
    section = group = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = _INI_SECTION.match(line)
        if header:
            section, group = header[1].strip(), ""
        elif section == "options.entry_points" and line[:1].strip():
            group = line.partition("=")[0].strip()
        elif group in {"console_scripts", "gui_scripts"} and (entry := _INI_ENTRY.match(line)):
            yield entry[1], entry[2], number


def iter_setup_py(text: str) -> Iterator[Script]:
    """Yield the scripts that a setup.py lists as plain strings."""
    for group in islice(_SETUP_GROUP.finditer(text), _MAX_GROUPS):
        end = min((at for mark in "]})" if (at := text.find(mark, group.end())) >= 0), default=len(text))
        for entry in islice(_SETUP_ENTRY.finditer(text, group.end(), end), _MAX_SCRIPTS):
            yield entry[1], entry[2], line_of(text, entry.start(1))


def _toml_line(lines: list[str], section: tuple[str, ...], name: str) -> int:
    """Return the line of a key: the first after its section's header, else the first anywhere."""
    header = f"[{'.'.join(section)}]"
    start = next((at for at, line in enumerate(lines) if line.replace(" ", "").replace('"', "") == header), 0)
    key = re.compile(rf"""\s*(?:[\w.-]*\.)?["']?{re.escape(name)}["']?\s*=""")
    numbers = (*range(start, len(lines)), *range(start))
    return next((at + 1 for at in numbers if key.match(lines[at])), start + 1)


_IN_CALL = r"(?:[^()]|\([^()]*\)){0,800}?"
_OPERAND = r"(?:[rf]?[\"'][^\"'\n]*+[\"']|[A-Za-z_][\w.]*+(?!\())"
_COMPUTED = rf"(?P<computed>{_OPERAND}(?>(?:\s*+\+\s*+{_OPERAND})*))"
"""Literals, format strings and names, joined by `+`."""
_PREFIX_OPTION = rf"\b(?:url_)?prefix\s*=\s*{_COMPUTED}"
_QUOTED_PREFIX = r"r?[\"'](?P<prefix>[^\"'\n]*)[\"']"
_PARENT = r"(?<![\w.])(?P<parent>[A-Za-z_][\w.]{0,80})"
_ROUTERS = RouterRules(
    groups=(
        late_pattern(rf"(?<![\w.])(?:\w{{1,40}}\.){{0,4}}\w{{0,40}}(?:Router|Blueprint)\({_IN_CALL}{_PREFIX_OPTION}"),
    ),
    blocks=(
        late_pattern(rf"\bMount(?P<open>\()\s*{_QUOTED_PREFIX}"),
        late_pattern(rf"\b(?:path|re_path|url)(?P<open>\()\s*{_QUOTED_PREFIX}\s*,\s*include\(\s*+(?:\(\s*+)?\["),
    ),
    mounts=(
        *(
            (
                word,
                late_pattern(
                    rf"{_PARENT}\.{word}\(\s*(?:\w+\s*=\s*)?(?P<router>[A-Za-z_][\w.]*)(?:{_IN_CALL}{_PREFIX_OPTION})?"
                ),
            )
            for word in ("include_router", "register_blueprint")
        ),
        *(
            (word, late_pattern(rf"{_PARENT}\.{word}\(\s*{_QUOTED_PREFIX}\s*,\s*(?P<router>[A-Za-z_][\w.]*)"))
            for word in ("add_subapp", "add_router", "mount")
        ),
        (
            "Mount",
            late_pattern(rf"\bMount\(\s*{_QUOTED_PREFIX}\s*,\s*(?:(?:app|routes)\s*=\s*)?(?P<router>[A-Za-z_][\w.]*)"),
        ),
        ("urls", late_pattern(r"\*\s*(?P<router>[A-Za-z_]\w*)\.urls\b")),
        (
            "include",
            late_pattern(
                rf"\b(?:path|re_path|url)\(\s*{_QUOTED_PREFIX}\s*,\s*include\(\s*\(?\s*"
                r"(?:[\"'](?P<module>[\w.]+)[\"']|(?P<router>[A-Za-z_][\w.]*))"
            ),
        ),
    ),
)
"""FastAPI (`include_router`), Flask (`register_blueprint`), aiohttp, Django Ninja, Starlette, Django (`include`)."""

ENTRY_POINTS = EntryPointRules(
    routers=_ROUTERS,
    program=ProgramFile(
        name="__main__.py",
        command="python -m",
        guard_word="__main__",
        guard=re.compile(
            r"^if[ (]+__name__[ ]*==[ ]*['\"]__main__['\"]|^if[ (]+['\"]__main__['\"][ ]*==[ ]*__name__", re.MULTILINE
        ),
    ),
    passed_paths=(
        PassedPaths(
            ("add_url_rule", "add_api_route", *(f"add_{verb}" for verb in sorted(HTTP_VERBS))), r"[A-Za-z_][\w.]{0,80}"
        ),
        PassedPaths(("add_route",), r"[A-Za-z_][\w.]{0,80}", path=1),
    ),
    decorators=(
        DecoratorRule(
            EntryKind.ROUTE, HTTP_VERBS | {"route", "api_route", "websocket"}, frozenset({"bottle", "litestar"})
        ),
        DecoratorRule(
            EntryKind.COMMAND, frozenset({"command", "group"}), frozenset({"click", "rich_click", "asyncclick"})
        ),
        DecoratorRule(
            EntryKind.TASK,
            frozenset({"task", "shared_task", "periodic_task", "actor"}),
            frozenset({"celery", "invoke", "prefect", "dramatiq"}),
        ),
        DecoratorRule(EntryKind.EVENT, frozenset({"receiver", "on_event"}), frozenset({"django", "blinker"})),
    ),
    calls=(*_CALLS, *_ROWS),
    # https://docs.djangoproject.com/en/stable/howto/custom-management-commands/
    placed=tuple(
        PlacedRule(re.compile(r"(?:^|/)commands/([A-Za-z]\w*)\.py$"), "Command", each) for each in ("handle", "run")
    ),
    named=(
        NamedClassRule(
            ("command", "cmd"),
            late_pattern(r"(?:Command|Cmd)\w*(?:\[[^\]]*\])?$"),
            "name",
            late_pattern(r"=\s*[\"']([a-z][\w:.-]*(?: [a-z][\w-]*)*)[\"']$"),
            ("handle", "execute", "_execute", "run", "do_run", "_run", "main", "__call__"),
        ),
    ),
    script_files={"pyproject.toml": iter_pyproject, "setup.cfg": iter_setup_cfg, "setup.py": iter_setup_py},
    view_suffix=".as_view",
)
