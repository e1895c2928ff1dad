# SPDX-License-Identifier: Apache-2.0
"""Gradient clipping: callables from a list of gradients to a list of them.

An optimizer takes one as ``clip=``; then it is part of eager steps and of
``static.train_step`` alike, with the same bits. SelectedRows come out dense.
"""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.optim.optimizer import dense

_ops = _core.ops


def _positive(name, value):
    if not value > 0:
        raise ValueError(f"{name} must be positive, got {value}")
    return float(value)


class ClipGradByValue:
    """Every element into [-limit, limit]."""

    def __init__(self, limit: float):
        self.limit = _positive("ClipGradByValue: limit", limit)

    def __call__(self, gradients):
        return [_ops.clip(dense(g), -self.limit, self.limit)
                for g in gradients]


class ClipGradByNorm:
    """Each gradient scaled down to a Euclidean norm of at most ``norm``."""

    def __init__(self, norm: float):
        self.norm = _positive("ClipGradByNorm: norm", norm)

    def __call__(self, gradients):
        return [_ops.multiply(g, factor(_square_sum(g), self.norm))
                for g in map(dense, gradients)]


class ClipGradByGlobalNorm:
    """All gradients scaled down together, by their norm as one vector."""

    def __init__(self, norm: float):
        self.norm = _positive("ClipGradByGlobalNorm: norm", norm)

    def __call__(self, gradients):
        gradients, total = [dense(g) for g in gradients], None
        for gradient in gradients:
            squares = _square_sum(gradient)
            total = squares if total is None else _ops.add(total, squares)
        by = factor(total, self.norm)
        return [_ops.multiply(g, by) for g in gradients]


def clip_grad_norm_(parameters, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False) -> _core.Tensor:
    """Scales the gradients down together to a norm of at most ``max_norm``.

    ``parameters``: a tensor or several; those without a gradient do not count.
    Returns the norm that the gradients had as one vector, of order
    ``norm_type`` (inf: the largest). RuntimeError where that is not finite, if
    ``error_if_nonfinite``; the gradients are unchanged then.
    """
    if not norm_type or norm_type != norm_type:
        raise ValueError("clip_grad_norm_: norm_type must be another number than "
                         f"0, got {norm_type}")
    with_grad = _with_gradients(parameters)
    with no_grad():
        total = _total_norm([dense(p.grad) for p in with_grad], float(norm_type))
        if error_if_nonfinite and not math.isfinite(total.item()):
            raise RuntimeError("clip_grad_norm_: the norm of the gradients must "
                               f"be finite, got {total.item()}")
        by = _ops.minimum(_ops.divide(float(max_norm),
                                      _ops.scale(total, 1.0, 1e-6)), 1.0)
        for p in with_grad:
            scaled = _ops.multiply(dense(p.grad), _ops.cast(by, p.grad.dtype))
            p.grad = scaled
    return total


def clip_grad_value_(parameters, clip_value: float) -> None:
    """Limits each element of the gradients to [-clip_value, clip_value]."""
    limit = _positive("clip_grad_value_: clip_value", clip_value)
    with no_grad():
        for p in _with_gradients(parameters):
            p.grad = _ops.clip(dense(p.grad), -limit, limit)


def _with_gradients(parameters):
    several = [parameters] if isinstance(parameters, _core.Tensor) else parameters
    return [p for p in several if p.grad is not None]


def _total_norm(gradients, order):
    if not gradients:
        return _core.tensor(0.0)
    wide = [_ops.abs(_ops.cast(g, "float32") if g.dtype in (
        "float16", "bfloat16") else g) for g in gradients]
    if order == float("inf"):
        return _ops.max(_ops.stack([_ops.max(g) for g in wide]))
    total = None
    for g in wide:
        part = _ops.sum(_ops.square(g) if order == 2.0 else _ops.pow(g, order))
        total = part if total is None else _ops.add(total, part)
    return _ops.sqrt(total) if order == 2.0 else _ops.pow(total, 1.0 / order)


def _square_sum(gradient):
    """The sum of squares; of halves in float32, since theirs overflow."""
    if gradient.dtype in ("float16", "bfloat16"):
        gradient = _ops.cast(gradient, "float32")
    return _ops.sum(_ops.square(gradient))


def factor(square_sum, norm: float):
    """norm / max(sqrt(square_sum), norm): 1 if the norm is small enough."""
    length = _ops.maximum(_ops.sqrt(square_sum), norm)
    return _ops.divide(norm, length)


def global_norm(gradients) -> float:
    """The Euclidean norm of all gradients as one vector, a float."""
    squares = (_ops.sum(_ops.square(_ops.cast(dense(g), "float64"))).item()
               for g in gradients)
    return sum(squares) ** 0.5
