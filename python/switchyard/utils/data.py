# SPDX-License-Identifier: Apache-2.0
"""The names of ``torch.utils.data`` for what ``sy.io`` has."""

from switchyard.io import (BatchSampler, ConcatDataset, DataLoader, Dataset,
                           IterableDataset, RandomSampler, Sampler, SequentialSampler, Subset,
                           SubsetRandomSampler, WeightedRandomSampler,
                           random_split)
from switchyard.io import ArrayDataset as TensorDataset
from switchyard.io import collate as default_collate

__all__ = ["BatchSampler", "ConcatDataset", "DataLoader", "Dataset",
           "IterableDataset", "RandomSampler", "Sampler", "SequentialSampler", "Subset",
           "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
           "default_collate", "random_split"]


def __dir__():
    return __all__
