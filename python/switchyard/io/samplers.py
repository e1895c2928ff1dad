# SPDX-License-Identifier: Apache-2.0
"""Samplers: which items of a dataset come in an epoch, and in which order.

Any iterable of numbers will do. A DataLoader calls ``set_epoch(n)`` before epoch
n, where there is such a method: then orders differ, and a run can be resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, checked, listed, refuse, whole
from switchyard.io.dataset import check_dataset


class Sampler:
    """Base class: subclasses define ``__iter__`` and, best, ``__len__``."""

    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """The number of the epoch that the next iteration is."""
        self.epoch = whole(type(self).__name__, "epoch", epoch, FROM_0)

    def __iter__(self) -> Iterator[int]:
        raise NotImplementedError(f"{type(self).__name__}.__iter__")

    def generator(self, seed: int) -> np.random.Generator:
        """NumPy's generator, by the seed and the epoch's number alone."""
        # Seeds of NumPy's generator are not negative.
        return np.random.default_rng([seed & (2**64 - 1), self.epoch])


def _seed_or_ours(seed):
    return _core.rng_state()[0] if seed is None else seed


class SequentialSampler(Sampler):
    """The numbers from 0 up to the dataset's length."""

    def __init__(self, dataset):
        check_dataset("SequentialSampler", dataset)
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __iter__(self):
        return iter(range(len(self.dataset)))


class RandomSampler(Sampler):
    """The numbers of a dataset in an order at random, another each epoch.

    ``num_samples``: how many; by default all. With ``replacement`` each is drawn
    from all. ``seed`` is ``sy.seed``'s unless given.
    """

    @checked(num_samples=FROM_0)
    def __init__(self, dataset, replacement: bool = False,
                 num_samples: int | None = None, seed: int | None = None):
        check_dataset("RandomSampler", dataset)
        self.dataset, self.replacement = dataset, replacement
        self.num_samples, self.seed = num_samples, _seed_or_ours(seed)
        if num_samples is not None and not replacement and (
                num_samples > len(dataset)):
            raise ValueError("RandomSampler: num_samples must be in [0, "
                             f"{len(dataset)}], got {num_samples}")

    def __len__(self):
        return len(self.dataset) if self.num_samples is None else (
            self.num_samples)

    def __iter__(self):
        random, count = self.generator(self.seed), len(self.dataset)
        numbers = (random.integers(0, count, len(self)) if self.replacement
                   else random.permutation(count)[:len(self)])
        return iter(numbers.tolist())


class SubsetRandomSampler(Sampler):
    """These numbers in an order at random, another each epoch."""

    @checked()
    def __init__(self, numbers: Sequence[int], seed: int | None = None):
        self.numbers = listed("SubsetRandomSampler", "numbers", numbers, 2**31)
        self.seed = _seed_or_ours(seed)

    def __len__(self):
        return len(self.numbers)

    def __iter__(self):
        order = self.generator(self.seed).permutation(len(self.numbers))
        return iter([self.numbers[i] for i in order])


def _numbers(weights):
    try:
        return np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise TypeError("WeightedRandomSampler: weights must be a list of "
                        f"numbers, got {type(weights).__name__}") from None


class WeightedRandomSampler(Sampler):
    """``num_samples`` numbers, drawn in the proportion of ``weights``.

    Of classes of different sizes: weights[i] = 1 / the size of item i's class.
    """

    @checked(num_samples=FROM_0)
    def __init__(self, weights, num_samples: int, replacement: bool = True,
                 seed: int | None = None):
        self.weights = _numbers(weights)
        if self.weights.ndim != 1 or not np.all(self.weights >= 0.0) or (
                not 0.0 < self.weights.sum() < np.inf):
            raise ValueError("WeightedRandomSampler: weights must be a list of "
                             "numbers from 0, one above it")
        most = np.count_nonzero(self.weights)
        if not replacement and num_samples > most:
            raise ValueError("WeightedRandomSampler: num_samples must be in [0, "
                             f"{most}], got {num_samples}")
        self.num_samples, self.replacement = num_samples, replacement
        self.seed = _seed_or_ours(seed)

    def __len__(self):
        return self.num_samples

    def __iter__(self):
        numbers = self.generator(self.seed).choice(
            len(self.weights), self.num_samples, self.replacement,
            self.weights / self.weights.sum())
        return iter(numbers.tolist())


class DistributedSampler(Sampler):
    """This rank's share of the numbers of a dataset: each ``num_replicas``-th of an
    order at random, another each epoch, or of theirs unless ``shuffle``.

    All ranks have as many: the first numbers come again for those that are missing,
    or, with ``drop_last``, the last are left out. ``num_replicas`` and ``rank`` are
    those of ``sy.distributed`` unless given. All ranks need the same ``seed``.

    A loop of ``DataParallel.backward`` needs none: all ranks pass the same batch.
    """

    @checked(num_replicas=FROM_1, rank=FROM_0, seed=FROM_0)
    def __init__(self, dataset, num_replicas: int | None = None,
                 rank: int | None = None, shuffle: bool = True, seed: int = 0,
                 drop_last: bool = False):
        check_dataset("DistributedSampler", dataset)
        if num_replicas is None or rank is None:
            from switchyard import distributed  # It loads a library of its own.
            count, own = distributed.world_size(), distributed.rank()
            num_replicas = count if num_replicas is None else num_replicas
            rank = own if rank is None else rank
        if rank >= num_replicas:
            raise ValueError(f"DistributedSampler: rank must be in [0, {num_replicas})"
                             f", got {rank}")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last

    def __len__(self):
        count = len(self.dataset)
        return (count if self.drop_last else count + self.num_replicas - 1) // (
            self.num_replicas)

    def __iter__(self):
        count, wanted = len(self.dataset), len(self) * self.num_replicas
        order = self.generator(self.seed).permutation(count) if self.shuffle else (
            np.arange(count))
        return iter(np.resize(order, wanted)[self.rank::self.num_replicas].tolist())


def check_numbers(name, argument, sampler):
    """TypeError unless a sampler can be iterated over."""
    if not hasattr(sampler, "__iter__") and not hasattr(sampler, "__getitem__"):
        refuse(name, argument, "an iterable of numbers", sampler)


class BatchSampler(Sampler):
    """Lists of ``batch_size`` successive numbers of another sampler."""

    @checked(batch_size=FROM_1)
    def __init__(self, sampler, batch_size: int, drop_last: bool = False):
        check_numbers("BatchSampler", "sampler", sampler)
        self.sampler, self.batch_size = sampler, batch_size
        self.drop_last = drop_last

    def set_epoch(self, epoch):
        super().set_epoch(epoch)
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)

    def __iter__(self):
        batch = []
        for number in self.sampler:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch
