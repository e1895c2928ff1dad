# SPDX-License-Identifier: Apache-2.0
"""Gradient clipping: callables from a list of gradients to a list of them.

An optimizer takes one as ``clip=``; then it is part of eager steps and of
``static.train_step`` alike, with the same bits. SelectedRows come out dense.
"""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, POSITIVE, Range, flag, listed, real, refuse
from switchyard.functions.arguments import is_empty
from switchyard.optim.optimizer import dense
from switchyard.static.control_flow import cond

_ops = _core.ops


class ClipGradByValue:
    """Every element into [-limit, limit]."""

    def __init__(self, limit: float):
        self.limit = real("ClipGradByValue", "limit", limit, POSITIVE)

    def __call__(self, gradients):
        return [_ops.clip(dense(g), -self.limit, self.limit)
                for g in gradients]


class ClipGradByNorm:
    """Each gradient scaled down to a Euclidean norm of at most ``norm``."""

    def __init__(self, norm: float):
        self.norm = real("ClipGradByNorm", "norm", norm, POSITIVE)

    def __call__(self, gradients):
        return [_ops.multiply(g, factor(norm_of([g]), self.norm))
                for g in map(dense, gradients)]


class ClipGradByGlobalNorm:
    """All gradients scaled down together, by their norm as one vector."""

    def __init__(self, norm: float):
        self.norm = real("ClipGradByGlobalNorm", "norm", norm, POSITIVE)

    def __call__(self, gradients):
        gradients = [dense(g) for g in gradients]
        by = factor(norm_of(gradients), self.norm)
        return [_ops.multiply(g, by) for g in gradients]


def clip_grad_norm_(parameters, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> _core.Tensor:
    """Scales the gradients down together to a norm of at most ``max_norm``.

    ``parameters``: a tensor or several; those without a gradient do not count.
    ``max_norm``: a number from 0. Returns the norm that the gradients had as one
    vector, of order ``norm_type`` (inf: the largest), 0 of no elements. RuntimeError
    where that is not finite, if ``error_if_nonfinite``; the gradients are unchanged
    then.
    """
    most = real("clip_grad_norm_", "max_norm", max_norm, FROM_0)
    order = real("clip_grad_norm_", "norm_type", norm_type, _ORDER)
    flag("clip_grad_norm_", "error_if_nonfinite", error_if_nonfinite)
    with_grad = _with_gradients("clip_grad_norm_", parameters)
    with no_grad():
        total = norm_of([dense(p.grad) for p in with_grad], order)
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError("clip_grad_norm_: the norm of the gradients must "
                               f"be finite, got {total.item()}")
        by = _ops.minimum(_ops.divide(most, _ops.scale(total, 1.0, 1e-6)), 1.0)
        for p in with_grad:
            scaled = _ops.multiply(dense(p.grad), _ops.cast(by, p.grad.dtype))
            p.grad = scaled
    return total


_ORDER = Range("another number than 0", lambda n: n != 0 and n == n)


def clip_grad_value_(parameters, clip_value: float) -> None:
    """Limits each element of the gradients to [-clip_value, clip_value]."""
    limit = real("clip_grad_value_", "clip_value", clip_value, POSITIVE)
    with no_grad():
        for p in _with_gradients("clip_grad_value_", parameters):
            p.grad = _ops.clip(dense(p.grad), -limit, limit)


def _with_gradients(name, parameters):
    several = [parameters] if isinstance(parameters, _core.Tensor) else listed(
        name, "parameters", parameters, 10**7)
    for p in several:
        if not isinstance(p, _core.Tensor):
            refuse(name, "parameters", "tensors", p)
    return [p for p in several if p.grad is not None]


# The sums of powers between which no element that counts has left float32.
_LEAST, _LARGEST = 1e-24, 3e38


def norm_of(gradients, order: float = 2.0):
    """The norm of all gradients as one vector, of order ``order``: a tensor
    without axes, float32, or float64 of such gradients.

    It is found wherever its dtype holds it: where the sum of powers leaves the
    range, it is taken of the gradients divided by the largest element. Eager code
    looks whether it does, a program has a branch.
    """
    wide = [_wide(g) for g in gradients if not is_empty(g)]
    if not wide:
        return _core.tensor(0.0)
    if math.isinf(order):
        extreme = _ops.max if order > 0.0 else _ops.min
        return extreme(_ops.stack([extreme(_ops.abs(g)) for g in wide]))
    total = _sum_of_powers(wide, order)
    inside = _ops.logical_and(_ops.greater_than(total, _LEAST),
                              _ops.less_than(total, _LARGEST))
    return cond(inside, lambda: _root(total, order),
                lambda: _of_scaled(wide, order))


def _of_scaled(wide, order):
    """The norm of elements by the largest; inf and NaN as they are."""
    wide = [_ops.abs(g) for g in wide]
    largest = _ops.max(_ops.stack([_ops.max(g) for g in wide]))
    usual = _ops.logical_and(_ops.greater_than(largest, 0.0),
                             _ops.isfinite(largest))
    by = _ops.where(usual, largest, _ops.ones_like(largest))
    total = _sum_of_powers([_ops.divide(g, by) for g in wide], order)
    return _ops.multiply(by, _root(total, order))


def _sum_of_powers(wide, order):
    total = None
    for g in wide:
        if order != 2.0 or g.dtype.startswith("complex"):
            g = _ops.abs(g)
        part = _ops.sum(_ops.square(g) if order == 2.0 else _ops.pow(g, order))
        total = part if total is None else _ops.add(total, part)
    return total


def _root(total, order):
    return _ops.sqrt(total) if order == 2.0 else _ops.pow(total, 1.0 / order)


def _wide(gradient):
    """Halves as float32, since their powers overflow."""
    half = gradient.dtype in ("float16", "bfloat16")
    return _ops.cast(gradient, "float32") if half else gradient


def factor(length, norm: float):
    """norm / max(length, norm): 1 if the length is small enough."""
    return _ops.divide(norm, _ops.maximum(length, norm))


def global_norm(gradients) -> float:
    """The Euclidean norm of all gradients as one vector, a float."""
    with no_grad():
        return norm_of([_ops.cast(dense(g), "float64")
                        for g in listed("global_norm", "gradients", gradients,
                                        10**7)]).item()
