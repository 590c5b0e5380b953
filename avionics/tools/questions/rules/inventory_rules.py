"""The rules that recognize questions for what a repository has of a kind: commands, tables, events."""

from __future__ import annotations

import re

from avionics.index.inventory.purpose import Purpose
from avionics.late_pattern import late_pattern
from avionics.tools.questions.intents import Intent, IntentRule, Needs
from avionics.tools.questions.rules.structure_rules import ASKED_FOR, WHOLE

_SUITE = (
    r"(?:(?:the|all|your|our|its|these|unit|integration|e2e|end-to-end|existing|full|whole|entire|automated|project"
    r"|project's)\s){0,6}(?:(?!which|what|that|if|when|before|after)[a-z]{2,}\s+)?(?:tests?|test ?suites?"
    r"|test cases|specs|unittests?)"
)
_IT = rf"(?:it|this|that|everything|{WHOLE})"
_OF = (
    r"(?:(?:the|a|an|our|its|your|local|demo|dev(?:elopment)?|debug|release|production|prod|web|api|backend"
    r"|frontend)\s){0,6}"
)
_PROGRAM = (
    rf"{_OF}(?:servers?|app(?:lication)?|service|site|website|daemon|demo|program|project|binary|executable|client|ui"
    r"|backend|frontend|stack|bot|cli)"
)
_PURPOSES = (
    (Purpose.TEST, rf"(?:run|execute|start|launch|invoke)s? {_SUITE}|test {_IT}|test the (?:code|project|changes)"),
    (Purpose.CHECK, r"(?:run|execute|start)s? (?:the |all |your ){0,3}(?:linters?|lint|checks"
     r"|type ?checks?(?:er|ers|ing)?|static analysis|formatter check|style checks?|pre-commit(?: hooks)?)"
     rf"|lint (?:{_IT}|the code|my code)|type-?check (?:{_IT}|the code)"
     r"|check (?:the )?(?:code ?)?(?:style|formatting|format|types|lint)(?: of (?:the |this |my )?code)?"),
    (Purpose.FORMAT, rf"format (?:{_IT}|(?:the|my|your) code)|run (?:the )?(?:code )?formatter"),
    (Purpose.MEASURE, r"(?:run|execute|start)s? (?:the |all ){0,3}(?:benchmarks?|benches|perf tests?)"),
    (Purpose.MIGRATE, r"(?:run|apply|execute|create|make|generate)s? (?:(?:the|all|a|new|db|database)\s){0,6}"
     r"migrations?|migrate (?:the )?(?:db|database|schema)"
     r"|(?:create|set up|initiali[sz]e) the (?:db|database)(?: schema)?"),
    (Purpose.DOCUMENT, r"(?:build|generate|render|make|compile)s? (?:the |its |api |html ){0,4}(?:docs?"
        r"|documentation|manual"
     r"|site|website|book)"),
    (Purpose.RELEASE, r"(?:make|cut|do|create|publish|ship)s? (?:a |the |new ){0,3}release"
     rf"|publish (?:it|this|the package|a new version)|deploy {_IT}|release (?:{_IT}|a new version)"),
    (Purpose.INSTALL, r"install (?:(?:the|all|its|dev|development|required)\s){0,6}(?:dependencies|deps|requirements"
     r"|packages)|set ?up (?:(?:the|a|my|local|dev|development)\s){0,6}(?:environment|env|workspace|dev(?:elopment)?"
     rf"(?: environment| setup)?|{WHOLE})|install (?:{_IT}|from source)"),
    (Purpose.BUILD, rf"(?:build|compile|make)s? (?:{_IT}|from source|from sources|(?:{_OF})(?:project|binary|binaries"
     r"|executable|release(?: build)?|wheel|package|image|docker image|jar|library|lib|code|app(?:lication)?|build))"
     r"|(?:make|create|do|produce)s? an? (?:\w+ ){0,2}build"),
    (Purpose.START, rf"(?:run|start|launch|execute|serve|boot|bring up|spin up|use)s?(?: up)? (?:{_IT}|{_PROGRAM})"),
)  # fmt: skip
_ASKING = (
    r"(?:how (?:do|does|can|could|should|would|to|must|may)(?: (?:i|we|you|one|somebody|someone))?(?: (?:best|actually"
    r"|locally|quickly))?"
    r"|(?:what|which)(?:'s| is| are)? (?:the )?(?:\w+ )?(?:commands?|scripts?|targets?|make targets?|way|steps?|line)"
    r"(?: (?:that|which|do|should|can|must|would|i|we|you|to|is|are|used|need|for|use))*"
    r"|(?:the )?commands? (?:to|for)|(?:tell|show) me how to|how (?:i|we|you|one)(?: can| could| should| do)?"
    r"|(?:i )?(?:want|need|like) to(?: know how to)?"
    r"|way to|steps to|instructions (?:to|for))"
)
_TAIL = (
    r"(?:[ ,;:-]+(?:how|please|pls|locally|now|here|again|from source|from scratch|on my (?:machine|computer|laptop)"
    r"|in (?:development|dev|debug|production|release)(?: mode)?|for (?:development|production|release)|in docker"
    r"|with docker|by hand|myself|first|quickly|(?:of|for|in) (?:it|this|" + WHOLE + r"|(?:(?:the|web) )*(?:server"
    r"|client|backend|frontend|api|cli|web|app))|command|how to|\?))*"
)
_ANY = "|".join(each for _, each in _PURPOSES)
TASK = (
    rf"\A(?:(?:hi|hello|hey|so|ok|and|please|now|agent|question|can you"
    rf"|could you)\W+)*{_ASKING} (?:{_ANY}){_TAIL}(?=\W*\Z)"
    rf"|\A\W*(?:{_ANY}){_TAIL}[ ,;:-]+how(?: to)?(?=\W*\Z)"
    rf"|\A\W*(?:how (?:is|are) )(?:{_SUITE}|{_IT}|{_PROGRAM}|(?:the )?(?:docs|documentation)) (?:run|executed"
    rf"|built|started|compiled|deployed|released"
    rf"|installed|launched){_TAIL}(?=\W*\Z)"
    rf"|\A\W*(?:(?:test|build|run|start|lint|dev|release|install)\s+)(?:commands?|instructions|scripts?)(?=\W*\Z)"
)
"""A question for how a project is tested, built or started."""
_PASSIVE = (
    (Purpose.TEST, rf"{_SUITE} (?:run|executed|started)|\Atest(?= )"),
    (Purpose.DOCUMENT, r"\b(?:docs|documentation) (?:built|generated)"),
    (Purpose.BUILD, r"\b(?:built|compiled)|\Abuild(?= )"),
    (Purpose.RELEASE, r"\b(?:released|deployed)|\Arelease(?= )"),
    (Purpose.INSTALL, r"\binstalled|\Ainstall(?= )"),
    (Purpose.CHECK, r"\Alint(?= )"),
    (Purpose.START, r"\b(?:run|started|launched|executed)|\A(?:start|run|dev)(?= )"),
)
_READERS = tuple(
    (purpose, late_pattern(rf"\b(?:{words})", re.IGNORECASE)) for purpose, words in (*_PURPOSES, *_PASSIVE)
)
_PLAIN = late_pattern(
    r"(?:"
    r"a|all|an|and|app|application|are|at|best|build|building|built|by|can|check|checks"
    r"|code|codebase|command|commands|compile|could|create|dev|do|docker|does|everything"
    r"|execute|executed|existing|find|for|format|from|generate|here|hi|how|i|in|install"
    r"|installed|instructions|is|it|its|launch|like|line|local|locally|machine|make|me|mode"
    r"|must|my|need|now|of|on|one|our|please|pls|program|project|quickly|repo|repository"
    r"|run|running|scripts|serve|server|set|setup|should|show|source|start|started|steps"
    r"|suite|suites|target|targets|tell|test|tests|that|the|them|this|to|up|use|used"
    r"|way|we|what|which|with|would|you|your"
    r")",
    re.IGNORECASE,
)
"""Words of such questions that do not help to select a command."""


