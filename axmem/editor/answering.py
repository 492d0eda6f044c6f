"""Outcomes of tests in a process of their own, which an edit ends.

What goes in: a question of `axmem.editor.outcomes`. What comes out: its answer, later. Invariant: a question that is
cancelled uses no processor any more, and when this is closed no process remains.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor

from axmem.check.run.pool import WorkerPool
from axmem.editor.outcomes import OutcomesAsked, TestOutcomes, outcomes

SPAWN = "spawn"
"""How the process begins: the server has threads, which a copy of its process would not have."""


class Answering:
    """One process that answers one question at a time; others wait for their turn."""

    def __init__(self, megabytes: int | None) -> None:
        self.megabytes = megabytes
        self.turn = asyncio.Lock()
        self._pool: WorkerPool | None = None
        self._executor: ProcessPoolExecutor | None = None

    async def answer(self, asked: OutcomesAsked) -> TestOutcomes:
        """Return the answer to a question; if whoever waits for it is cancelled, its process is ended."""
        async with self.turn:
            if self._executor is None:
                self._pool = WorkerPool(self.megabytes, SPAWN)
                self._executor = self._pool.executor(1)
            try:
                return await asyncio.get_running_loop().run_in_executor(self._executor, outcomes, asked)
            except asyncio.CancelledError:
                self.close()
                raise
            except Exception as error:
                self.close()
                return TestOutcomes("", lost=f"the process that answers ended ({type(error).__name__})")

    def close(self) -> None:
        """End the process; the next question begins another."""
        pool, self._pool, self._executor = self._pool, None, None
        if pool is not None:
            pool.end(now=True)
