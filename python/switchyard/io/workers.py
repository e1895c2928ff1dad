# SPDX-License-Identifier: Apache-2.0
"""Workers: threads of a DataLoader that the end of the program doesn't wait for.

Not concurrent.futures' executor: the interpreter joins its threads before
anybody can tell them to stop, and they finish all that was submitted.
"""

from __future__ import annotations

import atexit
from concurrent.futures import Future
import queue
import threading
import time
from typing import NamedTuple
import weakref

# How long the end of the program waits for the items that are being fetched.
_GRACE = 5.0

_all = weakref.WeakSet()
_here = threading.local()
_process = None  # The WorkerInfo of a worker process.


class Stopped(Exception):
    """Raised by a task that found that it is to stop."""


class WorkerInfo(NamedTuple):
    """Which worker of a DataLoader this is: ``number`` of ``count``, from 0."""

    number: int
    count: int

    @property
    def id(self) -> int:
        """``number`` by PyTorch's name."""
        return self.number

    @property
    def num_workers(self) -> int:
        """``count`` by PyTorch's name."""
        return self.count


def worker_info() -> WorkerInfo | None:
    """The worker that the calling code runs in; None where it is in none.

    An IterableDataset divides its items by it, so that each comes once.
    """
    return getattr(_here, "info", _process)


def be_process(info: WorkerInfo) -> None:
    """Has ``worker_info`` return this from now on, in the whole process."""
    global _process
    _process = info


class Workers:
    """``count`` threads, each of which runs its tasks in the order of ``submit``.

    A task is ``function(argument, check)``; it calls ``check()`` from time to
    time, which raises Stopped once ``stop`` was called or the program ends.
    ``stopping`` are functions that ``stop`` calls, too.
    """

    def __init__(self, count: int, stopping=()):
        self._tasks = [queue.SimpleQueue() for _ in range(count)]
        self._stopping = threading.Event()
        self._also = list(stopping)
        # Threads hold no reference to this object, so that it can die first.
        self._threads = [
            threading.Thread(target=_work, name=f"switchyard-data_{i}",
                             args=(self._tasks[i], self._stopping,
                                   WorkerInfo(i, count)), daemon=True)
            for i in range(count)]
        _all.add(self)
        for thread in self._threads:
            thread.start()

    def submit(self, worker: int, function, argument) -> Future:
        """The result of the task, or its error, to come; run by that thread."""
        future = Future()
        self._tasks[worker].put((future, function, argument))
        return future

    def stop(self) -> None:
        """Ends the threads: tasks at their next check, the rest unstarted.
        Does not wait."""
        self._stopping.set()
        for stopping in self._also:
            stopping()
        for tasks in self._tasks:
            tasks.put(None)

    def join(self, until: float) -> None:
        """Waits for the threads to end, to that time of the monotonic clock."""
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))


def _work(tasks, stopping, info):
    def check():
        if stopping.is_set():
            raise Stopped

    _here.info = info
    while True:
        task = tasks.get()
        if task is None or stopping.is_set():
            return
        future, function, argument = task
        try:
            future.set_result(function(argument, check))
        except Stopped:
            return  # Nobody waits, but a daemon thread as the program ends.
        except BaseException as error:  # Raised where the result is read.
            future.set_exception(error)
        # The next task may be long in coming; the batch is not kept for it.
        del task, future, function, argument


def stop_first() -> None:
    """Has the program's end stop workers before what was registered until now."""
    atexit.unregister(_stop_all)
    atexit.register(_stop_all)


def _stop_all():
    """Threads that run on into the end of the interpreter would touch what is
    gone, so those in an item get some time to finish it."""
    every = list(_all)
    for workers in every:
        workers.stop()
    until = time.monotonic() + _GRACE
    for workers in every:
        workers.join(until)


stop_first()
