"""More cases for ranked search: commits of other repositories, in the shape of the benchmark's mined cases.

    LOC_REPOS=<mirrors> LOC_CACHE=<scratch> python tests/bench/mine_commits.py <directory of cases> OWNER/NAME … > FILE

Takes four trees of a repository's history, and of the commits after each up to fifteen that say something and change
up to five source files that the tree has. What is true is what they change. Needs numpy.

Knows: git histories, the benchmark's outline of a file.
Does not know: how anything is ranked.
"""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

SPOTS = (0.3, 0.5, 0.7, 0.88)
"""Where in a history the trees are."""
LOOKED_AT = 400
"""Commits after a tree."""
ENOUGH = 22
KEPT = 15
MOST_FILES, MOST_SYMBOLS, MOST_CHANGED = 5, 10, 15
LEAST_CHARACTERS, LEAST_WORDS = 25, 4

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
TRAILER = re.compile(
    r"(?i)\s*(signed-off-by|co-authored-by|reviewed-by|closes?|fixes|refs?|see|issue|merge|change-id|bug)\b[:\s#]*#?\S*\s*$"
    r"|git-svn-id|---|\s*\(?cherry"
)
REFERENCE = re.compile(
    r"\s*\(?(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|see|refs?)?:?\s*(?:[\w/-]+)?#\d+\)?|https?://\S+"
)
KIND = re.compile(r"^(?:feat|fix|chore|refactor|perf|docs|style|test|build|ci)(?:\([^)]*\))?!?:\s*")
DULL = re.compile(
    r"(?i)(merge|bump|release|prepare|version|typo|update (dep|changelog)|revert|cargo|deps|doc|fmt|rustfmt|ci\b|gofmt"
    r"|prettier|lint)"
)


def read_message(message: str) -> str:
    """What a commit says, without what only names people, issues and kinds of change; "" when it says nothing."""
    lines = "\n".join(line for line in message.split("\n") if not TRAILER.match(line))
    text = KIND.sub("", REFERENCE.sub("", lines).strip()).strip()
    says = len(text) >= LEAST_CHARACTERS and len(text.split()) >= LEAST_WORDS and not DULL.match(text)
    return text if says else ""


def find_changed_lines(diff: str) -> set[int]:
    """The lines of the old file that a diff without context takes away, or between which it adds."""
    found: set[int] = set()
    for start, length in HUNK.findall(diff):
        first, count = int(start), int(length or 1)
        found |= set(range(first, first + count)) if count else {first, first + 1}
    return found


class Miner:
    """The history of one repository."""

    def __init__(self, repo: str) -> None:
        import loclib

        self.loc, self.repo = loclib, repo
        self.blobs = loclib.RepoCache(repo)

    def mine(self) -> list[dict]:
        """The cases of all its trees."""
        chosen = random.Random(self.repo)
        commits = self.read_history()
        found: list[dict] = []
        for spot in SPOTS:
            at = int(len(commits) * spot)
            cases = self.mine_after(commits[at][0], commits[at + 1 : at + 1 + LOOKED_AT])
            found += chosen.sample(cases, min(KEPT, len(cases)))
        return found

    def read_history(self) -> list[tuple[str, str]]:
        """Commit and parent, oldest first, merges left out; the main line alone where that is long enough."""
        for options in (["--first-parent"], []):
            log = self.loc.git(self.repo, "log", "--no-merges", *options, "--format=%H %P", "HEAD").splitlines()
            commits = [tuple(line.split()) for line in reversed(log) if line.count(" ") == 1]
            if len(commits) >= LOOKED_AT:
                break
        return commits

    def mine_after(self, commit: str, following: list[tuple[str, str]]) -> list[dict]:
        tree = dict(self.loc.ls_tree(self.repo, commit))
        cases: list[dict] = []
        for each, parent in following:
            query = read_message(self.loc.git(self.repo, "log", "-1", "--format=%B", each))
            truth = self.find_truth(tree, parent, each) if query else []
            if truth:
                cases.append(self.build_case(commit, each, query, truth))
            if len(cases) >= ENOUGH:
                break
        return cases

    def build_case(self, tree: str, commit: str, query: str, truth: list[dict]) -> dict:
        files = list(dict.fromkeys(symbol["file"] for symbol in truth))
        return {
            "id": f"{self.repo.replace('/', '__')}-{commit[:10]}", "set": "mined", "split": "more", "repo": self.repo,
            "commit": commit, "eval_commit": tree, "query": query, "truth_files": files, "truth_symbols": truth,
            "quick": True,
        }  # fmt: skip

    def find_truth(self, tree: dict[str, str], parent: str, commit: str) -> list[dict]:
        """The symbols a commit changes, where a tree has them; none when it adds files or the tree lacks one."""
        changed = self.git("diff", "--name-status", parent, commit)
        if changed is None or changed.count("\n") > MOST_CHANGED:
            return []
        source = [line.split("\t") for line in changed.splitlines() if self.loc.is_source(line.split("\t")[-1])]
        if not 0 < len(source) <= MOST_FILES or any(kind != "M" or path not in tree for kind, path, *_ in source):
            return []
        per_file = [self.find_changed(tree[path], parent, commit, path) for _, path in source]
        total = sum(map(len, per_file))
        return [symbol for found in per_file for symbol in found] if all(per_file) and total <= MOST_SYMBOLS else []

    def find_changed(self, blob: str, parent: str, commit: str, path: str) -> list[dict]:
        """The symbols of a file that a commit changes, with their lines in the tree."""
        diff = self.git("diff", "-U0", "-w", parent, commit, "--", path)
        before = self.git("rev-parse", f"{parent}:{path}")
        if diff is None or before is None:
            return []
        old, new = (self.blobs.blob(each.strip(), self.loc.lang_of(path)) for each in (before, blob))
        owner = self.loc.line_owner(old["syms"], old["nlines"])
        lines = (line for line in sorted(find_changed_lines(diff)) if 0 < line < len(owner) and owner[line] >= 0)
        found = []
        for name, kind in dict.fromkeys(old["syms"][owner[line]][:2] for line in lines):
            at = [index for index, symbol in enumerate(new["syms"]) if symbol[0] == name]
            ranges = [list(self.loc.own_range(index, new["syms"])) for index in at]
            if ranges:
                found.append({"file": path, "symbol": name, "kind": kind, "ranges": ranges})
        return found

    def git(self, *arguments: str) -> str | None:
        """What git says, or nothing where a partial mirror has not got the object."""
        try:
            return self.loc.git(self.repo, *arguments)
        except RuntimeError:
            return None


def main(directory: Path, repositories: list[str]) -> None:
    sys.path.insert(0, str(directory))
    for repo in repositories:
        cases = Miner(repo).mine()
        print(repo, len(cases), file=sys.stderr, flush=True)
        for case in cases:
            print(json.dumps(case))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
