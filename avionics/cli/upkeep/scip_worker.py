"""A process that describes files as SCIP documents for another one that exports the same directory."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import NoReturn

from msgspec import structs

from avionics.index.facts.worker_protocol import receive, send, take_pipes
from avionics.index.scip.exporting import Exporter
from avionics.model.errors import AvionicsError
from avionics.scip.files import encode_document
from avionics.settings import Settings
from avionics.store.payload import from_payload, to_payload
from avionics.workspace import Workspace

COLLECTED_AFTER = 1_000_000
"""The garbage collector's threshold. What an export infers is kept until it ends, and hardly any of it is in cycles."""


def serve() -> NoReturn:
    """Answer the parent process until it ends: it sends paths with content ids, and receives their documents.

    If a file has another content here, the answer has no documents.
    """
    gc.set_threshold(COLLECTED_AFTER)
    shares, results = take_pipes()
    try:
        root, cache = from_payload(receive(shares), tuple[str, str])
        settings = structs.replace(Settings.from_environment(), cache_directory=Path(cache))
        with Workspace.open(root, settings) as workspace, workspace.pinned_index():
            exporter = Exporter(workspace.code)
            entries = workspace.code.snapshot.entries
            while True:
                share = from_payload(receive(shares), list[tuple[str, str]])
                is_same = all(path in entries and entries[path].oid == oid for path, oid in share)
                documents = exporter.iter_documents([path for path, _ in share]) if is_same else ()
                send(results, to_payload([encode_document(each) for each in documents], compress=False))
    except (AvionicsError, EOFError, OSError):
        os._exit(0)
