# SPDX-License-Identifier: Apache-2.0
"""Normalisation by the channels around."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_1, NUMBER, real, whole
from switchyard.functions.arguments import floating
from switchyard.functions.precision import in_float32

_ops = _core.ops


@in_float32
def local_response_norm(x, size: int, alpha: float = 1e-4, beta: float = 0.75,
                        k: float = 1.0):
    """x [n, channels, ...] divided by (k + alpha * the mean of squares of ``size``
    channels around) ** beta."""
    x, size = floating(x), whole("local_response_norm", "size", size, FROM_1)
    for name, value in (("alpha", alpha), ("beta", beta), ("k", k)):
        real("local_response_norm", name, value, NUMBER)
    if len(x.shape) < 3:
        raise ValueError("local_response_norm: x must have 3 axes or more, got "
                         f"{len(x.shape)}")
    before, channels = size // 2, x.shape[1]
    wide = _ops.pad(_ops.square(x), [0, 0, before, (size - 1) // 2] + [0, 0] * (
        len(x.shape) - 2), 0.0)
    sums = None
    for i in range(size):
        part = _ops.slice(wide, [1], [i], [i + channels])
        sums = part if sums is None else _ops.add(sums, part)
    return _ops.divide(x, _ops.pow(_ops.scale(sums, alpha / size, k), beta))
