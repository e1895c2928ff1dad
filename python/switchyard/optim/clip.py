# SPDX-License-Identifier: Apache-2.0
"""Gradient clipping: callables from a list of gradients to a list of them.

An optimizer takes one as ``clip=``; then it is part of eager steps and of
``static.train_step`` alike, with the same bits. SelectedRows come out dense.
"""

from __future__ import annotations

from switchyard import _core
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
