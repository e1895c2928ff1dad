# SPDX-License-Identifier: Apache-2.0
"""Datasets: what has a length and items by number."""

import bisect
import itertools

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, SHARE, listed, real, refuse, whole


class Dataset:
    """Base class: subclasses define ``__len__`` and ``__getitem__``.

    An item is an array, a tensor, a number, or a tuple, list or dict of them.
    ``__getitems__(numbers)``, if there is one, returns the list of several items
    at once, or (``batched``) the batch itself.
    """

    def __len__(self):
        raise NotImplementedError(f"{type(self).__name__}.__len__")

    def __getitem__(self, number):
        raise NotImplementedError(f"{type(self).__name__}.__getitem__")

    def __add__(self, other):
        return ConcatDataset([self, other])


class ArrayDataset(Dataset):
    """Rows of arrays of one length: item i is (a[i], b[i], ...)."""

    batched = True

    def __init__(self, *arrays):
        if not arrays:
            raise ValueError("ArrayDataset: arrays must be one or more, got none")
        self.arrays = [np.asarray(array) for array in arrays]
        for array in self.arrays:
            if not array.ndim:
                refuse("ArrayDataset", "arrays", "arrays with rows", array)
        lengths = {len(array) for array in self.arrays}
        if len(lengths) != 1:
            raise ValueError("ArrayDataset: arrays must have one length, got "
                             f"{[len(array) for array in self.arrays]}")

    def __len__(self):
        return len(self.arrays[0])

    def __getitem__(self, number):
        return tuple(array[number] for array in self.arrays)

    def __getitems__(self, numbers):
        return tuple(array[numbers] for array in self.arrays)


class IterableDataset:
    """Base class of data that comes in a row: subclasses define ``__iter__``.

    Each worker of a DataLoader iterates by itself: what it is to leave to the
    others, ``sy.io.worker_info()`` tells.

        def __iter__(self):
            info = sy.io.worker_info() or (0, 1)
            return itertools.islice(self.lines(), info[0], None, info[1])
    """

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__}.__iter__")

    def __add__(self, other):
        return ChainDataset([self, other])


class ChainDataset(IterableDataset):
    """The items of several datasets that come in a row, one after another."""

    def __init__(self, datasets):
        self.datasets = listed("ChainDataset", "datasets", datasets)
        for dataset in self.datasets:
            if not hasattr(dataset, "__iter__"):
                refuse("ChainDataset", "datasets", "iterable", dataset)

    def __iter__(self):
        return itertools.chain.from_iterable(self.datasets)


_MOST = 2**31  # Items that are listed.


def check_dataset(name, dataset):
    """TypeError unless the dataset has items by number."""
    if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
        refuse(name, "dataset", "one with a length and items", dataset)


class Subset(Dataset):
    """Items of another dataset, by number."""

    def __init__(self, dataset, numbers):
        check_dataset("Subset", dataset)
        self.dataset = dataset
        self.numbers = listed("Subset", "numbers", numbers, _MOST)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, number):
        return self.dataset[self.numbers[number]]


class ConcatDataset(Dataset):
    """The items of several datasets, one dataset after another. Negative numbers
    count from the end."""

    def __init__(self, datasets):
        self.datasets = listed("ConcatDataset", "datasets", datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset: datasets must be one or more, got none")
        for dataset in self.datasets:
            check_dataset("ConcatDataset", dataset)
        self.cumulative_sizes = np.cumsum(
            [len(dataset) for dataset in self.datasets]).tolist()

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, number):
        count = len(self)
        if not -count <= number < count:
            raise IndexError(f"ConcatDataset: number must be in [{-count}, {count}), "
                             f"got {number}")
        number %= count
        which = bisect.bisect_right(self.cumulative_sizes, number)
        before = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][number - before]


