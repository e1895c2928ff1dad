# SPDX-License-Identifier: Apache-2.0
"""Shards of a step that meet inside of it: each has a thread, of which one runs."""

from __future__ import annotations

import threading

from switchyard import _core
from switchyard.nn.lockstep import set_meeting


class _Ended(BaseException):
    """Ends a shard's thread when another one has failed."""


class _Shard(threading.Thread):
    """One shard: ``work`` runs in a thread of its own, between two meetings."""

    def __init__(self, work, leave, enter):
        super().__init__(daemon=True)
        self._work, self._leave, self._enter = work, leave, enter
        self._go, self._stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._of_thread = _core.num_threads(), _core.autocast_dtype()
        self.vector = self.total = self.result = self.error = None
        self.done = False

    def run(self):
        _core.set_num_threads(self._of_thread[0])
        _core.set_autocast_dtype(self._of_thread[1])
        set_meeting(self._meet)
        self._go.acquire()
        try:
            if self.total is not _Ended:
                self.result = self._work()
        except BaseException as error:  # The step raises it.
            self.error = error
        self.done = True
        self._stopped.release()

    def _meet(self, vector):
        self.vector, random = vector, _core.rng_state()
        kept = self._leave()
        self._stopped.release()
        self._go.acquire()
        if self.total is _Ended:
            raise _Ended
        self._enter(kept)
        _core.set_rng_state(*random)
        return self.total.copy()

    def go_on(self, total=None):
        """Lets it run until its next meeting, or its end."""
        self.total = total
        self._go.release()
        self._stopped.acquire()

    def end(self):
        """Ends it where it stands."""
        while not self.done:
            self.go_on(_Ended)


def run_together(works, leave, enter, sum_of):
    """The results of ``works``, functions of nothing, one of a shard each.

    Where they meet, each gets ``sum_of(their vectors)``. ``leave()`` takes away what a
    shard has of its own in what all share, ``enter(that)`` puts it back. RuntimeError
    if some end while others wait.
    """
    shards = [_Shard(work, leave, enter) for work in works]
    try:
        for shard in shards:
            shard.start()
            shard.go_on()
        while True:
            for shard in shards:
                if shard.error is not None:
                    raise shard.error
            ended = sum(shard.done for shard in shards)
            if ended == len(shards):
                return [shard.result for shard in shards]
            if ended:
                raise RuntimeError("backward: every shard must call each SyncBatchNorm "
                                   f"as often, and {ended} of {len(shards)} don't")
            total = sum_of([shard.vector for shard in shards])
            for shard in shards:
                shard.go_on(total)
    finally:
        for shard in shards:
            if shard.is_alive():
                shard.end()
            shard.join()
