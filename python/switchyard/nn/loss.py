# SPDX-License-Identifier: Apache-2.0
"""Losses of numbers and distances: modules of (input, label).

Those of classes are class_loss.py.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, NUMBER, POSITIVE, checked
from switchyard.functions.arguments import floating, is_empty, tensor_of
from switchyard.functions.lengths import length
from switchyard.functions.precision import halves_in_float64, in_float32
from switchyard.functions.repeats import reads_views
from switchyard.nn.extents import in_shape
from switchyard.nn.max_windows import alike
from switchyard.nn.module import Module
from switchyard.pytorch_names import FORWARDS

_ops = _core.ops


class Loss(Module):
    """Base: how the elements' losses become one number.

    The mean of no losses is 0, so that a batch of none leaves a model as it is.
    """

    reductions = ("mean", "sum", "none")
    _forward_names = FORWARDS["Loss"]

    def __init_subclass__(cls):
        super().__init_subclass__()
        if "forward" in cls.__dict__:
            cls.forward = reads_views(cls.forward)  # type: ignore[method-assign]

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
        if self.reduction == "sum" or is_empty(loss):
            return _ops.sum(loss)
        mean = _ops.mean(loss)
        for axis, extent in enumerate(loss.shape):
            if not isinstance(extent, int):  # It is known while it runs.
                none = _ops.equal(_ops.extent(loss, axis), 0)
                mean = _ops.where(none, _ops.zeros_like(mean), mean)
        return mean

    def check_shapes(self, input, label):
        """The label. ValueError unless both have one shape, in a program when it
        runs."""
        shapes = tuple(np.shape(input)), tuple(np.shape(label))
        if len(shapes[0]) != len(shapes[1]) or any(
                isinstance(a, int) and isinstance(b, int) and a != b
                for a, b in zip(*shapes)):
            raise ValueError(f"{type(self).__name__}: label must have input's "
                             f"shape {shapes[0]}, got {shapes[1]}")
        return in_shape(label, shapes[0])

    def extra_repr(self):
        return "" if self.reduction == "mean" else (
            f"reduction={self.reduction!r}")


def finite_at_zero(logs, share):
    """logs, of which those that are infinite where ``share`` is 0 are 0: so that
    share * log(share) is 0 there, not NaN."""
    nothing = _ops.logical_and(_ops.equal(share, 0.0), _ops.isinf(logs))
    return _ops.where(nothing, _ops.zeros_like(logs), logs)


class MSELoss(Loss):
    """(input - label) squared, both one shape; of complex numbers its magnitude
    squared."""

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        apart = _ops.subtract(input, label)
        apart = _ops.abs(apart) if apart.dtype.startswith("complex") else apart
        return self.reduce(_ops.square(apart))


class L1Loss(Loss):
    """|input - label|, both one shape."""

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        return self.reduce(_ops.abs(_ops.subtract(input, label)))


class SmoothL1Loss(Loss):
    """d * d / (2 * beta) where d = |input - label| is below beta, else
    d - beta / 2: with a beta of 0 the loss that L1Loss is."""

    @checked(beta=FROM_0)
    def __init__(self, reduction: str = "mean", beta: float = 1.0):
        super().__init__(reduction)
        self.beta = beta

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        if self.beta == 0:
            return self.reduce(_ops.abs(_ops.subtract(input, label)))
        return self.reduce(_ops.scale(_huber(input, label, self.beta),
                                      1.0 / self.beta))


class HuberLoss(Loss):
    """d * d / 2 where d = |input - label| is up to delta, else
    delta * (d - delta / 2)."""

    @checked(delta=POSITIVE)
    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction)
        self.delta = delta

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        return self.reduce(_huber(input, label, self.delta))


def _huber(input, label, delta):
    """near * (distance - near / 2), where near is the distance up to delta: no
    square is taken of what is far, which may leave the range."""
    distance = _ops.abs(_ops.subtract(input, label))
    near = _ops.clip(distance, 0.0, delta)
    return _ops.multiply(near, _ops.subtract(distance, _ops.scale(near, 0.5)))


class _BinaryLoss(Loss):
    """Base: a loss of yes and no, times ``weight``, which broadcasts.

    Elements whose weight is 0 are not read: they may be of any value.
    """

    def __init__(self, reduction: str = "mean", weight=None):
        super().__init__(reduction)
        self.weight = weight

    def counted(self, input, label):
        """input and label with numbers of a finite loss where the weight is 0."""
        if self.weight is None:
            return input, label
        some = _ops.not_equal(tensor_of(self.weight), 0.0)
        return (_ops.where(some, input, _ops.full_like(input, 0.5)),
                _ops.where(some, label, _ops.zeros_like(label)))

    def finish(self, loss):
        """The elements' losses, weighted, by ``reduction``."""
        return self.reduce(loss if self.weight is None
                           else _ops.multiply(loss, self.weight))


