"""Parts of the patterns that find macros: names, types, declarators and calls, with every repetition bounded."""

from __future__ import annotations

S, SOME = rb"[ \t]{0,80}", rb"[ \t]{1,80}"
WHITE, ANY_WHITE = rb"\s{1,80}", rb"\s{0,80}"
NAME = rb"[A-Za-z_]\w{0,200}"
UPPER = rb"[A-Z_][A-Z0-9_]{2,200}\b"
_INNER = rb"[^()\n]{0,400}"
_TEXTS = rb"\s{0,80}+(?>(?:\"(?>(?:[^\"\\\n]|\\.){0,400})\"\s{0,80}+){1,8})"
"""What a macro is given that states a reason: one text, maybe in several parts and on several lines."""
CALL = rb"(?:\((?:" + _TEXTS + rb"|" + _INNER + rb"(?:\(" + _INNER + rb"\)" + _INNER + rb"){0,20})\))"
SPECIFIERS = (
    rb"(?:\[\[[^\]\n]{0,80}\]\][ \t]{1,80})?"
    rb"(?:(?:static|extern|inline|virtual|explicit|constexpr|friend|const)[ \t]{1,80}){0,4}"
)
TYPE_WORD = (
    rb"(?:const[ \t]{1,20})?(?:void|int|char|long|short|unsigned|signed|float|double|bool|struct|union|enum|static|"
    rb"extern|inline|typedef|virtual|explicit|constexpr|class|template|friend|namespace|auto|using)\b"
)
ARGUMENTS = rb"<[^<>;{}()]{0,200}(?:<[^<>;{}()]{0,200}>[^<>;{}()]{0,200}){0,4}>"
TYPE = (
    rb"(?:const\s{1,20})?(?:::)?" + NAME + rb"(?:::" + NAME + rb"){0,8}(?:" + ARGUMENTS + rb")?(?:[ \t]{1,20}const\b)?"
)
DECLARATOR = (
    rb"(?:[ \t]{1,20}" + UPPER + rb")?(?:[ \t]{0,20}[*&]{1,3}\s{0,20}|\s{1,20})(?:(?:" + UPPER
    + rb"|__[a-z]{1,80})[ \t]{1,20})?(?:" + NAME + rb"::){0,8}(?:operator\b|" + NAME
    + rb"[ \t]{0,20}[;=\[({])"
)  # fmt: skip
WITHOUT_TYPE = (
    rb"(?:~|operator\s{1,20}(?!new\b|delete\b)[A-Za-z]|(?:" + NAME + rb"(?:" + ARGUMENTS
    + rb")?::){0,8}(?:(?P<own>" + NAME + rb")(?:" + ARGUMENTS + rb")?::~?(?P=own)\s?\(|"
    + NAME + rb"\s?\([^;{}]{0,400}?\)\s{0,80}(?:noexcept\s{0,80})?:(?!:)))"
)  # fmt: skip
"""The beginnings of destructors, conversions and constructors, which have no type before their name."""
