# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches of a dataset, in a seeded order, fetched by threads."""

from __future__ import annotations

import collections
from collections.abc import Callable

import numpy as np

from switchyard import _core
from switchyard.io.dataset import as_tensors, collate
from switchyard.io.progress import ProgressBar


class DataLoader:
    """Iterates over batches of ``dataset``; each pass is an epoch.

        for images, labels in sy.io.DataLoader(dataset, 32, shuffle=True):
            ...

    ``shuffle``: a new order each epoch, told by ``seed`` and the epoch's number
    alone (``seed`` is ``sy.seed``'s unless given), so that runs repeat.
    ``drop_last``: leave out a last batch that is not full.
    ``num_workers``: threads that fetch items ahead; batches come in the same
    order with any number. ``prefetch``: batches ahead, for each of them.
    ``collate``: makes a batch of a list of items; by default stacks tensors.
    ``progress``: a bar with this text (True: none) on standard error;
    ``report`` puts figures beside it.

    An error in the dataset is raised where its batch is asked for. Workers stop
    between two items when the loop over the loader or the program ends; the
    program's end waits at most 5 s for the items that they are fetching.
    """

    def __init__(self, dataset, batch_size: int = 1, shuffle: bool = False,
                 drop_last: bool = False, num_workers: int = 0,
                 seed: int | None = None, collate: Callable | None = None,
                 progress: str | bool | None = None, prefetch: int = 2):
        for name, value, least in (("batch_size", batch_size, 1),
                                   ("num_workers", num_workers, 0),
                                   ("prefetch", prefetch, 1)):
            if value < least:
                raise ValueError(f"DataLoader: {name} must be at least {least},"
                                 f" got {value}")
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.num_workers, self.prefetch = num_workers, prefetch
        self.seed = _core.rng_state()[0] if seed is None else seed
        self.collate = collate
        self.progress = progress
        self.epoch = 0
        self._bar = None

    def __len__(self):
        """Batches in an epoch."""
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self):
        numbers = self._order()
        self.epoch += 1
        batches = [numbers[i * self.batch_size:(i + 1) * self.batch_size]
                   for i in range(len(self))]
        fetched = (self._with_workers(batches) if self.num_workers
                   else map(self._fetch, batches))
        if self.progress is None or self.progress is False:
            return iter(fetched)
        text = "" if self.progress is True else str(self.progress)
        self._bar = ProgressBar(fetched, text, len(batches))
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
        self.seed = int(np.asarray(state["seed"])[0])
        self.epoch = int(np.asarray(state["epoch"])[0])

    def _beside(self, bar, fetched):
        try:
            yield from bar
        finally:  # The bar stays for reports; the workers must not.
            if self.num_workers:
                fetched.close()

    def _order(self):
        count = len(self.dataset)
        if not self.shuffle:
            return np.arange(count)
        # Seeds of NumPy's generator are not negative.
        entropy = [self.seed & (2**64 - 1), self.epoch]
        return np.random.default_rng(entropy).permutation(count)

    def _fetch(self, numbers, check=lambda: None):
        several = getattr(self.dataset, "__getitems__", None)
        if several is None:
            items = []
            for number in numbers:
                check()
                items.append(self.dataset[int(number)])
        else:
            items = several(numbers)
            if getattr(self.dataset, "batched", False) and not self.collate:
                return as_tensors(items)
        return (self.collate or collate)(items)

    def _with_workers(self, batches):
        from switchyard.io.workers import Workers
        workers = Workers(self.num_workers)
        waiting, ahead = collections.deque(), self.num_workers * self.prefetch
        rest = iter(batches)
        try:
            for numbers in rest:
                waiting.append(workers.submit(self._fetch, numbers))
                if len(waiting) > ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # Also when the loop over us ends early.
            workers.stop()
