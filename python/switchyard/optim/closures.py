# SPDX-License-Identifier: Apache-2.0
"""Functions that compute a loss and its gradients, which optimizers call."""

from __future__ import annotations

from switchyard.autograd import enable_grad
from switchyard.checks import refuse


def check_closure(optimizer, closure):
    """TypeError unless it can be called."""
    if not callable(closure):
        refuse(type(optimizer).__name__, "closure", "a function", closure)


def evaluated(optimizer, closure):
    """The loss that ``closure`` returns; its gradients are recorded."""
    check_closure(optimizer, closure)
    with enable_grad():
        return closure()
