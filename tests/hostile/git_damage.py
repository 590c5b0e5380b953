"""Git directories that are broken, forged, or lead elsewhere: each a function that spoils a sound repository."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from tests.hostile.repositories import Repository

Damage = Callable[[Repository], None]


def garbage(name: str, content: bytes = b"\x00\xffgarbage\n" * 50) -> Damage:
    """A file of the git directory replaced."""

    def spoil(repository: Repository) -> None:
        path = repository.root / ".git" / name
        if path.is_file() or path.is_symlink():
            path.unlink()
        repository.write(f".git/{name}", content)

    return spoil


def piped(name: str) -> Damage:
    return lambda repository: repository.pipe(f".git/{name}")


def linked_out(name: str) -> Damage:
    """A file or directory of the git directory that is a link to what lies outside."""

    def spoil(repository: Repository) -> None:
        path = repository.root / ".git" / name
        if path.is_dir():
            shutil.rmtree(path)
        repository.link(f".git/{name}", repository.arena.outside / "secret.txt")

    return spoil


def directory_at(name: str) -> Damage:
    def spoil(repository: Repository) -> None:
        (repository.root / ".git" / name).unlink(missing_ok=True)
        (repository.root / ".git" / name).mkdir(parents=True)

    return spoil


def git_file(target: str) -> Damage:
    """A `.git` that is a file naming another place."""

    def spoil(repository: Repository) -> None:
        shutil.rmtree(repository.root / ".git")
        repository.write(".git", repository.arena.fill(target, repository.root))

    return spoil


def configured(text: str) -> Damage:
    def spoil(repository: Repository) -> None:
        repository.configure(repository.arena.fill(text, repository.root))

    return spoil


def packed(repository: Repository) -> None:
    repository.git("repack", "-adq")
    repository.git("pack-refs", "--all")


def damaged_pack(suffix: str) -> Damage:
    """A pack whose file of that suffix is not what git wrote."""

    def spoil(repository: Repository) -> None:
        packed(repository)
        for path in (repository.root / ".git/objects/pack").glob(f"*.{suffix}"):
            path.chmod(0o644)
            data = bytearray(path.read_bytes())
            data[len(data) // 3 : len(data) // 3 + 40] = b"\xff" * 40
            path.write_bytes(data)

    return spoil


def damaged_objects(repository: Repository) -> None:
    for path in (repository.root / ".git/objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(path.read_bytes()[:10])


def replaced(repository: Repository) -> None:
    """Replace references and grafts that would show another history."""
    head, first = repository.git("rev-parse", "HEAD"), repository.git("rev-parse", "HEAD~1")
    repository.write(f".git/refs/replace/{head}", f"{first}\n")
    repository.write(".git/info/grafts", f"{head}\n")


def looping(repository: Repository) -> None:
    repository.write(".git/refs/heads/a", "ref: refs/heads/b\n")
    repository.write(".git/refs/heads/b", "ref: refs/heads/a\n")
    repository.write(".git/HEAD", "ref: refs/heads/a\n")


def promised(repository: Repository) -> None:
    """A partial clone whose missing objects would be fetched by the program."""
    repository.configure(
        f"[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n[protocol]\n\tallow = always\n"
        f'[remote "origin"]\n\tpromisor = true\n\turl = ext::{repository.arena.program} %S\n'
        f"\tuploadpack = {repository.arena.program}\n\tpartialclonefilter = blob:none\n"
    )
    for path in (repository.root / ".git/objects").glob("??/*"):
        if repository.git("cat-file", "-t", f"{path.parent.name}{path.name}") == "blob":
            path.unlink()


def submodules(repository: Repository) -> None:
    program = repository.arena.program
    repository.write(".gitmodules", f'[submodule "x"]\n\tpath = sub\n\turl = ext::{program}\n\tupdate = !{program}\n')
    repository.write("sub/.git", f"gitdir: {repository.arena.outside}\n")
    repository.write("sub/a.py", "def in_submodule(): ...\n")


def nested_bare(repository: Repository) -> None:
    """A bare repository inside, whose configuration names the program."""
    repository.git("init", "--quiet", "--bare", "inner")
    with (repository.root / "inner/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {repository.arena.program}\n\tworktree = {repository.arena.outside}\n")


def worktree_elsewhere(repository: Repository) -> None:
    repository.configure(f"[core]\n\tworktree = {repository.arena.outside}\n")


def forged_commits(repository: Repository) -> None:
    """Commits whose fields pose as git's own output."""
    tree = repository.git("rev-parse", "HEAD^{tree}")
    names = ("A\x1b[31m <x@y> 1 +0000", "<> 99999999999999999 +9999", "B <a@b> -5 -0000", "C <a@b> x y", "")
    for number, name in enumerate(names):
        body = f"tree {tree}\nauthor {name}\ncommitter {name}\n\ncommit {'0' * 40}\nAuthor: forged {number}\n\x1b[2J\n"
        source = repository.write("forged", body)
        oid = repository.git("hash-object", "-w", "--literally", "-t", "commit", str(source))
        source.unlink()
        repository.write(f".git/refs/heads/forged{number}", f"{oid}\n")
    repository.write(".git/HEAD", "ref: refs/heads/forged0\n")


