"""Words that people and code have for the same thing.

People ask where bots are left out; the code ignores crawlers. A question is therefore also compared by synonyms, which
count less than its own words.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict

from avionics.index.search.query import is_stop_word, stem
from avionics.late_pattern import late_pattern

_FORMS = """
address addr|authentication auth|authorization auth|buffer buf|certificate cert|command cmd|configuration config
database db|destination dest|directory directories dir|environment env|initialization init|library libraries lib
automatically automatic auto
maximum max|memory mem|message msg|minimum min|package pkg|parameter param|password passwd|permission perm
previous prev|process proc|repository repositories repo|signature sig|socket sock|statement stmt|temporary tmp temp
transaction txn|variable var
begun began begin|bound bind|broken break|built build|chosen choose|drawn draw|hidden hide|kept keep|lost lose
made make|sent send|sought seek|taken take|thrown throw|written wrote write|found find|gone go|held hold|left leave
known know|seen see|shown show|ran run|told tell|paid pay|bought buy|fell fallen fall|spoken speak|stolen steal
grown grow|forgotten forget|frozen freeze|woken awake wake|split divide|understood understand|dead died dying die
grey gray|centre center|licence license|artefact artifact|wide width|deep depth|high height
undone undo|lock locked|slow slower slowest|fast faster fastest|old older oldest|new newer newest
late later|early earlier earliest
"""
"""Forms of one word: an abbreviation, an irregular participle or plural, another spelling, the noun of a measure."""
_SPELLED = (("our", "or"), ("is", "iz"), ("iz", "is"), ("ys", "yz"), ("yz", "ys"), ("ll", "l"))
"""The endings of stems in British and in American spelling: `colour`, `normalise`, `analyze`, `cancelled`."""
_MIN_SPELLED = 6
_ALIKE = """
limit max maximum cap most many large big huge long longest size length number num amount restrict bound
limit max maximum largest biggest greatest highest
disable no off without skip suppress never allow enable disallow forbid deny
timeout wait deadline long duration grace block ttl
long time duration
dir directory folder path location home
min minimum least low lowest smallest shortest
colour color
shutdown shut stop
tls ssl secure
ssh rsh
ca cert certificate
thread worker job parallel concurrent simultaneous active
number num count
keep kept preserve retain retention persist persistent
deep depth nest nested
wide width column columns
high tall height row rows
password pass passphrase
retry attempt
interval period frequent often every
quiet silent
hide hidden exclude ignore
delete remove purge clean rm
expire expiry lifetime ttl age live alive old
reload reread refresh watch hotreload update
edit change modify
permission mode chmod umask
rotate round robin
several multiple reuse share
memory mem ram
process instance
notify tell inform warn message
address host interface bind listen
verbose debug
fail exit abort quit error strict
whitespace blank
remove strip shrink trim
warn complain
decompress unzip gunzip inflate
compress zip gzip deflate
send upload
receive download
"""
"""Groups of words that name options of the same kind."""
_MEANT = """
abandoned: stale old orphan expired idle unused | align: pad justify | alive: heartbeat checkin ping keepalive health
allow: permit accept enable grant | assign: allocate set bind | attach: mount bind | average: mean
background: daemon async | backup: copy save snapshot stash | balance: distribute spread
bandwidth: throughput speed rate | begin: start open init | bot: crawler spider robot | broadcast: publish all
broken: corrupt invalid damage | bundle: pack build | cache: memo store | cancel: abort interrupt stop
canonical: normalize | circular: cycle recursive loop | clean: purge cleanup prune sweep gc clear
cluster: node replica | collapse: fold hide | collect: gc gather sweep | comment: annotation remark
compare: diff match equal equals cmp | complete: finish autocomplete suggest | concurrent: overlap simultaneous
confirm: prompt ask interactive yes agree | conflict: clash collision duplicate
convert: transform translate map encode format render | cookie: session
create: make new build add generate construct allocate | daemon: background service
cut: truncate trim crop shorten clip | root: superuser privilege uid euid sudo
decide: determine choose select resolve should | decrypt: decipher open | default: fallback preset initial
deny: reject refuse forbid block disallow unauthorized | dependency: require import | deploy: publish release push
detect: determine guess infer recognize identify find sniff probe | die: dead crash fail
dirty: modified changed stale | dispatch: route handle send | distance: levenshtein similarity
download: fetch receive | drag: move | drop: lose disconnect close discard lost | elect: leader vote
empty: blank none zero clean clear | encoding: charset utf8 unicode
encrypt: cipher crypt seal tls ssl https | escape: quote sanitize encode
evict: remove expire lru clean | exception: error throw fail | exclude: ignore skip omit leave without hide
expand: extend unfold | extension: suffix ext | fill: pad complete populate | flush: write sync drain
follow: dereference symlink | foreground: interactive daemon nodaemon | free: release dealloc destroy dispose drop
full: overflow exceed capacity limit | guess: infer detect default heuristic | handle: process deal treat
hash: digest checksum fingerprint
hidden: dotfile dot invisible | highlight: color style emphasize | hint: suggest help
immutable: readonly frozen | indent: tab space whitespace | install: setup deploy | interrupt: cancel signal sigint
interval: period frequency | invalid: bad malformed wrong broken corrupt illegal
invalidate: expire clear evict stale | keep: stay store hold
kill: terminate abort stop signal cancel | label: tag name title
last: keep | late: expire threshold delay | leak: release free unclosed | limit: throttle quota rate cap
listener: handler callback hook subscriber observer | lock: mutex exclusive acquire
login: signin authenticate auth credential session | logout: signout | loop: cycle circular recursion
malicious: unsafe attack escape traversal hostile | mask: anonymize obfuscate hide redact censor
merge: combine join concat | migrate: upgrade convert | minify: compress uglify
missing: absent unknown undefined null none nonexistent notfound | mock: fake stub | modified: changed dirty
nav: navigation menu sidebar | newline: eol crlf linebreak | normalize: canonical clean standard
offline: disconnect network | optimize: simplify fold | outside: escape traversal parent beyond
overwrite: replace clobber force | pad: fill | pager: less | pair: match align homolog corresponding
pause: suspend stop hold wait delay sleep | picture: image img photo icon thumbnail | pipe: stdin stdout fifo
prevent: avoid guard disallow check | protect: guard secure safe prevent check
publish: emit broadcast dispatch send notify draft
queue: backlog pending buffer wait | quota: limit usage | quote: escape
random: shuffle rand seed | rank: score order | readonly: immutable freeze | reconnect: retry resume
recursive: recurse walk descend deep | redirect: follow forward location | refresh: reload livereload
reject: refuse deny abort invalid fail | relative: absolute path | rename: move alias | report: checkin heartbeat
reproducible: deterministic epoch | resize: scale shrink | restore: recover revert rollback undo reset
resume: continue unpause restart | retry: backoff attempt reconnect | reuse: pool cache share
role: permission privilege access right | round: floor truncate precision | route: url path endpoint
safe: secure protect guard sanitize | same: equal identical unique duplicate | schedule: cron timer interval trigger
score: rank weight | scroll: offset position | serial: sequential concurrent parallel | share: reuse common
shortcut: keybinding hotkey binding keymap | sidebar: menu navigation panel | similar: fuzzy distance near close alike
simplify: reduce normalize | slow: throttle rate delay lag | speed: rate bandwidth throttle fast
split: chunk divide separate cut | staged: index | statistics: stats metric report count | stay: keep retain remain
store: save persist write cache keep database | throttle: rate speed limit bandwidth delay
automatic: auto | lookup: find search get query | setup: init prepare
subfolder: directory nested recursive
subscribe: listen watch observe follow | suggest: hint mean similar | sync: flush fsync synchronize | tab: indent
tag: label mark | takeover: failover recover | temporary: tmp temp scratch | terminal: tty console | timezone: tz zone
truncate: cut clip crop shorten max | twice: duplicate again repeat dedupe | unlock: release | unpack: extract unzip
unsaved: dirty modified changed | upgrade: update migrate
visitor: user client host visit | vote: elect ballot | wake: notify signal resume | weight: priority score
window: pane panel dialog popup | workdir: cwd directory | wrap: break fold | wrong: invalid bad incorrect
zoom: scale
bin: trash recycle
long: age lifetime expire expiry retention period | loud: volume
remember: history keep save
undo: rollback revert reset restore
repeat: retry attempt again
sleep: wait pause delay interval
permanent: trash delete unlink
notice: detect watch notify check
ask: prompt question confirm request
busy: load overload | carry: continue | children: child tree subprocess
click: mouse button press | complain: warn error raise invalid | crash: exit kill fail panic abort segfault
dead: stale unresponsive timeout ping heartbeat | duplicate: dedupe unique seen exists | fit: width size
forgotten: abandon leak orphan | grow: expand resize extend | hang: timeout block deadlock stuck
join: discover add connect | known: register announce | launch: start spawn exec run | learn: discover update
lend: borrow | lent: borrow acquire checkout active | mistake: error invalid | mistype: suggest similar spell unknown
newest: latest recent | obey: respect honor follow | oldest: earliest first lru | part: partial chunk
pick: choose select | press: key input | print: write output display | refuse: reject deny forbid error fail
respect: honor follow obey | shorten: truncate trim elide abbreviate | shrink: compact reduce
start: launch begin run spawn | stuck: hang deadlock timeout | suggestion: suggest spell similar closest
tell: distinguish report print | typo: suggest similar spell fuzzy distance | unfinished: partial incomplete
unresponsive: timeout dead alive heartbeat | wait: sleep block delay await timeout poll
abort: cancel interrupt stop timeout fail | account: user login profile | answer: response reply respond
ban: block deny blacklist blocklist | block: deny ban blacklist blocklist filter | check: verify validate test
computer: host machine client ip | cpu: core thread worker | credential: secret password token key auth
day: retention age schedule | disk: storage file space filesystem | done: complete finish | entry: record item row
enter: accept submit confirm | finish: complete done end
folder: cwd workdir | forward: proxy relay redirect | greeting: welcome banner motd
language: locale lang i18n translation | letter: char character length | logged: login log
mail: email smtp sendmail | email: mail smtp | message: text notice | normal: default regular main primary
own: custom | public: external base | query: request search | question: query request prompt confirm ask
receiver: recipient to target | record: store save log history | reply: response answer respond
sender: from | server: upstream remote backend | several: multiple many | signup: register registration enroll join
site: domain url host web | space: size quota storage | stranger: anonymous guest public
theme: style color dark light mode | style: css stylesheet theme | title: name label heading
token: secret credential key
unknown: unrecognized undefined invalid | upload: sync push post put multipart | verify: check validate
close: exit quit | avoid: skip ignore never prevent exclude
beep: bell sound | chop: truncate cut | embed: iframe frame inline | equal: same equals eq cmp compare match
forget: purge remove drop evict | gone: offline missing removed | password: credential secret auth
fingerprint: hash digest hostkey | identical: same equal duplicate | link: url href | machine: host server address
moment: time timestamp date | nag: notify remind warn prompt | peek: preview | ping: heartbeat keepalive alive probe
remind: notify warn | session: connection | smuggle: inject escape sanitize | telemetry: analytics tracking
tunnel: forward proxy
visible: show hidden display | web: http www ui | whitelist: allow allowed allowlist | word: term token
"""
"""A word that people say: the words that code has for it."""
_SAID = tuple(
    (late_pattern(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"\bhttps\b", "tls"),
        (r"#!", " shebang "),
        (r"\bsymbolic links?\b", "symlink"),
        (r"\b(?:another|a second|one more) (?:try|go|chance)\b", "retry"),
        (r"\bbl(?:ows?|ew|own|owing) up\b", "crash exception"),
        (r"\bchang(?:es?|ed) on disk\b", "changes on disk watch"),
        (r"\btim(?:e|es|ed|ing) out\b", "timeout"),
        (r"\b(?:at (?:once|(?:the|one|a) (?:same )?time)|side by side|in parallel)\b", "concurrent"),
        (r"\bone (?:after|by) (?:the other|another|one)\b|\bin sequence\b", "serial"),
        (r"\bin turns?\b", "robin"),
        (r"\bhow many times\b", "attempts"),
        (r"\bhow (?:often|frequently)\b", "interval"),
        (r"\bhow (?:fast|quickly)\b", r"\g<0> interval"),
        (r"\bhow (?:many|much|large|big)\b(?! (?:days|hours|minutes|seconds|milliseconds|weeks|months)\b)", "limit"),
        (r"\b(?:turn|switch|shut)\w* ((?:\w+ ){0,3})off\b", r"disable \1"),
        (r"\bdeactivat\w+|\bforbid\w*", "disable"),
        (r"\b(?:stop|keep|prevent)(?:s|ped|ping|ed|ing)? ((?:\w+ ){0,3})from being(?= \w)", r"ignore exclude \1"),
        (r"\b(?:stop|keep|prevent)(?:s|ped|ping|ed|ing)? ((?:\w+ ){0,3})from(?= \w+ing\b)", r"disable \1"),
        (
            r"\b(?:in)?to (?:another|a different|some other) (?:folder|directory|place|path|location)\b",
            r"\g<0> destination output",
        ),
        (r"\b(?:somewhere|anywhere) else\b|\belsewhere\b", r"\g<0> outside"),
        (r"\bonly (?:one|a single) (?:instance|copy|process)\b", r"\g<0> instance lock pid"),
        (r"\b(?:cut|cuts|chopp?ed|chops?) (?:off|short)\b", "truncate"),
        (r"\bslow(?:s|ed|ing)? ((?:\w+ ){0,2})down\b", r"throttle \1"),
        (r"\b(?:leaves?|left|leaving|keeps?|kept) ((?:\S+ ){0,6})out\b", r"exclude \1"),
        (r"\bget rid of\b", "remove"),
        (r"\bh(?:ang(?:s|ing)?|ung) up\b(?: on\b)?", "disconnect close"),
        (r"\bbla(?:nk|ck)(?:s|ed|ing)? out\b", "redact mask"),
        (r"\b(?:turn(?:s|ed|ing)?|sen(?:ds?|t)) ((?:\w+ ){0,2})away\b", r"reject block \1"),
        (r"\bt(?:akes?|aken|aking|ook) ((?:\w+ ){0,3})away\b", r"remove \1"),
        (r"\b(?:is|are|be|being) (?:really )?the same(?: ones?| thing)?\b", "equal"),
        (r"\bescap(?:es?|ed|ing) (?:from |out of )?(?=(?:the|its|an?|this|my)\b)", r"\g<0> outside traversal "),
        (r"\b(?:call|phone)s? home\b", "telemetry"),
        (
            r"\b(?:shortly|right|directly|quickly) after (?:each other|one another)\b|\bin quick succession\b",
            "debounce",
        ),
        (r"\bkeeps? (?:\w+ ){0,2}alive\b", r"\g<0> keepalive heartbeat"),
        (r"\bgo(?:es)? (?:right |straight )?ahead\b", "force"),
        (r"\b(?:under|below|beneath) an? (?:sub-?)?(?:path|folder|directory)\b", r"\g<0> prefix base"),
        (r"\btr(?:y|ies|ied|ying) (?:\w+ )?again\b", "retry"),
        (r"\btak(?:es?|en|ing) ((?:\w+ ){0,2})back\b", r"undo \1"),
        (r"\b(?:gives?|gave|given|giving|hand(?:s|ed|ing)?) ((?:\w+ ){0,3})back\b", r"return \1"),
        (
            r"\bif (?:i|we|you|nobody|no one) (?:do(?:es)?n['’]?t )?(?:says?|specif(?:y|ies)|choos(?:e|es)|sets?)\b",
            "default",
        ),
        (r"\b(?:go(?:es)?|went|carr(?:y|ies)|carried) on\b|\bpick(?:s|ed)? up where\b", "resume continue"),
        (r"\b(?:broken|broke|breaks?) off\b", "interrupt partial"),
        (r"\bhalf[- ](?:written|finished|done|read)\b", "partial incomplete"),
        (r"\bh(?:old(?:s|ing)?|eld) back\b", "throttle limit"),
        (r"\b(?:only|just) (?:once|one time|a single time)\b", "once"),
        (r"\b(?:already|still) (?:have|has|there|exists?)\b", "exists"),
        (r"\b(?:tell|tells|told) ((?:\w+ ){0,3})apart\b", r"distinguish unique \1"),
        (r"\bturn(?:s|ed)? ((?:\w+ ){0,3})into\b", r"convert \1"),
        (r"\b(?:runs?|ran|running) out of\b", r"\g<0> exhausted"),
        (r"\bfalls? back\b", "fallback"),
        (r"\bhow often\b", "interval"),
        (r"\bfor good\b", "permanent"),
        (r"\bself[- ]signed\b", "insecure"),
        (r"\bctrl[-+ ]c\b", "interrupt sigint abort"),
        (r"\bthr(?:ow|own|ew)s? ((?:\w+ )?)away\b", r"discard \1"),
        (r"\bthr(?:ow|own|ew)s? ((?:\w+ ){0,2})out\b", r"remove \1"),
        (r"\b(?:tak(?:en|es?|ing)|took) ((?:\w+ ){0,2})over\b", r"takeover \1"),
        (r"\b(?:put(?:s|ting)?|bring(?:s|ing)?|brought) ((?:\w+ ){0,2})back\b", r"restore \1"),
        (r"\bkeeps? up\b", "slow"),
        (r"\bg(?:ives?|ave|iving) up\b", "abort"),
        (r"\b(?:by (?:it|them)sel(?:f|ves)|on (?:its|their) own)\b", "automatic"),
        (r"\b(?:more than once|a second time)\b", "twice"),
        (r"\b(?:out of date|outdated)\b", "stale"),
        (
            r"\b(?:do(?:es)?n['’]?t|do(?:es)? not) exist\b|\b(?:not|isn['’]t|aren['’]t) (?:yet )?(?:there|found)\b",
            "missing",
        ),
        (r"\bdon['’]?t ask\b|\bwithout asking\b", "confirm"),
        (r"\b(?:log|sign)(?:s|ged|ging|ed|ing)? in\b", "login"),
        (r"\b(look|set|clean|start)(?:s|ed|ing|ting)? up\b", r"\1up"),
        (r"\bsign(?:s|ed|ing)? up\b|\b(?:make|create|open)s? (?:an?|new|their own) accounts?\b", "signup"),
        (r"\b(?:go(?:es)?|went|gone|going) wrong\b", "fail"),
        (r"\bnew(?:er)? (?:versions?|releases?)\b", r"\g<0> update"),
        (r"\b(?:wrong|bad|incorrect|failed) (?:passwords?|log-?ins?)\b", r"\g<0> brute attempts"),
        (r"\btimes? of (?:the )?day\b|\bat (?:certain|fixed) times\b", r"\g<0> schedule"),
        (r"\bin (?:the|my|a) (?:terminal|shell)\b", r"\g<0> foreground"),
        (r"\b(?:start|begin)(?:s|ning|ing)? with a dot\b", "hidden"),
        (r"\b(?:runs?|executes?|calls?) (?:an?|my|some) (?:program|script|command)\b", r"\g<0> script hook exec"),
        (r"\b(?:check|verif|validat)\w* (?:\w+ ){0,3}certificates?\b", r"\g<0> insecure"),
        (r"\bbehind (?:an? |the )?(?:reverse )?proxy\b", r"\g<0> trusted forwarded"),
        (r"\bolder than\b", r"\g<0> age retention"),
        (r"\bonly (?:allow|let|accept|permit)\w*\b", r"\g<0> whitelist"),
        (
            r"\b(?:if|that|whether|which|who) (?:(?:an?|the|some) )?(?:\w+ )?"
            r"(?:may|(?:is|are) (?:allowed|permitted) to) \w+",
            r"\g<0> allow permission",
        ),
        (r"\b(?:another|a different|a new) (\w+) (?:each|every) time\b", r"random \1"),
        (r"\buser ?names? and (?:an? )?passwords?\b", r"\g<0> auth"),
        (r"\bwhere\b.{1,60}\b(?:stored|kept|saved|put|written)\b", r"\g<0> path folder"),
        (r"\bgoogle\b|\bsearch engines?\b", r"\g<0> robot crawler"),
        (r"\b(?:my|our|your|their|its) own\b", r"\g<0> custom"),
    )
)
"""What people say in several words → the word that code has for it."""
_ITSELF = r"\g<0>"
"""How a replacement begins that keeps what the text says, and adds words to it."""
_AGAIN = late_pattern(r"\b((?:[a-z]+ ){1,3})(?:again|anew|once more)\b", re.IGNORECASE)
_MIN_REPEATED = 3


@functools.cache
def _read_groups(text: str) -> dict[str, frozenset[str]]:
    """Return stem → the stems of all groups that it is in."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in re.split(r"[|\n]", text.strip()):
        stems = {stem(word) for word in line.split()}
        for each in stems:
            found[each] |= stems
    return {each: frozenset(stems) for each, stems in found.items()}


