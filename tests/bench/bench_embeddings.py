"""What meaning adds to ranked search: the order by words against the fused order, by several weights.

    LOC_REPOS=<mirrors> LOC_CACHE=<scratch> python tests/bench/bench_embeddings.py <directory of cases> OWNER/NAME …

Ranks the cases of the named repositories by words, then fused with the embedder that AVIONICS_EMBEDDINGS names, and
prints the scorer's numbers: a row a weight. No question waits less than ten minutes for its vectors, so all passages
take part; what they cost is printed. `LOC_QUICK=1` keeps to a subset.

Knows: the case files, the scorer.
Does not know: how symbols are ranked.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import attrs
import bench_localize as bench

from avionics.index.search import rank_fusion as fusion
from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.semantic.chosen import get_embedder
from avionics.settings import Settings

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5)
FLATNESS = (10,)
COLUMNS = ["n", "file_acc1", "file_acc5", "file_acc10", "sym_acc1", "sym_acc5", "sym_acc10", "sym_mrr", "tok8k"]


def answers(workspace, embedder, case) -> dict[tuple[int, float], dict]:
    """Flatness and weight → what is found for a case."""
    text, found = case["query"][: bench.LONGEST_QUERY], {}
    for flatness in FLATNESS:
        for weight in WEIGHTS:
            fusion._FLATNESS = flatness
            fused = fusion.RankFusion(
                workspace.code, embedder, workspace.store.vectors, text, seconds=600.0, place="bench", weight=weight
            )
            ranking = rank_symbols(
                workspace.code, read_query(text), workspace.source.text, reorder=fused.reorder if weight else None
            )
            assert not weight or not fused.likeness.gap, fused.likeness
            results = [
                {"file": each.file, "start_line": each.start_line, "end_line": each.end_line, "symbol": each.symbol}
                for each in ranking.symbols
            ]
            found[flatness, weight] = {"id": case["id"], "ms": 0.0, "results": results}
    return found


@attrs.frozen
class Remembering:
    """An embedder that is asked once for each text: a question is ranked many times here."""

    inner: object
    known: dict

    @property
    def name(self) -> str:
        return self.inner.name

    def embed(self, texts):
        missing = [text for text in texts if text not in self.known]
        self.known.update(zip(missing, self.inner.embed(missing), strict=True))
        return tuple(self.known[text] for text in texts)


def main(directory: Path, repositories: list[str]) -> None:
    sys.path.insert(0, str(directory))
    import score

    embedder = Remembering(get_embedder(Settings.from_environment()), {})
    cases, scorer = bench.read_cases(directory, repositories), score.Repos()
    rows: dict = {}
    started = process_time()
    for tree, workspace in bench.iter_workspaces(cases):
        for case in cases:
            if (case["repo"], case["eval_commit"]) == tree:
                for key, answer in answers(workspace, embedder, case).items():
                    row = score.score_case(scorer, case, answer)
                    rows.setdefault((case["set"], *key), {}).setdefault(case["repo"], []).append(row)
    print(f"{embedder.name}: {len(embedder.known)} texts embedded, {process_time() - started:.0f} s CPU in all")
    print("| cases, flatness, weight | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for (kind, flatness, weight), by_repository in rows.items():
        means = {repository: score.mean_rows(found) for repository, found in by_repository.items()}
        overall = {**score.mean_rows(list(means.values())), "n": sum(mean["n"] for mean in means.values())}
        for name, mean in (*means.items(), ("mean", overall)):
            print(f"| {kind} {name}, {flatness}, {weight} | " + " | ".join(score.fmt(mean, COLUMNS)) + " |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
