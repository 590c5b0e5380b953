"""`avionics watch`: commands get the same answers from the warm process, and do without one that is not theirs."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from avionics.cli.main import main
from avionics.cli.shell.group import MODULES
from avionics.cli.verbs.table import VERBS
from avionics.cli.warm.client import ASKED
from avionics.cli.warm.wire import get_directory, get_socket
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
FILES = {
    "shop/cart.py": '"""C."""\n\n\nclass Cart:\n    """Wanted."""\n\n    def total(self) -> int:\n        return 1\n',
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main():\n    return Cart().total()  # caf\u00e9\n",
}
CLIENT = (
    "import atexit, sys\nfrom avionics.cli.warm.client import main\n"
    "def tell():\n    word = 'alone' if 'avionics.cli.main' in sys.modules else 'warm.'\n"
    "    print(word, end='', file=sys.stderr, flush=True)\n"
    "atexit.register(tell)\nsys.exit(main())\n"
)
"""Runs a command and says whether this process did the work."""


class Shop:
    """A small repository, asked from processes of its own."""

    def __init__(self, root, cache):
        self.root = root
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "AVIONICS_CACHE_DIR": str(cache)}

    def ask(self, *arguments, cwd=None, **environment):
        """Run a command; return its exit code, both outputs, and who did the work."""
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, *arguments], cwd=cwd or self.root, env={**self.environment, **environment},
            stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr[:-5], done.stderr[-5:].decode().rstrip(".")

    def watch(self):
        running = subprocess.Popen(
            [sys.executable, "-m", "avionics", "watch"], cwd=self.root, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert running.stdout is not None
        assert running.stdout.readline().startswith(f"watching {self.root}: 2 source files")
        return running


@pytest.fixture
def shop(directory, tmp_path):
    return Shop(directory(FILES), tmp_path / "cache")


@pytest.fixture
def watched(shop):
    running = shop.watch()
    yield shop
    running.send_signal(signal.SIGTERM)
    assert running.wait(PATIENCE_SECONDS) == 0
    assert running.stderr.read() == ""
    assert not os.path.exists(get_socket(str(shop.root)))
    running.stdout.close()
    running.stderr.close()


def test_answers_are_the_same_byte_for_byte(watched, monkeypatch, capsysbinary):
    commands = (
        ["ask", "who uses Cart.total?"], ["ask", "where is Cart, and who uses it?", "--explain", "--budget", "300"],
        ["refs", "Cart.total"], ["refs", "Cart", "--jsonl"], ["def", "Cartt"], ["refs", " "], ["grep", "("],
        ["run", "locate", "Cart"], ["run", "nonesuch"], ["outline", "shop/cart.py", "--count"], ["grep", "caf\u00e9"],
        ["refs", "Cart", "--nonesuch"], ["refs", "Cart", "--repo", "."], ["refs", "Cart", "--repo", str(watched.root)],
    )  # fmt: skip
    monkeypatch.setenv("AVIONICS_CACHE_DIR", watched.environment["AVIONICS_CACHE_DIR"])
    monkeypatch.chdir(watched.root)
    for command in commands:
        warm = watched.ask(*command)
        assert warm[3] == "warm", command
        code = main(command)
        out, err = capsysbinary.readouterr()
        assert (warm[0], without_times(warm[1]), warm[2]) == (code, without_times(out), err), command
    assert watched.ask("refs", "Cart", cwd=watched.root / "shop")[3] == "alone"


def without_times(out):
    """The output without the milliseconds of `--explain`, which no two runs share."""
    return b"\n".join(line.rpartition(b" in ")[0] if b" ms" in line else line for line in out.split(b"\n"))


def test_an_edit_is_in_the_next_answer(watched):
    assert watched.ask("refs", "Cart.total", "--count")[1] == b"1\n"
    (watched.root / "shop" / "more.py").write_text("from shop.cart import Cart\n\nCart().total()\n")
    assert watched.ask("refs", "Cart.total", "--count")[1::2] == (b"2\n", "warm")


def test_only_the_user_can_connect(watched):
    path = get_socket(str(watched.root))
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.lstat(get_directory()).st_mode) == 0o700
    os.chmod(path, 0o666)
    assert watched.ask("def", "Cart")[3] == "alone"
    os.chmod(path, 0o600)
    assert watched.ask("def", "Cart")[3] == "warm"


def test_other_settings_and_help_are_not_its_business(watched):
    assert watched.ask("def", "Cart", AVIONICS_CACHE_DIR=str(watched.root.parent / "other"))[3] == "alone"
    assert watched.ask("def", "--help")[3] == "alone"
    assert watched.ask("docs")[3] == "alone"


def test_a_second_watch_is_refused(watched):
    code, _, err, _ = watched.ask("watch")
    assert code == 2
    assert err.startswith(b"error: another process watches this directory\nhint: ")


def test_a_stale_socket_is_ignored_and_replaced(shop, tmp_path):
    shop.environment["TMPDIR"] = str(tmp_path)
    path = get_socket(str(shop.root))
    running = shop.watch()
    running.kill()
    running.wait(PATIENCE_SECONDS)
    running.stdout.close()
    running.stderr.close()
    assert os.path.exists(path)
    assert shop.ask("refs", "Cart.total", "--count")[1::2] == (b"1\n", "alone")
    running = shop.watch()
    assert shop.ask("refs", "Cart.total", "--count")[1::2] == (b"1\n", "warm")
    running.terminate()
    running.communicate(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("reply", [b"", b"+", b"-", b"+" + bytes(12), None], ids=repr)
def test_a_process_that_does_not_answer_is_done_without(shop, reply):
    path = get_socket(str(shop.root))
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen()
        taken = threading.Thread(target=answer_with, args=(listener, reply))
        taken.start()
        assert shop.ask("refs", "Cart.total", "--count")[1::2] == (b"1\n", "alone")
        taken.join()
    os.unlink(path)


def answer_with(listener, reply):
    """Answer one client; None never answers."""
    connection, _ = listener.accept()
    with connection:
        if reply is None:
            while connection.recv(65_536):
                pass
        else:
            connection.recv(65_536)
            connection.sendall(reply)


def test_the_client_knows_the_verbs():
    assert {verb.name for verb in VERBS} | {"ask", "complete", "run", "status"} == ASKED
    assert set(MODULES) >= ASKED


def test_the_client_loads_nothing_of_the_engine(watched):
    code = (
        "import sys\nfrom avionics.cli.warm.client import main\nmain()\n"
        "own = {name for name in sys.modules if name.startswith('avionics')}\n"
        "sys.stderr.write(repr(sorted(own | {'click', 'json', 'typing', 'attrs'} & set(sys.modules))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}", "def", "Cart"],
        cwd=watched.root, env=watched.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    loaded = eval(done.stderr)
    assert {name for name in loaded if name.startswith("avionics")} == {
        "avionics", "avionics.cli", "avionics.cli.warm", "avionics.cli.warm.client", "avionics.cli.warm.wire",
    }  # fmt: skip
    assert not {"click", "json", "typing", "attrs"} & set(loaded)
