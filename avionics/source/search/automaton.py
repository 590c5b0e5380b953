"""Find where in a line a pattern first matches, in time linear in the line for any pattern.

A deterministic automaton of the reversed pattern reads the line once, from its end to its start; the last position
where it accepts is the start of the leftmost match. It is built while it runs (lazy subset construction, as in
Thompson's "Regular Expression Search Algorithm", 1968, and RE2).
"""

from __future__ import annotations

import time
import unicodedata
from bisect import bisect_right

from msgspec import Struct, field

from avionics.model.errors import DeadlineExceededError
from avionics.source.search.pattern import Assertion, Characters, Choice, Node, Repeat, Sequence

MAX_STATES = 2_000
MAX_MOVES = 200_000
"""A larger table is discarded; bounds memory, and each step still costs at most the pattern's size."""

_CHECKED_EVERY = 65_536
"""Characters between two looks at the clock."""

_EDGE, _WORD, _OTHER = 0, 1, 2
_SPACES = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
_WORD_CATEGORIES = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"))
_OTHER_ALPHABETIC = (0x200C, 0x200E, 0x24B6, 0x24EA, 0x1F130, 0x1F14A, 0x1F150, 0x1F16A, 0x1F170, 0x1F18A)
"""Ends of the ranges that Unicode counts as word characters despite their category."""


def is_word(character: str) -> bool:
    """Return whether the character belongs to words, as Unicode's technical standard 18 defines them."""
    if character.isascii():
        return character.isalnum() or character == "_"
    in_ranges = bisect_right(_OTHER_ALPHABETIC, ord(character)) % 2 == 1
    return in_ranges or unicodedata.category(character) in _WORD_CATEGORIES


def holds(characters: Characters, character: str) -> bool:
    """Return whether the set contains the character; never for newlines and undecodable bytes."""
    code = ord(character)
    if code == 10 or 0xD800 <= code <= 0xDFFF:
        return False
    in_range = any(low <= code <= high for low, high in characters.ranges)
    inside = in_range or any(_in_class(name, character) for name in characters.classes)
    return inside is not characters.negated


def _in_class(name: str, character: str) -> bool:
    """Return whether a character is in the class `w`, `d` or `s`, or in its complement for an upper-case name."""
    match name.lower():
        case "w":
            inside = is_word(character)
        case "d":
            inside = unicodedata.category(character) == "Nd"
        case _:
            inside = character in _SPACES
    return inside is name.islower()


class _State(Struct, eq=False):
    """The positions in the pattern, the kind of the character to the right, and the transitions computed so far."""

    places: frozenset[int]
    right: int
    moves: dict[str, tuple[_State, bool]] = field(default_factory=dict)


class Automaton:
    """A pattern compiled to find its leftmost match in lines; no new state is built after the deadline."""

    def __init__(self, node: Node, deadline: float) -> None:
        self._deadline = deadline
        self._steps: list[tuple[Characters | Assertion | None, tuple[int, ...]]] = [(None, ())]
        self._entry = self._build(node, 0)
        self._restart()

    def get_column(self, line: str) -> int | None:
        """Return where the leftmost match begins, or None. Raise `DeadlineExceededError` if the deadline has passed."""
        state: _State = self._first
        found: int | None = None
        for end in range(len(line), 0, -_CHECKED_EVERY):
            self._require_time()
            for column in range(end, max(0, end - _CHECKED_EVERY), -1):
                move = state.moves.get(line[column - 1])
                if move is None:
                    move = self._move(state, line[column - 1])
                state, accepted = move
                if accepted:
                    found = column
        _, accepted = self._compute_closure(state, _EDGE)
        return 0 if accepted else found

    def _restart(self) -> None:
        """Discard all states and transitions, and keep only the first state."""
        self._states: dict[tuple[frozenset[int], int], _State] = {}
        self._moves = 0
        self._first = self._get_state(frozenset(), _EDGE)

    def _add(self, condition: Characters | Assertion | None, *targets: int) -> int:
        """Add a step that leads to its targets under a condition, and return its number."""
        self._steps.append((condition, targets))
        return len(self._steps) - 1

    def _build(self, node: Node, after: int) -> int:
        """Return the state from which to read `node` backwards, given the state `after` it; 0 is the end."""
        match node:
            case Sequence(parts):
                for part in parts:
                    after = self._build(part, after)
                return after
            case Choice(options):
                return self._add(None, *(self._build(option, after) for option in options))
            case Repeat(part, low, high):
                return self._build_repeat(part, low, high, after)
            case _:
                return self._add(node, after)

    def _build_repeat(self, part: Node, low: int, high: int | None, after: int) -> int:
        """Return the state from which to read a repetition backwards, given the state `after` it."""
        if high is None:
            loop = self._add(None)
            self._steps[loop] = (None, (self._build(part, loop), after))
            place = loop
        else:
            place = after
            for _ in range(high - low):
                place = self._add(None, self._build(part, place), after)
        for _ in range(low):
            place = self._build(part, place)
        return place

    def _get_state(self, places: frozenset[int], right: int) -> _State:
        """Return the state for places in the pattern and the kind of the character to the right, each made once."""
        state = self._states.get((places, right))
        if state is None:
            state = self._states[places, right] = _State(places, right)
        return state

    def _move(self, state: _State, character: str) -> tuple[_State, bool]:
        """Return the state left of the character, and whether a match begins right of it."""
        self._require_time()
        if len(self._states) > MAX_STATES or self._moves > MAX_MOVES:
            self._restart()
        left = _WORD if is_word(character) else _OTHER
        waiting, accepted = self._compute_closure(state, left)
        reached = {
            targets[0]
            for condition, targets in waiting
            if isinstance(condition, Characters) and holds(condition, character)
        }
        move = self._get_state(frozenset(reached), left), accepted
        state.moves[character] = move
        self._moves += 1
        return move

    def _require_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise DeadlineExceededError("the text search ran out of time", hint="search for a simpler pattern")

    def _compute_closure(
        self, state: _State, left: int
    ) -> tuple[list[tuple[Characters | Assertion | None, tuple[int, ...]]], bool]:
        """Return the steps that wait for a character at this state, and whether the pattern can end there."""
        seen = {*state.places, self._entry}
        pending, waiting = list(seen), []
        while pending:
            condition, targets = step = self._steps[pending.pop()]
            if isinstance(condition, Characters):
                waiting.append(step)
            elif condition is None or _is_true(condition, left, state.right):
                fresh = [target for target in targets if target not in seen]
                seen.update(fresh)
                pending += fresh
        return waiting, 0 in seen


def _is_true(assertion: Assertion, left: int, right: int) -> bool:
    """Return whether an assertion holds between characters of these kinds."""
    match assertion.kind:
        case "^":
            return left == _EDGE
        case "$":
            return right == _EDGE
        case _:
            return (left == _WORD) is not (right == _WORD)