def read_task(text: str) -> tuple[Purpose, tuple[str, ...]] | None:
    """Return what a question asks how to do with a project, and the words that select a command.

    None for other questions.
    """
    for purpose, pattern in _READERS:
        if pattern.search(text):
            words = re.findall(r"[a-z][a-z\d-]{2,}", text.lower())
            return purpose, tuple(dict.fromkeys(each for each in words if not _PLAIN.fullmatch(each)))
    return None


_STORE = r"(?:sql|database|db|data|orm|persist(?:ent|ence|ed)|stored|server|domain)"
_TABLES = (
    rf"(?:(?:{_STORE}|the|all)(?:'s)? )*(?:(?:{_STORE} )?tables?|(?:{_STORE}|(?!view|page|language"
    rf"|data)\w{{3,}})(?:'s)?"
    r" (?:models?|entit(?:y|ies))|(?:database|db|sql)(?:'s)? (?:schemas?|collections?))"
)
"""Tables, and the classes that represent them: "the models of X", where X may be a framework."""
_IN = r"(?:(?: are| is)? (?:in|of|for|within|inside) [`'\"]?[\w./ -]{1,60}[`'\"]?)?"
_EXIST = (
    rf"(?: (?:are there|there are|exist|are (?:defined|declared|used)|do we have|is there|(?:does|do) (?:{WHOLE}"
    r"|(?:the |this )?[\w-]+(?: [\w-]+)?) (?:have|use|define|declare|create|contain)))?"
)
TABLES_RULE = IntentRule(
    rf"\A{ASKED_FOR}{_TABLES}{_EXIST}{_IN}(?=\W*\Z)"
    rf"|\A(?:where|how) (?:is|are) (?:the )?(?:database |db |sql )?(?:schema|tables?|data ?model|models?)"
    r"(?: (?:defined|declared|created|described|modell?ed))(?=\W*\Z)"
    r"|\Awhere (?:is|are) (?:the )?(?:[`'\"]?\w+[`'\"]? (?:(?:database|db|sql) )?table|(?:database|db|sql) table"
    r" [`'\"]?\w+[`'\"]?)(?: (?:defined|declared|created))?(?=\W*\Z)"
    r"|\A(?:the |what is the |what's the |show (?:me )?the |explain the |describe the )?(?:database|db|sql|data) "
    r"(?:schema|model|structure|layout)(?=\W*\Z)",
    Intent.TABLES,
    Needs.NOTHING,
    "what are the database tables?",
)
TASK_RULE = IntentRule(TASK, Intent.TASK, Needs.NOTHING, "how do I run the tests?")
_EVENT = r"(?:(?:domain|app(?:lication)?|custom|the|all|socket|websocket|internal|own) )*(?:events?|signals?|hooks?)"
EVENTS_RULE = IntentRule(
    rf"\A{ASKED_FOR}{_EVENT}(?: (?:are there|there are|exist|are (?:defined|declared|emitted|sent|fired"
    rf"|dispatched|raised)"
    rf"|(?:does|do|can) (?:{WHOLE}|(?:the |this )?[\w-]+) (?:have|define|declare|emit|fire|send|dispatch|raise|publish"
    rf"|offer)))?{_IN}(?=\W*\Z)",
    Intent.EVENTS,
    Needs.NOTHING,
    "which events are there?",
)
_READING = (
    r"(?: (?:reading|looking|exploring|learning|with|from|in|at|on|to (?:read|understand|learn|look at)))*"
    rf"(?: (?:this|the|your) (?:code|source(?: code)?)| {WHOLE}| here| first| it| files?)*"
)
START_RULE = IntentRule(
    rf"\A(?:i(?:'m| am) (?:new|a newcomer|new here|new to {_IT})\W+|(?:hi|hello|ok|so|please)\W+)*"
    rf"(?:(?:where|how) (?:do|does|should|can|could|would|must|to)(?: (?:i|we|you|one|a newcomer|somebody|someone))?"
    rf" (?:best )?(?:start|begin){_READING}"
    r"|(?:what|which files?) (?:do|should|must|can) (?:i|we|one) (?:read|look at)(?: first| at first)"
    r"|(?:good|best) (?:place|file|point) to (?:start|begin)" + _READING + r"|onboarding|getting started)(?=\W*\Z)",
    Intent.START,
    Needs.NOTHING,
    "where should I start reading?",
)
INVENTORY_RULES = (TASK_RULE, START_RULE, TABLES_RULE, EVENTS_RULE)
"""These rules in order; they are tried before those about everything."""
