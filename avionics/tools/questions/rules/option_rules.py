"""The rules that recognize questions for an option, setting or environment variable, and wishes one may settle."""

from __future__ import annotations

from avionics.tools.questions.ends_reader import WAY
from avionics.tools.questions.intents import Intent, IntentRule, Needs

CONTROLLED = (
    r"(?:command[- ]line |cli |config(?:uration)?[- ]|environment |env |system |build |feature |runtime |user "
    r"|style |output |log(?:ging)? |network |server |client |global )*"
    r"(?:\w*(?:options?|settings?)|flags?|switch(?:es)?|variables?|vars?|config(?:s|uration)?|keys?|knobs?|preferences?"
    r"|propert(?:y|ies)|parameters?|params?|toggles?|arguments?|directives?|constants?|keywords?"
    r"|(?<=config )(?:entry|entries|items?|lines?|values?|fields?)|(?<=configuration )(?:entry|entries|items?|lines?"
    r"|values?))"
)
_PARTS_OF_CODE = (
    r"modules|files|classes|functions|methods|packages|types|structs|interfaces|tests|commands|places|lines|handlers"
    r"|parsers|readers|loaders|helpers"
)
"""What a word for a setting may only tell the subject of: "which config modules call f"."""
_ANY_CONTROLLED = rf"(?:(?!of )\w+ )?{CONTROLLED}"
"""Something that controls, after the word for what it belongs to: "server flag"."""
_CONTROLS = (
    r"(?:control|set|limit|determine|configure|change|enable|disable|turn|switch|override|choose|select|give|govern"
    r"|decide"
    r"|adjust|specif|influence|affect|make|let|tell|point|toggle|allow|skip|force|hide|show|tune|cap|prevent|stop"
    r"|keep|hold|suppress|customi[sz]e|raise|increase|reduce|pick|tweak|regulate)\w*"
)
_KEYBOARD = (
    r"(?:which|what) (?:keys?|keystrokes?|(?:keyboard )?shortcuts?|hot ?keys?|key ?bindings?)"
    r"(?: (?:do|does|should|must|can|i|you|the|users?|one|press|hit|will|to|for))* (?:quit|exit|close|leav|delet|remov"
    r"|open|mov|scroll|sav|undo|redo|cop|past|search|go|jump|start|play|paus|refresh|reload|submit|cancel|confirm|zoom)"
    r"\w*"
)
"""A question about a key of the keyboard, not of a configuration."""
_CONFIGURE = (
    r"(?:configure|disable|enable|(?:turn|switch) (?:(?:the )?\w+ )?(?:on|off)|customi[sz]e|limit|increase|override"
    r"|raise|lower|tune|suppress|set|cap|restrict|shorten|lengthen|throttle|silence|mute|forbid|allow|deny|prohibit|permit|reduce)"
)
_SET = (
    "set|changed|configured|adjusted|limited|disabled|enabled|overridden|specified|turned (?:on|off)|chosen"
    "|increased|lowered|reduced|raised(?! (?:by|from|if|in|when)\\b)"
)


_OF_PATHS = (
    rf"{WAY} (?:from|between)\b|from \S+ (?:to|into|until)\b|{_KEYBOARD}"
    r"|how (?:do|does) (?!(?:i|we|you|one)\b)[^,\n]+ (?:gets?|ends? up|leads?|comes?) (?:to|at|in|with)\b"
    r"|[^,\n]{3,80}, (?:so |and |then )*how (?:do|does|can|will) (?:we|i|it|one) (?:get|reach|end up|come)\b"
)
"""The beginning of a question for a path or for a key of the keyboard, although it has such words."""

_NO_PROGRAM = (
    r"(?: (?:to )?(?:compile|build|run|work|pass|a (?:method|function|class)|mind|apart|about|where|what|how|who|why"
    r"|which)\b)"
)
"""What is behind "make it" and "keep it" where a developer asks for help."""

FLAGS_RULE = IntentRule(
    r"\A\W*(?:(?:please |can you )?(?:what|which|list|show|print|give|name|enumerate|are there)(?:'s|s| is| are)?"
    r"(?: (?:me|us|all|any|every|of|the|its|our|this|available|supported|possible|valid))* )?(?:\w+(?:'s)? )?"
    r"(?:(?:command[- ]?line|cli|cmd(?:line)?) (?:flags|options|switches|arguments|args|parameters)|flags)"
    r"(?:(?:(?: that| which)? (?:are|is|do|does|can|exist|available|supported|accepted|allowed|there|take|takes|accept"
    r"|accepts|support|supports|understand|understands|know|knows|has|have|of|for|in|this|it|we|i|you|pass|use|give|set"
    r"|the|program|tool|cli|binary|command|app|application|main))*)(?=\W*\Z)",
    Intent.OPTION,
    Needs.NOTHING,
    "which command-line flags are there?",
)
"""A question for all flags of a program."""

