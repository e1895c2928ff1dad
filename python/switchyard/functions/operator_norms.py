# SPDX-License-Identifier: Apache-2.0
"""The operators of ``sy.ops`` that sum squares or powers, found wherever their
result is in the range. Loaded programs have the operators themselves, which are
PaddlePaddle's there."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.functions.arguments import HALVES, axes_in, narrowed, widened
from switchyard.functions.lengths import in_range, scaled
from switchyard.functions.precision import in_float32

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)
_FLOATING = {*HALVES, "float32", "float64"}


def _is_real(x):
    """Whether x is of a dtype whose squares can be scaled."""
    return type(x) in _KINDS and x.dtype in ("float32", "float64")


def _without(axes, x, keepdim):
    return x if keepdim else _ops.squeeze(x, axes)


@in_float32
def p_norm(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    def root(v):
        return _ops.p_norm(v, porder, axis, epsilon, True, asvector)
    sums_powers = isinstance(porder, (int, float)) and (
        0 < porder < math.inf and porder != 1)
    if not (sums_powers and _is_real(x)):
        return _ops.p_norm(x, porder, axis, epsilon, keepdim, asvector)
    axes = list(range(len(x.shape))) if asvector else axes_in("p_norm", axis, len(x.shape))
    return _without(axes, in_range(root, x, axes, porder), keepdim)


@in_float32
def frobenius_norm(x, axis=(), keepdim=False):
    if not (_is_real(x) and isinstance(axis, (list, tuple)) and all(
            type(each) is int for each in axis)):
        return _ops.frobenius_norm(x, axis, keepdim)
    axes = axes_in("frobenius_norm", list(axis) or None, len(x.shape))
    found = in_range(lambda v: _ops.frobenius_norm(v, axes, True), x, axes)
    return _without(axes, found, keepdim)


def norm(x, axis, epsilon=1e-10, is_test=False):
    dtype = x.dtype if type(x) in _KINDS else None
    x = x if dtype is None else widened(x)
    if not _is_real(x):
        return _ops.norm(x, axis, epsilon, is_test)
    results = ()

    def root(v):
        nonlocal results
        results = _ops.norm(v, axis, epsilon, is_test)
        return results[1]
    v, _, unit = scaled(root, x, [axis])
    if unit is not None:
        # Squares of v and epsilon in the same unit.
        least = _ops.divide(_ops.divide(epsilon, unit), unit)
        length = _ops.sqrt(_ops.add(_ops.sum(_ops.square(v), [axis], None, True),
                                    least))
        results = _ops.divide(v, length), _ops.multiply(length, unit)
    return tuple(narrowed(each, dtype) for each in results)


@in_float32
def clip_by_norm(x, max_norm):
    if not _is_real(x):
        return _ops.clip_by_norm(x, max_norm)
    axes = list(range(len(x.shape)))
    v, length, unit = scaled(lambda v: _ops.frobenius_norm(v, axes, True), x, axes)
    clipped = _ops.clip_by_norm(x, max_norm)  # Checks the number, too.
    if unit is None:
        return clipped
    far = _ops.greater_than(_ops.multiply(length, unit), max_norm)
    length = _ops.where(far, length, _ops.ones_like(length))
    return _ops.where(far, _ops.multiply(v, _ops.divide(max_norm, length)), x)


def dist(x, y, p=2.0):
    from switchyard.functions import products
    if not all(type(side) in _KINDS and side.dtype in _FLOATING for side in (x, y)):
        return _ops.dist(x, y, p)
    try:
        return products.dist(x, y, p)
    except ValueError as error:
        if not str(error).startswith("subtract: "):
            raise
        raise ValueError(f"dist: {error}") from None  # The operator's words.


ALL = {function.__name__: function
       for function in (p_norm, frobenius_norm, norm, clip_by_norm, dist)}
for _name, _function in ALL.items():
    _function.__doc__ = getattr(_ops, _name).__doc__
    _function.__module__ = "switchyard.ops"
