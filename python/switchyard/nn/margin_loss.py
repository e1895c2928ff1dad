# SPDX-License-Identifier: Apache-2.0
"""Losses that want a margin between what is right and what is not."""

from __future__ import annotations

from collections.abc import Callable

from switchyard import _core
from switchyard.checks import FROM_0, NUMBER, checked, public_call, refuse
from switchyard.creation import arange
from switchyard.functions.arguments import floating, tensor_of, weighed_part
from switchyard.functions.precision import halves_in_float64, in_float32
from switchyard.nn.loss import Loss
from switchyard.nn.vectors import pairwise_distance

_ops = _core.ops


def _like(label, input):
    """label in input's dtype."""
    label = tensor_of(label)
    if label.dtype.startswith("complex"):
        refuse(*public_call(label), "real", label.dtype)
    return label if label.dtype == input.dtype else _ops.cast(label, input.dtype)


class MarginRankingLoss(Loss):
    """max(-label * (x1 - x2) + margin, 0): label is 1 where x1 is to be the
    larger, else -1; they broadcast. Integers become float32."""

    @checked(margin=NUMBER)
    def __init__(self, margin: float = 0.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    @in_float32
    def forward(self, x1, x2, label):
        x1, x2 = floating(x1), floating(x2)
        apart = _ops.multiply(_like(label, x1), _ops.subtract(x2, x1))
        over = _ops.add(apart, self.margin) if self.margin else apart
        return self.reduce(_ops.maximum(over, 0))


class HingeEmbeddingLoss(Loss):
    """input where label is 1, max(margin - input, 0) where it is -1, both one
    shape."""

    @checked(margin=NUMBER)
    def __init__(self, margin: float = 1.0, reduction: str = "mean"):
        super().__init__(reduction)
        self.margin = margin

    @in_float32
    def forward(self, input, label):
        input = tensor_of(input)
        label = _like(label, input)
        nothing = _ops.zeros_like(input)
        far = _ops.relu(_ops.scale(input, -1.0, self.margin))
        return self.reduce(_ops.add(
            _ops.where(_ops.not_equal(label, 1.0), far, nothing),
            _ops.where(_ops.not_equal(label, -1.0), input, nothing)))


class SoftMarginLoss(Loss):
    """log(1 + exp(-label * input)): label is 1 or -1, of input's shape."""

    @in_float32
    def forward(self, input, label):
        input = tensor_of(input)
        product = _ops.multiply(_like(label, input), input)
        return self.reduce(_ops.softplus(_ops.scale(product, -1.0), 1.0, 40.0))


def _weight_of(loss, classes):
    """The weights of a loss as a tensor; ValueError unless there is one for each
    class."""
    if loss.weight is None:
        return None
    weight = tensor_of(loss.weight)
    given = tuple(weight.shape)
    if len(given) != 1 or isinstance(classes, int) and isinstance(
            given[0], int) and given[0] != classes:
        raise ValueError(f"{type(loss).__name__}: weight must have shape ({classes},), "
                         f"one for each class, got {given}")
    return weight


class MultiMarginLoss(Loss):
    """The sum over the classes i other than the label's of max(0, margin -
    input[label] + input[i]) ** p, divided by the number of classes.

    ``input`` [n, classes] or [classes], ``label`` [n] or one number. ``weight``
    [classes] multiplies the loss of each label; ``p`` is 1 or 2.
    """

    @checked(margin=NUMBER)
    def __init__(self, p: int = 1, margin: float = 1.0, weight=None,
                 reduction: str = "mean"):
        super().__init__(reduction)
        if p not in (1, 2):
            raise ValueError(f"{type(self).__name__}: p must be 1 or 2, got {p}")
        self.p, self.margin, self.weight = p, margin, weight

    @in_float32
    def forward(self, input, label):
        input, label = tensor_of(input), tensor_of(label)
        if not input.shape:
            input = _ops.reshape(input, [1])
        if len(input.shape) not in (1, 2):
            raise ValueError(f"{type(self).__name__}: input must have 1 or 2 axes, "
                             f"got {len(input.shape)}")
        alone = len(input.shape) == 1
        if alone:
            input, label = _ops.unsqueeze(input, [0]), _ops.reshape(label, [1])
        weight = _weight_of(self, input.shape[1])
        if weight is not None:
            weight = _ops.unsqueeze(_ops.gather(weight, label), [1])
            input = weighed_part(input, weight)
        column = _ops.unsqueeze(label, [1])
        right = _ops.take_along_axis(input, column, 1)
        over = _ops.relu(_ops.scale(_ops.subtract(input, right), 1.0, self.margin))
        if self.p == 2:
            over = _ops.square(over)
        if weight is not None:
            over = _ops.multiply(over, weight)
        classes = input.shape[1]
        other = _ops.not_equal(arange(classes), column)
        loss = _ops.scale(_ops.sum(_ops.where(other, over, _ops.zeros_like(over)), 1),
                          1.0 / classes)
        return self.reduce(_ops.squeeze(loss, [0]) if alone else loss)


class MultiLabelMarginLoss(Loss):
    """The sum over labels j and classes i that are none of max(0, 1 - input[j] +
    input[i]), divided by the number of classes.

    ``input`` and ``label`` [n, classes] or [classes]: a row of label has numbers
    of classes up to the first -1.
    """

    @in_float32
    def forward(self, input, label):
        input, label = tensor_of(input), tensor_of(label)
        label = self.check_shapes(input, label)
        if not input.shape:
            input, label = _ops.reshape(input, [1]), _ops.reshape(label, [1])
        counts = _ops.cumprod(_ops.cast(_ops.greater_equal(label, 0), "int64"), -1)
        counts = _ops.greater_than(counts, 0)
        known = _ops.where(counts, label, _ops.zeros_like(label))
        classes = input.shape[-1]
        named = _ops.logical_and(
            _ops.equal(_ops.unsqueeze(known, [-1]), arange(classes)),
            _ops.unsqueeze(counts, [-1]))  # [..., labels, classes]
        other = _ops.logical_not(_ops.any(named, [-2], True))
        right = _ops.unsqueeze(_ops.take_along_axis(input, known, -1), [-1])
        over = _ops.relu(_ops.scale(_ops.subtract(_ops.unsqueeze(input, [-2]), right),
                                    1.0, 1.0))
        pairs = _ops.logical_and(other, _ops.unsqueeze(counts, [-1]))
        loss = _ops.where(pairs, over, _ops.zeros_like(over))
        return self.reduce(_ops.scale(_ops.sum(loss, [-2, -1]), 1.0 / classes))


class MultiLabelSoftMarginLoss(Loss):
    """The mean over classes of the binary cross entropy of sigmoid(input), times
    ``weight`` [classes], or of input's shape; label is 0 or 1, of that shape."""

    @checked()
    def __init__(self, weight=None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = weight

    @in_float32
    def forward(self, input, label):
        input = tensor_of(input)
        label = _like(label, input)
        label = self.check_shapes(input, label)
        weight = None if self.weight is None else tensor_of(self.weight)
        if weight is not None and tuple(weight.shape) != tuple(input.shape):
            weight = _weight_of(self, input.shape[-1] if input.shape else 1)
        if weight is not None:
            input, label = (weighed_part(each, weight)
                            for each in (input, label))
        loss = _ops.subtract(_ops.softplus(input, 1.0, 40.0),
                             _ops.multiply(input, label))
        if weight is not None:
            loss = _ops.multiply(loss, weight)
        return self.reduce(_ops.mean(loss, -1))


class TripletMarginWithDistanceLoss(Loss):
    """max(d(anchor, positive) - d(anchor, negative) + margin, 0), where d is
    ``distance_function``, by default the Euclidean distance. ``swap`` as for
    TripletMarginLoss."""

    @checked(margin=FROM_0)
    def __init__(self, *, distance_function: Callable | None = None,
                 margin: float = 1.0, swap: bool = False, reduction: str = "mean"):
        super().__init__(reduction)
        self.distance_function = distance_function or pairwise_distance
        self.margin, self.swap = margin, swap

    def forward(self, anchor, positive, negative):
        # Distances of halves cancel; a function that is given gets float32.
        of_halves = (halves_in_float64 if self.distance_function is pairwise_distance
                     else in_float32)
        return of_halves(self.loss)(anchor, positive, negative)

    def loss(self, anchor, positive, negative):
        """``forward`` of numbers that are wide enough."""
        anchor, positive, negative = map(tensor_of, (anchor, positive, negative))
        near = self.distance_function(anchor, positive)
        far = self.distance_function(anchor, negative)
        if self.swap:
            far = _ops.minimum(far, self.distance_function(positive, negative))
        return self.reduce(_ops.relu(
            _ops.scale(_ops.subtract(near, far), 1.0, self.margin)))
