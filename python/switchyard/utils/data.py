# SPDX-License-Identifier: Apache-2.0
"""The names of ``torch.utils.data`` for what ``sy.io`` has."""

from switchyard.io import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset,
                           DistributedSampler, IterableDataset, RandomSampler, Sampler, SequentialSampler, StackDataset, Subset,
                           SubsetRandomSampler, WeightedRandomSampler,
                           random_split)
from switchyard.io import ArrayDataset as TensorDataset
from switchyard.io import collate as default_collate
from switchyard.io.dataset import as_tensors as default_convert

__all__ = ["BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset",
           "DistributedSampler", "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset",
           "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
           "default_collate", "default_convert", "get_worker_info", "random_split"]


def get_worker_info():
    """``sy.io.worker_info()``: with ``id`` and ``num_workers``, or None."""
    from switchyard.io.workers import worker_info  # Threads are slow to import.
    return worker_info()


def __dir__():
    return __all__
