"""The rules that recognize the intent of a question by its words, each with an example."""

from __future__ import annotations

import re

from msgspec import structs

from avionics.late_pattern import late_pattern
from avionics.tools.questions.commits_reader import COMMITS
from avionics.tools.questions.ends_reader import ASIDE, AT_SOME_POINT, BARE, PASSIVE, WAY, WRITTEN
from avionics.tools.questions.intents import Intent, IntentRule, Needs
from avionics.tools.questions.rules.inventory_rules import INVENTORY_RULES
from avionics.tools.questions.rules.option_rules import (
    CONTROLLED,
    FLAGS_RULE,
    MAY_ADJUST,
    OPTION_RULE,
    POSSIBILITY_RULE,
    WISH_RULE,
)
from avionics.tools.questions.rules.structure_rules import ASKED_FOR, CODE, DEAD, KINDS_RULE, STRUCTURE_RULES, WHOLE

_VERB = "(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"
_MEMBERS = (
    r"(?:(?:all|the|every|its|enum|public|private|static|abstract|own|instance|class) )*"
    r"(?:methods?|members?|fields?|attributes?|properties|variants?|member functions?)"
)
_SAID_KIND = (
    r"(?:(?:class|struct|type|enum|error|exception|event|object|function|method|field|attribute|member|constant|value"
    r"|global|variable|flag|counter|property) )?"
)
"""A word before a name that tells its kind."""
_OBJECT = r"(?:it|them|him|her|me|us|this|that|these|those|the|an?|its|their|my|your)\b"
"""The object of an active verb: "entries go when nobody used them" does not ask for users."""
_CODE_NAME = r"(?:(?-i:\w*[a-z]\w*[A-Z])|\w+_|\w+(?:\.|::))[\w.:]*\w"
"""A name that is written as no plain word is."""
_USED = "used|called|imported|referenced|instantiated|included|required|invoked"
_USING = (
    r"(?:who|\A\W*(?:anyone|anybody|someone|somebody|nobody)) (?:else |all |still |really |now )*"
    r"(?:calls?|uses?|imports?|includes?|requires?|depends? on|invokes?|needs?|references?)"
    r"|(?:what|which|how many)(?: (?!does\b|do\b|did\b|is\b|are\b|was\b|were\b)\w+){0,2}(?: else)? (?:calls?|uses?"
    r"|imports?|includes?|requires?|depends? on|needs?|references?|invokes?)"
    r"|(?:callers?|call ?sites?|usages?|users|uses|references|refs|importers|includers|dependents|consumers"
    r"|reverse dependencies)(?: left| remaining| there)?"
    r" (?:of|to|for)|how many (?:callers?|call ?sites?|usages?|users|uses|references|importers|dependents)"
    r"|(?:where|how often|how many times)(?: all)? (?:is|are|does|do)\b.{1,80}\b"
    rf"(?:{_USED})"
    rf"|where(?: (?:do|does|did))? {_SAID_KIND}[`'\"]?\w[\w.:]*(?:\(\))?[`'\"]? (?:is|are|gets?|got|was) (?:{_USED})"
    rf"|\A\W*{_SAID_KIND}[`'\"]?\w[\w./:-]*(?:\(\))?[`'\"]? (?:(?:is|are|gets?|was) )?(?:{_USED})"
    r" (?:from|where|by (?:whom|what|who)|from where)(?=\W*\Z)"
    rf"|where (?:is|are|do|does|gets?) (?:an? |the )?{_SAID_KIND}[`'\"]?(?-i:\w*[a-z]\w*[A-Z]\w*)[`'\"]?s?"
    r" (?:get |gets |being )?(?:created|constructed|initiali[sz]ed|allocated|built)"
    rf"|where (?:is|are|does|gets?) (?:the )?{_SAID_KIND}[`'\"]?{_CODE_NAME}(?:\(\))?"
    r"[`'\"]? (?:get |gets |being )?(?:returned|raised|thrown|caught|assigned|set|changed|modified|mutated|updated"
    r"|incremented|decremented|reset|read|written|checked|compared"
    r"|passed|registered|freed|released|closed|opened|logged|handled)"
    r"|where (?:do|does) (?:we|i|one|they|it|anyone|anybody)(?: \w+)? (?:call|use|import|include|invoke)"
    r"|(?:what(?: (?:files?|modules?|packages?|code|callers?))?|who|which \w+|anything|something|anyone)(?: (?:all"
    r"|else|would|will|could|might|may|does|can))*"
    r" (?:breaks?|stops? (?:working|compiling|building|running))|what (?:do|would|will|could|might) (?:i|we) break"
    r"|(?:impact|effect) of chang\w+|safe to (?:remove|delete|rename|change)"
    rf"|(?:is|are) .{{1,80}}\b{DEAD}(?=\W*\Z)"
    rf"|(?:is|are) .{{1,80}}\b(?:used|called|imported)(?! {_OBJECT})(?: (?:any(?:where|more)|at all|still))?"
    r"|is (?:it|this|that) (?:(?:still|really|actually|even|ever) )?needed (?:by any(?:one|body|thing)|anywhere|at all)"
    r"|does (?:any|some) (?:other )?(?:code|function|method|file|module|class|caller)s?(?: \w+)? (?:still )?(?:call|use"
    r"|import|reference|need)"
    r"|does (?:any|some)(?:thing|body|one)(?: else)? (?:still )?(?:call|use|import|reference|include|depend on|need)"
    r"|(?:can|may|could|should) (?:i |we )?(?:safely )?(?:delete|remove|drop)"
    r"|(?:can|may|could) .{1,80}\bbe (?:safely )?(?:deleted|removed|dropped)"
    r"|(?:find|list|show|give)(?: me)? (?:all |the |every )*(?:callers?|usages?|uses|references|call ?sites)"
    r"|(?:(?:who|what) (?:else |all )?(?:is|are)|\A\W*(?:is |are )?(?:anyone|anybody|anything|someone|somebody|who))"
    r" (?:still |all |now )*(?:using|calling|importing|including|requiring|invoking|referencing|depending on)"
    r"|(?:who|what|which \w+)(?: else)? (?:reads?|writes?|accesse?s?|handles?|logs?|returns?|passes)"
    rf" [`'\"]?{_CODE_NAME}"
    r"|(?:who|what|(?:which|how many) \w+)(?: else)? (?:throws?|raises?|catch(?:es)?|rescues?|swallows?|creates?"
    r"|constructs?|instantiates?|emits?"
    r"|triggers?|fires?|mutates?|modif(?:y|ies)|updates?|assigns?|resets?|frees?|closes?|opens?)"
    r"|[\w.:]+[`(]?\)?`? (?:usages?|callers|call ?sites|references|x-?refs)(?=\W*\Z)"
    r"|(?:(?:files?|modules?|packages?|code|functions?|methods?|class(?:es)?|place|spot|line|everything|everyone"
    r"|things?)s?"
    r" (?:(?:that|which|where) )?(?:calls?|uses?|imports?|includes?|references?|invokes?|depends? on|calling|using"
    r"|importing|including|referencing|invoking|depending on))"
    r"|(?:used|needed|alive) or (?:dead|unused|not)|(?:dead|unused) or (?:used|needed|alive|not)"
    r"|(?:still |really |even )?(?:in use|needed|being used)(?: (?:any(?:where|more)|at all|still))?(?=\W*\Z)"
)
_AFFECTED = (
    r"(?:blast radius|ripple effects?|fall ?out|knock-on effects?)"
    r"|(?:what|which \w+|who|how much|everything)(?: all| else)? (?:is|are|was|were|will be|would be|could be|might be"
    r"|gets?|that is) (?:all )?(?:affected|impacted)"
    r"|what (?:do|does|did|will|would|could|can|might) .{1,80}\b(?:affect|impact)\b"
    r"|(?:indirect|transitive)(?:ly)? (?:callers?|users?|usages?|dependents?|dependants?|consumers?|calls?|uses?"
    r"|depends? on)"
    r"|(?:calls?|uses?|depends?|dependents?|callers?|users?)\b.{1,80}\b(?:direct(?:ly)? (?:or|and) indirect(?:ly)?"
    r"|transitively|indirectly)"
    r"|impact (?:analysis|of|on)\b(?! chang)|(?:downstream|upstream) (?:dependents|dependants|users|callers|effects?)"
)
_DECISION = (
    r"\W*(?:where|how|when) (?:is|are|do|does)(?: \w+){1,2} (?:check|decid|detect|determin|ensur|verif|validat|enforc"
    r"|tested|cho[os]|pick|know|notic|recogni|see|(?:find|found|figure)(?= out))\w*(?: out)?"
    r" (?:(?:at|by|for|from|in|of|on|to|with) )?(?:that|whether|if|when|where|how|what|which|who)\b"
    r"|\W*(?:where|how|when) (?:is|are|do|does)(?: \w+){1,2} (?:makes?|made|making) (?:sure|certain)\b"
)
"""The beginning of a question about where something is decided; the verbs after it do not tell what it asks."""
_NO_USERS = (
    rf"{_DECISION}|.*[.;,] where (?:does|do|is) (?:that|this|it) (?:happen\w*|done|decided|handled|made)\W*\Z"
    r"|(?!\W*(?:is|are) (?!there\b|any)).*\bonly (?:used|called|needed) (?:in|by|from) tests?\W*\Z"
    r"|.*\bwhy (?:was|were|is|are|has|had|did) (?:it|this|that|the \w+) (?:\w+ )?(?:needed|used|in use)\W*\Z"
)
EXPLAINED = (
    r".*\b(?:expla(?:in(?:ed)?|nation)\b(?! (?:who|which|what|where))|describe\b|summar\w+|tour\b|purpose\b"
    r"|overview\b|walk (?:me|us) through\b"
    r"|what (?:is|does) \S+ (?:do|doing|for|about)\b)"
)
"""The beginning of a question for what a file does, which is answered with its users too."""
_BEHAVIOUR = r"\W*(?:what happens (?:if|when|once|to|with)|(?:how|where) does it)\b"
"""The beginning of a question about what a program does; its files and changes are not those of the project."""
_ABSENT = r"\W*why (?:am i\b|(?:is|are|do|does|can|will|would)(?:n['’]t\b|\b.{0,80}\b(?:not|no|never|nothing)\b))"
"""The beginning of a question about something that does not happen, which no commit introduced."""
_ASIDE = rf"{_BEHAVIOUR}|.*\b(?:even (?:if|though)|without|despite|where (?:is|are|does))\b"
"""The beginning of a text that only mentions changes."""
_PARTS = r"(?:sub)?(?:packages|modules|crates|director(?:ies|y)|folders|components|namespaces|projects|workspaces)"
_CHANGED = (
    r"(?:my|our|this|these|the|current|local|uncommitted|unstaged|staged|working|pending|recent|latest)"
    r" (?:\w+ ){0,2}?(?:changes?|diff|edits?|patch|commits?|branch|pr|pull request|modifications?|work(?:ing)? tree)"
    r"|what i(?:'ve| have)? (?:just )?(?:changed|edited|modified|touched)"
    r"|i(?:'ve| have)? (?:just )?(?:changed|edited|modified)|before (?:i )?(?:commit|push|merg)\w*|what changed"
    r"|(?:since|for|of|in|after) (?:HEAD|@)(?:[~^]\d*)*"
)
_VERSUS = (
    r"what(?:'s|s| is| has| was| were| did| got| have)?(?: been)?(?: all)? (?:the )?(?:chang\w+|differ\w+|new|modified"
    r"|added|removed|fixed|landed|shipped|released)|what (?:breaks|broke|has broken)"
    r"|(?:chang\w+|differ\w*|diffs?|compar\w+|delta|release notes|changelog|new|breaking)"
    r"|(?:which|how many|list|show|find|anything|something|everything)(?: \w+){0,4} (?:added|removed|deleted|dropped"
    r"|renamed|modified|introduced|touched|edited|affected)|what happened|explain (?:the )?commit"
)
_CHANGE_OF = (
    r"(?:add|append|drop|remov|delet|renam|reorder|chang|swap|insert|introduc|pass|tak|need|get|got|gain|los|had)\w*"
)
_NEW_VALUE = (
    r"(?:an?|one|another|one more)(?: (?:new|optional|required|extra|additional|further|third|second))* (?:bool(?:ean)?"
    r"|str(?:ing)?|int(?:eger)?|number|float|flag|callback|option|timeout|context|ctx|list|array|map|dict|object"
    r"|pointer|reference|value|enum)"
)
"""A parameter that is named by its type: "add a boolean to draw, what breaks"."""
_ORDINAL = r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d{1,2}(?:st|nd|rd|th))"
_WHAT_OF = (
    rf"(?:(?:an?|the|its|one|more|another|extra|new|additional|optional|required|mandatory|keyword|positional|default"
    rf"|return|{_ORDINAL})\s+)*"
    r"(?:[`'\"]?\w+[`'\"]?\s+)?"
    r"(?:parameters?|params?|arguments?|args?|signature|return (?:type|value)|types? of (?:the )?\w+)"
)
_PLACES = r"(?:call ?sites?|callers?|calls|prototypes?|places|lines)"
_TOUCHED = r"(?:touched|updated|changed|adapted|adjusted|modified|fixed|edited|rewritten|break|breaks|broken)"