_ASKS_AT_END = (
    rf"[,;.?!] (?:so |and |but )?(?:(?:how|where) (?:do|can|could|should) (?:i|we|you|one) (?:{_CONFIGURE}|change|set)"
    rf"|(?:can|could) (?:it|this|that|they|these) be (?:{_SET}))\b"
)
"""The last part of a text that first asks something else: "who may connect, and how do I restrict it?"."""

_SETTINGS = (
    r"(?:(?:command[- ]line |config(?:uration)? |environment |env )?(?:options?|settings?|flags?|switch(?:es)?"
    r"|variables?|preferences?|toggles?|knobs?))"
)
"""Words for what a user sets, of which the last sentence of a text asks whether there is one."""

_OF_NUMBERS = (
    r"(?:is|are) there (?:an? |any )?(?:upper |lower |default |maximum |minimum )?(?:limits?|maximum|minimum"
    r"|timeouts?|cap) (?:for|on|to|of)\b"
    r"|(?:which|what|on which|at which) (?:ports?|hosts?|address(?:es)?|director(?:y|ies)|folders?|log ?level|level"
    r"|timeouts?|interval|limit|language|encoding|theme|backend|database|mode|user) .{2,80} by default(?=\W*\Z)"
    r"|\A(?:timeout|limit|interval|delay|port|threshold|ttl) (?:for|of) [\w -]{3,50}(?=\W*\Z)"
    r"|\A(?:disable|enable|(?:turn|switch) (?:on|off)) (?!the\b|an?\b)[a-z][\w -]{3,50}(?=\W*\Z)"
    r"|(?:which|what) file (?:do|should|must|can) (?:i|we|you|one) (?:edit|change) to\b"
)
"""Questions for a limit or a default, and orders in a few words: "turn off update checks"."""

