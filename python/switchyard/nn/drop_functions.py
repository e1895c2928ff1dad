# SPDX-License-Identifier: Apache-2.0
"""Functions that drop elements or channels at random, for nn/functional.py."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import SHARE, flag, real
from switchyard.functions.arguments import tensor_of
from switchyard.spelling import spelled

_ops = _core.ops


def _share(name, p):
    return p if isinstance(p, float) and 0.0 <= p <= 1.0 else real(
        name, "p", p, SHARE)


@spelled
def dropout(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """x with elements zeroed with probability p, the rest scaled to match; written
    into x's own memory where ``inplace``."""
    p = _share("dropout", p)
    if not training or p == 0.0:
        return x
    if inplace:
        return _ops.multiply_(x, _ops.dropout(_ops.ones_like(x), p=p))
    if str(getattr(x, "dtype", "")).startswith("complex"):
        return _scaled(x, p, [], False)
    return _ops.dropout(x, p=p)


def _channels(name, x, p, training, inplace, axes):
    """Dropout of whole channels, which are followed by ``axes`` axes."""
    p, x = _share(name, p), tensor_of(x)
    if not training or p == 0.0:
        return x
    rank = len(x.shape)
    if rank < axes + 1:
        raise ValueError(f"{name}: x must have {axes + 1} axes or more, got {rank}")
    first = 1 if rank == axes + 1 else 2
    return _scaled(x, p, list(range(first, rank)), inplace)


def _scaled(x, p, axes, inplace):
    once = _ops.slice(x, axes, [0] * len(axes), [1] * len(axes)) if axes else x
    multiply = _ops.multiply_ if inplace else _ops.multiply
    if not x.dtype.startswith("complex"):
        return multiply(x, _ops.dropout(_ops.ones_like(once), p=p))
    ones = _ops.ones_like(_ops.real(once))
    return multiply(x, _ops.cast(_ops.dropout(ones, p=p), x.dtype))


@spelled
def dropout1d(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Dropout of whole channels of x [n, channels, length], or without n."""
    return _channels("dropout1d", x, p, training, inplace, 1)


@spelled
def dropout2d(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Dropout of whole channels of x [n, channels, ...]."""
    p, x = _share("dropout2d", p), tensor_of(x)
    if not training or p == 0.0:
        return x
    return _scaled(x, p, list(range(2, len(x.shape))), inplace)


@spelled
def dropout3d(x, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Dropout of whole channels of x [n, channels, d, h, w], or without n."""
    return _channels("dropout3d", x, p, training, inplace, 3)


# -lambda * alpha of SELU: what a dropped element of its results is.
_LOW = -1.7580993408473766


def _alpha(x, mask, p, inplace):
    """x where the mask is 1, else SELU's limit, scaled so that mean 0 and variance
    1 stay."""
    if p == 1.0:
        nothing = _ops.multiply_ if inplace else _ops.multiply
        return nothing(x, _ops.zeros_like(x))
    scale = 1.0 / math.sqrt((1.0 + p * _LOW**2) * (1.0 - p))
    # mask * scale * x + ((mask - 1) * -_LOW + p * -_LOW) * scale
    shift = _ops.scale(mask, -_LOW * scale, (_LOW - p * _LOW) * scale)
    multiply = _ops.multiply_ if inplace else _ops.multiply
    add = _ops.add_ if inplace else _ops.add
    return add(multiply(x, _ops.scale(mask, scale)), shift)


def _mask(x, p, axes):
    like = _ops.slice(x, axes, [0] * len(axes), [1] * len(axes)) if axes else x
    drawn = _ops.uniform(list(like.shape), 0.0, 1.0, "float32")
    return _ops.cast(_ops.greater_equal(drawn, p), x.dtype)


@spelled
def alpha_dropout(x, p: float = 0.5, training: bool = False, inplace: bool = False):
    """Dropout that keeps mean 0 and variance 1, for networks of SELU: elements
    become its limit with probability p (Klambauer and others, 2017)."""
    p, x = _share("alpha_dropout", p), tensor_of(x)
    flag("alpha_dropout", "training", training)
    return _alpha(x, _mask(x, p, []), p, inplace) if training and p > 0.0 else x


@spelled
def feature_alpha_dropout(x, p: float = 0.5, training: bool = False,
                          inplace: bool = False):
    """``alpha_dropout`` of whole channels of x [n, channels, ...]."""
    p, x = _share("feature_alpha_dropout", p), tensor_of(x)
    flag("feature_alpha_dropout", "training", training)
    if not training or p == 0.0:
        return x
    return _alpha(x, _mask(x, p, list(range(2, len(x.shape)))), p, inplace)
