# SPDX-License-Identifier: Apache-2.0
"""Data: datasets, samplers, batches fetched by threads or processes, a bar."""

from switchyard.io.data_loader import DataLoader
from switchyard.io.dataset import (ArrayDataset, ChainDataset, ConcatDataset, Dataset,
                                   IterableDataset, StackDataset, Subset, collate,
                                   random_split)
from switchyard.io.progress import ProgressBar
from switchyard.io.samplers import (BatchSampler, DistributedSampler,
                                    RandomSampler, Sampler,
                                    SequentialSampler, SubsetRandomSampler,
                                    WeightedRandomSampler)
from switchyard.spelling import install as _install

TYPE_CHECKING = False  # As type checkers know it; typing is slow to import.
if TYPE_CHECKING:
    from switchyard.io.workers import WorkerInfo, worker_info
else:
    def __getattr__(name):
        # Imported at its first use: threads and queues cost some milliseconds.
        if name in ("WorkerInfo", "worker_info"):
            from switchyard.io import workers
            return globals().setdefault(name, getattr(workers, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

__all__ = ["ArrayDataset", "BatchSampler", "ChainDataset", "ConcatDataset",
           "DataLoader",
           "Dataset", "DistributedSampler", "IterableDataset", "ProgressBar", "RandomSampler", "Sampler",
           "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler",
           "WeightedRandomSampler", "WorkerInfo", "collate", "random_split",
           "worker_info"]

_install(globals(), __all__)


def __dir__():
    return __all__