_TESTING = (
    rf"\A(?:and |so |now )?{ASKED_FOR}(?:test|benchmark)s? (?:\w+ ){{0,2}}?"
    r"(?:cover\w*|exercis\w+|verif\w+|check\w*|for|of|on|uses?|using|calls?|touch\w*|hit|test\w*|about|that|against)"
    rf"|\A\W*{BARE} (?:unit )?(?:tests|specs)(?: please| pls)?(?=\W*\Z)"
    rf"|\A\W*{BARE}(?: \([\w./-]+\)| in \S+)? (?:has|have) (?:any |no )?(?:unit )?tests?\b"
    rf"|\A\W*(?:what|which) (?:all )?tests? {BARE}(?=\W*\Z)"
    r"|(?:what|which) (?:(?:unit|integration|existing|e2e|of the) )*tests? (?:(?:that|which) )?(?:cover|exercis|verif"
    r"|check|hit|touch)\w*"
    r"|(?:what|which|any) (?:\w+ )?tests? (?:are there|there are|exist|do we have) (?:for|of|about|on|in)"
    r"|\b(?:chang|touch|edit|modif|refactor|fix|rewr|rework)\w* .{1,80}[,.;:–-] ?(?:and |so )?what (?:to"
    r"|(?:should|do|must|shall|can) (?:i|we)) (?:re-?)?run(?=\W*\Z)"
    r"|\S.{8,200}?[,.;:–-] ?(?:and )?(?:what|which) (?:\w+ )?tests? (?:are there|there are|exist|do we have)(?=\W*\Z)"
    r"|(?:what|which|how many) (?:tests?|specs?) (?:should|must|do|would|to|can|could|will|might|fails?|breaks?"
    r"|(?:is|are) (?:the )?(?:right |relevant |best )?(?:ones? )?(?:to|i|we)\b)"
    r"|(?:does|do) (?:any(?:thing|one|body)|something|(?:any|some) (?:tests?|specs?))"
    r" (?:tests?|covers?|exercises?|checks?)"
    r"|(?:is|are) (?!.{1,80}\b(?:used|called) (?:by|in|from)\b).{1,80}\b(?:tested|covered)"
    r"|(?:has|have) .{1,80}\btests?|does .{1,80} have (?:any )?tests?"
    r"|(?:how|where) (?:is|are|do we|does one) .{0,80}\b(?:tested|covered|(?<!no )(?<!a )(?<!the )test)"
    r"|\A\W*what(?:'s| is| are| gets) (?:all )?(?:being )?(?:tested|covered|checked by (?:the )?tests) (?:about|for"
    r"|of|in|on)|\A\W*who tests|what (?:do|should|must|can) (?:i|we|one) (?:re-?)?run (?:after|when|if|before|to check)"
    r" (?:(?:i|we|one|a|the|my) )?(?:chang|edit|modif|touch|refactor|renam|rework|fix|mov)\w*"
    r"|(?:show|list|find|see|where are)(?: me)?(?: the| all)* specs (?:for|of)|\A\W*(?:unit )?specs (?:for|of)"
    r"|test (?:cases?|coverage|suites?|files?) (?:for|of)|tests? to run (?:for|when|after|if)"
    r"|(?:run|find|show|list|where are)(?: \w+){0,2} tests? (?:for|of|that|covering)"
)

