"""One name, one meaning: public classes, and the field's terms in place of the words that were retired."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

RETIRED_MODULE = re.compile(
    r"annotated_routes|collector|company|counterparts|crew|entry_rows|foreign|fusion|glances|"
    r"judge|ladder|layouts|likeness|linking|looking|loose|loose_text|meanwhile|meant|offers|"
    r"offload|outcome|passages|patience|peers|pins|preludes|reach|relatedness|sides|skim|"
    r"standing|stars|stopping|suite|test_\w+|withheld|wordings|workshop"
)
"""Last parts of module names that only their author could guess, or that make product code look like tests."""

RETIRED_CLASS = re.compile(
    r"Glances|StoredGlances|Offer|Pins|Reach|Wording|Standing|Sides|Judge|Looking|Linking|"
    r"LooseName|Counterparts|Stars|Wanted|Lineage|Underway|Likeness|Passage|ChosenTest|Flow|"
    r"SightLayout|GivingLayout|Patience|Stop|Moment|Nature|Workshop|Kept|Ladder|QuestionKind"
)
"""Classes that were renamed to the field's terms."""

LIMIT = re.compile(r"_?(MOST|LEAST|FEW|LONGEST|SHORTEST)_")


def retired_names(module) -> Iterator[str]:
    if RETIRED_MODULE.fullmatch(module.name.rpartition(".")[2]):
        yield "1 the module's name is retired"
    for node in module.nodes:
        if isinstance(node, ast.ClassDef) and RETIRED_CLASS.fullmatch(node.name):
            yield f"{node.lineno} {node.name} is retired"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and LIMIT.match(node.id):
            yield f"{node.lineno} {node.id}: limits are MAX_…, MIN_… or …_THRESHOLD"


def public_classes(modules) -> dict[str, list[str]]:
    """Return where each public class is defined."""
    places = defaultdict(list)
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{module.path}:{node.lineno}")
    return places


def test_a_public_class_name_has_one_meaning(product):
    assert {name: places for name, places in public_classes(product).items() if len(places) > 1} == {}


def test_no_name_is_retired(check_rule):
    check_rule(retired_names)


def test_retired_and_repeated_names_are_seen(plant):
    module = plant("avionics/index/crew.py", "_MOST_FILES = 3\nclass Nature: ...\n")
    assert sorted(retired_names(module)) == [
        "1 _MOST_FILES: limits are MAX_…, MIN_… or …_THRESHOLD",
        "1 the module's name is retired",
        "2 Nature is retired",
    ]
    assert public_classes([module, module])["Nature"] == ["avionics/index/crew.py:2"] * 2