def empty(repository: Repository) -> None:
    shutil.rmtree(repository.root / ".git")
    (repository.root / ".git").mkdir()


def dot_git(target: str) -> Damage:
    """A `.git` that is a link."""

    def spoil(repository: Repository) -> None:
        shutil.rmtree(repository.root / ".git")
        repository.link(".git", repository.arena.fill(target, repository.root))

    return spoil


def many_refs(repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD")
    lines = "".join(f"{head} refs/tags/t{number:05}\n" for number in range(20_000))
    repository.write(".git/packed-refs", f"# pack-refs with: sorted \n{lines}")


def device_at(name: str) -> Damage:
    def spoil(repository: Repository) -> None:
        (repository.root / name).unlink(missing_ok=True)
        if os.geteuid() == 0:
            os.mknod(repository.root / name, 0o20666, os.makedev(1, 5))
        else:
            repository.pipe(name)

    return spoil


DAMAGES: dict[str, Damage] = {
    **{f"garbage-{name.replace('/', '-')}": garbage(name) for name in (
        "HEAD", "index", "packed-refs", "config", "shallow", "refs/heads/main", "objects/info/commit-graph",
        "objects/info/packs", "objects/pack/multi-pack-index", "logs/HEAD", "FETCH_HEAD", "MERGE_HEAD", "ORIG_HEAD",
        "info/sparse-checkout", "sharedindex.00", "config.worktree", "description")},
    **{f"pipe-{name.replace('/', '-')}": piped(name) for name in (
        "HEAD", "index", "config", "packed-refs", "shallow", "commondir", "info/attributes", "objects/pack/x.pack",
        "refs/heads/pipe", "logs/HEAD", "objects/info/alternates")},
    **{f"link-{name.replace('/', '-')}": linked_out(name) for name in (
        "HEAD", "index", "config", "packed-refs", "refs", "objects", "objects/pack", "refs/heads/main", "info/exclude",
        "hooks", "commondir")},
    **{f"directory-{name}": directory_at(name) for name in ("HEAD", "index", "config", "packed-refs", "shallow")},
    **{f"file-{number}": git_file(target) for number, target in enumerate((
        "gitdir: {OUTSIDE}", "gitdir: /dev/zero", "gitdir: .", "gitdir: ../control/.git", "gitdir: \0",
        "gitdir: " + "../" * 2_000, "not a git file", "gitdir: {OUTSIDE}/../repos/control/.git\n", "",
        "gitdir: .git"))},
    **{f"dot-git-{number}": dot_git(target) for number, target in enumerate((
        "../control/.git", "{OUTSIDE}", "/dev/zero", ".git", "nowhere"))},
    **{f"config-{number}": configured(text) for number, text in enumerate((
        "[include]\n\tpath = {OUTSIDE}/secret.txt\n", '[includeIf "gitdir:/"]\n\tpath = {BIN}/inj.sh\n',
        "[core]\n\tbare = true\n", "[core]\n\trepositoryformatversion = 99\n", "[core]\n\tworktree = {OUTSIDE}\n",
        "[extensions]\n\tworktreeConfig = true\n", "[core\n", "x" * 100_000, "[a]\nb = " + "\\\n" * 10_000,
        "[extensions]\n\trefStorage = reftable\n", "[core]\n\tattributesFile = {OUTSIDE}/secret.txt\n",
        "[blame]\n\tignoreRevsFile = {OUTSIDE}/secret.txt\n", "[mailmap]\n\tfile = {OUTSIDE}/secret.txt\n",
        "[core]\n\tlooseCompression = 99\n", '[url "ext::{BIN}/inj.sh "]\n\tinsteadOf = https://\n'))},
    "pack-pack": damaged_pack("pack"), "pack-idx": damaged_pack("idx"), "packed": packed,
    "objects": damaged_objects, "replaced": replaced, "looping": looping, "promised": promised,
    "submodules": submodules, "nested-bare": nested_bare, "worktree-elsewhere": worktree_elsewhere,
    "forged-commits": forged_commits, "empty": empty, "many-refs": many_refs,
    "alternates": garbage("objects/info/alternates", b"../../../control/.git/objects\n"),
    "alternates-loop": garbage("objects/info/alternates", b"../objects\n"),
    "http-alternates": garbage("objects/info/http-alternates", b"http://127.0.0.1/x\n"),
    "huge-head": garbage("HEAD", b"ref: refs/heads/" + b"a" * 1_500_000), "head-up": garbage("HEAD", b"ref: ../../x\n"),
    "head-flag": garbage("HEAD", b"ref: refs/heads/--upload-pack=x\n"), "huge-config": garbage("config",
    b"[a]\n" * 600_000),
    "mailmap-device": device_at(".mailmap"), "attributes-device": device_at(".gitattributes"),
}  # fmt: skip
"""Name → what is done to a repository with two commits and a change."""