_TAKES = r"(?:takes?|taking|accepts?|accepting|receives?|receiving|expects?)"
RETURNING = (
    r"\A\W*(?:(?:what|which|how many|list|show|find|give|me|all|the|every|public|exported|please)\s+)*"
    r"(?:functions?|methods?|fns?|funcs?|constructors?|factor(?:y|ies)|helpers?|code|everything|anything)"
    r" (?:(?:that|which) )?(?:(?:can|could|may|might|does|do|will) )?"
    rf"(?:(?P<takes>{_TAKES})|returns?|returning|give back|yields?|produces?)"
    r" (?:an? |the |some )?(?:(?:new|instances?|objects?|values?|lists?|arrays?|slices?|pointers?)(?: of| to)? )?"
    r"(?:an? )?(?:type )?[`'\"]?[*&\[\]]{0,4}(?P<type>[A-Za-z_][\w.]*(?:::\w+)*)[`'\"]?(?:\(\))?(?: \w+){0,3}(?=\W*\Z)"
)
"""A question for the functions that return a type, the group `type`, or that take it."""
KEY = (
    r"(?:(?:ctrl|control|alt|option|shift|cmd|command|meta|super)[-+ ])+(?:(?<=[-+])\w+|(?<=[-+])[^\w\s]"
    r"|(?:\w|f\d{1,2}|space|tab|enter|return|esc|escape|delete|backspace)(?!\w)|[^\w\s`'\"](?!\S))"
    r"|(?:esc|escape|enter|backspace)(?!\w)|f\d{1,2}(?!\w)|[CM]-[a-z](?!\w)|\^[A-Z](?!\w)"
)
"""A key, as people write it."""

