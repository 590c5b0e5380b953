from __future__ import annotations

from avionics.syntax.extract import extract_whole

DIRECTIVES = b"""#include <sizes.h>
#ifdef LARGE
int include(int size) { return size; }
#endif
# define LIMIT endif + 1
"""


def test_words_of_directives_are_not_names_that_code_may_use():
    _, uses = extract_whole(DIRECTIVES, "c")
    assert dict(uses.unread) == {"endif": ((5, 15),)}
    assert not uses.unnamed.keys() & {"include", "ifdef", "endif"}
