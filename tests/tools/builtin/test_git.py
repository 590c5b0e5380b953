"""Git tools: a repository below the root, read and committed to without obeying it; clones over https."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from avionics.tools.builtin import GIT_TOOLS, build_builtin_tools
from avionics.tools.builtin.git import GitCloneTool


@pytest.fixture
def repository(git_repository):
    return git_repository({"a.txt": "one\n", "src/b.txt": "two\n"})


@pytest.fixture
def run(repository):
    tools = {tool.name.removeprefix("git."): tool for tool in build_builtin_tools(repository.root, GIT_TOOLS)}
    return lambda name, **arguments: tools[name].execute(**arguments)


def booby_trap(repository, marker):
    """Lets the repository name programs wherever git would run one; each leaves a mark."""
    script = repository.root / ".git" / "trap.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {marker}\ncat\n")
    script.chmod(0o755)
    for hook in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "prepare-commit-msg",
        "reference-transaction",
        "post-index-change",
    ):
        (repository.root / ".git" / "hooks").mkdir(exist_ok=True)
        (repository.root / ".git" / "hooks" / hook).symlink_to(script)
    for key in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "diff.external", "gpg.program", "core.editor"):
        repository.git("config", key, str(script))
    repository.git("config", "commit.gpgsign", "true")
    (repository.root / ".gitattributes").write_text("* filter=x diff=x\n")


def test_status_says_what_is_not_committed(run, repository):
    (repository.root / "a.txt").write_text("changed\n")
    (repository.root / "new.txt").write_text("new\n")
    (repository.root / "src" / "b.txt").write_text("staged\n")
    repository.git("add", "src/b.txt")
    data = run("status").data
    assert (data["branch"], data["is_clean"], data["untracked"]) == ("main", False, ["new.txt"])
    assert [each["path"] for each in data["staged"]] == ["src/b.txt"]
    assert [each["path"] for each in data["unstaged"]] == ["a.txt"]


def test_the_log_is_newest_first(run, repository):
    head = repository.commit("second\n\nbecause", {"a.txt": "2"})
    data = run("log").data
    first = data["commits"][0]
    assert (first["oid"], first["subject"], first["body"]) == (head, "second", "because")
    assert run("log", count=1, oneline=True).data == {"commits": [f"{head[:10]} second"]}


@pytest.mark.parametrize("count", [0, 101])
def test_the_log_shows_at_most_a_hundred(run, count):
    assert run("log", count=count).metadata["error_type"] == "ValidationError"
    assert run("log", count=100).success


def test_a_diff_is_of_what_is_staged_or_of_what_is_not(run, repository):
    (repository.root / "a.txt").write_text("staged\n")
    repository.git("add", "a.txt")
    (repository.root / "a.txt").write_text("staged\nand more\n")
    (repository.root / "src" / "b.txt").write_text("three\n")
    unstaged, staged = run("diff").data, run("diff", staged=True).data
    assert [each["path"] for each in unstaged["files"]] == ["a.txt", "src/b.txt"]
    assert unstaged["patch"].split("\n")[:5] == [
        "--- a.txt (modified)",
        "+++ a.txt",
        "@@ -1,1 +1,2 @@",
        " staged",
        "+and more",
    ]
    assert staged["patch"].split("\n") == ["--- a.txt (modified)", "+++ a.txt", "@@ -1,1 +1,1 @@", "-one", "+staged"]
    assert [each["path"] for each in run("diff", file_path="src").data["files"]] == ["src/b.txt"]


def test_what_is_staged_is_committed(run, repository):
    before = repository.git("rev-parse", "HEAD")
    (repository.root / "a.txt").write_text("staged\n")
    (repository.root / "src" / "b.txt").write_text("not staged\n")
    repository.git("add", "a.txt")
    data = run("commit", message="Why\n\nMore words").data
    assert data == {"commit": repository.git("rev-parse", "HEAD"), "branch": "main", "subject": "Why", "left_out": []}
    assert repository.git("rev-parse", "HEAD^") == before
    assert repository.git("log", "-1", "--format=%B") == "Why\n\nMore words"
    assert repository.git("show", "--name-only", "--format=") == "a.txt"
    assert repository.git("status", "--porcelain") == "M src/b.txt"
    repository.git("fsck", "--strict")


def test_everything_is_committed_when_asked_for(run, repository):
    (repository.root / ".gitignore").write_text("*.log\n")
    (repository.root / "x.log").write_text("ignored")
    (repository.root / "run.sh").write_text("new\n")
    (repository.root / "run.sh").chmod(0o755)
    (repository.root / "a.txt").unlink()
    (repository.root / "link").symlink_to("run.sh")
    assert run("commit", message="All", add_all=True).data["left_out"] == ["link"]
    assert repository.git("ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD").split("\n") == [
        "100644 .gitignore",
        "100755 run.sh",
        "100644 src/b.txt",
    ]
    assert repository.git("status", "--porcelain") == "?? link"
    repository.git("fsck", "--strict")


def test_the_first_commit_of_a_repository_can_be_made(git_repository):
    repository = git_repository()
    commit = build_builtin_tools(repository.root, GIT_TOOLS)[3]
    assert commit.execute(message="x", add_all=True).error == "there is nothing to commit"
    (repository.root / "a.txt").write_text("x")
    assert commit.execute(message="first", add_all=True).success
    assert repository.git("log", "--format=%s %an") == "first avionics"


def test_who_commits_is_the_one_the_repository_names(run, repository):
    repository.git("config", "user.name", "Grace")
    repository.git("config", "user.email", "grace@example.org")
    (repository.root / "a.txt").write_text("x")
    assert run("commit", message="x", add_all=True).success
    assert repository.git("log", "-1", "--format=%an <%ae>") == "Grace <grace@example.org>"


def test_a_commit_on_a_branch_with_a_slash_moves_that_branch(run, repository):
    repository.git("checkout", "--quiet", "-b", "feature/x")
    repository.git("pack-refs", "--all")
    (repository.root / "a.txt").write_text("x")
    data = run("commit", message="x", add_all=True).data
    assert (data["branch"], data["commit"]) == ("feature/x", repository.git("rev-parse", "feature/x"))


def test_nothing_the_repository_names_is_run(run, repository, tmp_path):
    marker = tmp_path / "marker"
    booby_trap(repository, marker)
    (repository.root / "a.txt").write_text("changed\n")
    for name in ("status", "log", "diff"):
        assert run(name).success
    assert run("diff", staged=True).success
    assert run("commit", message="x", add_all=True).success
    assert not marker.exists()


def test_there_must_be_something_to_commit(run):
    assert run("commit", message="x").error == "there is nothing to commit"
    assert run("commit", message="x", add_all=True).error == "there is nothing to commit"


@pytest.mark.parametrize("message", ["", "  \n", "a\0b"])
def test_a_commit_says_why(run, repository, message):
    (repository.root / "a.txt").write_text("x")
    assert not run("commit", message=message, add_all=True).success


def test_a_commit_waits_for_nobody(run, repository):
    (repository.root / "a.txt").write_text("x")
    (repository.root / ".git" / "index.lock").touch()
    assert "is locked" in run("commit", message="x", add_all=True).error
    (repository.root / ".git" / "index.lock").unlink()
    repository.git("checkout", "--quiet", "--detach")
    assert run("commit", message="x", add_all=True).error == "HEAD is detached"


def test_a_repository_lies_inside_the_root(run, git_repository, repository):
    git_repository({"x": ""}, name="other")
    (repository.root / "out").symlink_to("../other")
    for path in ("..", "../other", "out", "missing"):
        for name in ("status", "log", "diff"):
            assert not run(name, path=path).success
        assert not run("commit", path=path, message="x", add_all=True).success
    assert run("status", path="src").error == "no git history here"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/x",
        "git://example.org/x",
        "ssh://git@example.org/x",
        "git@example.org:x",
        "file:///etc",
        "/etc",
        "ext::sh -c true",
        "--upload-pack=x",
        "https://",
        "https:///x",
        "https://user:pass@example.org/x",
        "https://a b/x",
        "https://-oProxyCommand/x\n",
        "https://example.org:99999/x",
    ],
)
def test_only_https_is_cloned(run, repository, url):
    assert not run("clone", url=url, destination="x").success
    assert not (repository.root / "x").exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]"])
def test_only_public_addresses_are_cloned_from(run, repository, host):
    assert "which is not public" in run("clone", url=f"https://{host}/x").error
    assert not (repository.root / "x").exists()


@pytest.fixture
def remote(tmp_path, git_repository):
    """A repository behind https, with a certificate of its own."""
    if not shutil.which("openssl"):
        pytest.skip("no openssl to make a certificate")
    source = git_repository({"a.txt": "one\n"}, name="served/origin")
    source.git("update-server-info")
    certificate = tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", certificate,
         "-out", tmp_path / "public.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    with certificate.open("a") as file:
        file.write((tmp_path / "public.pem").read_text())

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=source.root.parent)) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"https://localhost:{server.server_port}/origin/.git", tmp_path / "public.pem"
        server.shutdown()
        thread.join()


def test_a_repository_is_cloned(remote, tmp_path):
    url, certificates = remote
    (tmp_path / "root").mkdir()
    tool = GitCloneTool(tmp_path / "root", allowed_networks=("127.0.0.0/8", "::1/128"), certificates=certificates)
    output = tool.execute(url=url, destination="copy")
    assert output.success, output.error
    assert (tmp_path / "root" / "copy" / "a.txt").read_text() == "one\n"
    again = tool.execute(url=url, destination="copy")
    assert again.error == "'copy' cannot be created: File exists"
    assert not tool.execute(url=url.replace("origin", "none"), destination="none").success
    assert not (tmp_path / "root" / "none").exists()


@pytest.mark.parametrize("destination", ["..", "../x", ".", "out/x", ".git", "missing/x"])
def test_a_clone_stays_inside_the_root(tmp_path, destination):
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "root" / "out").symlink_to(tmp_path / "outside")
    tool = GitCloneTool(tmp_path / "root", allowed_networks=("127.0.0.0/8", "::1/128"))
    assert not tool.execute(url="https://localhost:9/x", destination=destination).success
    assert not list((tmp_path / "outside").iterdir())
