"""What is made of a whole index is computed once, unless it is not whole."""

from __future__ import annotations

from avionics.cancellation import note_cut


def test_what_is_kept_is_computed_once(workspace):
    code, calls = workspace({"a.py": "x = 1\n"}).code, []

    def count(asked):
        calls.append(asked)
        return len(asked.files)

    assert (code.keep(count), code.keep(count), calls) == (1, 1, [code])


def test_what_time_ran_out_for_is_computed_again(workspace):
    code, calls = workspace({"a.py": "x = 1\n"}).code, []

    def be_cut(asked):
        calls.append(asked)
        note_cut()

    code.keep(be_cut)
    code.keep(be_cut)
    assert calls == [code, code]