OPTION_RULE = IntentRule(
    rf"(?:which|what|any|name|there (?:is|are)|is there an?)(?: (?:is|are))?(?: the)? {CONTROLLED}"
    rf"(?: (?:of|for|in) (?:\S{{1,40}} ){{0,3}}\S{{1,40}}?)?"
    rf"(?: (?:that|which|to|can|do i|should i|must i|would|name|for|does|needs?))*\s+{_CONTROLS}"
    rf"|(?:which|what) {_ANY_CONTROLLED} (?:(?:only|just|also|always|never|\w+ly) )?"
    rf"(?!(?:is|does|has|was|uses|calls|breaks|needs|{_PARTS_OF_CODE})\b)\w{{2,}}s\b"
    rf"|(?:which|what) {_ANY_CONTROLLED} (?:is|are) (?:the|an?|for|about)\b"
    rf"|{CONTROLLED}(?: (?:in|of|from) (?:the )?\S{{1,40}})? (?:for|to|so that|that|which|names?)"
    rf"|(?:which|what)(?:'s| is| are)?(?: the| its)? {CONTROLLED}(?: is (?:it|that))?(?=\W*\Z)"
    rf"|(?:which|what) {_ANY_CONTROLLED} (?:do|should|must|can|would) (?:i|we|you|one)\b"
    rf"|\A\W*{CONTROLLED} ?[:?,]|(?<=[.!:,;–-] ){CONTROLLED}(?=\W*\Z)"
    r"|how (?:do|can|could|would|should|to)(?: (?:i|we|you|one|somebody|users?))?"
    rf" (?:{_CONFIGURE}|change|choose|select|specify|keep|stop|prevent|have it\b"
    rf"|make (?:it(?!{_NO_PROGRAM})|the|an?)\b)"
    rf"|how (?:do|does|can|could|should|would|might) (?:(?:the|an?|each|every) )?(?:users?|admins?|callers?"
    rf"|clients?) (?:{_CONFIGURE}|change|choose|select|specify)\b"
    rf"|(?:how |where )?(?:can|could|may) .{{1,60}} be (?:{_SET})\b|(?:is|are) there (?:an?|any|some|no) "
    rf"(?:way|possibility|means|trick|chance) (?:to|of|that|for)\b(?! (?:get|go|come|reach|call)\b)"
    rf"|(?:can|could) (?:it|this|that|the \w+|\w+) be (?:told|made|instructed|forced|asked|convinced) to\b"
    rf"|what (?:do|must|should|can|would|could) (?:i|we|you|one|users?) (?:(?:need|have|want) to )?(?:set|switch"
    rf"|turn|enable"
    rf"|disable|configure|put|pass|specify)\b|what (?:must|has to|needs to|should|can|to) (?:be )?(?:{_SET}"
    rf"|switched on)\b"
    r"|what (?:goes|belongs|must go|has to go|should go|is to go) in(?:to)? (?:the |my |our |its )?[\w./-]*"
    r"(?:\.(?:toml|conf|cfg|ini|ya?ml|json|properties|env)\b|config\w*|settings)"
    rf"|what to (?:set|configure|pass|specify|put|write)\b|where(?:'s| is) (?:that|it|this) (?:{_SET}"
    rf"|defined)(?=\W*\Z)"
    r"|how (?:do|can|could|would) (?:i|we|you|one) (?:have|get) (?:it|them|the \w+)"
    r" (?:\w+ed|left|kept|put|set|shown|hidden|sent|written|cut|held)\b"
    r"|(?:can|could) (?:it|this|that|they) (?:also |please )?(?:keep|remember|skip|ignore|leave|wait)\b"
    rf"|(?:which|what) {_ANY_CONTROLLED} (?:has|have|must|needs?) (?:to )?be (?:given|set|passed|used|changed)"
    rf"|(?:what|which|any|list|show|all|the)(?: (?:all|the|me|of|kind|sort|\w+))?? "
    rf"(?:options|settings|flags|switch(?:es)?|preferences|knobs|setting|option|flag)"
    r" (?:(?:are|is|exists?|there|do we have|available)\s+)*(?:about|for|on|regarding|concerning|around)\b"
    rf"|{_OF_NUMBERS}"
    r"|\bconfigurable(?=\W*\Z)"
    rf"|\A\W*(?:{_CONFIGURE}|change) (?:the|an?|how|whether|where|which|what|number|amount|size)\b"
    r"|\bwhat (?:controls|governs|determines|configures|sets|decides (?:the|how|about)\b)"
    rf"|(?:can|could|may) (?:i|we|you|one|users?|somebody) {_CONFIGURE}"
    r"|\A(?:the )?(?:default|max(?:imum)?|min(?:imum)?) (?:[\w-]+ ){0,2}[\w-]+"
    r"(?: (?:in|of|for|per) (?:[\w-]+ ){0,3}[\w-]+)?\W*\Z"
    r"|\Awhat(?:'s|s| is| are) the defaults?\b(?! (?:implementation|behaviou?r|constructor|branch|export)s?\b)"
    r"|\Awhat(?:'s| is| are) the (?:biggest|largest|longest|highest|smallest|shortest|lowest|most|max(?:imum)?"
    r"|min(?:imum)?) .{1,60}\b(?:may|can|could|allow(?:s|ed)|accept(?:s|ed)|permitted|possible|takes|handles)\b"
    rf"|\bwhat (?:limits|caps|restricts|bounds|throttles)|\w.{{8,200}}\W(?:what|which) {CONTROLLED}(?=\W*\Z)"
    rf"|\w.{{8,200}}\W(?:(?:is|are) there (?:an?|any|some)|(?<=[.!?,;:–-] )any) {_SETTINGS}"
    r"(?: for (?:it|this|that))?(?=\W*\Z)"
    r"|what(?:'s|s| is) the (?:default |max(?:imum)? |min(?:imum)? )*(?:timeout|interval|delay|threshold|ttl|limit)"
    r" (?:for|of|on|after|when)"
    r"|where (?:is|are) (?:the |an? )?(?:[\w-]+ ){0,3}(?:timeout|interval|delay|threshold|ttl|limit|maximum|minimum"
    r"|default)s?\b.{0,60} (?:defined|declared|set|configured|specified)(?=\W*\Z)"
    r"|where (?:to|(?:do|can|could|should|must|would)(?: (?:i|we|you|one|somebody|users?))?) (?:say|set|configure"
    r"|specify|choose|adjust|tell|limit|turn (?:on|off)|switch (?:on|off)|enable|disable|override)"
    r"|what(?: happens)? if (?:i|we|you|one) (?:says? nothing|leaves? it out|(?:do(?:es)?n['’]?t|do(?:es)? not)"
    r" (?:say|set|give|specify) (?:anything|one|it))"
    r"|(?:where|how) (?:can|could|do) (?:i|we|you|one) (?:change|set) (?:it|that|this)"
    r"|(?:env(?:ironment)?|system)[ -]?(?:var(?:iable)?|propert(?:y|ie))s?"
    r"|(?:\Ais|where (?:is|are)) .{1,80}\bconfigur(?:ed|able)|is (?:it|that|this) configurable",
    Intent.OPTION,
    Needs.TOPIC,
    "which option controls {}?",
    unless=rf"\W*(?:(?:(?:since )?when|why|who)\b(?!.*\b(?:is there an?|which|what) {CONTROLLED}|.*{_ASKS_AT_END})"
    rf"|{_OF_PATHS}|where do we (?:set|change|override) [`'\"]?\w+(?:\.|->|::)\w)",
)