class BCELoss(_BinaryLoss):
    """Binary cross entropy of probabilities, both one shape.

    The logarithm of 0 counts as -100, so that the loss stays finite; so does the
    gradient at 0 and 1. ``weight`` multiplies the elements' losses.
    """

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        input, label = self.counted(input, label)
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

    As label * softplus(-input) + (1 - label) * softplus(input). ``pos_weight``
    multiplies the part of the label 1, ``weight`` the elements' losses; both
    broadcast.
    """

    def __init__(self, reduction: str = "mean", pos_weight=None, weight=None):
        super().__init__(reduction, weight)
        self.pos_weight = pos_weight

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        input, label = self.counted(input, label)
        # Beyond the threshold softplus is x to the last bit of a float64. Its difference
        # from x * label would cancel.
        right = _ops.multiply(label, _ops.softplus(_ops.scale(input, -1.0), 1.0, 40.0))
        if self.pos_weight is not None:
            right = _ops.multiply(right, self.pos_weight)
        rest = _ops.subtract(_ops.ones_like(input), label)
        loss = _ops.add(right, _ops.multiply(rest, _ops.softplus(input, 1.0, 40.0)))
        return self.finish(loss)


class KLDivLoss(Loss):
    """label * (log(label) - input): input is logarithms of probabilities.

    0 where label's probability is 0, also where input is -inf there.

    label is probabilities, or their logarithms where ``log_target``.
    ``reduction="batchmean"`` divides the sum by the first extent.
    """

    reductions = ("mean", "sum", "none", "batchmean")

    @checked()
    def __init__(self, reduction: str = "mean", log_target: bool = False):
        super().__init__(reduction)
        self.log_target = log_target

    @in_float32
    def forward(self, input, label):
        label = self.check_shapes(input, label)
        if self.log_target:
            some = _ops.not_equal(label, -math.inf)
            logs = _ops.where(some, label, _ops.zeros_like(label))
            label = _ops.exp(label)
        else:
            some = _ops.not_equal(label, 0.0)
            logs = _ops.log(_ops.where(some, label, _ops.ones_like(label)))
        # Nothing is lost where the probability is 0, even if input's is, too.
        loss = _ops.multiply(label, _ops.subtract(
            logs, finite_at_zero(input, label)))
        if self.reduction == "batchmean":
            rows = _ops.cast(_ops.maximum(_ops.extent(input, 0), 1), loss.dtype)
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

    @halves_in_float64
    def forward(self, x1, x2, label):
        x1, x2, label = floating(x1), floating(x2), tensor_of(label)
        if label.dtype.startswith("complex"):
            raise TypeError("CosineEmbeddingLoss: label must be real, got "
                            f"{label.dtype}")
        if not alike(x1.shape, x2.shape):
            raise ValueError("CosineEmbeddingLoss: x2 must have x1's shape "
                             f"{tuple(x1.shape)}, got {tuple(x2.shape)}")
        x2 = in_shape(x2, x1.shape)
        dots = _ops.sum(_ops.multiply(x1, x2), -1)
        if not alike(label.shape, dots.shape):
            raise ValueError("CosineEmbeddingLoss: label must have shape "
                             f"{tuple(dots.shape)}, got {tuple(label.shape)}")
        label = in_shape(label, dots.shape)
        squares = [_ops.scale(_ops.sum(_ops.square(x), -1), 1.0, 1e-12)
                   for x in (x1, x2)]
        cosine = _ops.divide(dots, _ops.sqrt(_ops.multiply(*squares)))
        apart = _ops.relu(_ops.scale(cosine, 1.0, -self.margin))
        near = _ops.scale(cosine, -1.0, 1.0)
        return self.reduce(_ops.where(_ops.equal(label, 1), near, apart))


class TripletMarginLoss(Loss):
    """max(|anchor - positive| - |anchor - negative| + margin, 0).

    Distances are p-norms along the last axis. ``swap``: takes the smaller of
    the negative's distances from the anchor and from the positive.
    """

    @checked(margin=POSITIVE, p=POSITIVE, eps=FROM_0)
    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06,
                 swap: bool = False, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    @halves_in_float64
    def forward(self, anchor, positive, negative):
        anchor, positive, negative = (floating(x) for x in (
            anchor, positive, negative))
        near = self._distance(anchor, positive)
        far = self._distance(anchor, negative)
        if self.swap:
            far = _ops.minimum(far, self._distance(positive, negative))
        return self.reduce(_ops.relu(
            _ops.scale(_ops.subtract(near, far), 1.0, self.margin)))

    def _distance(self, a, b):
        off = _ops.scale(_ops.subtract(a, b), 1.0, self.eps)
        off = _ops.abs(off) if off.dtype.startswith("complex") else off
        return _ops.squeeze(length(off, [-1], self.p), [-1])
