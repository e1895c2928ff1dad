# SPDX-License-Identifier: Apache-2.0
"""Losses of numbers and distances: modules of (input, label).

Those of classes are class_loss.py.
"""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, NUMBER, POSITIVE, checked
from switchyard.functions.arguments import tensor_of
from switchyard.nn.module import Module

_ops = _core.ops


class Loss(Module):
    """Base: how the elements' losses become one number."""

    reductions = ("mean", "sum", "none")

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in self.reductions:
            words = ", ".join(map(repr, self.reductions[:-1]))
            raise ValueError(f"{type(self).__name__}: reduction must be {words} "
                             f"or {self.reductions[-1]!r}, got {reduction!r}")
        self.reduction = reduction

    def reduce(self, loss):
        """``loss`` by ``reduction``: its mean, its sum or itself."""
        if self.reduction == "none":
            return loss
        return _ops.mean(loss) if self.reduction == "mean" else _ops.sum(loss)

    def check_shapes(self, input, label):
        """ValueError unless both have one shape, as far as it is known."""
        shapes = tuple(np.shape(input)), tuple(np.shape(label))
        if len(shapes[0]) != len(shapes[1]) or any(
                isinstance(a, int) and isinstance(b, int) and a != b
                for a, b in zip(*shapes)):
            raise ValueError(f"{type(self).__name__}: label must have input's "
                             f"shape {shapes[0]}, got {shapes[1]}")

    def extra_repr(self):
        return "" if self.reduction == "mean" else (
            f"reduction={self.reduction!r}")


class MSELoss(Loss):
    """(input - label) squared, both one shape."""

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_ops.square(_ops.subtract(input, label)))


class L1Loss(Loss):
    """|input - label|, both one shape."""

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_ops.abs(_ops.subtract(input, label)))


class SmoothL1Loss(Loss):
    """d * d / (2 * beta) where d = |input - label| is below beta, else
    d - beta / 2."""

    @checked(beta=POSITIVE)
    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_ops.scale(_huber(input, label, self.beta),
                                      1.0 / self.beta))


class HuberLoss(Loss):
    """d * d / 2 where d = |input - label| is up to delta, else
    delta * (d - delta / 2)."""

    @checked(delta=POSITIVE)
    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_huber(input, label, self.delta))


def _huber(input, label, delta):
    distance = _ops.abs(_ops.subtract(input, label))
    near = _ops.scale(_ops.square(distance), 0.5)
    far = _ops.scale(distance, delta, -0.5 * delta * delta)
    return _ops.where(_ops.less_equal(distance, delta), near, far)


class _BinaryLoss(Loss):
    """Base: a loss of yes and no, times ``weight``, which broadcasts."""

    def __init__(self, reduction: str = "mean", weight=None):
        super().__init__(reduction)
        self.weight = weight

    def finish(self, loss):
        """The elements' losses, weighted, by ``reduction``."""
        return self.reduce(loss if self.weight is None
                           else _ops.multiply(loss, self.weight))


class BCELoss(_BinaryLoss):
    """Binary cross entropy of probabilities, both one shape.

    The logarithm of 0 counts as -100, so that the loss stays finite; so does the
    gradient at 0 and 1. ``weight`` multiplies the elements' losses.
    """

    def forward(self, input, label):
        self.check_shapes(input, label)
        loss = _ops.bce_loss(input, label)
        if isinstance(label, _core.Value) or label.requires_grad:
            loss = _ops.add(loss, self._of_label(input, label))
        return self.finish(loss)

    def _of_label(self, input, label):
        """0, whose gradient is that of the label, which the operator has not."""
        input = input.detach()
        yes = _ops.maximum(_ops.log(input), -100.0)
        no = _ops.maximum(_ops.log1p(_ops.scale(input, -1.0)), -100.0)
        return _ops.multiply(_ops.subtract(label, label.detach()),
                             _ops.subtract(no, yes))


