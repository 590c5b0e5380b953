"""Find the two ends of a path that a question is about: "how does A get to B"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.late_pattern import late_pattern

_VERBS = (
    r"(?:get|go|end up|come|lead|reach|arrive|flow|travel|call|invoke|make it|propagate|find its way|wind up"
    r"|connect|link"
    r"|trigger|cause|pass|descend|proceed|jump)(?:s|es|ed)?"
)
_TO = (
    r"(?:(?:through|down|all the way|over|back|eventually|finally|indirectly|its way|on)\s+)*(?:to|at|in|into"
    r"|with|up in|up at|until)?"
)
PASSIVE = (
    r"(?:gets?|got) (?:(?:\w+(?:ed|en)|sent|made|built|read|run|set|put|kept|held|found|bound|shown|known|drawn|thrown"
    r"|split|cut|lost)\b|(?:its|their|an?|some|any|new)\b)"
)
"""The passive or an object after "get": "how does a letter get sent to a reader", "how does a host get its name".

Such questions do not name two ends of a path."""
_VERB_AND_PATH = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S*"
AT_SOME_POINT = (
    r"(?:directly|at some point|at any point|in the end|at all|(?:in)?directly or (?:in)?directly|somewhere(?: down)?"
    r"|sooner or later)"
)
"""The end of a question whether there is a path."""
ROUTE = re.compile(r"(?:[A-Z]+ )?/\S*")
"""A route, perhaps with its method."""
WAY = r"(?:(?:the |a |call |shortest |code )*(?:path|way|route|chain|trace|flow|steps?|calls)s?)"
"""The calls that lead from one place to another, as people call them."""
BARE = r"[`'\"]?[A-Za-z_][\w.:]*(?:\(\))?[`'\"]?"
"""A single name as an end."""
WRITTEN = r"(?=\w*[a-z]\w*(?-i:[A-Z])|\w+[_.]\w|`)[`'\"]?[A-Za-z_][\w.:]*(?:\(\))?[`'\"]?"
"""The same, if it is written like code."""
_DOTTED = r"[A-Za-z_]\w*(?:(?:::|\.)\w+)*(?:\(\))?"
"""A name with its containers."""
ASIDE = r"(?:[ ,;:?]+(?:how|please|pls|path|way|route|the path|which way|what path))+"
"""Words that people write after two ends instead of before them."""
_PATTERNS = tuple(
    late_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\((?:from )?(?P<a>{_DOTTED}) ?(?:to|->|→) ?(?P<b>{_DOTTED})\)(?=\W*\Z)",
        rf"\A(?:(?:trace|follow|path|way|flow)(?: of)?:? )?(?P<a>{_VERB_AND_PATH}) (?:(?:down|through|all the way) )?"
        r"(?:to|into|until) (?P<b>\S.*)",
        r"\A(?:starting|coming|beginning) (?:at|from|in|with) (?P<a>[^,\n]{2,80}), (?:how|where|by what) (?:is|do|does)"
        r" (?:(?:i|we|one|it|control) )?(?:get to |reach |come to |end up (?:in"
        r"|at) )?(?P<b>.+?)(?: (?:gets? )?reached)?\Z",
        rf"\bhow (?:do|does|can|could|would|will|did) (?:(?:\S+ ){{0,6}}{_VERBS} )?from (?P<a>.+?) (?:{_TO}|and)"
        r" (?P<b>\S.*)",
        rf"\bhow (?:do|does|can|could|would|will|did) (?!.+\b{PASSIVE})(?P<a>.+?) {_VERBS} (?:{_TO} )?(?P<b>\S.*)",
        r"\A(?P<a>[^,;\n]{3,80}?)[,;:.] how (?:is|does|do) (?P<b>\S+) (?:get )?(?:reached|called|invoked)\Z",
        r"\bhow (?:is|are|do|does) (?P<b>.+?) (?:get )?(?:reached|called|invoked|triggered|entered) (?:from|by|out of"
        r"|starting (?:at|from)) (?P<a>\S.*)",
        r"\bhow (?:is|are) (?P<a>.+?) (?:connected|linked|wired|related) (?:to|with) (?P<b>\S.*)",
        rf"\bhow (?P<a>\S+) (?:eventually |finally )?(?:{_VERBS}) (?:{_TO} )?(?P<b>\S.*)",
        r"\b(?:trace|follow|walk)(?: me)?(?: through)?(?: the)?(?: (?:calls?|path|way|flow))? (?:from )?(?P<a>\S+) "
        r"(?:down )?(?:to|until|into) (?P<b>\S.*)",
        r"\A(?P<a>[^,:\n]{3,80})[,:] (?:which|what) (?:way|path|route|steps|calls) (?:does|do|will|would) (?:it|this"
        r"|that|control|the \w+) (?:take|go|make|follow) (?:to|until|into) (?P<b>\S.*)",
        rf"\A(?P<a>[^,\n]{{3,80}}), (?:so |and |then )*(?:how|which way) (?:do|does|can|could|would|will|did)"
        r" (?:we|i|it|one|control|things|this|that|execution|the (?:\w+ ){0,2}\w+) (?:then )?"
        rf"{_VERBS} (?:{_TO} )?(?P<b>\S.*)",
        r"\A(?P<a>[^,\n]{3,80})[,:;.] (?:then |and |please )*(?:trace|show|follow|explain|tell|walk)(?: me)?"
        rf"(?: through)? how (?:it|this|that|control|we|the \w+) {_VERBS} (?:{_TO} )?(?P<b>\S.*)",
        r"\b(?:from|between) (?P<a>.+?) (?:all the way |down |on )?(?:to|and|until|into) (?P<b>\S.*)",
        r"\b(?:can|could|does|do|will|is) (?P<a>.+?) (?:ever |eventually |indirectly |transitively |somehow )*"
        r"(?:reach|lead to|(?:end|wind) up (?:in|at|calling)|get to|go to|come to|call)"
        rf" (?P<b>\S.*?)(?: {AT_SOME_POINT})?\Z",
        r"\b(?:is) (?P<b>.+?) reachable from (?P<a>\S.*)",
        r"(?P<a>[^\s>]+) ?(?:->|→|=>|⇒) ?(?:[^\s>]+ ?(?:->|→|=>|⇒) ?){0,8}(?P<b>[^\s>]+)(?! ?(?:->|→|=>|⇒))",
        rf"\A(?P<a>{WRITTEN}) to (?P<b>{WRITTEN}|\w+ing(?: [\w./-]+){{1,8}}?)(?:{ASIDE})?\Z",
        rf"\A(?:(?:the |a |call |shortest |code )*(?:path|way|route|chain|trace"
        rf"|flow)s?) (?P<a>{BARE}) to (?P<b>{BARE})\Z",
        rf"\A(?P<a>{BARE}) (?:all the way )?down to (?P<b>{BARE})(?!\S)",
        rf"\A(?P<a>{BARE}(?: of [\w./-]+)?) to (?P<b>{BARE}){ASIDE}\Z",
        rf"\A(?P<a>.{{1,60}}?) {_VERBS} (?:{_TO} )?(?P<b>\S+?){ASIDE}\Z",
    )
)
_EDGES = " \t\n?.!,;:`'\""
_FILLERS = frozenset({
    "a", "an", "the", "it", "that", "this", "call", "calls", "control", "flow", "execution", "one", "we", "i", "you",
    "they", "of", "everything", "code",
})  # fmt: skip
"""Words that name no place."""
_CALL_OF = late_pattern(
    r"(?<![\w.])(?:(?:(?:the|an?) )?(?:calls?|invocation) (?:of|to)|(?:the|an?) \S{1,40} (?:that|which)"
    r" (?:arrives? (?:at|in)|enters?|reaches|hits|comes? in(?:to| at| through)?|is sent to)) (?=[\w`])",
    re.IGNORECASE,
)
_POSSESSIVE = late_pattern(r"(?<=\w)['’]s (?P<trait>\w+(?:::|\.)(?=\w+\Z))?(?=\w)")
"""The "'s" of "Cart's add"; also the trait in "Cart's Store::add", the method of which the class has."""
_CALLING = (
    r"(?:(?:[\w-]+ ){1,4}?(?:enters|reaches|hits"
    r"|arrives (?:at|in)|comes in(?:to| at| through)?|lands (?:in|at)|goes (?:into|to)|is (?:made|sent) to)"
    r"|(?:the |an? )?(?:clients?|browsers?|callers?|users?|somebody|someone) (?:does|do|sends?|makes?|issues?)(?: an?)?"
    r"(?= [A-Z]+ /))"
)
"""What happens to the first function, or to the route, that a path begins with."""
_LEADING = late_pattern(
    r"^(?:(?:(?:the |an? )?(?:calls?|invocation) (?:of|to)|the|a|an"
    r"|calling|running|executing|invoking|writing to|reading from|hitting|touching|pressing|passing|clicking|typing"
    r"|what happens|(?:when|if|once|after)(?=\s.*\s)|(?:i|we|you|one|(?:the |a )?users?|somebody|someone)"
    r" (?:press|click|pass|type|run|call|use|hit|give|enter|choose|select|execute|invoke|start|set)(?:s|es)?"
    r"|sending(?= (?:to )?(?:the )?\w+\Z)"
    rf"|{_CALLING}|function|method|class|call)\s+)+",
    re.IGNORECASE,
)
_TRAILING = late_pattern(
    r"(?<!\s)\s+(?:function|method|called|invoked|executed|run|reached|work|please|in (?:this|the) (?:code|repo\w*+"
    r"|project)\w*+)$"
    r"|(?<!\s)\s*[,:;–-]\s*(?:(?:what|which)\b.{0,40}|how(?: so)?|step by step|in (?:detail|order))$"
    r"|(?<!\s)\s+key$"
    r"|(?<=[\w)`])(?<!\s)\s+(?:when|if|while|once|after|during)\s.*$",
    re.IGNORECASE,
)


_PARAMETERS = late_pattern(r"(?<=\w)\([^()]+\)\Z", needs=("(",))
"""The types of the parameters behind the name of a function, which tell overloads apart."""
_IN_FILE = late_pattern(
    r"^[`'\"]?(?P<name>[\w.:]++)[`'\"]?(?:\(\))? (?:in|of|from) (?:the file )?[`'\"]?(?P<file>[\w@./+-]+\.\w{1,4})"
    r"[`'\"]?$"
)
"""A name with its file: "main in cli/main.py"."""


def iter_ends(text: str) -> Iterator[tuple[str, str]]:
    """Yield possible starts and ends of the path that a text asks for, likeliest first."""
    said = _CALL_OF.sub("", text).strip(_EDGES)
    for pattern in _PATTERNS:
        found = pattern.search(said)
        if found:
            start, end = _clean(found["a"]), _clean(found["b"])
            # "f(x) -> f(x, y)" is a changed signature.
            is_same = "(" in start and _get_function(start) == _get_function(end)
            if start and end and not is_same and not {start.lower(), end.lower()} & _FILLERS:
                yield _PARAMETERS.sub("", start), _PARAMETERS.sub("", end)


def _get_function(text: str) -> str:
    """Return the name of the function that a call calls."""
    return re.split(r"\.|::", text.partition("(")[0])[-1]


def _clean(text: str) -> str:
    """Return the name of an end without articles and words about it."""
    text = _POSSESSIVE.sub(lambda found: "." if found["trait"] else " ", text.strip(_EDGES))
    while True:
        shorter = _TRAILING.sub("", _LEADING.sub("", text)).strip(_EDGES)
        if shorter == text:
            return _IN_FILE.sub(r"\g<file>:\g<name>", text)
        text = shorter
