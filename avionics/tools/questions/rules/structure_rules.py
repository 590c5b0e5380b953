"""The rules that recognize questions about everything, or about all within a directory or file."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.tools.questions.intents import Intent, IntentRule, Needs

DEAD = r"(?:unused|dead|unreferenced|uncalled|unreachable|orphan(?:ed)?|obsolete)"
CODE = (
    r"(?:code|functions?|methods?|class(?:es)?|symbols?|definitions?|variables?|constants?|exports?|structs?|types?"
    r"|helpers?|imports?|files?|modules?|members?|fields?|attributes?|properties)"
)
ASKED_FOR = (
    r"(?:(?:what|which|how many|where|are|is|do|we|have|there|any|an?|some|list|show|me|find|all|the|of|unit"
    r"|integration|existing|please|give|run)\s+)*"
)
WHOLE = (
    r"(?:(?:this|the|whole|entire)\s+)*"
    r"(?:project|repo(?:sitory)?|code ?base|workspace|code|program|app(?:lication)?)"
)
_MARK = r"(?:(?:open|remaining|left|all|code) )*(?:to-?dos?|fixmes?|xxxs?|hacks?)(?:['’]s)?(?: comments?)?"
_SIZED = (
    r"(?:(?:source|code|product|public) )*(?:functions?|methods?|class(?:es)?|structs?|types?|files?|modules?|tests?)"
)
_LISTED = (
    r"(?:(?:all|the|public|exported|defined|declared)\s+)*(?:class(?:es)?|structs|interfaces|traits|enums|macros|functions"
    r"|methods|constants|types)"
)
_FROM_ELSEWHERE = (
    r"(?:(?:direct|runtime|dev(?:elopment)?|optional|npm|pip|pypi|python|go|rust|java|maven|node|ruby|our|its"
    r"|declared)\s+)*"
    r"(?:dependencies|deps|(?:third|3rd)[- ]party(?: (?:packages|librar(?:y|ies)|libs|modules|crates|gems|code|deps"
    r"|dependencies))?|(?:external|outside) (?:packages|libraries|libs|modules|crates|gems|deps|dependencies))"
)
_NEEDED = (
    r"(?:used?|needs?|needed|required?|requires|declares?|declared|imported?|installed?|have|has|depends? on|there)"
)
_DEPENDING = rf"(?:does|do) (?:{WHOLE}|it|we|you|they|\S*[./]\S*) (?:directly |currently )?{_NEEDED}"
_OF_PLACE = (
    r"(?: (?:here|now))?"
    rf"(?: (?:in|of|for|by|from|inside|within|under) (?:{WHOLE}|here|the \S+ \w+|\S*[./]\S*))?(?: please)?"
)
STARTS = (
    r"\A(?:where|how|in wh(?:at|ich) (?:file|function)"
    r"|at wh(?:at|ich) (?:point|place|line)) (?:(?:does|is|gets) )?"
    rf"(?:the )?(?:execution|main program|it|everything|{WHOLE})"
    r" (?:(?:is|gets) )?(?:first |actually |really )?"
    r"(?:starts?|started|beg[iu]ns?|launched|booted|boots?|entered|kicks? off)"
    r"(?: up| from| at| execution| executing| running)?(?=\W*\Z)"
    r"|\Awhat (?:happens|is done|runs|is run) (?:first|(?:at|on|during|when) (?:the )?(?:program |app(?:lication)? )?"
    r"(?:start-?up|start|launch|boot)s?(?: up)?)(?=\W*\Z)"
)
"""A question for where the program begins to run."""

PACKAGE = (
    r"\A(?:(?:is|are) (?P<is>[`'\"]?@?[\w./-]{1,120}[`'\"]?)(?<!\bit)(?<!\bthis)(?<!\bthat)(?<!\bthere)"
    r" (?:(?:an?|the|one|of|our|direct|declared|listed|as|third[- ]party|external|runtime|dev(?:elopment)?"
    r"|needed|used)\s+)+"
    r"(?:dependency|dependencies|deps?|requirements?|(?:third[- ]party|external) (?:package|library|module))"
    rf"(?: (?:of|in|for) (?:{WHOLE}|ours|us)| here)?"
    rf"|(?:do|does) (?:we|it|{WHOLE}) (?:still |directly |really )?(?:depend|rely) on"
    r" (?:(?:the|package|library|module|crate|gem)\s+)*(?P<on>[`'\"]?@?[\w./-]{1,120}[`'\"]?)"
    r"(?: (?:package|library|module|crate|gem))?"
    r"|(?:which|what) version of (?P<version>[`'\"]?@?[\w./-]{1,120}[`'\"]?)"
    rf" (?:(?:do|does) (?:we|it|{WHOLE}) (?:use|need|require|have|depend on)"
    r"|is (?:used|required|needed|declared|pinned)))"
    r"(?=\W*\Z)"
)
"""A question for one package; the group that matched is its name."""

_END = rf"(?: (?:are there|there are|exists?|do we have|are available))?{_OF_PLACE}(?=\W*\Z)"
_THAT = r"(?:(?:that|which) )?"
_MOST = r"most(?: (?:often|frequently|widely|heavily|commonly))?"
_TAKEN = r"(?:used|called|imported|referenced|depended[- ]on)"
_USERS = r"(?:callers|usages|uses|users|references|importers)"
_EDITED = r"(?:changed|modified|edited|touched)"
_ONLY = r"(?:(?:only|just|solely|exclusively|merely|nowhere but|nowhere else than)\s*)+"
_BY_TESTS = r"(?:in|by|from|for) (?:the |unit )?tests?"
_ARE = r"(?:(?:is|are|was|were|gets?|got|has|have) )?"
_HERE = r"(?: (?:in|of|from|within|inside|under) \S+)?"
_DISPOSES = (
    r"\W*(?:where|when|how) (?:is|are|does|do|gets?)\b(?!.*\b(?:can|could|may|safely)\b).*\b(?:removed?|deleted?|wiped?"
    r"|clean(?:ed|s)?|purged?|drop(?:ped|s)?|collect(?:ed|s)?|thrown|freed|evict(?:ed|s)?|discard(?:ed|s)?|pruned?|swept)\b"
)
"""The wording of a question about where a program disposes of unused things; it does not ask what is unused."""

_IN_BACKGROUND = (
    r"(?:(?:background|scheduled|periodic|recurring|cron|queued?|async(?:hronous)?|worker)\s+)+"
    r"(?:tasks|jobs)|cron ?jobs|(?:event|message) (?:handlers|listeners|subscribers|consumers)"
)
"""Entry points that no person starts."""

KINDS_RULE = IntentRule(
    r"\A(?=(?:please )?(?:which|what|list|show|how many|find|name|enumerate|are there|give)\b)"
    rf"{ASKED_FOR}(?:(?:different|supported|available|implemented|built-?in|existing|various|kinds of"
    r"|types of)\s+)*"
    r"(?P<kind>(?-i:(?:[a-z][a-z-]+ ){0,2}?[a-z][a-z-]{3,}(?<!s)s))"
    r"(?: (?:are there|there are|exists?|do we have|(?:are )?(?:supported|available|implemented|registered|defined)"
    rf"|(?:does|do) (?:{WHOLE}|it|[\w-]+) (?:have|support|know|use|offer|provide|define)))?"
    r"(?: (?:in|of|for|by|inside|within|under) \S*[./]\S*)?(?: please)?(?=\W*\Z)",
    Intent.KINDS,
    Needs.NOTHING,
    "which parsers are there?",
    unless=r".*\b(?:contents|exports|files|modules|packages|directories|folders|definitions|details|things|parts) ",
)
"""A question for all things of a kind; the group `kind` is what they are called."""

STRUCTURE_RULES = (
    IntentRule(
        rf"{DEAD} (?:\w+ )?(?:{CODE}|stuff|things?|parts?)"
        rf"|\A\W*(?:is|are) (?:there )?(?:any(?:thing)?|some(?:thing)?)\b.{{1,120}}\b{DEAD}(?=\W*\Z)"
        rf"|{CODE}{_HERE} (?:(?:that|which) )?(?:do|does) (?:nobody|nothing|no one) (?:use|call|reference|need)s?"
        rf"|{CODE}{_HERE} (?:(?:that|which) )?(?:(?:is|are) (?:{DEAD}|(?:never|not|no longer) (?:used|called"
        rf"|referenced|needed))|(?:(?:is|are)n['’]?t (?:ever )?|never get )(?:used|called|referenced|needed))"
        rf"|(?:{CODE}|stuff|things?|anything|leftovers?){_HERE} (?:that |which )?(?:nobody|nothing|no one)"
        r" (?:uses|calls|references|needs)"
        rf"|(?:what|which {CODE}) (?:is|are) (?:{DEAD}|(?:never|not|no longer) (?:used|called|referenced))"
        rf"|(?:what|which {CODE}|anything)(?: \w+)? (?:can|could|may|to) (?:\w+ )?(?:be )?(?:safely )?(?:removed?"
        rf"|deleted?)"
        rf"|(?:any(?:thing)?|something) {DEAD}|never (?:used|called) {CODE}"
        rf"|{CODE}{_HERE} (?:(?:that |which )?(?:have|has) no|with no|without(?: any)?) (?:callers|users|usages|uses"
        r"|references)",
        Intent.UNUSED,
        Needs.NOTHING,
        "which functions are unused?",
        unless=_DISPOSES,
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:(?:http|url|rest|api|web|cli|management|command[- ]line|server|console"
        rf"|backend)\s+)*(?:entry[ -]?points?|routes|endpoints|urls"
        rf"|(?:sub)?commands|{_IN_BACKGROUND})"
        r"(?: (?:are there|there are|exist|(?:are )?(?:defined|registered|declared|available)))?"
        r"(?: (?:(?:(?:that |which )?(?:are|is|lie|live) )?(?:in|of|for|on|under|below|about)"
        r"|(?:that |which )?(?:handle|serve|concern|manage)"
        rf"|(?:that |which )?(?:start|begin)(?:ing)? with) (?:{WHOLE}|(?:the |this )?"
        r"(?:(?:server|service|backend|api|router|cli|site|website|web ?app|program|tool|admin|client"
        r"|http (?:server|api))(?=\W|\Z)|\S*/\S*|(?P<of>[\w.-]+(?: [\w.-]+)?))"
        r"(?: (?:api|module|resource|service|plugin))?))?"
        rf"(?: (?:does|do) (?:{WHOLE}|(?:the |this )?[\w-]+) (?:have|offer|provide|support|accept|serve|expose|define"
        rf"|register|handle|listen (?:to|on)|know|declare))?(?=\W*\Z)|{STARTS}",
        Intent.ENTRIES,
        Needs.NOTHING,
        "what are the entry points?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}{_MARK}(?:(?:,|,? and|,? or|/) ?{_MARK})*"
        r"(?: (?:comments?|notes?|markers?|items?|tags?|left|open|remaining|exist|there|we|have|do|does|are))*"
        rf"{_OF_PLACE}(?=\W*\Z)",
        Intent.MARKERS,
        Needs.NOTHING,
        "where are the TODOs?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:\d+ )?(?:largest|longest|biggest|most (?:complex|complicated)|lengthiest) (?:\d+ )?{_SIZED}"
        rf"(?: (?:by|in) (?:lines?|size|length|loc)(?: of code)?)?(?: (?:are )?(?:there|exist))?{_OF_PLACE}(?=\W*\Z)"
        rf"|\A{ASKED_FOR}{_SIZED} (?:(?:that|which) )?(?:is|are|has|have) (?:the )?"
        rf"(?:largest|longest|biggest|most lines)"
        rf"{_OF_PLACE}(?=\W*\Z)",
        Intent.LARGEST,
        Needs.NOTHING,
        "what are the longest functions?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:async(?:hronous)? {CODE}|coroutines?"
        rf"|{CODE} (?:(?:that|which) )?(?:(?:is|are) )?(?:declared |marked )?(?:as )?"
        r"(?:async(?:hronous)?|coroutines?))"
        rf"(?: (?:are )?(?:there|exist))?{_OF_PLACE}(?=\W*\Z)",
        Intent.ASYNCHRONOUS,
        Needs.NOTHING,
        "which functions are async?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:(?:public|exported)\s+)?(?:undocumented {CODE}"
        rf"|{CODE} (?:(?:that|which) )?(?:(?:is|are) )?(?:undocumented|not documented)"
        rf"|{CODE} (?:(?:that|which) )?(?:(?:has|have|with) no|lacks?|miss(?:es)?|(?:is|are) missing|missing|without"
        rf"|(?:do|does)(?: not|n['’]?t) have)(?: an?| any)? (?:docs?|docstrings?|documentation|doc comments?))"
        rf"{_OF_PLACE}(?=\W*\Z)",
        Intent.UNDOCUMENTED,
        Needs.NOTHING,
        "which functions are undocumented?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:top )?(?:\d+ )?(?:{_MOST} (?:{_TAKEN}|important|central|popular)|hottest|central|core|key)"
        rf" (?:\d+ )?{_SIZED}{_END}"
        rf"|\A{ASKED_FOR}{_SIZED} {_THAT}{_ARE}(?:the )?(?:{_TAKEN} (?:the )?most(?: often)?"
        rf"|{_MOST} (?:{_TAKEN}|important)|(?:with )?(?:the )?most {_USERS}){_END}",
        Intent.USED_MOST,
        Needs.NOTHING,
        "which functions are used most?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}{CODE} (?:in|of|within) [`'\"]?[\w.-]+[./][\w./-]*[`'\"]? {_THAT}(?:{_ARE}recursive|call"
        r" (?:them|it)sel(?:f|ves))(?=\W*\Z)"
        rf"|\A{ASKED_FOR}(?:recursive {CODE}|recursions?|{CODE}(?: in {WHOLE})? {_THAT}{_ARE}(?:recursive|recursing"
        rf"|use recursion|(?:call|calls|calling|invoke|invokes) (?:them|it)sel(?:f|ves)(?: again)?)){_END}",
        Intent.RECURSIVE,
        Needs.NOTHING,
        "which functions are recursive?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:{CODE} )?{_THAT}{_ARE}{_ONLY} (?:{_TAKEN}|needed|there) {_BY_TESTS}{_END}"
        rf"|\A{ASKED_FOR}(?:{CODE} )?{_THAT}{_ARE}(?:{_TAKEN}|needed) {_ONLY} {_BY_TESTS}{_END}"
        rf"|\A{ASKED_FOR}(?:{CODE} )?{_THAT}{_ONLY} (?:the )?tests (?:use|call|need|reference){_END}"
        rf"|\A{ASKED_FOR}test[- ]only {CODE}{_END}",
        Intent.TEST_ONLY,
        Needs.NOTHING,
        "what is only used in tests?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:untested|uncovered) {CODE}{_END}"
        rf"|\A{ASKED_FOR}{CODE} {_THAT}{_ARE}(?:untested|uncovered"
        r"|(?:(?:is|are)n['’]t|not|never)(?: yet)? (?:tested|covered)(?: by (?:any |the )?tests?)?)"
        rf"{_END}|\A{ASKED_FOR}{CODE} {_THAT}(?:(?:has|have|with) no|lack(?:s|ing)?|without|miss(?:es)?|missing"
        rf"|(?:does|do)(?: not|n['’]?t) have)(?: any| a)? (?:unit )?tests?{_END}"
        rf"|\A{ASKED_FOR}{CODE} {_THAT}no tests? (?:covers?|uses?|calls?|exercises?|mentions?){_END}",
        Intent.UNTESTED,
        Needs.NOTHING,
        "which functions have no tests?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:(?:circular|cyclic)(?: (?:import|module|package|file))? "
        r"(?:imports?|dependenc(?:y|ies)|includes?|references?)"
        rf"|(?:import|dependency|include|module) (?:cycles?|loops?|circles?)){_END}"
        rf"|\A(?:{ASKED_FOR}|(?:do|does) (?:any|some|the|our) )(?:files?|modules?|packages?) {_THAT}"
        r"(?:import|include|depend on|require) (?:each other|one another|themselves)(?: in an? (?:cycle|circle|loop))?"
        rf"{_END}",
        Intent.CYCLES,
        Needs.NOTHING,
        "are there circular imports?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:top )?(?:\d+ )?(?:{_MOST} (?:{_EDITED}|active) (?:\d+ )?{CODE}|hot ?spots|churn){_END}"
        rf"|\A{ASKED_FOR}{CODE} {_THAT}{_ARE}(?:the )?(?:(?:{_EDITED}|changes?) (?:the )?(?:most(?: often)?|often)"
        rf"|{_MOST} {_EDITED}|(?:with )?(?:the )?most (?:commits|changes|churn)){_END}",
        Intent.HOTSPOTS,
        Needs.NOTHING,
        "which files change most often?",
    ),
    IntentRule(
        rf"\A(?:who (?:is|are) )?{ASKED_FOR}(?:(?:main|top|most active|biggest|original)\s+)*(?:authors?|contributors?"
        rf"|maintainers?|committers?){_END}"
        rf"|\Awho (?:wrote|writes|made|maintains|develops|contributed to) {WHOLE}(?=\W*\Z)",
        Intent.HISTORY,
        Needs.NOTHING,
        "who are the main authors?",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}{_LISTED}(?: (?:are there|there are|exist|are defined|do we have|in total))?{_END}",
        Intent.MEMBERS,
        Needs.NOTHING,
        "list all classes",
    ),
    IntentRule(PACKAGE, Intent.PACKAGES, Needs.NOTHING, "is {} a dependency?"),
    IntentRule(
        rf"\A(?:tell me |could you |can you |i need )?{ASKED_FOR}(?:{_FROM_ELSEWHERE}"
        r"|(?:packages|libraries|libs|crates|gems)(?= (?:does|do|we|are used)))"
        rf"(?:(?: (?:that|which))?(?: (?:is|are|get|gets|being))?(?: (?:we|i|{WHOLE}))? {_NEEDED})?"
        rf"(?: {_DEPENDING})?{_OF_PLACE}(?=\W*\Z)"
        rf"|\Awhat(?: \w+)? (?:does|do) (?:{WHOLE}|we) (?:depend|rely) on(?=\W*\Z)",
        Intent.PACKAGES,
        Needs.NOTHING,
        "which third-party packages are used?",
        unless=rf"\W*{ASKED_FOR}(?:dependencies|deps)(?: are)? (?:of|in|for) \S*[./]",
    ),
)
"""These rules in order; they are tried after those about changes, and before those about one symbol."""

ABOUT_EVERYTHING = frozenset(
    {
        Intent.HISTORY,
        Intent.UNUSED,
        Intent.ENTRIES,
        Intent.DEPRECATED,
        Intent.PACKAGES,
        Intent.MARKERS,
        Intent.LARGEST,
        Intent.ASYNCHRONOUS,
        Intent.UNDOCUMENTED,
        Intent.USED_MOST,
        Intent.RECURSIVE,
        Intent.TEST_ONLY,
        Intent.UNTESTED,
        Intent.CYCLES,
        Intent.HOTSPOTS,
        Intent.MEMBERS,
        Intent.MAP,
        Intent.LIST_MODULES,
        Intent.TABLES,
        Intent.EVENTS,
        Intent.KINDS,
    }
)
"""Intents of questions about everything, unless the question names a directory or file."""

_KIND_WORD = r"(?:class|function|method|struct|interface|trait|enum|type|macro|module|file|constant|variable|property)"
_NAME = (
    rf"(?:the |an? )?(?:(?:[a-z]+ )?{_KIND_WORD} )?[`'\"]?(?P<name>[\w./:$#]*\w(?:[!?](?=\s+\w))?)(?:\(\))?[`'\"]?"
    rf"(?: {_KIND_WORD})?"
)
_OF_NAME = (
    r"signature|definition|declaration|source(?: code)?|code|body|implementation|doc(?:s|string|umentation)?"
    r"|parameters|arguments|return types?|meaning"
)
ASKED_NAME = late_pattern(
    rf"(?:(?:where|what)(?:'s| is| are|(?P<does> (?:(?:type|value|parameter|param|argument|arg)s? )?(?:does|do)))"
    rf"(?: defined)?|where can i find|explain|describe|define|locate|find|show(?: me)?|tell me about)"
    rf" {_NAME}(?: (?:defined|implemented|declared|located|found|do|mean|for|return|take|accept|expect"
    r"|have))?\W*|(?:(?:show|give|print|get|find|read|list|what is|what are|where is)(?: me)? )?(?:the )?"
    rf"(?:{_OF_NAME}) (?:of|for) "
    rf"{_NAME.replace('?P<name>', '?P<of>')}\W*",
    re.IGNORECASE,
)
"""A question about what one name means."""
