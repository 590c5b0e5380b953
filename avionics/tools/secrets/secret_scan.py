"""Mask credentials found in the repository; an answer reports how many were masked.

A credential is recognized by its own form (`ghp_…`, a private key), by its name together with a random-looking value,
by a random-looking value alone, or by its file (`.env`, `id_rsa`). The texts of an answer are searched, but not its
paths and commit ids.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatch
from itertools import pairwise
from typing import Any, Final

from avionics.late_pattern import late_pattern
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.records import evolve, get_fields
from avionics.model.secret import HIDDEN
from avionics.tools.answers.answer import is_answer
from avionics.tools.answers.reasons import describe_reason

SHOW_HINT: Final = "AVIONICS_SHOW_SECRETS=1 shows them"

CREDENTIAL_FILES: Final = (
    ".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".htpasswd",
    ".git-credentials", ".dockercfg", ".s3cfg", ".boto", "credentials", "credentials.json", "client_secret*.json",
    "service-account*.json", "secrets.y*ml", "secrets.json", "secrets.toml", "terraform.tfvars", "*.tfstate",
    "kubeconfig", "wp-config.php", "database.yml", "settings.secret*", "master.key",
)  # fmt: skip
"""Files whose values are credentials."""

KEY_FILES: Final = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks",
                    "*.ppk")  # fmt: skip
"""Files that are keys: none of their lines is shown."""

_PLAIN_NAMES: Final = frozenset(name for name in (*CREDENTIAL_FILES, *KEY_FILES) if "*" not in name)
_GLOBS: Final = tuple(glob for glob in (*CREDENTIAL_FILES, *KEY_FILES) if "*" in glob)
_HARMLESS: Final = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
_UNTOUCHED: Final = frozenset({"file", "path", "previous", "target", "oid", "commit", "asked", "attempts", "citations"})
_MIN_ENTROPY: Final = 3.0
"""Bits per character of a value under a telling name that looks random."""

_MAX_SCANNED: Final = 2_000_000

_FORMS = late_pattern(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----|[\s\S]*)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_\w{30,}|\bgithub_pat_\w{22,}|\bglpat-[\w-]{20,}|\bxox[abposr]-[\w-]{10,}"
    r"|\bsk-(?:[a-z]+-)?[\w-]{20,}|\b[rs]k_(?:live|test)_\w{16,}|\bwhsec_\w{16,}|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}"
    r"|\bnpm_\w{36}|\bpypi-AgE[\w-]{30,}|\bhf_\w{30,}|\bdop_v1_[a-f0-9]{64}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*|https://hooks\.slack\.com/services/[\w/]{20,}",
    needs=(
        "PRIVATE KEY",
        "AKIA",
        "ASIA",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xox",
        "sk-",
        "rk_",
        "sk_",
        "whsec_",
        "AIza",
        "ya29.",
        "npm_",
        "pypi-",
        "hf_",
        "dop_v1_",
        "SG.",
        "eyJ",
        "https://hooks.",
    ),
)
_MAYBE = late_pattern(r"\d|PRIVATE KEY|://[^\s/]*@")
"""Every text with a credential contains one of these."""

_URL = late_pattern(r"(?P<name>://[^\s/:@{}$<>%]{0,64}:)(?P<value>[^\s/:@{}$<>%]{4,64})(?=@)", needs=("://",))
_NAMED = late_pattern(
    r"(?P<name>(?:passw(?:or)?d|pwd|secret|token|(?:api|access|private|signing|encryption)[_-]?key|credential)"
    r"[\w.-]{0,40}[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}[\"'`]?)"
    r"(?P<value>(?<=[\"'`])[^\s\"'`<>{}()$]{12,200}|[\w+/=~-]{12,200}(?![\w.(\[]))",
    re.IGNORECASE,
    needs=("passw", "pwd", "secret", "token", "key", "credential"),
)
_RUN = late_pattern(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}={0,2}")
_ASSIGNED = late_pattern(r"(?P<name>^\s*+\W{0,20}[\w.\- \"']{1,80}\s{0,40}[:=]\s*+)(?P<value>\S.*)$")
_DIGEST = late_pattern(r"sha\d+[-:=]")
_PUBLIC = late_pattern(r"0x[0-9A-Fa-f]{40}|_{1,2}[RZ][A-Z]\w+")
"""Addresses of accounts, and mangled names."""

_PLACEHOLDER = late_pattern(r"(?i)(?:my|your|the|db)?[-_]?(?:pass(?:word|wd)?|pwd|secret|token|x{3,}|\.{3,})")
"""Placeholders that manuals use for a credential."""

_PLAIN_WORD = late_pattern(r"(?=[A-Za-z]?[bcdfghj-np-tv-z]{0,3}[aeiouy])(?:[A-Z]?[a-z]{3,}|[A-Z]{4,})")


def is_credential_file(path: str) -> bool:
    """Return whether the values in a file of that name are credentials."""
    name = path.rpartition("/")[2].lower()
    is_listed = name in _PLAIN_NAMES or any(_fits(name, glob) for glob in _GLOBS)
    return is_listed and not any(fnmatch(name, glob) for glob in _HARMLESS)


def _fits(name: str, glob: str) -> bool:
    """Return whether a name matches a glob; most fail at the text around its first and last star."""
    return name.startswith(glob.partition("*")[0]) and name.endswith(glob.rpartition("*")[2]) and fnmatch(name, glob)


def mask_secrets(value: Any) -> Any:
    """Mask credentials in an answer or plain data; the same object is returned if there are none."""
    hider = _Hider()
    shown = hider.hide(value, "", 0)
    if not hider.count:
        return value
    reason = Reason(ReasonKind.SECRETS_WITHHELD, hider.count, subject=SHOW_HINT)
    if is_answer(shown):
        return evolve(shown, {"coverage": shown.coverage.with_reasons(reason)})
    return {**shown, "withheld": describe_reason(reason)} if isinstance(shown, dict) else shown


class _Hider:
    """One pass over a value, which counts the masked secrets."""

    def __init__(self) -> None:
        self.count = 0

    def hide(self, value: Any, file: str, depth: int) -> Any:
        """Return the value without credentials; `file` is the file of its text, if known."""
        if type(value) is str:
            return self._mask_text(value, file)
        if value is None or isinstance(value, (bool, int, float, str, bytes)) or depth > 40:
            return value
        if isinstance(value, (tuple, list)) and type(value) in {tuple, list}:
            shown = [self.hide(item, file, depth + 1) for item in value]
            changed = any(new is not old for new, old in zip(shown, value, strict=True))
            return type(value)(shown) if changed else value
        fields = get_fields(type(value))
        if fields is not None:
            return self._mask_fields(value, fields, file, depth)
        if isinstance(value, Mapping):
            own = _get_file(value.get, file)
            shown_items = {
                key: item if key in _UNTOUCHED else self.hide(item, own, depth + 1) for key, item in value.items()
            }
            return shown_items if any(shown_items[key] is not value[key] for key in value) else value
        return value

    def _mask_fields(self, value: Any, fields: Mapping[str, str], file: str, depth: int) -> Any:
        """Return a record without credentials in its fields; `fields` maps them to the parameters that set them."""
        own = _get_file(lambda name: getattr(value, name, None), file)
        changes = {}
        for name, parameter in fields.items():
            if name not in _UNTOUCHED:
                old = getattr(value, name)
                new = self.hide(old, own, depth + 1)
                if new is not old:
                    changes[parameter] = new
        return evolve(value, changes) if changes else value

    def _mask_text(self, text: str, file: str) -> str:
        """Return a text without credentials; each line of a credential file is taken for one."""
        if file and is_credential_file(file):
            return self._mask_credential_file(text, file)
        if len(text) < 16 or len(text) > _MAX_SCANNED or not _MAYBE.search(text):
            return text
        shown = _FORMS.sub(self._mask_match, text)
        shown = _URL.sub(self._mask_value, shown)
        shown = _NAMED.sub(self._mask_random_value, shown)
        return _RUN.sub(self._mask_random_run, shown)

    def _mask_credential_file(self, text: str, file: str) -> str:
        """Return the text of a credential file without the values in it; nothing of a key file remains."""
        name = file.rpartition("/")[2].lower()
        is_key = any(fnmatch(name, glob) for glob in KEY_FILES)
        lines = []
        for line in text.split("\n"):
            if is_key and line.strip():
                self.count += 1
                lines.append(HIDDEN)
            else:
                lines.append(
                    _RUN.sub(self._mask_random_run, _FORMS.sub(self._mask_match, _ASSIGNED.sub(self._mask_value, line)))
                )
        return "\n".join(lines)

    def _mask_match(self, match: re.Match[str]) -> str:
        """Return the replacement of a credential, with as many lines."""
        self.count += 1
        return "\n".join([HIDDEN] * (match[0].count("\n") + 1))

    def _mask_value(self, match: re.Match[str]) -> str:
        """Return a name with its value masked, unless it is in a comment or the value is a placeholder."""
        if match["name"].lstrip().startswith("#") or _PLACEHOLDER.fullmatch(match["value"]):
            return match[0]
        self.count += 1
        return f"{match['name']}{HIDDEN}"

    def _mask_random_value(self, match: re.Match[str]) -> str:
        """Return a name with its value masked if the value looks random."""
        if not _is_random(match["value"]):
            return match[0]
        self.count += 1
        return f"{match['name']}{HIDDEN}"

    def _mask_random_run(self, match: re.Match[str]) -> str:
        """Return the replacement of a run of characters if it is certainly random and no digest or public address."""
        before = match.string[max(0, match.start() - 8) : match.start()]
        if _DIGEST.search(before + match[0][:8]) or _PUBLIC.fullmatch(match[0]) or not _is_drawn(match[0]):
            return match[0]
        self.count += 1
        return HIDDEN


def _get_file(get: Any, file: str) -> str:
    """Return the file of a value's text according to its fields."""
    own = get("file") or get("path")
    return own if isinstance(own, str) and own else file


def _compute_entropy(text: str) -> float:
    """Return the entropy in bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def _is_random(text: str) -> bool:
    """Return whether a value under a telling name looks random: mixed letters and digits, few of them repeated."""
    return any(c.isdigit() for c in text) and any(c.isalpha() for c in text) and _compute_entropy(text) >= _MIN_ENTROPY


def _is_drawn(text: str) -> bool:
    """Return whether a run of characters is certainly random.

    A name consists of words and changes the kind of character less often, whatever separates the words.
    """
    if text.count("/") > 2:
        text = max(text.split("/"), key=len)
    if sum(map(len, _PLAIN_WORD.findall(text))) > len(text) / 2:
        return False
    kinds = list(map(_get_kind, text.rstrip("=")))
    counts = Counter(kinds)
    if min(counts["digit"], counts["upper"], counts["lower"]) < 3 or counts["other"] > len(kinds) / 8:
        return False
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes / len(kinds) >= 0.42 and _compute_entropy(text) >= 4.0


def _get_kind(character: str) -> str:
    """Return the kind of a character: "digit", "upper", "lower" or "other"."""
    if character.isdigit():
        return "digit"
    if character.isupper():
        return "upper"
    return "lower" if character.islower() else "other"
