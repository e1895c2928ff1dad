# SPDX-License-Identifier: Apache-2.0
"""The work of a DataLoader: fetching the items of a batch, stacking them."""

from __future__ import annotations

import itertools
import os
import sys

import numpy as np

from switchyard.io.dataset import as_tensors, collate


class END:
    """Comes in place of a batch when a row has ended."""


def _go_on():
    """The check of a worker that nobody stops."""


def _noted(error, what):
    """The error with a note of the items, and of the worker."""
    workers = sys.modules.get("switchyard.io.workers")
    info = workers.worker_info() if workers else None
    by = "" if info is None else (
        f", worker {info.number} of {info.count} (process {os.getpid()})")
    error.add_note(f"DataLoader: {what}{by}")
    return error


class Items:
    """Fetches the items of these numbers."""

    def __init__(self, dataset, collate_items):
        self.dataset, self.collate = dataset, collate_items

    def __call__(self, numbers, check=_go_on):
        several = getattr(self.dataset, "__getitems__", None)
        batched = several is not None and getattr(self.dataset, "batched", False)
        if batched and self.collate:
            several = None  # It takes a list of items.
        items = self._all(several, numbers) if several is not None else (
            self._each(numbers, check))
        try:
            if batched and not self.collate:
                return as_tensors(items)
            return (self.collate or collate)(items)
        except Exception as error:
            raise _noted(error, f"a batch of items {list(numbers)}")

    def _all(self, several, numbers):
        try:
            return several(np.asarray(numbers, np.int64))
        except Exception as error:
            raise _noted(error, f"items {list(numbers)}")

    def _each(self, numbers, check):
        items = []
        for number in numbers:
            check()
            try:
                items.append(self.dataset[int(number)])
            except Exception as error:
                raise _noted(error, f"item {number}")
        return items


class Row:
    """Fetches the next items of an IterableDataset, in one worker."""

    def __init__(self, dataset, batch_size, drop_last, collate_items):
        self.dataset, self.batch_size = dataset, batch_size
        self.drop_last, self.collate = drop_last, collate_items
        self._items, self._count = None, 0

    def __call__(self, _, check=_go_on):
        items = []
        try:
            if self._items is None:
                self._items = iter(self.dataset)
            for item in itertools.islice(self._items, self.batch_size):
                items.append(item)
                check()
            first, self._count = self._count, self._count + len(items)
            if not items or len(items) < self.batch_size and self.drop_last:
                self._items = iter(())
                return END()
        except Exception as error:
            self._items = iter(())
            raise _noted(error, f"item {self._count + len(items)} of the row")
        try:
            return (self.collate or collate)(items)
        except Exception as error:
            raise _noted(error, f"a batch of the row's items from {first}")