class BCEWithLogitsLoss(_BinaryLoss):
    """Binary cross entropy of sigmoid(input), label in [0, 1], both one shape.

    As softplus(input) - input * label, which never overflows. ``pos_weight``
    multiplies the part of the label 1, ``weight`` the elements' losses; both
    broadcast.
    """

    def __init__(self, reduction: str = "mean", pos_weight=None, weight=None):
        super().__init__(reduction, weight)
        self.pos_weight = pos_weight

    def forward(self, input, label):
        self.check_shapes(input, label)
        # Beyond the threshold softplus is x to the last bit of a float64.
        loss = _ops.subtract(_ops.softplus(input, 1.0, 40.0),
                             _ops.multiply(input, label))
        if self.pos_weight is not None:
            more = _ops.multiply(label, _ops.subtract(self.pos_weight, 1.0))
            loss = _ops.add(loss, _ops.multiply(more, _ops.softplus(
                _ops.scale(input, -1.0), 1.0, 40.0)))
        return self.finish(loss)


class KLDivLoss(Loss):
    """label * (log(label) - input): input is logarithms of probabilities.

    label is probabilities, or their logarithms where ``log_target``.
    ``reduction="batchmean"`` divides the sum by the first extent.
    """

    reductions = ("mean", "sum", "none", "batchmean")

    @checked()
    def __init__(self, reduction: str = "mean", log_target: bool = False):
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input, label):
        self.check_shapes(input, label)
        if self.log_target:
            loss = _ops.multiply(_ops.exp(label), _ops.subtract(label, input))
        else:
            # Nothing is lost where the probability is 0.
            some = _ops.greater_than(label, 0.0)
            logs = _ops.log(_ops.where(some, label, _ops.ones_like(label)))
            loss = _ops.multiply(label, _ops.subtract(logs, input))
        if self.reduction == "batchmean":
            rows = _ops.cast(_ops.extent(input, 0), loss.dtype)
            return _ops.divide(_ops.sum(loss), rows)
        return self.reduce(loss)


class CosineEmbeddingLoss(Loss):
    """1 - cos(x1, x2) where label is 1, max(cos - margin, 0) where it is -1.

    x1 and x2 are [n, size], label [n]; or without n.
    """

    @checked(margin=NUMBER)
    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def forward(self, x1, x2, label):
        x1, x2, label = tensor_of(x1), tensor_of(x2), tensor_of(label)
        dots = _ops.sum(_ops.multiply(x1, x2), -1)
        squares = [_ops.scale(_ops.sum(_ops.square(x), -1), 1.0, 1e-12)
                   for x in (x1, x2)]
        cosine = _ops.divide(dots, _ops.sqrt(_ops.multiply(*squares)))
        apart = _ops.relu(_ops.scale(cosine, 1.0, -self.margin))
        alike = _ops.scale(cosine, -1.0, 1.0)
        return self.reduce(_ops.where(_ops.equal(label, 1), alike, apart))


class TripletMarginLoss(Loss):
    """max(|anchor - positive| - |anchor - negative| + margin, 0).

    Distances are p-norms along the last axis. ``swap``: takes the smaller of
    the negative's distances from the anchor and from the positive.
    """

    @checked(margin=NUMBER, p=POSITIVE, eps=FROM_0)
    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06,
                 swap: bool = False, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor, positive, negative):
        anchor, positive, negative = (tensor_of(x) for x in (
            anchor, positive, negative))
        near = self._distance(anchor, positive)
        far = self._distance(anchor, negative)
        if self.swap:
            far = _ops.minimum(far, self._distance(positive, negative))
        return self.reduce(_ops.relu(
            _ops.scale(_ops.subtract(near, far), 1.0, self.margin)))

    def _distance(self, a, b):
        return _ops.p_norm(_ops.scale(_ops.subtract(a, b), 1.0, self.eps),
                           float(self.p), -1, epsilon=0.0)
