# SPDX-License-Identifier: Apache-2.0
"""Switchyard: operators described once, run eagerly or as a static graph.

    import switchyard as sy

    x = sy.tensor([[1.0, 2.0]], requires_grad=True)
    y = sy.ops.softmax(x)
    sy.ops.sum(y).backward()

``sy.ops`` has one function for each operator; ``sy.nn`` layers, ``sy.optim``
optimizers, ``sy.static`` traced programs.
"""

from switchyard import _core
from switchyard._core import (Tensor, grad, is_grad_enabled, no_grad, policy,
                              receipts, record_selections, rng_state, seed,
                              set_num_threads, set_rng_state, tensor)
from switchyard import ops
from switchyard import legacy, nn, optim, static

__all__ = [
    "Tensor", "grad", "is_grad_enabled", "legacy", "nn", "no_grad", "ops",
    "optim", "policy", "receipts", "record_selections", "rng_state", "seed",
    "set_num_threads", "set_rng_state", "static", "tensor",
]
