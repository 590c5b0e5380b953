"""Every question that a fleet answers, through the command line, for callers of some groups."""

from __future__ import annotations

import json
import math
import random
import subprocess

import psycopg
import pytest

from avionics.cli.main import main
from avionics.fleet.catalogue import FleetSnapshot
from tests.timing import wait_until


def ask(fleet, capsys, *words) -> tuple[int, str]:
    capsys.readouterr()
    code = main([*words, "--fleet", fleet.url])
    return code, capsys.readouterr().out


def snapshot(fleet, name) -> str:
    return next(f"{name}@{each.revision[:12]}" for each in fleet.catalogue.list_repositories() if each.name == name)


def test_locate_names_repository_revision_and_line(asked_fleet, capsys):
    code, printed = ask(asked_fleet, capsys, "run", "locate", "Box")
    assert code == 0
    shelf = snapshot(asked_fleet, "shelf")
    assert f"{shelf}:src/shelf/box.py:1" in printed
    assert f"{shelf} (" in printed
    assert " old)" in printed
    assert "[1 of 3 repositories asked: the others do not define it]" in printed
    assert "not the files on the disk" not in printed


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("def", "sell"), "shop.py:4"),
        (("search", "sell box"), "shop.py:4"),
        (("run", "search_code", "sell box"), "shop.py:4"),
        (("grep", "Bag.*put"), "other.py:5"),
        (("ask", "where is sell defined?"), "shop.py:4"),
        (("ask", "who uses Box.put?"), "shop.py:6"),
        (("refs", "Box.put"), "shop.py:6"),
    ],
)
def test_each_question_is_answered_from_the_snapshots(asked_fleet, capsys, words, place):
    code, printed = ask(asked_fleet, capsys, *words)
    assert code == 0
    assert f"{snapshot(asked_fleet, 'shop')}:{place}" in printed
    assert "of 3 repositories asked" in printed


def test_a_changed_definition_names_its_users_in_other_repositories(stocked, capsys):
    box = stocked.clones / "shelf" / "src" / "shelf" / "box.py"
    box.write_text(box.read_text().replace("def pack(box: Box)", "def pack(box: Box, lid)"))
    code, printed = ask(stocked, capsys, "impact", "--repo", str(stocked.clones / "shelf"))
    assert code == 0
    assert f"{snapshot(stocked, 'shop')}:shop.py:7 call  pack(box)" in printed
    assert "Box.put" not in printed


def test_nothing_changed_asks_nothing(asked_fleet, capsys):
    code, printed = ask(asked_fleet, capsys, "impact", "--repo", str(asked_fleet.clones / "shelf"))
    assert code == 1
    assert "no definition changed" in printed


def test_the_environment_names_the_fleet_unless_a_directory_is_given(asked_fleet, capsys, monkeypatch):
    monkeypatch.setenv("AVIONICS_FLEET", asked_fleet.url)
    capsys.readouterr()
    assert main(["def", "sell"]) == 0
    assert f"{snapshot(asked_fleet, 'shop')}:shop.py:4" in capsys.readouterr().out
    assert main(["def", "sell", "--repo", str(asked_fleet.clones / "shop")]) == 0
    assert "@" not in capsys.readouterr().out


def test_data_has_the_coverage_of_the_whole(stocked, capsys):
    subprocess.run(["git", "init", "-q", str(stocked.clones / "late")], check=True)
    assert stocked.run("add", str(stocked.clones / "late")) == 0
    code, printed = ask(stocked, capsys, "run", "locate", "put", "--json")
    answer = json.loads(printed)["data"]
    assert code == 0
    assert [each["repository"] for each in answer["repositories"]] == ["shelf", "shop", "stranger"]
    assert answer["coverage"] == {"visible": 4, "asked": 3, "unreached": [], "unindexed": ["late"], "failed": []}


def test_what_is_not_reached_in_time_is_counted(asked_fleet, capsys):
    code, printed = ask(asked_fleet, capsys, "search", "sell box", "--timeout", "0.000001")
    assert code == 1
    assert "[0 of 3 repositories asked: the others have fewer of the words; 2 not asked in time]" in printed


def test_ranked_search_asks_the_repositories_with_most_of_the_words(fleet, git_repository, capsys):
    noise = "def carry_box(): ...\n"
    for number in range(12):
        git_repository({"m.py": f"{noise}n = {number}\n"}, f"clones/noise{number}")
    git_repository({"lid.py": f"{noise}\n\ndef closing_lids(): ...\n"}, "clones/zlid")
    fleet.run("add", str(fleet.clones))
    fleet.run("worker", "--drain")
    code, printed = ask(fleet, capsys, "search", "carry the box, close a lid")
    assert code == 0
    assert printed.startswith("zlid@"), "words count by their stems, rare ones more"
    assert "[8 of 13 repositories asked: the others have fewer of the words]" in printed
    with psycopg.connect(fleet.url) as connection:  # As a worker of an earlier version leaves it.
        connection.execute("DELETE FROM held_stems")
    assert "8 of 13 repositories asked" in ask(fleet, capsys, "search", "carry the box, close a lid")[1]
    assert "[13 of 13 repositories asked]" in ask(fleet, capsys, "grep", "clos.*lid")[1]


