"""Write findings in English: what broke, why, and the fix; and the documentation of every rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from avionics.index.verdicts.findings import Cause, ChangeFinding, Proof, Rule, Severity
from avionics.tools.answers.sarif import SarifResult, SarifRule, build_sarif

_LEVELS = {Severity.ERROR.value: "error", Severity.WARNING.value: "warning", Severity.INFO.value: "note"}
_MAX_PLACES = 5
"""Broken places shown in the text of one finding; JSON has all."""

_COMMANDS = {Severity.ERROR.value: "error", Severity.WARNING.value: "warning", Severity.INFO.value: "notice"}


class FindingItem(Struct, frozen=True):
    """A finding: its rule, the first broken place, its text, and every broken place.

    Attributes:
        file: The file of the first broken place.
        rule: The rule's id, which `avionics explain` takes.
        severity: "error", "warning" or "info".
        certainty: "certain" if it is proven, else "possible".
        message: What broke and why.
        fix: The evident fix, "" for none.
        change: `path:line` of what was changed; `was path:line` if it is in the version before; "" for nothing.
        places: `path:line` of every broken place.
        key: What identifies it in a baseline.
    """

    file: str
    line: int
    column: int
    rule: str
    severity: str
    certainty: str
    message: str
    fix: str
    change: str
    places: tuple[str, ...]
    key: str

    @classmethod
    def of(cls, finding: ChangeFinding) -> FindingItem:
        """Return the item of a finding."""
        first, change = finding.broken[0], finding.change
        return cls(
            first.file,
            first.line,
            first.column,
            finding.rule.value,
            finding.severity.value,
            finding.proof.value,
            describe_finding(finding),
            describe_fix(finding),
            f"{'was ' if change.is_before else ''}{change}" if change is not None else "",
            tuple(dict.fromkeys(str(site) for site in finding.broken)),
            finding.key,
        )

    def to_text(self) -> str:
        """Return one line, followed by one for the other places and the change."""
        fix = f"; {self.fix}" if self.fix else ""
        others = self.places[1:_MAX_PLACES]
        left = len(self.places) - 1 - len(others)
        more = f" and {left} more" if left else ""
        rest = f"\n    also {', '.join(others)}{more}" if others else ""
        change = f"\n    changed: {self.change}" if self.change else ""
        return f"{self.file}:{self.line} {self.rule}: {self.message}{fix}{rest}{change}"


_C = Cause

MESSAGES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        _C.NAME_REMOVED: "'{subject}'{of} was removed and is still used",
        _C.NAME_HIDDEN: "'{subject}'{of} is no longer visible here but still used",
        _C.NAME_MOVED: "'{subject}'{of} moved to {detail} and is still used here",
        _C.NAME_RENAMED: "'{subject}'{of} was renamed to '{detail}' and is still used by its old name",
        _C.MODULE_REMOVED: "module '{subject}' was removed and is still imported",
        _C.MODULE_MOVED: "module '{subject}' is now {detail} and is still imported by its old name",
        _C.NEVER_DEFINED: "'{subject}'{of} is not defined",
        _C.MACRO_TEXT: "'{subject}' was removed or renamed, and the text of macro '{holder}', used here, names it",
        _C.ARGUMENT_MISSING: "the call of '{subject}' lacks the argument '{detail}'",
        _C.FIELD_MISSING: "'{subject}' is constructed or destructured here without its field '{detail}'",
        _C.ARGUMENT_SURPLUS: "the call of '{subject}' passes too many arguments: {detail} more than it takes",
        _C.ARGUMENT_TYPE: "the argument in the place of '{detail}' has another type than '{subject}' takes there now",
        _C.KEYWORD_UNKNOWN: "'{subject}' has no parameter '{detail}'",
        _C.OVERLOAD_REMOVED: "the overload of '{subject}' that takes these arguments was removed or hidden",
        _C.CASE_MISSING: "a match of '{subject}' has no case for '{detail}'",
        _C.NOT_IMPLEMENTED: "'{subject}' does not implement '{detail}'{of}",
        _C.OVERRIDES_NOTHING: "'{subject}' overrides nothing: '{detail}' was removed",
        _C.ASKED_BY_NONE: "'{detail}' does not exist, so '{subject}' implements nothing",
        _C.DECLARED_OTHERWISE: "the parameters of '{subject}' differ from its declaration {detail}",
        _C.DEFINED_TWICE: "'{subject}' is defined twice; the second definition replaces the first",
        _C.NOT_PARSED: "{subject}",
        _C.CONTRACT_BROKEN: "{detail} (rule '{subject}' of the contract)",
        _C.NAMED_AFTER_REMOVAL: "'{subject}' was removed, and text still names it",
        _C.NAMED_AFTER_RENAME: "'{subject}' was renamed to '{detail}', and text still names it",
        _C.CYCLE_CLOSED: "this import closes a cycle: {detail}",
        _C.LAST_USE_REMOVED: "the change removes the last use of '{subject}'",
    }
)

FIXES: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        _C.NAME_MOVED: "import it from {detail}",
        _C.NAME_RENAMED: "use '{detail}'",
        _C.MODULE_MOVED: "import {detail}",
        _C.MACRO_TEXT: "change the text of '{holder}'",
        _C.ARGUMENT_MISSING: "pass '{detail}', or give the parameter a default",
        _C.FIELD_MISSING: "give '{detail}', or make the field optional",
        _C.ARGUMENT_SURPLUS: "drop the arguments that '{subject}' does not take",
        _C.KEYWORD_UNKNOWN: "drop '{detail}=', or add the parameter",
        _C.CASE_MISSING: "add a case for '{detail}'",
        _C.NOT_IMPLEMENTED: "add '{detail}' to '{subject}'",
        _C.DECLARED_OTHERWISE: "write the same parameters in both",
        _C.DEFINED_TWICE: "remove or rename one of the two",
        _C.NAMED_AFTER_RENAME: "write '{detail}'",
        _C.CYCLE_CLOSED: "import inside the function that needs it, or move what both need",
        _C.LAST_USE_REMOVED: "remove '{subject}' too",
    }
)


class RuleDocument(Struct, frozen=True):
    """What `avionics explain RULE` prints.

    Attributes:
        title: The rule in a line.
        reports: What it reports.
        proof: What has to be proven before it is an error.
        example: A change that breaks it.
    """

    title: str
    reports: str
    proof: str
    example: str


_PROVEN = (
    "The name led to a definition in the workspace before the change, no longer resolves after it, and nothing outside "
    "the workspace can provide it. Files that are not completely parsed prove nothing."
)

RULES: Final[Mapping[Rule, RuleDocument]] = MappingProxyType(
    {
        Rule.SYNTAX_ERROR: RuleDocument(
            "a changed file has a syntax error",
            "The first syntax error of a changed file that had none before. The other rules skip the file.",
            "The grammar of the language rejects the file and accepted the version before.",
            "def total(items:  # the parenthesis is not closed",
        ),
        Rule.MISSING_IMPORT: RuleDocument(
            "an import names a module or a name that does not exist",
            "Imports of a module that was removed, moved or renamed, and of a name that its module no longer defines, "
            "exports or re-exports. In Python also new imports of names that the module never had.",
            f"{_PROVEN} Imports inside a `try` that catches the failure are left out, and so are modules with "
            "`__getattr__` and those that star-import code from outside.",
            "core.py: def stop() is renamed to halt(); main.py still says: from core import stop",
        ),
        Rule.UNDEFINED_NAME: RuleDocument(
            "a bare name is used that nothing defines",
            "Names whose definition or import the change removed. In Python also names on new lines that no scope, "
            "import or builtin defines.",
            _PROVEN,
            "- import os\n  print(os.getcwd())",
        ),
        Rule.MISSING_MEMBER: RuleDocument(
            "a member is used that the receiver's type lost",
            "Methods, fields and constants of a class, and names of a module, used on a receiver whose type had them "
            "before the change and does not have them now, or keeps them from the place that uses them.",
            "Every type the receiver may have is known and lost the member, and no base class is outside the "
            "workspace. With an unknown or outside base the finding is a warning.",
            "class Cart: def total() is renamed to sum(); order.py still says: cart.total()",
        ),
        Rule.CALL_MISMATCH: RuleDocument(
            "a call does not fit the parameters of what it calls",
            "Missing and surplus arguments and unknown keywords, in calls of functions whose parameters changed and "
            "in calls on new lines; fields that are missing where an object is made.",
            "The callee is one known function without decorators that may change its parameters; of overloads, none "
            "fits. Of a call that unpacks arguments, only the explicit arguments are checked.",
            "def run(path, mode): gets a third parameter; main.py still says: run(path, mode)",
        ),
        Rule.MISSING_CASE: RuleDocument(
            "a match that names every variant of an enumeration or a sealed type lacks a new one",
            "A match of Rust, or a switch of Java that gives a value or has patterns, which names the variants of an "
            "enumeration or the subtypes of a sealed type that the change gave another one.",
            "Every case names variants of this one enumeration or type, all that it had and not the new one; no case "
            "takes anything else, and none is under a build condition.",
            "enum Shape { Round, Flat } gets a variant Bare; match shape { Shape::Round => 1, Shape::Flat => 2 }",
        ),
        Rule.MISSING_IMPLEMENTATION: RuleDocument(
            "a class does not implement what its interface asks for",
            "Concrete classes that lack an abstract or interface member which the change added, or which they "
            "implemented before the change, and blocks that implement a trait; in Python where an object of the class "
            "is made, in Go where a value is given to the interface, in TypeScript where a new object or `this` is "
            "given to what is declared with a class or an interface by its name.",
            "The class names the interface as a base, or satisfied it before the change, and all its bases are known.",
            "interface Store gets a method size(); class MemoryStore implements Store does not have it",
        ),
        Rule.OVERRIDE_MISMATCH: RuleDocument(
            "an override does not fit what it overrides, or a function its prototype",
            "Members marked as overrides whose base member is gone or takes another number of parameters, and members "
            "of a block that its trait lacks or declares so; methods of Python and TypeScript that no longer take what "
            "the method takes that they override; in C declarations of a function that take another number of "
            "parameters than one which they include.",
            "All bases of the class are in the workspace, and none has the member any more. Both declarations agreed "
            "before the change and are compiled under the same conditions.",
            "class Base loses close(); class File extends Base still says: @Override void close()",
        ),
        Rule.DUPLICATE_DEFINITION: RuleDocument(
            "a definition replaces an earlier one of the same scope",
            "Functions, methods and classes defined twice in one block. The rule covers Python, where the second "
            "definition silently wins.",
            "Neither definition is decorated or in a branch, and the file had no such pair before.",
            "class Cart: two methods named total",
        ),
        Rule.CONTRACT_VIOLATION: RuleDocument(
            "the architecture contract is broken",
            "Violations of the contract in avionics.toml or pyproject.toml that the version before did not have, with "
            "the severity that the contract gives the rule.",
            "`avionics contract check` reports it, and did not report it before the change.",
            "store/rows.py imports web.views, and the contract says that web is above store",
        ),
        Rule.STALE_MENTION: RuleDocument(
            "text still names what was removed or renamed",
            "String literals, configuration, routes and documentation that name a definition which the change removed "
            "or renamed. Change logs and upgrade notes are left out.",
            "A text match is never proof. A mention is reported only where no definition has the name any more, and "
            "where it is quoted, qualified, or has a shape that no English word has.",
            'def send_mail() is renamed to deliver(); settings.yaml still says: handler: "shop.send_mail"',
        ),
        Rule.IMPORT_CYCLE: RuleDocument(
            "a new import closes a cycle",
            "Imports on new lines after which modules import one another while they load. The rule covers languages "
            "where an import runs the module.",
            "The shortest chain of imports back is shown. Imports inside functions and for type checkers do not count.",
            "models.py now imports views.py, which imports models.py",
        ),
        Rule.LEFT_UNUSED: RuleDocument(
            "a definition is left without uses",
            "Definitions of product code that removed lines used and that nothing uses now.",
            "Every mention of the name in the workspace is accounted for, as `avionics run find_unused` does.",
            "- total = round_up(price)   and no other line calls round_up()",
        ),
    }
)


def describe_finding(finding: ChangeFinding) -> str:
    """Return the description of a finding in one line without locations."""
    text = MESSAGES[finding.cause].format(**_map_words(finding))
    return text if finding.proof is Proof.CERTAIN else f"{text} (possibly)"


def describe_fix(finding: ChangeFinding) -> str:
    """Return the suggested fix in one line; "" if there is none."""
    return FIXES.get(finding.cause, "").format(**_map_words(finding))


def _map_words(finding: ChangeFinding) -> dict[str, str]:
    of = f" of {finding.holder}" if finding.holder else ""
    return {"subject": finding.subject, "detail": finding.detail, "of": of, "holder": finding.holder}


def build_findings_sarif(version: str, findings: Iterable[FindingItem]) -> dict[str, Any]:
    """Return findings as a SARIF log; each broken place is a result."""
    return build_sarif(
        version,
        [_describe_rule(rule) for rule in Rule],
        [result for each in findings for result in _list_results(each)],
    )


def _describe_rule(rule: Rule) -> SarifRule:
    document, level = RULES[rule], _LEVELS[rule.severity.value]
    return SarifRule(rule.value, "", document.title, document.reports, document.proof, level)


def _list_results(finding: FindingItem) -> Iterator[SarifResult]:
    message = f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."
    for number, place in enumerate(finding.places):
        file, _, line = place.rpartition(":")
        fingerprint = ("avionicsFinding/v1", f"{finding.key}|{number}")
        yield SarifResult(finding.rule, _LEVELS[finding.severity], message, file, int(line), fingerprint)


def iter_github_commands(findings: Iterable[FindingItem]) -> Iterator[str]:
    """Yield one workflow command a broken place, which GitHub shows at the line of a pull request."""
    for each in findings:
        for place in each.places:
            file, _, line = place.rpartition(":")
            text = f"{each.message}; {each.fix}" if each.fix else each.message
            properties = f"file={_escape_property(file)},line={line},title={_escape_property(f'avionics {each.rule}')}"
            yield f"::{_COMMANDS[each.severity]} {properties}::{_escape(text)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
