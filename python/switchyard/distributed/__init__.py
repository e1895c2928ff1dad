# SPDX-License-Identifier: Apache-2.0
"""Several processes that compute together: ``./sy launch -n 4 train.py``.

    sy.distributed.init()
    model = sy.distributed.DataParallel(model, shards=8)
    loss = model.backward(lambda x, y: criterion(model(x), y), x, y)

A result has the same bits for any number of processes: docs/python/distributed.md.
"""

from switchyard._collective import DistributedError
from switchyard.distributed.calls import (Work, all_gather, all_reduce, barrier,
                                          broadcast, reduce_scatter)
from switchyard.distributed.checkpoints import Checkpoints
from switchyard.distributed.data_parallel import DataParallel
from switchyard.distributed.estimates import Estimate, estimate
from switchyard.distributed.groups import (destroy, init, is_initialized, rank,
                                           world_size)
from switchyard.distributed.sharded_optimizer import ShardedOptimizer
from switchyard.distributed.tracing import Trace, trace

__all__ = [
    "Checkpoints", "DataParallel", "DistributedError", "Estimate", "ShardedOptimizer", "Trace", "Work", "all_gather",
    "all_reduce", "barrier", "broadcast", "destroy", "estimate", "init", "is_initialized", "rank", "reduce_scatter",
    "trace", "world_size",
]


def __dir__():
    return __all__
