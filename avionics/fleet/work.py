"""The queue: one job a repository, any number of workers; PostgreSQL keeps it.

A repository is never indexed twice at once, a job that fails is tried again later, and one that fails for good stays in
the queue as failed, with its reason in the catalogue. The job of a worker that was killed is given to another.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import psycopg
from procrastinate import App, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued

from avionics.model.errors import AvionicsError

_TASK = "avionics.index_repository"
_QUEUE = "fleet"
PUSH, BACKFILL = 10, 0
"""Priorities: what was pushed goes before what is indexed for the first time."""

_MAX_ATTEMPTS = 4
_RESCUE = "avionics.rescue_jobs"


@attrs.frozen
class QueueState:
    """How many jobs wait, run, and have failed for good."""

    waiting: int
    running: int
    failed: int


class WorkQueue:
    """The queue of a fleet.

    Args:
        url: The database.
        index: Indexes the repository of a number. Raises `AvionicsError`.
        note_problem: Notes why a repository could not be indexed.
        stalled_seconds: A worker that has not reported for so long is dead; workers report every ten seconds.
    """

    def __init__(
        self,
        url: str,
        index: Callable[[int], None],
        note_problem: Callable[[int, str], None],
        stalled_seconds: float = 30.0,
    ) -> None:
        self._url = url
        self._stalled_seconds = stalled_seconds
        self._sync = SyncPsycopgConnector(conninfo=url)
        self._app = App(connector=PsycopgConnector(conninfo=url))
        retry = RetryStrategy(max_attempts=_MAX_ATTEMPTS, exponential_wait=2)

        @self._app.task(name=_TASK, queue=_QUEUE, retry=retry)
        def index_repository(repository: int) -> None:
            try:
                index(repository)
            except (AvionicsError, OSError) as error:
                note_problem(repository, str(error))
                raise

        @self._app.periodic(cron="* * * * *")
        @self._app.task(name=_RESCUE, queue=_QUEUE, priority=PUSH, queueing_lock=_RESCUE)
        def rescue_jobs(timestamp: int) -> None:  # noqa: ARG001  the queue passes it
            self.rescue()

    def create(self) -> None:
        """Create the tables of the queue unless they exist."""
        with psycopg.connect(self._url) as connection:
            row = connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
        if row is not None and row[0] is None:
            with self._app.replace_connector(self._sync) as app, app.open():
                app.schema_manager.apply_schema()

    def enqueue(self, repositories: tuple[int, ...], priority: int) -> int:
        """Add a job for each repository that has none waiting, and return how many were added."""
        added = 0
        with self._app.replace_connector(self._sync) as app, app.open():
            for repository in repositories:
                lock = f"repository:{repository}"
                try:
                    app.configure_task(_TASK, lock=lock, queueing_lock=lock, queue=_QUEUE, priority=priority).defer(
                        repository=repository
                    )
                    added += 1
                except AlreadyEnqueued:
                    continue
        return added

    def run(self, *, is_waiting: bool) -> None:
        """Work until a signal stops the process, or until no job is left."""
        self.rescue()
        self._app.run_worker(queues=[_QUEUE], wait=is_waiting, concurrency=1, fetch_job_polling_interval=1.0)

    def rescue(self) -> int:
        """Give the jobs of dead workers back to the queue and return how many there were."""
        query = """SELECT jobs.id, jobs.queueing_lock FROM procrastinate_jobs AS jobs
            LEFT JOIN procrastinate_workers AS workers ON workers.id = jobs.worker_id
            WHERE jobs.status = 'doing' AND (workers.id IS NULL
                OR workers.last_heartbeat < now() - make_interval(secs => %s)) FOR UPDATE OF jobs SKIP LOCKED"""
        with psycopg.connect(self._url) as connection:
            rows = connection.execute(query, (self._stalled_seconds,)).fetchall()
            for job, lock in rows:
                # A newer job for the same repository makes this one needless.
                is_replaced = connection.execute(
                    "SELECT 1 FROM procrastinate_jobs WHERE queueing_lock = %s AND status = 'todo'", (lock,)
                ).fetchone()
                if is_replaced:
                    connection.execute("UPDATE procrastinate_jobs SET status = 'failed' WHERE id = %s", (job,))
                else:
                    connection.execute(
                        "UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL, scheduled_at = now() "
                        "WHERE id = %s",
                        (job,),
                    )
            return len(rows)

    def get_state(self) -> QueueState:
        """Return how much there is to do."""
        query = """SELECT count(*) FILTER (WHERE status = 'todo'), count(*) FILTER (WHERE status = 'doing'),
            count(*) FILTER (WHERE status = 'failed') FROM procrastinate_jobs WHERE queue_name = %s"""
        with psycopg.connect(self._url) as connection:
            row = connection.execute(query, (_QUEUE,)).fetchone()
        assert row is not None
        return QueueState(*row)
