from __future__ import annotations

from avionics.tools.internal.symbols.semantic_search import semantic_search


def test_a_phrase_is_ranked_by_words_and_the_answer_says_so(workspace):
    opened = workspace(
        {"a.py": 'def close_door():\n    """Shut the entrance."""\n', "b.py": "def other():\n    pass\n"}
    )
    answer = semantic_search(opened, "shutting an entrance")
    assert [item.symbol for item in answer.results] == ["close_door"]
    assert answer.layers == ("words",)
    assert answer.headline() == "'shutting an entrance': best 1, ranked by words only"


def test_nothing_is_said_to_be_nothing(workspace):
    answer = semantic_search(workspace({"a.py": "def close_door():\n    pass\n"}), "zebra crossing")
    assert (answer.headline(), answer.coverage.status.value) == ("no match for 'zebra crossing'", "not_found")
