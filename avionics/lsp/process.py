"""Run the process of a language server, which ends when its client ends, however that happens."""

from __future__ import annotations

import os
import threading
import time

from avionics.lsp.client import LspClient
from avionics.lsp.methods import build_methods
from avionics.lsp.server import AvionicsServer
from avionics.process_end import end_process
from avionics.server_memory import collect_rarely
from avionics.settings import Settings
from avionics.standard_streams import claimed_descriptors

_LOOK_SECONDS = 2.0
"""How often to check that the client still runs. Usually the input ends as soon as it does not."""

_CLOSING_SECONDS = 1.0
"""How long to wait until new facts are stored, which takes a fraction of this."""


def run(settings: Settings) -> int:
    """Serve one client over standard input and output, and return the exit code that the protocol requires.

    It is 0 if the client sent `shutdown` before `exit` or the end of the input, else 1.
    """
    collect_rarely()
    with claimed_descriptors() as (inbound, outbound):
        client = LspClient(os.fdopen(os.dup(inbound), "rb"), os.fdopen(os.dup(outbound), "wb", buffering=0))
        server = AvionicsServer(client, settings, watch_client=_watch_client)
        client.serve(build_methods(server))
    closing = threading.Thread(target=server.close, daemon=True, name="avionics-closing")
    closing.start()
    closing.join(_CLOSING_SECONDS)
    return 0 if client.is_shut_down else 1


def _watch_client(named: int | None) -> None:
    """End this process when its parent ends, or the process that the client named as its own.

    A named process that does not exist at the start runs on another machine or in a container, and is ignored.
    """
    if os.name == "posix":
        client = named if named and _is_alive(named) else None
        arguments = (os.getppid(), client)
        threading.Thread(target=_wait_for_end, args=arguments, daemon=True, name="avionics-client").start()


def _wait_for_end(parent: int, client: int | None) -> None:
    while os.getppid() == parent and (client is None or _is_alive(client)):
        time.sleep(_LOOK_SECONDS)
    end_process(1)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