LETTER = (
    r"(?:press|hit|push)(?:es|ed|ing)? (?:the |letter |key )*[`'\"]?(?P<letter>\w)[`'\"]?"
    r"(?= (?:key|in|on|at)\b|,|\W*\Z)"
)
"""A key that a question names by its letter."""
_KEY_RULE = IntentRule(
    rf"(?:press|hit|push|typ)(?:e|s|es|ed|ing|ting)? (?:on |the |a |key )*(?:{KEY})|{LETTER}"
    rf"|what happens (?:on|when|if|with|after|upon)(?: (?:i|you|the|user|users|a|an|do|does|enters?|uses?))* (?:{KEY})"
    rf"|what (?:does|is|do) (?:the )?(?:{KEY})(?: key)? (?:do|bound|mapped|for)"
    rf"|(?:{KEY}) (?:key ?binding|is pressed|handler)"
    rf"|(?:where|how) (?:is|are) (?:the )?(?:{KEY})(?: key)? (?:handled|bound|mapped|processed)",
    Intent.KEY,
    Needs.TOPIC,
    "what happens when I press Ctrl+D?",
    unless=rf".*(?:{KEY})[`'\"]?(?:,| key)? .*(?:\b(?:get to|reach(?:es)?|ends? up|leads? to|to)\b|->|→|=>|⇒)"
    rf"|.*\b(?:which|what) {CONTROLLED}\b(?! binding)|.*[,;.?!] (?:so |and |but )?{MAY_ADJUST}\b",
)