def rate(weights, held, visible, limit):
    """Gives the order of the formula: `held` has the stems of each repository, None where they are not known."""
    scores = dict.fromkeys((each for each in visible if held[each] is None or held[each] & weights.keys()), 0.0)
    for stem, weight in weights.items():
        having = [each for each in visible if held[each] is None or stem in held[each]]
        for each in having:
            scores[each] += weight * math.log(1 + len(visible) / len(having))
    return sorted(scores, key=lambda each: (-round(scores[each], 6), each))[:limit]


@pytest.mark.parametrize("seed", range(3))
def test_repositories_are_rated_by_the_words_that_few_visible_ones_have(fleet, seed):
    chance = random.Random(seed)
    held, groups = {}, {}
    words = [f"word{number}" for number in range(12)]
    for number in range(60):
        some = chance.sample(["red", "green", "blue"], chance.randint(1, 2))
        each = fleet.catalogue.add(f"r{number}", f"/r{number}", "HEAD", some)
        stems = frozenset(word for place, word in enumerate(words) if chance.random() < 1 / (1 + place / 2))
        if number % 7:
            fleet.catalogue.publish(each, FleetSnapshot("0", (), (), frozenset(), frozenset(), stems, {}, {}, {}, 1))
            held[each], groups[each] = stems, some
    with psycopg.connect(fleet.url) as connection:  # As a worker of an earlier version leaves them.
        for each in chance.sample(sorted(held), 4):
            connection.execute("DELETE FROM held_stems WHERE repository = %s", (each,))
            held[each] = None
    for seen in (["red"], ["green", "blue"], ["red", "green", "blue"], ["nobody"]):
        visible = [each for each in held if set(groups[each]) & set(seen)]
        for limit in (1, 8, None):
            asked = chance.sample([*words, "unknown"], chance.randint(1, 9))
            weights = {each: chance.choice([0.5, 1.0, 3.0]) for each in asked}
            rated = fleet.catalogue.rate_repositories(weights, seen, limit)
            assert [each.id for each in rated] == rate(weights, held, visible, limit)


def count_blocks(fleet, connection) -> int:
    """Gives how many blocks of stems that are stored outside their rows were read so far."""
    fleet.catalogue.close()
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid != pg_backend_pid()"
    # A process of PostgreSQL reports what it read before it leaves.
    wait_until(lambda: connection.execute(others).fetchone() == (0,), "the questions have ended")
    blocks = "SELECT toast_blks_read + toast_blks_hit FROM pg_statio_user_tables WHERE relname = 'held_stems'"
    return int(connection.execute(blocks).fetchone()[0])


def test_words_are_looked_up_without_reading_all_words_of_any_repository(fleet):
    for number in range(20):
        each = fleet.catalogue.add(f"r{number}", f"/r{number}", "HEAD")
        stems = frozenset(f"word{number * other}" for other in range(3_000))
        fleet.catalogue.publish(each, FleetSnapshot("0", (), (), frozenset(), frozenset(), stems, {}, {}, {}, 1))
    with psycopg.connect(fleet.url, autocommit=True) as connection:
        before = count_blocks(fleet, connection)
        for _ in range(8):  # A statement that is kept is planned for all values at once the sixth time.
            rated = fleet.catalogue.rate_repositories({"word0": 1.0, "word38": 1.0}, ["everyone"], 3)
        assert [each.name for each in rated] == ["r1", "r2", "r19"]
        assert count_blocks(fleet, connection) == before


def test_a_bucket_that_fails_is_said(stocked, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "fresh"))
    for file in stocked.bucket.rglob("*"):
        if file.is_file():
            file.unlink()
    code, printed = ask(stocked, capsys, "run", "locate", "sell")
    assert code == 1
    assert "shop could not be asked: the object store" in printed


@pytest.mark.parametrize("words", [("run", "locate", "vault"), ("search", "shelf pack"), ("ask", "who uses pack?"),
                                   ("grep", "shelf.pack"), ("def", "pack")])  # fmt: skip
def test_nothing_of_a_repository_that_may_not_be_seen_is_said(asked_fleet, capsys, words, monkeypatch):
    seen = ask(asked_fleet, capsys, *words)[1]
    assert "vault" not in seen.replace("'vault'", "")
    assert "of 3 repositories asked" in seen
    monkeypatch.setenv("AVIONICS_FLEET_GROUPS", "everyone,guards")
    assert "of 4 repositories asked" in ask(asked_fleet, capsys, *words)[1]


def test_wrong_arguments_are_refused_once(asked_fleet, capsys):
    assert main(["run", "locate", "--param", "symbol=", "--fleet", asked_fleet.url]) == 2
    assert "the symbol is empty" in capsys.readouterr().err


@pytest.mark.parametrize("tool", ["git_log", "filesystem.write_file", "nothing"])
def test_a_tool_that_no_fleet_answers_is_refused(asked_fleet, capsys, tool):
    assert main(["run", tool, "--fleet", asked_fleet.url]) == 2
    assert f"{tool} cannot be asked of a fleet" in capsys.readouterr().err
