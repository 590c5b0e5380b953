"""How programs in Java declare entry points."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.model.enums import EntryKind
from avionics.syntax.entry_points import (
    AnnotatedRoutes,
    CallRule,
    DecoratorRule,
    EntryPointRules,
    MainRule,
    RouterRules,
)

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
    DecoratorRule(
        EntryKind.COMMAND,
        frozenset({"Command"}),
        frozenset({"picocli"}),
        methods=("call", "run"),
        below=late_pattern(r"\bsubcommands\s*=\s*(\{[^{}]*\}|\w+\.class)"),
    ),
    DecoratorRule(
        EntryKind.COMMAND,
        frozenset({"CommandDefinition", "GroupCommandDefinition"}),
        frozenset({"org"}),
        methods=("execute",),
    ),
    DecoratorRule(EntryKind.TASK, frozenset({"Scheduled"}), frozenset({"org", "io"})),
    DecoratorRule(
        EntryKind.EVENT,
        frozenset({"KafkaListener", "RabbitListener", "JmsListener", "SqsListener", "EventListener"}),
        frozenset({"org", "io"}),
    ),
)
"""https://picocli.info/#_executing_commands and https://aeshell.github.io."""

_PATH = r'"(?P<name>[^"\n]*)"'
_HANDLER = r"(?:(?P<runs>[A-Za-z_]\w*::[A-Za-z_]\w*)|(?:\w+|\(\w+(?:, ?\w+)?\))\s*->)"
"""A reference to a method, or a lambda."""
_CALLS = (
    *(
        CallRule(EntryKind.ROUTE, verb, pattern)
        for verb in map(str.upper, _VERBS)
        for pattern in (
            # .GET("/orders", accept(JSON), this::list)
            rf"\.(?P<call>{verb})\(\s*{_PATH}\s*,\s*(?:\w+\([^()\n]*\)\s*,\s*)?{_HANDLER}",
            # route(GET("/orders").and(accept(JSON)), orders::list)
            rf"\b(?:route|andRoute)\(\s*(?:RequestPredicates\.)?(?P<call>{verb})\(\s*{_PATH}\s*\)"
            rf"(?:\.\w+\((?:[^()\n]|\([^()\n]*\))*\))*\s*,\s*{_HANDLER}",
        )
    ),
    *(
        CallRule(EntryKind.ROUTE, verb, pattern, sign=f"{verb}(")
        for verb in map(str.lower, _VERBS)
        for pattern in (
            # app.get("/orders", Orders::list)
            rf"\b\w*[aA]pp\.(?P<call>{verb})\(\s*\"(?P<name>/[^\"\n]*)\"\s*,\s*{_HANDLER}",
            # router.get("/orders").handler(this::list)
            rf"\b\w*[rR]outer\.(?P<call>{verb})\(\s*\"(?P<name>/[^\"\n]*)\"\s*\)"
            rf"(?:\s*\.\w+\((?:[^()\n]|\([^()\n]*\))*\)){{0,4}}?\s*\.handler\(\s*{_HANDLER}",
        )
    ),
)
"""Spring's functional endpoints (https://docs.spring.io/spring-framework/reference/web/webflux-functional.html),
Javalin (https://javalin.io/documentation#handlers) and Vert.x (https://vertx.io/docs/vertx-web/java/)."""
_ROUTERS = RouterRules(
    blocks=(late_pattern(r'\.(?:nest|path)(?P<open>\()\s*(?:(?:RequestPredicates\.)?path\(\s*)?"(?P<prefix>[^"\n]*)"'),)
)

ENTRY_POINTS = EntryPointRules(
    main=MainRule(header=re.compile(r"\bstatic\b.*\bvoid main\(|^void main\(\)"), in_class=True),
    routes=ROUTES,
    routers=_ROUTERS,
    calls=_CALLS,
    decorators=COMMANDS,
)
