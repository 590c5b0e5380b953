"""How programs in Java declare entry points."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import AnnotatedRoutes, DecoratorRule, EntryPointRules, MainRule

_VERBS = ("Get", "Post", "Put", "Patch", "Delete", "Head", "Options")
ROUTES = AnnotatedRoutes(
    methods={
        **{f"{verb}Mapping": (verb.upper(),) for verb in _VERBS},
        **{verb.upper(): (verb.upper(),) for verb in _VERBS},
        **{verb: (verb.upper(),) for verb in _VERBS},
        "RequestMapping": (),
        "MessageMapping": (),
    },
    paths=("RequestMapping", "Path", "Controller"),
    clients=frozenset({"FeignClient", "RegisterRestClient", "Client"}),
    base=("ApplicationPath", late_pattern(r"@ApplicationPath\s*\(")),
    base_of="Path",
    method_paths=frozenset({"Path"}),
)
"""Spring, JAX-RS and Micronaut."""

COMMANDS = (
    DecoratorRule(EntryKind.COMMAND, frozenset({"Command"}), frozenset({"picocli"}), methods=("call", "run")),
    DecoratorRule(
        EntryKind.COMMAND,
        frozenset({"CommandDefinition", "GroupCommandDefinition"}),
        frozenset({"org"}),
        methods=("execute",),
    ),
)
"""https://picocli.info/#_executing_commands and https://aeshell.github.io."""

ENTRY_POINTS = EntryPointRules(
    main=MainRule(header=re.compile(r"\bstatic\b.*\bvoid main\(|^void main\(\)")), routes=ROUTES, decorators=COMMANDS
)