@functools.cache
def _read_meant() -> dict[str, frozenset[str]]:
    """Return the stem of what people say → the stems that code has for it."""
    entries = (each.partition(":") for each in re.split(r"[|\n]", _MEANT.strip()))
    return {stem(said.strip()): frozenset(map(stem, meant.split())) for said, _, meant in entries}


def forms_of(stemmed: str) -> frozenset[str]:
    """Return the stems of a word in its other forms, such as its abbreviation, with its own."""
    other = (
        stemmed.removesuffix(one) + two
        for one, two in _SPELLED
        if stemmed.endswith(one) and len(stemmed) >= _MIN_SPELLED
    )
    spelled = frozenset((stemmed, *other))
    return spelled.union(*(_read_groups(_FORMS).get(each, frozenset()) for each in spelled))


def meanings_of(stemmed: str) -> frozenset[str]:
    """Return the stems that code may have for one, with its own and its other forms."""
    forms, meant = forms_of(stemmed), _read_meant()
    return forms.union(*(meant.get(each, frozenset()) for each in forms))


def kinds_of(stemmed: str) -> frozenset[str]:
    """Return the stems that name the same kind of option as one, and those that code may have for it."""
    return meanings_of(stemmed) | _read_groups(_ALIKE).get(stemmed, frozenset())


def read_hints(text: str) -> frozenset[str]:
    """Return the stems of words that code may have beside what a text says; it means no more by them."""
    found: set[str] = set()
    for pattern, word in _SAID:
        if word.startswith(_ITSELF) and pattern.search(text):
            found.update(map(stem, word.removeprefix(_ITSELF).split()))
        text = pattern.sub(word, text)
    repeated = _AGAIN.sub(_repeat, text)
    return frozenset(found.union(map(stem, set(repeated.split()) - set(text.split()))))


def read_said(text: str) -> str:
    """Return a text with the words that code has in place of what it says in several words."""
    for pattern, word in _SAID:
        text = pattern.sub(word, text)
    return _AGAIN.sub(_repeat, text)


def _repeat(again: re.Match[str]) -> str:
    """Return what is done again, with the verbs of code for it: `resend` for "sent to them again"."""
    words = (word for word in again[1].lower().split() if len(word) >= _MIN_REPEATED and not is_stop_word(word))
    return " ".join([again[0], *(f"re{form}" for word in words for form in sorted(forms_of(stem(word))))])