_AGENT = r"(?:i|we|you|one|somebody|someone|users?|people|admins?)"
_MEANT = r"(?:it|them|him|her|this|that|these|those)\b"
"""What somebody has told of before."""
_COMPARED = (
    r"(?:more|fewer|less|longer|shorter|later|earlier|further|bigger|larger|smaller|higher|lower|faster|slower|wider"
    r"|narrower|quieter|louder)\b"
)
_ADJUST = (
    r"(?:shorten|lengthen|extend|prolong|move (?:it|them)\b|speed up|slow down|silence|mute|widen|loosen|tighten"
    r"|get rid of (?!the)"
    r"|(?:make|let|allow|give|stop|prevent|keep|leave|put|turn|cut|hold|push|slow|speed|hide|show|force|teach|persuade"
    r"|convince|raise|lower|increase|decrease|change|postpone|delay|avoid|bring|tell|get|have)"
    rf" (?:(?:all|any|more|some|most)(?: of)? )?(?:{_MEANT}(?!{_NO_PROGRAM})|{_COMPARED})"
    r"|(?:let|allow|stop|prevent|keep|give|make) (?:(?:the|my|our|its|their|all|each|every|only|other|new)"
    r" (?:\w+ )?)?(?!(?:sense|sure|certain|use|track|an?|one|it|two|is|are)\b)\w+"
    rf" (?!(?:is|are|was|does|do|of|which|that|where|for|in|on|at|with)\b)\w+|get {_COMPARED})"
)
"""How somebody says what a program shall do differently: "give it more time", "let people sign up"."""
_UNDERSTOOD = (
    r"(?:happens?|occur|lead|cause|mean|fail|crash|deadlock|hang|leak|overflow|return|reach|call|end up|get|go wrong"
    r"|come|ever|still|even|really|have|see|explain|help|point|show me|tell me|throw an?|raise an?"
    r"|be (?:that|none|null|nil|empty|negative|zero|true|false|undefined|reached|called|used|safely|due|because|an?|the"
    r"|any|some)|not\b.{0,40}\bbe)\b"
)
"""What people ask of a program to understand it."""
MAY_ADJUST = (
    rf"(?:can|could|may)(?:['’]?t| not)? {_AGENT} (?:(?:also|just|please|only|somehow|perhaps|at least) )*"
    rf"(?:{_CONFIGURE}|{_ADJUST}"
    r"|(?!(?:be|see|find|tell|assume|expect|trust|rely|call|use|delete|remove|drop|rename|import|pass)\b)\w+"
    rf" (?:\w+ ){{0,4}}{_COMPARED} than)"
)
"""A question whether somebody can change what a program does: "can I turn that off"."""
_MAY_PROGRAM = (
    r"(?:can|could) (?!(?:it|this|that) (?:\w+ )?be (?:safely )?(?:deleted|removed|dropped|renamed|inlined)\b)"
    r"(?:(?:it|this|that|these|those|they)|(?:the|my|our|each|every|all|such) (?:\w+ )?\w+"
    rf"|(?!(?:{_AGENT}|anyone|anybody|everyone|there|an?|not|be|never|only|also|any|no)\b)[\w-]+)"
    r" (?:(?:please|also|just|only|somehow|at least|instead|then|perhaps) )*"
    rf"(?!{_UNDERSTOOD})\w{{2,}}"
)
"""A question whether a program can do something, behind what was told of it: "It stops there. Can it go on?"."""
_FOR_CODE = (
    r".*(?:\A|[,;:.?!–-] )\W*(?:so |and |but )?(?:(?:in |at )?(?:which|what) (?:code|function|method|class|lines?"
    r"|place|spot|file|module|part)|where(?:['’]s|s)?(?: (?:exactly|in the code))?\W*(?:\Z"
    r"|(?:is|are|was|does|did|do they|do we)\b)|how (?:is|are|does|do we)|who|show|find|point|locate|tell me)\b"
)
"""The beginning of a text that asks for code."""
_ASKS_ELSE = (
    r"\W*(?:(?:(?:since )?when (?:is|are|was|were|does|did|do|will|has|have|had)|why|who)\b"
    rf"(?!.*[,;.?!] (?:so |and |but )?{MAY_ADJUST})|{_OF_PATHS})"
)
"""The beginning of a question for something else; "when it is slow" begins what is told."""
POSSIBILITY_RULE = IntentRule(
    rf"{MAY_ADJUST}|(?:can|could) (?:the|my|our) (?:\w+ ){{1,2}}be {_COMPARED}"
    rf"|(?:can|could) {_AGENT} have .{{1,40}} (?:somewhere else|elsewhere)\b"
    r"|(?:is|would) it (?:be )?possible to (?:use|run|start) (?:it|this) (?:without|with|on|in)\b"
    rf"|(?<=[.!?,;:\"'”’] )(?:so |and |but |then |or )?{_MAY_PROGRAM}"
    r"|(?:is|would) it (?:be )?possible (?:for \w+ )?(?:to|without)"
    r" (?!(?:get|go|come|reach|call|find|see|tell|remove|delete|rename|drop|use|reuse|subclass|import|inherit)\b)\w+"
    r"|\A\W*(?:(?:any|some|a) )?(?:way|chance|possibility|trick) (?:to|of) (?!(?:get|go|come|reach|call)\b)\w+"
    rf"|(?:is|are) there (?:some|any)thing (?:\w+ )?(?:for|against) {_MEANT}"
    rf"|(?:is|are) there (?:some|any)thing (?:(?:that|which) )?{_AGENT} (?:can|could|may|should) (?:do|set|change|pass"
    r"|configure|say)"
    rf"|where (?:(?:can|could|should|must) {_AGENT}|(?:do|to)(?: (?:i|you|one|users?|people))?) {_ADJUST}"
    rf"|how (?:(?:can|could|would|should) {_AGENT}|(?:do|to)(?: (?:i|you|one|users?|people|somebody))?) {_ADJUST}",
    Intent.OPTION,
    Needs.TOPIC,
    "can I turn {} off?",
    unless=rf"{_ASKS_ELSE}|{_FOR_CODE}",
)
_WRITTEN_AS_CODE = r"`|\w(?:\.|::|->|#)\w|\w_\w|(?-i:[a-z][A-Z])|\(\)|\w/\w+\.\w"
"""A name or path of code; who wishes a program to do something else seldom knows any."""
_WANTED = (
    r"(?:let|allow|keep|limit|avoid|skip|hide|disable|enable|turn|switch|stop|prevent|be (?:told|able|asked|warned"
    r"|notified)|restrict|forbid|silence|shorten|raise|lower|increase|reduce|throttle|protect|exclude|ignore|accept|serve"
    r"|set|configure|choose|force|see (?:more|less|fewer|only|what would))\b"
)
"""What somebody wants to do with a program, and not with its code."""
WISH_RULE = IntentRule(
    r"(?:i|we)(?:['’]d| would)? (?:(?:just|also|really|rather|much|do|don['’]?t|do not|never|no longer) )*"
    rf"(?:like|love|prefer|want|wish)(?: for)? (?:to {_WANTED}|(?!to\b)(?:[\w-]+ ){{1,6}}?(?:not )?to (?:not )?\w+)"
    r"|(?:i|we) (?:only|just) (?:want|need) (?!to\b)\w+|(?:i|we) also (?:want|need) (?!to\b)\w+"
    rf"|(?:i|we) need (?:{_MEANT}|{_COMPARED})"
    r"|(?<=[,;.:] )(?:please |just |so |but |and )?(?:make|limit|cap|raise|lower|stop|let|change|disable|silence|hide"
    rf"|shorten|double|halve|keep|allow) {_MEANT}",
    Intent.OPTION,
    Needs.TOPIC,
    "I want it to keep {}",
    unless=rf"{_ASKS_ELSE}|{_FOR_CODE}|.*(?:{_WRITTEN_AS_CODE})|.*\b(?:where|which|how|code|functions?|methods?"
    r"|class(?:es)?|callers?|calls?|usages?|references|tests?|spec|definitions?|implementations?|those who|lines that"
    r"|place|spot|sites|commits?|history|overview|summary|explanation|in mind)\b",
)
"""A statement of what a program shall do."""
OPTION_RULES = (FLAGS_RULE, OPTION_RULE, POSSIBILITY_RULE, WISH_RULE)
