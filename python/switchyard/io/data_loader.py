# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches of a dataset, in a seeded order, fetched by workers."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
import contextlib
import itertools

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, checked, numbers_of
from switchyard.io.dataset import IterableDataset, check_dataset
from switchyard.io.fetching import END, Items, Row
from switchyard.io.progress import ProgressBar
from switchyard.io.samplers import (BatchSampler, RandomSampler,
                                    SequentialSampler, check_numbers)


class DataLoader:
    """Iterates over batches of ``dataset``; each pass is an epoch.

        for images, labels in sy.io.DataLoader(dataset, 32, shuffle=True):
            ...

    ``shuffle``: a new order each epoch, told by ``seed`` and the epoch's number
    alone (``seed`` is ``sy.seed``'s unless given), so that runs repeat.
    ``sampler``: numbers of items in the order that they come in instead;
    ``batch_sampler``: lists of numbers, a batch each.
    ``drop_last``: leave out a last batch that is not full.
    ``num_workers``: threads that fetch items ahead; batches come in the same
    order with any number. ``processes``: each has a process of its own, for
    datasets that compute in Python; the arrays of batches come in shared memory.
    It is forked, or begins as the text says, "spawn" or "forkserver". Its
    generators of random numbers (Python's, NumPy's, ours) begin with ``seed``, the
    epoch and the worker's number.
    ``prefetch``: batches ahead, for each worker.
    ``collate``: makes a batch of a list of items; by default stacks tensors.
    ``progress``: a bar with this text (True: none) on standard error;
    ``report`` puts figures beside it.

    An IterableDataset is iterated over by each worker; their batches take turns.

    An error in the dataset is raised where its batch is asked for, with a note
    of the item and the worker. Threads stop between two items when the loop over
    the loader or the program ends, whose end waits at most 5 s for the items that
    they are fetching; processes at once.
    """

    @checked(batch_size=FROM_1, num_workers=FROM_0, prefetch=FROM_1)
    def __init__(self, dataset, batch_size: int = 1, shuffle: bool = False,
                 drop_last: bool = False, num_workers: int = 0,
                 seed: int | None = None, collate: Callable | None = None,
                 progress: str | bool | None = None, prefetch: int = 2,
                 sampler: Iterable | None = None,
                 batch_sampler: Iterable | None = None,
                 processes: bool | str = False):
        if not isinstance(dataset, IterableDataset):
            check_dataset("DataLoader", dataset)
        for name, given in (("sampler", sampler), ("batch_sampler", batch_sampler)):
            if given is not None:
                check_numbers("DataLoader", name, given)
        if processes not in (False, True, "fork", "spawn", "forkserver"):
            raise ValueError("DataLoader: processes must be a bool, 'fork', "
                             f"'spawn' or 'forkserver', got {processes!r}")
        ways = [name for name, given in (
            ("shuffle", shuffle), ("sampler", sampler is not None),
            ("batch_sampler", batch_sampler is not None)) if given]
        if len(ways) > 1 or ways and isinstance(dataset, IterableDataset):
            why = ("an IterableDataset has its own order"
                   if isinstance(dataset, IterableDataset) else "one excludes "
                   "the other")
            raise ValueError(f"DataLoader: {' and '.join(ways)} can't be given: "
                             f"{why}")
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.num_workers, self.prefetch = num_workers, prefetch
        self.processes = "fork" if processes is True else processes
        self.seed = _core.rng_state()[0] if seed is None else seed
        self.collate = collate
        self.progress = progress
        self.epoch = 0
        self._bar = None

    def __len__(self):
        """Batches in an epoch."""
        if isinstance(self.dataset, IterableDataset):
            raise TypeError("DataLoader: an IterableDataset has no len()")
        return len(self._batches())

    def __iter__(self):
        batches, length = None, None
        if not isinstance(self.dataset, IterableDataset):
            batches = self._batches()
            with contextlib.suppress(TypeError):  # A sampler without length.
                length = len(batches)
            if hasattr(batches, "set_epoch"):
                batches.set_epoch(self.epoch)
        fetched = (self._with_workers(batches) if self.num_workers
                   else self._here(batches))
        self.epoch += 1
        if self.progress is None or self.progress is False:
            return fetched
        text = "" if self.progress is True else str(self.progress)
        self._bar = ProgressBar(fetched, text, length)
        return self._beside(self._bar, fetched)

    def report(self, **figures):
        """Shows figures beside the bar: report(loss=0.1, accuracy=0.9)."""
        if self._bar is not None:
            self._bar.report(**figures)

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor}: the seed and the next epoch's number."""
        return {"seed": _core.tensor(np.array([self.seed]), "int64"),
                "epoch": _core.tensor(np.array([self.epoch]), "int64")}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned."""
        seed, epoch = numbers_of(state, seed=1, epoch=1)
        self.seed, self.epoch = int(seed[0]), int(epoch[0])

    def _beside(self, bar, fetched):
        try:
            yield from bar
        finally:  # The bar stays for reports; the workers must not.
            fetched.close()

    def _batches(self):
        """Returns the numbers of the items of each batch, an iterable of lists."""
        if self.batch_sampler is not None:
            return self.batch_sampler
        order = self.sampler
        if order is None:
            order = (RandomSampler(self.dataset, seed=self.seed)
                     if self.shuffle else SequentialSampler(self.dataset))
        return BatchSampler(order, self.batch_size, self.drop_last)

    def _fetcher(self):
        """Returns a function that fetches batches, those of one worker."""
        if isinstance(self.dataset, IterableDataset):
            return Row(self.dataset, self.batch_size, self.drop_last,
                       self.collate)
        return Items(self.dataset, self.collate)

    def _here(self, batches):
        fetcher = self._fetcher()
        for numbers in itertools.repeat(None) if batches is None else batches:
            batch = fetcher(numbers)
            if isinstance(batch, END):
                return
            yield batch

    def _with_workers(self, batches):
        from switchyard.io.workers import WorkerInfo, Workers
        count, processes = self.num_workers, []
        if self.processes:
            from switchyard.io.processes import Process
        try:
            fetch = []
            for i in range(count):
                if self.processes:
                    processes.append(Process(
                        self._fetcher(), WorkerInfo(i, count),
                        [self.seed, self.epoch], self.processes))
                    fetch.append(processes[-1].fetch)
                else:
                    fetch.append(self._fetcher())
            workers = Workers(count, [process.stop for process in processes])
        except BaseException:
            for process in processes:
                process.stop()
            raise
        try:
            yield from _in_turn(workers, fetch, self.prefetch, batches)
        finally:  # Also when the loop over us ends early.
            workers.stop()


def _in_turn(workers, fetch, prefetch, batches):
    """The batches in order; worker i fetches each ``len(fetch)``-th from the
    i-th, or where ``batches`` is None what it has."""
    waiting, turn = collections.deque(), 0
    if batches is not None:
        for numbers in batches:
            waiting.append(workers.submit(turn, fetch[turn], list(numbers)))
            turn = (turn + 1) % len(fetch)
            if len(waiting) > prefetch * len(fetch):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        return
    for turn in [*range(len(fetch))] * prefetch:
        waiting.append((turn, workers.submit(turn, fetch[turn], None)))
    while waiting:
        turn, future = waiting.popleft()
        batch = future.result()
        del future
        if not isinstance(batch, END):
            waiting.append((turn, workers.submit(turn, fetch[turn], None)))
            yield batch