class StackDataset(Dataset):
    """Items of several datasets of one length beside each other: a tuple of theirs,
    or, where they are given by name, a dict."""

    def __init__(self, *datasets, **named):
        if bool(datasets) == bool(named):
            raise ValueError("StackDataset: datasets must be given by position or by "
                             "name, and one or more")
        self.datasets = named or datasets
        each = list(named.values() if named else datasets)
        for dataset in each:
            check_dataset("StackDataset", dataset)
        self._length = len(each[0])
        if any(len(dataset) != self._length for dataset in each):
            raise ValueError("StackDataset: datasets must have one length, got "
                             f"{[len(dataset) for dataset in each]}")

    def __len__(self):
        return self._length

    def __getitem__(self, number):
        if isinstance(self.datasets, dict):
            return {name: dataset[number] for name, dataset in self.datasets.items()}
        return tuple(dataset[number] for dataset in self.datasets)


def random_split(dataset, lengths, seed: int | None = None) -> list[Subset]:
    """Subsets of these lengths, of a dataset's items in an order at random.

    ``lengths``: numbers of items, whose sum is the dataset's length; or shares,
    whose sum is 1: what rounding leaves over goes to the first ones, one each.
    ``seed`` is ``sy.seed``'s unless given.
    """
    check_dataset("random_split", dataset)
    lengths, count = listed("random_split", "lengths", lengths), len(dataset)
    if any(isinstance(each, float) for each in lengths):
        lengths = [real("random_split", "shares among lengths", each, SHARE)
                   for each in lengths]
        if abs(sum(lengths) - 1) > 1e-6:
            raise ValueError("random_split: the sum of shares must be 1, got "
                             f"{lengths}")
        lengths = [int(count * share) for share in lengths]
        for i in range(count - sum(lengths)):
            lengths[i % len(lengths)] += 1
    lengths = [whole("random_split", "lengths", each, FROM_0) for each in lengths]
    if sum(lengths) != count:
        raise ValueError(f"random_split: the sum of lengths must be {count}, got "
                         f"{lengths}")
    seed = _core.rng_state()[0] if seed is None else (
        whole("random_split", "seed", seed))
    order = np.random.default_rng(seed & (2**64 - 1)).permutation(count)
    ends = np.cumsum(lengths)
    return [Subset(dataset, order[end - length:end].tolist())
            for end, length in zip(ends, lengths)]


def collate(items):
    """Items stacked into one batch, of the items' structure, as tensors.

    Python floats become float32, as ``sy.tensor`` has them. ValueError unless all
    items have one structure: tuples and lists of one length, dicts of the same
    keys, arrays of one shape.
    """
    items = listed("collate", "items", items, _MOST)
    if not items:
        raise ValueError("collate: items must be one or more, got none")
    first = items[0]
    if isinstance(first, (tuple, list)):
        _check_alike(items, len, (tuple, list), "tuples of one length")
        return tuple(collate([item[i] for item in items])
                     for i in range(len(first)))
    if isinstance(first, dict):
        _check_alike(items, set, dict, "dicts of the same keys")
        return {key: collate([item[key] for item in items]) for key in first}
    arrays = [np.asarray(item) for item in items]
    _check_alike(arrays, np.shape, np.ndarray, "arrays of one shape")
    return _core.tensor(np.stack(arrays), _dtype_of(items))


def _check_alike(items, fact, kind, wanted):
    """ValueError unless all items are of a kind, with one fact."""
    expected = fact(items[0])
    for item in items:
        if not isinstance(item, kind):
            raise ValueError(f"collate: items must be {wanted}, got one that is "
                             f"{type(item).__name__}")
        if fact(item) != expected:
            raise ValueError(f"collate: items must be {wanted}, got {expected} "
                             f"and {fact(item)}")


def _dtype_of(items):
    """The dtype of a batch where it is not the one that NumPy gives."""
    if any(type(item) is float for item in items):
        return "float32"
    brain = all(isinstance(item, _core.Tensor) and item.dtype == "bfloat16"
                for item in items)
    return "bfloat16" if brain else None


def as_tensors(batch):
    """A batch of arrays, of any structure, as tensors."""
    if isinstance(batch, (tuple, list)):
        return tuple(as_tensors(part) for part in batch)
    if isinstance(batch, dict):
        return {key: as_tensors(part) for key, part in batch.items()}
    return batch if isinstance(batch, _core.Tensor) else _core.tensor(batch)
