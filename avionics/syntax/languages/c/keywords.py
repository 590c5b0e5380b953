"""The keywords of C and C++ as bytes, and those that may precede other names."""

from __future__ import annotations

KEYWORDS = frozenset(
    b"alignas asm auto bool break case catch char class const constexpr consteval constinit continue co_return"
    b" co_await co_yield default delete do double else enum explicit export"
    b" extern final float for friend goto if inline int long"
    b" mutable namespace new noexcept not operator or and override private protected public register restrict return"
    b" short signed sizeof static struct switch template this thread_local throw try typedef typename typeof union"
    b" unsigned using virtual void volatile while requires concept import module __attribute__ _Atomic __extension__"
    b" __inline __inline__ __typeof__ __declspec _Noreturn _Static_assert _Alignas __asm__ _Generic".split()
)
STATEMENTS = frozenset(b"if for while switch else return do case goto sizeof catch throw delete new using".split())
STORAGE = frozenset(
    b"static extern inline const volatile virtual constexpr friend explicit struct class union enum".split()
)
BEFORE_OTHERS = (
    STATEMENTS | STORAGE | frozenset(b"register unsigned signed typedef typename auto define typeof".split())
)
NOT_TYPES = frozenset(b"const final override noexcept volatile and or not if else __inline __inline__".split())
