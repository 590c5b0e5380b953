"""Signatures of several languages."""

from __future__ import annotations

import pytest

from avionics.index.changes.signature_compat import find_breaks
from avionics.model.reasons import Reason, ReasonKind


@pytest.mark.parametrize(
    ("language", "before", "after", "reasons"),
    [
        ("typescript", "f(a: string)", "f(a: string, b?: number)", ()),
        ("typescript", "f(a: string)", "f(a: string, b: number)", (Reason(ReasonKind.PARAMETER_ADDED, subject="b"),)),
        (
            "typescript",
            "f(g: (x: number) => void, b = 1)",
            "f(g: (x: number) => void)",
            (Reason(ReasonKind.PARAMETER_REMOVED, subject="b"),),
        ),
        ("go", "func f(a int)", "func f(a int, b ...string)", ()),
        ("go", "func f(less interface{})", "func f(compare any)", ()),
        ("go", "func (f *f) f(a int)", "func (own *f) f(a int)", ()),
        ("go", "func (s *s) f(a int)", "func (s *s) f(a, b int)", (Reason(ReasonKind.PARAMETER_ADDED, subject="b"),)),
        ("go", "func f(a, b int)", "func f(b, a int)", (Reason(ReasonKind.PARAMETERS_REORDERED),)),
        ("typescript", "f(a?: string)", "f(b: string)", (Reason(ReasonKind.PARAMETER_REQUIRED, subject="a"),)),
        (
            "python",
            "def f(a)",
            "def f(b)",
            (Reason(ReasonKind.PARAMETER_REMOVED, subject="a"), Reason(ReasonKind.PARAMETER_ADDED, subject="b")),
        ),
        ("java", "int f(List<String> a, int[] b)", "int f(List<String> c, int[] d)", ()),
        ("c", "int f(const char *a, int)", "int f(const char *name, int)", ()),
        ("java", "int f(int a)", "int f(long a)", (Reason(ReasonKind.PARAMETERS_CHANGED),)),
        ("java", "int f(int a, int b)", "int f(int a,  int b)", ()),
        ("python", "def f(*, a=',')", "def f(*, a=',', b)", (Reason(ReasonKind.PARAMETER_ADDED, subject="b"),)),
        (
            "typescript",
            'f(a = "(,")',
            'f(a = "(,", b: number)',
            (Reason(ReasonKind.PARAMETER_ADDED, subject="b"),),
        ),
        ("rust", "fn f<'a>(a: &'a str, b: &'a str)", "fn f<'a>(a: &'a str, c: &'a str)", ()),
        ("python", "LIMIT = 1", "LIMIT = 2", ()),
    ],
)
def test_callers_of_the_old_one_can_call_the_new_one_or_not(language, before, after, reasons):
    assert find_breaks("f", before, after, language) == reasons
