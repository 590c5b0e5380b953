"""The queue: one job a repository, any number of workers; PostgreSQL keeps it.

A repository is never indexed twice at once, a job that fails is tried again later, and one that fails for good stays in
the queue as failed, with its reason in the catalogue. The job of a worker that was killed is given to another.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import attrs
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import DeleteJobCondition, Job
from psycopg import Connection

from avionics.fleet.connection import connect, translated_errors
from avionics.model.errors import AvionicsError, RemoteError

_TASK = "avionics.index_repository"
_QUEUE = "fleet"
PUSH, BACKFILL = 10, 0
"""Priorities: what was pushed goes before what is indexed for the first time."""

_MAX_ATTEMPTS = 8
"""The waits between attempts double from two seconds, so a bucket or forge may be down for four minutes."""

_MAX_DRAINS = 100
"""How often a worker looks again for due jobs before it considers the database lost."""

_RESCUE = "avionics.rescue_jobs"


@attrs.frozen
class QueueState:
    """How many repositories wait to be indexed, are being indexed, and have failed for good."""

    waiting: int
    running: int
    failed: int


class WorkQueue:
    """The queue of a fleet.

    `index` indexes the repository of a number, and returns whether it is done: otherwise it is queued again, as a
    back-fill. A worker that has not reported for `stalled_seconds` is dead; workers report every ten seconds.
    """

    def __init__(
        self,
        url: str,
        index: Callable[[int], bool],
        note_problem: Callable[[int, str], None],
        stalled_seconds: float = 30.0,
    ) -> None:
        self._url = url
        self._stalled_seconds = stalled_seconds
        self._client = App(connector=SyncPsycopgConnector(conninfo=url))
        self._app = App(connector=PsycopgConnector(conninfo=url))

        @self._app.task(name=_TASK, queue=_QUEUE, retry=_Backoff(self))
        def index_repository(repository: int) -> None:
            problem = "an unexpected error; see the log of the worker"
            try:
                if not index(repository):
                    self.enqueue((repository,), BACKFILL)
                problem = ""
            except (AvionicsError, OSError) as error:
                problem = str(error)
                raise
            finally:
                if problem:
                    note_problem(repository, problem)

        @self._app.periodic(cron="* * * * *")
        @self._app.task(name=_RESCUE, queue=_QUEUE, priority=PUSH, queueing_lock=_RESCUE)
        def rescue_jobs(timestamp: int) -> None:  # noqa: ARG001  the queue passes it
            # If the database cannot be reached, this job runs again in a minute.
            with suppress(RemoteError):
                self.rescue()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Yield a connection in a transaction."""
        with translated_errors(), connect(self._url) as connection, connection.transaction():
            yield connection

    def get_database_time(self) -> datetime:
        """Return the time by the clock that decides when a job is due."""
        with self._connected() as connection:
            row = connection.execute("SELECT clock_timestamp()").fetchone()
        assert row is not None
        found: datetime = row[0]
        return found

    def create(self) -> None:
        """Create the tables of the queue unless they exist."""
        with self._connected() as connection:
            row = connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone()
        if row is not None and row[0] is None:
            with self._client.open():
                self._client.schema_manager.apply_schema()

    def enqueue(self, repositories: tuple[int, ...], priority: int) -> int:
        """Add a job for each repository that has none waiting, and return how many were added."""
        added = 0
        locks = {repository: f"repository:{repository}" for repository in repositories}
        with self._connected() as connection:
            # The new job also retries repositories that have failed permanently.
            query = "DELETE FROM procrastinate_jobs WHERE status = 'failed' AND lock = ANY(%s)"
            connection.execute(query, (list(locks.values()),))
        with self._client.open():
            for repository, lock in locks.items():
                job = self._client.configure_task(_TASK, lock=lock, queueing_lock=lock, queue=_QUEUE, priority=priority)
                with suppress(AlreadyEnqueued):
                    job.defer(repository=repository)
                    added += 1
        return added

    def run(self, *, is_waiting: bool) -> None:
        """Work until a signal stops the process, or until no job is left.

        Raises:
            RemoteError: The database went away. Its jobs are given to other workers, or to this one when it runs again.
        """
        self.rescue()
        # On SIGINT asyncio lets the running job finish, which is wanted for SIGTERM too. A shell starts background
        # processes with SIGINT ignored, and asyncio would then not handle it.
        interrupted = signal.signal(signal.SIGINT, signal.default_int_handler)
        before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
        try:
            is_lost = True
            for _ in range(1 if is_waiting else _MAX_DRAINS):
                self._app.run_worker(
                    queues=[_QUEUE], wait=is_waiting, concurrency=1, fetch_job_polling_interval=1.0,
                    delete_jobs=DeleteJobCondition.SUCCESSFUL, install_signal_handlers=False,
                )  # fmt: skip
                # A worker that loses the database between two jobs returns from its loop as if the queue were empty.
                # A job that failed may also have become due again in the meantime.
                is_lost = is_waiting or self.has_due()
                if not is_lost:
                    break
        except KeyboardInterrupt:
            is_lost = False
        except (ConnectorException, RemoteError):
            is_lost = True
        finally:
            signal.signal(signal.SIGTERM, before)
            signal.signal(signal.SIGINT, interrupted)
        if is_lost:
            raise RemoteError("the connection to the database was lost", hint="run it again; no job is lost")

    def has_due(self, priority: int = BACKFILL) -> bool:
        """Return whether a repository of at least some priority could be indexed now."""
        query = """SELECT 1 FROM procrastinate_jobs AS jobs WHERE status = 'todo' AND task_name = %s
            AND priority >= %s AND coalesce(scheduled_at, now()) <= now() AND NOT EXISTS (
                SELECT FROM procrastinate_jobs AS others WHERE others.lock = jobs.lock AND others.status = 'doing')"""
        with self._connected() as connection:
            return connection.execute(query, (_TASK, priority)).fetchone() is not None

    def rescue(self) -> int:
        """Give the jobs of dead workers back to the queue and return how many there were."""
        query = """SELECT jobs.id, jobs.queueing_lock FROM procrastinate_jobs AS jobs
            LEFT JOIN procrastinate_workers AS workers ON workers.id = jobs.worker_id
            WHERE jobs.status = 'doing' AND (workers.id IS NULL
                OR workers.last_heartbeat < now() - make_interval(secs => %s)) FOR UPDATE OF jobs SKIP LOCKED"""
        with self._connected() as connection:
            rows = connection.execute(query, (self._stalled_seconds,)).fetchall()
            for job, lock in rows:
                # A newer job for the same repository replaces this one.
                is_replaced = connection.execute(
                    "SELECT 1 FROM procrastinate_jobs WHERE queueing_lock = %s AND status = 'todo'", (lock,)
                ).fetchone()
                if is_replaced:
                    connection.execute("DELETE FROM procrastinate_jobs WHERE id = %s", (job,))
                else:
                    connection.execute(
                        "UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL, scheduled_at = now() "
                        "WHERE id = %s",
                        (job,),
                    )
            return len(rows)

    def get_state(self) -> QueueState:
        """Return the state of the queue."""
        query = """SELECT count(*) FILTER (WHERE status = 'todo'), count(*) FILTER (WHERE status = 'doing'),
            count(*) FILTER (WHERE status = 'failed') FROM procrastinate_jobs WHERE task_name = %s"""
        with self._connected() as connection:
            row = connection.execute(query, (_TASK,)).fetchone()
        assert row is not None
        return QueueState(*row)


class _Backoff(BaseRetryStrategy):
    """Tries a job again after a growing time, by the clock of the database; this machine's may differ."""

    def __init__(self, queue: WorkQueue) -> None:
        self._queue = queue

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:  # noqa: ARG002
        """Return when a job is tried again, None if it has failed for good."""
        if job.attempts + 1 >= _MAX_ATTEMPTS:
            return None
        try:
            now = self._queue.get_database_time()
        except RemoteError:
            now = datetime.now(UTC)
        return RetryDecision(retry_at=now + timedelta(seconds=2.0 ** (job.attempts + 1)))
