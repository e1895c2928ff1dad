# SPDX-License-Identifier: Apache-2.0
"""Datasets: what has a length and items by number."""

import numpy as np

from switchyard import _core


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


class ArrayDataset(Dataset):
    """Rows of arrays of one length: item i is (a[i], b[i], ...)."""

    batched = True

    def __init__(self, *arrays):
        if not arrays:
            raise ValueError("ArrayDataset: at least one array")
        self.arrays = [np.asarray(array) for array in arrays]
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


class Subset(Dataset):
    """Items of another dataset, by number."""

    def __init__(self, dataset, numbers):
        self.dataset, self.numbers = dataset, list(numbers)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, number):
        return self.dataset[self.numbers[number]]


def random_split(dataset, lengths, seed: int | None = None) -> list[Subset]:
    """Subsets of these lengths, of a dataset's items in an order at random.

    ``lengths``: numbers of items, whose sum is the dataset's length; or shares,
    whose sum is 1: what rounding leaves over goes to the first ones, one each.
    ``seed`` is ``sy.seed``'s unless given.
    """
    lengths, count = list(lengths), len(dataset)
    if any(isinstance(each, float) for each in lengths):
        if any(each < 0 for each in lengths) or abs(sum(lengths) - 1) > 1e-6:
            raise ValueError("random_split: the sum of shares must be 1, got "
                             f"{lengths}")
        lengths = [int(count * share) for share in lengths]
        for i in range(count - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if any(each < 0 for each in lengths) or sum(lengths) != count:
        raise ValueError(f"random_split: the sum of lengths must be {count}, got "
                         f"{lengths}")
    seed = _core.rng_state()[0] if seed is None else seed
    order = np.random.default_rng(seed & (2**64 - 1)).permutation(count)
    ends = np.cumsum(lengths)
    return [Subset(dataset, order[end - length:end].tolist())
            for end, length in zip(ends, lengths)]


def collate(items):
    """Items stacked into one batch, of the items' structure, as tensors.

    Python floats become float32, as ``sy.tensor`` has them.
    """
    first = items[0]
    if isinstance(first, (tuple, list)):
        return tuple(collate([item[i] for item in items])
                     for i in range(len(first)))
    if isinstance(first, dict):
        return {key: collate([item[key] for item in items]) for key in first}
    return _core.tensor(np.stack([np.asarray(item) for item in items]),
                        _dtype_of(items))


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