RULES = (
    _KEY_RULE,
    IntentRule(
        rf"tests?\b.*\b(?:{_CHANGED})|(?:{_CHANGED})\b.*\btests?|(?:affected|impacted) tests",
        Intent.CHANGE_TESTS,
        Needs.CHANGE,
        "what tests should I run for my change?",
    ),
    IntentRule(_AFFECTED, Intent.IMPACT, Needs.CHANGE, "what do my changes affect?"),
    IntentRule(COMMITS, Intent.COMMITS, Needs.NOTHING, "what changed in the last week?", unless=_ASIDE),
    IntentRule(
        rf"{_VERSUS}|{_CHANGED}|\S+ (?:vs\.?|versus|\.\.\.?) \S+|\w\S*\.\.\.?\w\S*|(?:HEAD|@)(?:[~^]\d*)* (?:and"
        rf"|to) \S+",
        Intent.CHANGES,
        Needs.CHANGE,
        "what changed between A and B?",
        unless=_ASIDE,
    ),
    *INVENTORY_RULES,
    *STRUCTURE_RULES,
    IntentRule(
        rf"{_CHANGE_OF}\s+{_WHAT_OF}"
        rf"|(?:which|what|all) {_PLACES} (?:need|have|must|should|are)\b.{{0,20}}"
        r"\b(?:fix|chang|adapt|updat|touch|affect)\w*"
        rf"|\b(?:affected|broken) {_PLACES}"
        r"|\b(?:should|must|shall|will|needs? to|has to|is to) (?:get|take|have|accept|receive) (?:an?|one|two|another)"
        r" (?:\w+ ){0,3}(?:parameter|param|argument|arg)"
        rf"|(?:if|when|suppose) (?:i|we) add(?:ed)? {_NEW_VALUE}\b(?! to\b).{{0,60}}"
        r"\b(?:affected|break\w*|to change|touch\w*)"
        rf"|add(?:ing)? {_NEW_VALUE} to [`'\"]?[\w.:]*\w[`'\"]?(?:\(\))?(?= ?[.,:;?–-]| and\b)"
        r"|(?:signature|parameters?|arguments?) (?:of .{1,80} )?(?:is |are |gets? )?chang\w+"
        rf"|(?:extra|additional|another|new|one more|{_ORDINAL})(?: (?:mandatory|required|optional|keyword|positional"
        r"|default|bool(?:ean)?|string))* (?:parameter|param|argument|arg)"
        r"|mak(?:e|ing) (?:the )?[`'\"]?\w+[`'\"]?(?: (?:parameter|param|argument|arg))? (?:of|in"
        r"|for) [`'\"]?[\w.:]+[`'\"]?(?:\(\))? (?:optional|required|mandatory|positional|keyword-only)"
        r"|(?:if|when|should|would|suppose|what if)\b.{1,80}\b(?:took|takes?|accept(?:s|ed)?|got|gets?|needs?|needed"
        r"|wants?"
        r"|wanted|expects?|expected|received?s?|be passed|were passed)\b.{1,60}\b(?:instead of|rather than|as well"
        r"|too)\b"
        rf"|(?:what|which \w+|what all|where)(?: else)? (?:has|have|needs?|must|would have|do i have|should)"
        rf" (?:to )?(?:(?:be )?{_TOUCHED}|change)|which \w+ (?:would|will|could|might) {_TOUCHED}"
        r"|what(?: else| all)? (?:do|must|should|will) (?:i|we|you) (?:(?:have|need) to )?"
        r"(?:adapt|adjust|fix|edit|touch|update)\b"
        r"|\b(?:go|goes|come|comes|be|moves?|moved) (?:to the )?(?:first|last|end|front)\b(?=.{0,60}\bbreak)"
        r"|\b(?:be|becom(?:e|es|ing)|ma(?:ke|king|de)|turn(?:s|ed|ing)?|gets?|goes|go)\b.{1,60}?"
        r"\b(?:async(?:hronous)?|a coroutine|awaitable)\b"
        r"(?=.{0,80}\b(?:affect|adapt|await|break|call|chang|fix|touch|updat))",
        Intent.SIGNATURE,
        Needs.SYMBOL,
        "what has to be touched when `{}` gets another parameter?",
    ),
    IntentRule(_AFFECTED, Intent.IMPACT, Needs.EITHER, "what is affected by a change of `{}`?"),
    FLAGS_RULE,
    OPTION_RULE,
    POSSIBILITY_RULE,
    IntentRule(
        rf"{WAY} (?:leading |going )?(?:from|between) .+"
        r" (?:to|and|until|into) .+"
        r"|how (?:do|does|can|could|would|will|did|is|are) .+ (?:get|gets|go|goes|end up|come|lead|reach|arrive"
        r"|flow|travel"
        r"|call|invoke|connected?|linked|make it|propagate|find its way|wind up|trigger|cause)(?:s|es|ed)? (?:\w+ )?.+"
        r"|(?:what happens |trace |follow |walk (?:me )?)?(?:from|between) .+ (?:to|and|until) .+"
        r"|(?:which|what) (?:calls?|steps|functions|methods) (?:takes?|brings?|leads?|gets?|carry|carries) (?:\w+ )?\S+"
        r" (?:in)?to \S.*"
        r"|(?:can|could|does|do|will|is) .+ (?:ever |eventually |indirectly |transitively )?"
        r"(?:reach|reaches|reachable from|lead to|(?:end|wind) up (?:in|at|calling)|get to|go to|come to) .+"
        r"|(?:can|could|does|do|will) .+ (?:ever|eventually|indirectly|transitively) calls? .+"
        rf"|(?:can|could|does|do|will) .+ calls? .+ {AT_SOME_POINT}"
        r"|how (?:does|do|is|are) (?:an? |the )?(?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?/\S+ .+"
        r"|how \S+ (?:eventually |finally )?(?:gets?|goes|go|reach(?:es)?|comes?|leads?|ends? up|arrives?|flows?) \S.*"
        r"|(?:trace|follow|walk)(?: me)?(?: through)?(?: (?:the )?(?:calls?|path|way|flow))? \S+ (?:down )?(?:to|until"
        r"|into) \S.*|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* .*(?:to|into|until) .+|\S+ ?[→⇒] ?\S+"
        r"|\S+ [-=]> ?\S+|\S[=-]> \S+|\A\W*[\w.:]+[-=]>[\w.:]+(?=\W*\Z)"
        rf"|\A{WRITTEN} to (?:{WRITTEN}|\w+ing(?: [\w./-]+){{1,8}}?)(?:{ASIDE})?(?=\W*\Z)"
        r"|\A[^,\n]{3,80}, (?:so |and |then )*(?:how|which way) (?:do|does|can|could|would|will|did) (?:we|i|it|one"
        r"|control|things|this|that|execution|the (?:\w+ ){0,2}\w+) (?:then )?(?:get|go|end up|come|lead|reach|arrive)"
        r"\w* .+"
        rf"|\A{BARE} (?:all the way )?down to {BARE}(?!\S)"
        rf"|\A{BARE}(?: of [\w./-]+)? to {BARE}{ASIDE}(?=\W*\Z)|\A{WAY} {BARE} to {BARE}(?=\W*\Z)"
        r"|(?<=[,;:.] )how (?:is|does|do) \S+ (?:get )?(?:reached|called|invoked)(?=\W*\Z)"
        r"|\A[^,:\n]{3,80}[,:] (?:which|what) (?:way|path|route|steps|calls) (?:does|do|will|would) (?:it|this|that"
        r"|control|the \w+) (?:take|go|make|follow) (?:to|until|into) \S.*"
        r"|\A(?:starting|coming|beginning) (?:at|from|in|with) [^,\n]{2,80}, (?:how|where|by what) (?:is|do|does) .+"
        r"|\A\S.{0,60}? (?:reach(?:es)?|gets? to|leads? to|ends? up (?:in|at)|goes to|comes to|calls?) \S+"
        r"[ ,]+(?:how|which way)(?=\W*\Z)",
        Intent.PATH,
        Needs.TWO_ENDS,
        "how does `{}` get to `{}`?",
        unless=rf".*\b(?:differ\w*|compar\w+|similar\w*|{PASSIVE}(?! (?:by|from) )(?!.* (?:from|between) .* to ))\b",
    ),
    structs.replace(_KEY_RULE, unless=""),
    IntentRule(_TESTING, Intent.TESTS, Needs.EITHER, "which tests cover `{}`?"),
    IntentRule(_TESTING, Intent.TESTS, Needs.TOPIC, "which tests are about {}?"),
    IntentRule(
        r"(?:(?:what|which)(?: \w+)? )?(?:does|do) (?!any|some|no)(?:(?!who|what|which)\S{1,60} ){1,10}"
        r"(?:inherit|extend|derive|implement|subclass)s?"
        r"|(?:base|parent|super) ?class(?:es)? of|(?:bases|parents|ancestors|supertypes|superclasses) of",
        Intent.BASES,
        Needs.SYMBOL,
        "what does `{}` inherit from?",
    ),
    IntentRule(
        r"who (?:else |all )?(?:inherits?|overrides?|subclass(?:es)?|implements?|extends?|derives?|satisf(?:ies|y))"
        r"|(?:(?:what|which|how many)(?: \w+){0,2}|\w+ that|\w+ which) (?:override|inherit|subclass|implement|extend"
        r"|derive|satisf)\w*"
        r"|(?:class(?:es)?|types?|structs?|interfaces?|exceptions?|everything|things) (?:extending|implementing"
        r"|inheriting(?: from)?|deriving(?: from)?|derived from|subclassing|overriding|satisfying|conforming to)"
        r"|(?:implementing|extending|inheriting|deriving) (?:class(?:es)?|types?|structs?)"
        r"|(?:subclass(?:es)?|sub ?types?|overrides|implement(?:ations|ers?|ors?)|impls|descendants|derived classes"
        r"|child(?:ren| classes)) (?:of|for)"
        rf"|\A\W*(?:(?:all|the|list|show|me|find|every)\s+)*{BARE}:? (?:subclass(?:es)?|sub ?types?|implement(?:ers?"
        rf"|ors?)"
        r"|descendants|child(?:ren| classes)|derived classes)(?: please)?(?=\W*\Z)"
        rf"|(?:what|which)(?: all)? (?:kinds?|sorts?|types?|variants?|flavou?rs?) of {BARE} (?:are there|there are"
        rf"|exist"
        r"|do we have|is there)"
        r"|(?:class|type|inheritance|interface|trait)[ -](?:hierarchy|tree|diagram) (?:of|for|below|under|around)"
        r"|how many (?:direct |indirect )*(?:subclass(?:es)?|sub ?types?|overrides|implement(?:ations|ers?|ors?)"
        r"|descendants) (?:does|do|has|have|are there)"
        r"|(?:where (?:is|are)|is|are)\b.{1,80}\b(?:overridd?en|overrid(?:es|ing)|subclassed|implemented by)"
        r"|does (?:any|some)(?:thing|one|body)?(?: \w+){0,2} (?:inherit|extend|derive|implement|subclass|override)",
        Intent.SUBTYPES,
        Needs.SYMBOL,
        "who implements `{}`?",
    ),
    IntentRule(
        r"\A\W*(?:how|where|by (?:what|whom)) (?:is|are|do we|does one) (?:the |an? )?(?:(?:interface|trait"
        r"|protocol) )?"
        r"[`'\"]?[\w.:]+[`'\"]?(?: (?:interface|trait|protocol|abstract class|class|contract))? (?:implemented"
        r"|realized|realised)\b"
        r"|(?:the )?implementations? (?:for|behind) (?:the )?[`'\"]?[\w.:]+[`'\"]?(?: (?:interface|trait"
        r"|protocol))?(?=\W*\Z)"
        r"|\A\W*(?:(?:all|the|list|show|me|every)\s+)*[`'\"]?[\w.:]+?[`'\"]?:? (?:implement(?:ations|ers|ors)"
        r"|subclasses)"
        r"(?=\W*\Z)",
        Intent.SUBTYPES,
        Needs.INTERFACE,
        "how is the interface `{}` implemented?",
    ),
    IntentRule(
        rf"(?:what|which|how many) {_MEMBERS} (?:(?:does|do) .{{1,80}} (?:have|has|declare|define|offer|provide|expose"
        r"|contain)|(?:are|is) (?:there )?(?:declared |defined )?(?:in|on|of|by)|has|have|belong to)"
        rf"|(?:list|show|give|name|enumerate|print|what are|which are)(?: me)? {_MEMBERS} (?:of|in|on)"
        rf"|\A\W*{_MEMBERS} (?:of|in|on)",
        Intent.MEMBERS,
        Needs.SYMBOL,
        "which methods does `{}` have?",
    ),
    IntentRule(
        r"\A(?:what|which|how many|list|show|print|name)(?: (?:me|all|the|public|exported|are))* (?:class(?:es)?"
        r"|structs?|interfaces?|traits?|enums?|functions?|methods?|macros?|types?|constants?|variables?|definitions?"
        r"|symbols?|exceptions?|errors?)"
        r" (?:(?:are|is|do|does) )?(?:there )?(?:defined |declared |implemented )?(?:in|of|inside|within) "
        r"(?:the )?(?:(?:file|directory|folder|module|package) )?[`'\"]?[\w@./+-]+[`'\"]?"
        r"(?: (?:file|directory|folder|module|package))?(?=\W*\Z)",
        Intent.MEMBERS,
        Needs.PATH,
        "which classes are in {}?",
    ),
    IntentRule(RETURNING, Intent.RETURNING, Needs.TOPIC, "which functions return {}?"),
    IntentRule(
        rf"\A{ASKED_FOR}(?:deprecated (?:{CODE}|apis?|things?|members?|classes)"
        rf"|(?:{CODE}|apis?|else|members?|anything)? ?(?:(?:that|which) )?(?:is|are|was|were|got|has been|have been)"
        r"? ?(?:marked )?(?:as )?deprecated)(?: (?:here|there|now|already))?"
        r"(?: (?:in|of|within) \S+(?: \S+)?)?(?=\W*\Z)",
        Intent.DEPRECATED,
        Needs.NOTHING,
        "which functions are deprecated?",
    ),
    IntentRule(
        r"(?:what|which)(?: \w+)? (?:does|do) .{1,80}\b(?:call|invoke|execute)s?"
        r"|(?:what|which)(?: \w+)? (?:is|are) (?:called|invoked) (?:by|from|in)|callees of|calls (?:made )?by"
        r"|call (?:tree|graph|flow) of",
        Intent.CALLEES,
        Needs.SYMBOL,
        "what does `{}` call?",
    ),
    IntentRule(
        r"(?:what|which(?: \w+)?)(?: all)? (?:does|do|is|are) .{1,120}\b(?:imports?|includes?|requires?"
        r"|depends? (?:up)?on|pulls? in)"
        r"|(?:what|which) (?:modules?|packages?|files?|headers?|libraries|crates?) (?:does|do) .{1,120}\b(?:needs?"
        r"|uses?)"
        r"|on (?:what|which(?: \w+)?) (?:does|do) .{1,120}\bdepends?|(?:imports?|includes?|depends? on) what(?=\W*\Z)"
        r"|(?:what|which(?: \w+)?)(?: all)? (?:is|are|gets?) (?:imported|included|required) (?:by|from|in)"
        r"|(?:list |show )?(?:the )?(?<!reverse )(?:imports?|includes|dependencies|requirements|import list) (?:of|in"
        r"|for)"
        r"|what \S+ (?:imports|includes|depends on)|\S+ (?:imports|dependencies|includes)(?=\W*\Z)"
        r"|\A\W*(?:does|do) (?:the file )?[`'\"]?[\w./-]*\w\.\w+[`'\"]? (?:\w+ )?(?:import|include|require|depend on)s?"
        r"(?= \S)",
        Intent.IMPORTS,
        Needs.WRITTEN_PATH,
        "what does {} import?",
    ),
    IntentRule(_USING, Intent.USAGE, Needs.SYMBOL, "who uses `{}`?", unless=_NO_USERS),
    IntentRule(_USING, Intent.DEPENDENTS, Needs.PATH, "what imports {}?", unless=rf"{_NO_USERS}|{EXPLAINED}"),
    IntentRule(
        r"why|how come|since when|how old (?:is|are)|(?:reason|story|idea|motivation|thinking|bug|problem|issue) behind"
        r"|what(?: \w+)? (?:bug|problem|issue) (?:was|is|did|does)\b.{0,80}\b(?:solved?|fix(?:ed)?|address(?:ed)?)"
        r"|(?<=, )what for(?=\W*\Z)|(?:what|who) motivated|(?:for what|what(?:'s| is) the|is there a) reason"
        r"|who (?:came up with|(?:wanted|asked for|requested|demanded|suggested|proposed|reported|needed)"
        r" (?:that|this|it|the)\b)|what (?:was|were|is|went|had been) (?:going )?wrong\b"
        r"|what was (?:the|its) (?:bug|problem|issue|mistake|trigger|cause|motive|complaint)\b"
        r"|(?:give|show|tell|name|find)(?: me)? the commit\b(?! (?:hook|message))|and the commit(?: please)?(?=\W*\Z)"
        r"|what (?:prompted|led to|made \w+ necessary|had to be (?:prevented|avoided|fixed))"
        r"|history (?:of|for)|who (?:else )?(?:wrote|added|changed|introduced|removed|last|maintains|owns"
        r"|touched|authored)"
        r"|when (?:was|were|did|has)|(?:introduced|blame|changelog) (?:of|for|in|by)|reason (?:for|behind)|rationale"
        r"|what (?:has |was )?(?:recently )?changed|(?:last|latest|recent) (?:changes?|commits?|edits?)"
        r"|(?:commits|changes) (?:to|in|of|for|touching|that touch\w*)|git (?:log|blame|history)"
        r"|(?:which|what) commit(?:s (?:touch|chang|modif|edit)\w*)?"
        r"|(?:in|from|by) the (?:git )?(?:history|log)(?=\W*\Z)|(?:commit|pr|issue) or (?:commit|pr|issue)(?=\W*\Z)",
        Intent.HISTORY,
        Needs.EITHER,
        "why was `{}` added?",
        unless=rf"{_BEHAVIOUR}|{_ABSENT}",
    ),
    IntentRule(
        r"why|since when|when (?:was|were|did|has)|who (?:added|introduced|removed)|reason (?:for|behind)|rationale"
        r"|(?:which|what) commit|story (?:of|behind)",
        Intent.HISTORY,
        Needs.TOPIC,
        "why was `{}` added?",
        unless=_ABSENT,
    ),
    IntentRule(
        rf"what happens (?:on|when|if|after|upon|once|for)\b.{{0,80}} /\S+|(?:what|which \w+|how is|how are)"
        rf"(?: (?:handles|serves|answers))?(?: an?| the)? {_VERB} /\S+|\A{_VERB} /\S+\Z"
        rf"|what (?:does|do) (?:a |the )?{_VERB} /\S+|(?:what|who|which \w+) (?:handles|serves|answers|processes)"
        r" (?:(?:an?|the|requests?|calls?|to|for) ){0,3}/\S+"
        r"|(?:where|how) (?:is|are) (?:the|our) (?:[\w-]+ ){1,3}(?:endpoint|route)"
        r" (?:handled|implemented|served|defined|declared|registered)"
        rf"|(?:\A\W*|where (?:is|are|do|does|did) )(?:the |an? |our )?(?:(?:requests?|routes?|endpoints?|handlers?)"
        rf"(?: (?:to|for|of|on))?(?: {_VERB})?|{_VERB}) /\S+",
        Intent.FLOW,
        Needs.NOTHING,
        "what happens on GET /{}?",
    ),
    IntentRule(
        r"what(?:'s|s| is| are| does)? (?:there )?(?:in|inside|within)|what does .{1,60} contain"
        r"|(?:structure|overview|layout|contents|map|api|purpose|exports?|interface) of|exports? (?:in|from)"
        r"|(?:\A\W*|(?<=[.,;:!?] )|\b(?:please|you|to|and|just) )(?:describe|summari[sz]e|outline|map)",
        Intent.MAP,
        Needs.PATH,
        "what is in {}?",
        unless=r"\W*how (?:do|does)\b",
    ),
    IntentRule(
        rf"\A{ASKED_FOR}(?:(?:top[- ]level|main|public)\s+)?{_PARTS}"
        rf"(?: (?:are there|there are|exist))?(?: (?:in|of) (?:{WHOLE}|\S*\w))?(?=\W*\Z)",
        Intent.LIST_MODULES,
        Needs.NOTHING,
        "list the packages",
    ),
    IntentRule(
        rf"(?:structure|overview|layout|architecture|map|purpose) of {WHOLE}(?=\W*\Z)"
        rf"|\A(?:project|repo(?:sitory)?|code ?base) (?:structure|overview|layout|map)(?=\W*\Z)"
        rf"|\A(?:describe|summari[sz]e|explain|outline|map|show)(?: me)? (?:{WHOLE}"
        r"|(?:the |its )?(?:architecture|structure|layout))(?=\W*\Z)"
        rf"|\Awhat (?:is|does) {WHOLE}(?: do| about| for)?(?=\W*\Z)|\Aarchitecture(?=\W*\Z)"
        rf"|\Awhat(?:'s| is| are)? (?:there )?(?:in|inside|within) {WHOLE}(?=\W*\Z)|\A(?:an? )?overview(?=\W*\Z)"
        rf"|\Ahow (?:does|do) (?:it|this|everything|all of (?:it|this)|{WHOLE}) (?:all )?work(?=\W*\Z)"
        r"|\Ahow many lines of (?:source )?code"
        rf"(?: (?:are there|is (?:it|this)|(?:has|does) {WHOLE}(?: have)?))?(?=\W*\Z)"
        r"|\A(?:what(?:'s| is| does) (?:it|this)|explain (?:it|this)|tell me about (?:it|this))(?: do)?(?=\W*\Z)",
        Intent.MAP,
        Needs.NOTHING,
        "overview of the project",
    ),
    KINDS_RULE,
    IntentRule(
        r"what(?:'s|s| is| are| does| do)?|expla(?:in(?:ed)?|nation)|describe|summari[sz]e|summary|outline|map|list"
        r"|contents?|purpose|overview"
        r"|walk-?through|(?:don['’]?t|do not) (?:understand|get)|(?:what|which \w+) (?:lives?|sits?|resides?) (?:in"
        r"|under|inside)|(?:what|which) .{1,40} (?:is|are) (?:in )?(?:there|it)(?=\W*\Z)"
        r"|(?:what|which) .{1,60} (?:does|do) .{1,120} (?:define|declare|contain|hold|export|provide|have)(?=\W*\Z)"
        r"|structure|layout|walk (?:me )?through|tell me about|show|exports?|api|interface|role|responsib\w+|about",
        Intent.MAP,
        Needs.WRITTEN_PATH,
        "explain {}",
        unless=rf"{_BEHAVIOUR}|\W*(?:please )?walk (?:me )?through (?:what|how)\b",
    ),
    WISH_RULE,
    IntentRule(
        r"how (?:does|do|is|are|did|can|to)|what happens|walk me through|trace|flow (?:of|from)"
        r"|(?:explain|understand|know|learn|see|figure out) how"
        r"|what (?:does|do) .{1,80} do,? (?:step by step|in (?:detail|order|sequence)|internally|under the hood)",
        Intent.FLOW,
        Needs.NOTHING,
        "how does {} work?",
    ),
)
"""The rules in order; the first that matches and has what it needs decides. Names, paths and places without other words
are recognized earlier, and every other text is a phrase."""

ABOUT_PAST = late_pattern(
    r"\b(?:was|were|did|has|\w+ed|wrote|history|commits?|blame|last|latest|recent|when|exists?)\b", re.IGNORECASE
)
"""Words of questions about the past. Other questions with "why" are about the code, and must spell names exactly."""
