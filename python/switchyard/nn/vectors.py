# SPDX-License-Identifier: Apache-2.0
"""Functions of vectors and their lengths."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, real
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.lengths import cosine, length, over_length
from switchyard.functions.precision import in_float32
from switchyard.functions.promotion import beside
from switchyard.nn.norm import check_epsilon
from switchyard.spelling import spelled

_ops = _core.ops


@spelled
@in_float32
def normalize(x, p: float = 2.0, axis: int = 1, epsilon: float = 1e-12):
    """x divided by its p-norm along ``axis``, at least ``epsilon``."""
    check_epsilon("normalize", epsilon)
    p = real("normalize", "p", p, FROM_0)
    x = tensor_of(x)
    if not x.shape:
        return _ops.reshape(_over_length_of(_ops.reshape(x, [1]), 0, p, epsilon), [])
    return _over_length_of(x, axis, p, epsilon)


def _over_length_of(x, axis, order, epsilon):
    """x by its norm along ``axis``, that of magnitudes for complex numbers."""
    sizes = _ops.abs(x) if x.dtype.startswith("complex") else x
    return over_length(x, sizes, [axis], order, epsilon)


@spelled
@in_float32
def cosine_similarity(x, y, axis: int = 1, epsilon: float = 1e-08):
    """The cosine of the angle between vectors along ``axis`` of the shape that x
    and y broadcast to; their lengths count as at least ``epsilon``."""
    check_epsilon("cosine_similarity", epsilon)
    x, y = tensor_of(x), tensor_of(y)
    for name, given in (("x", x), ("y", y)):
        if given.dtype.startswith("complex"):
            raise TypeError(f"cosine_similarity: {name} must be of real numbers, got "
                            f"{given.dtype}")
    if not _is_one_shape(x.shape, y.shape):
        x, y = (_ops.add(v, _ops.zeros_like(other)) for v, other in
                ((x, y), (y, x)))
    return cosine(x, y, [axis], epsilon)


@spelled
@in_float32
def pairwise_distance(x, y, p: float = 2.0, epsilon: float = 1e-06,
                      keepdim: bool = False):
    """The p-norm along the last axis of x - y + epsilon, which broadcast."""
    p = real("pairwise_distance", "p", p, FROM_0)
    real("pairwise_distance", "epsilon", epsilon)
    x, y = map(floating, beside(x, y))
    apart = _ops.add(_ops.subtract(x, y), epsilon)
    if apart.dtype.startswith("complex"):
        apart = _ops.abs(apart)
    found = length(apart, [-1], p)
    return found if keepdim else _ops.squeeze(found, [-1])


@in_float32
def pdist(x, p: float = 2.0):
    """The p-norms of the differences of all pairs of rows of x [n, size], (0, 1),
    (0, 2) and so on: [n * (n - 1) / 2]."""
    p, x = real("pdist", "p", p, FROM_0), tensor_of(x)
    if len(x.shape) != 2:
        raise ValueError(f"pdist: x must have 2 axes, got {len(x.shape)}")
    first, second = _core.tensor(np.array(np.triu_indices(x.shape[0], 1)), "int64")
    apart = _ops.subtract(_ops.gather(x, first), _ops.gather(x, second))
    return _ops.squeeze(length(apart, [-1], p), [-1])


def _is_one_shape(first, second):
    """Whether two shapes are known to be the same."""
    return len(first) == len(second) and all(
        a is b or (isinstance(a, int) and isinstance(b, int) and a == b)
        for a, b in zip(first, second))
