# SPDX-License-Identifier: Apache-2.0
"""Losses of classes: modules of (input, numbers of classes)."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_0, SHARE, checked
from switchyard.creation import arange
from switchyard.functions.arguments import WHOLE, axis_in, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn.dtypes import FLOATING
from switchyard.nn.loss import Loss, finite_at_zero

_ops = _core.ops


class _ClassLoss(Loss):
    """Base: what the two losses of one class a place have in common.

    ``weight`` [classes] multiplies the loss of each class. Labels equal to
    ``ignore_index`` count nowhere. The mean is that of the weights that count;
    0 where none does.
    """

    @checked()
    def __init__(self, weight=None, ignore_index: int = -100,
                 axis: int | None = None, reduction: str = "mean"):
        super().__init__(reduction)
        self.weight = None if weight is None else tensor_of(weight)
        self.ignore_index, self.axis = ignore_index, axis

    def class_axis(self, input):
        """``axis``; by default 1, or 0 where input has one axis."""
        shape, name = input.shape, type(self).__name__
        if not shape:
            raise ValueError(f"{name}: input must have an axis of classes, got none")
        axis = (0 if len(shape) == 1 else 1) if self.axis is None else (
            axis_in(name, self.axis, len(shape)))
        if self.weight is not None:
            self._check_weight(shape[axis])
        return axis

    def _check_weight(self, classes):
        """ValueError unless there is a weight for each class."""
        given = tuple(self.weight.shape)
        if len(given) != 1 or isinstance(classes, int) and isinstance(
                given[0], int) and given[0] != classes:
            raise ValueError(f"{type(self).__name__}: weight must have shape "
                             f"({classes},), one for each class, got {given}")

    def columns(self, input, label, axis):
        """label with an axis of extent 1 for the classes; the check of shapes."""
        wanted = list(input.shape)
        wanted[axis] = 1
        shape = tuple(label.shape)
        given = list(shape)
        if len(given) == len(wanted) - 1:
            given.insert(axis, 1)
            label = _ops.unsqueeze(label, [axis])
        if len(given) != len(wanted) or any(
                isinstance(a, int) and isinstance(b, int) and a != b
                for a, b in zip(given, wanted)):
            del wanted[axis]
            raise ValueError(
                f"{type(self).__name__}: label must have shape {tuple(wanted)}, "
                f"input's {tuple(input.shape)} without its axis {axis} of "
                f"classes (axis=-1 where they are the last), got {shape}")
        return label

    def weights(self, label, dtype):
        """The weight of each label; 0 of those that are ignored."""
        counted = _ops.not_equal(label, self.ignore_index)
        if self.weight is None:
            return _ops.cast(counted, dtype)
        known = _ops.where(counted, label, _ops.zeros_like(label))
        each = _ops.squeeze(
            _ops.embedding(known, _ops.unsqueeze(self.weight, [1])), [-1])
        return _ops.where(counted, each, _ops.zeros_like(each))

    def finish(self, loss, weights, axis, whole):
        """The elements' losses by ``reduction``; ``whole``: with their axis."""
        if self.reduction == "none":
            return loss if whole else _ops.squeeze(loss, [axis])
        total = _ops.sum(loss)
        if self.reduction == "sum":
            return total
        count = _ops.sum(weights)
        some = _ops.where(_ops.equal(count, 0.0), _ops.ones_like(count), count)
        return _ops.divide(total, some)

    def extra_repr(self):
        facts = [super().extra_repr()]
        if self.ignore_index != -100:
            facts.append(f"ignore_index={self.ignore_index}")
        if self.axis is not None:
            facts.append(f"axis={self.axis}")
        return ", ".join(fact for fact in facts if fact)


class NLLLoss(_ClassLoss):
    """-input at the labels: input is logarithms of probabilities.

    Arguments as those of CrossEntropyLoss, which takes the logarithms itself.
    """

    @in_float32
    def forward(self, input, label):
        input, label = tensor_of(input), tensor_of(label)
        axis = self.class_axis(input)
        column = self.columns(input, label, axis)
        weights = self.weights(column, input.dtype)
        loss = _weighed(_picked(input, column, self.ignore_index, axis), weights)
        return self.finish(loss, weights, axis,
                           len(label.shape) == len(input.shape))


def _picked(logs, column, ignore_index, axis):
    """-logs at the labels; at those that are ignored that of class 0."""
    known = _ops.where(_ops.not_equal(column, ignore_index), column,
                       _ops.zeros_like(column))
    return _ops.scale(_ops.take_along_axis(logs, known, axis), -1.0)


def _weighed(loss, weights):
    """loss times weights; 0 where the weight is, whatever the loss."""
    some = _ops.not_equal(weights, 0.0)
    return _ops.multiply(_ops.where(some, loss, _ops.zeros_like(loss)), weights)


class CrossEntropyLoss(_ClassLoss):
    """-log softmax(input) at the labels.

    ``input`` is floating, its classes along ``axis``: by default 1, [n, classes]
    or images [n, classes, h, w]; 0 where there is no n. ``label`` is integer,
    of input's shape without ``axis``, or with an extent of 1 there; or floating,
    probabilities of input's shape (``soft_label`` says so, too).

    ``weight`` [classes] multiplies the loss of each class. Labels equal to
    ``ignore_index`` count neither in the sum nor in the mean, which is that of
    the weights that count. ``label_smoothing`` takes that part of the
    probability from the label and spreads it over all classes.
    """

    @checked(label_smoothing=SHARE)
    def __init__(self, weight=None, ignore_index: int = -100,
                 label_smoothing: float = 0.0, soft_label: bool = False,
                 axis: int | None = None, reduction: str = "mean"):
        super().__init__(weight, ignore_index, axis, reduction)
        self.label_smoothing, self.soft_label = label_smoothing, soft_label

    @in_float32
    def forward(self, input, label):
        input, label = tensor_of(input), tensor_of(label)
        axis = self.class_axis(input)
        if self.soft_label or str(label.dtype) in FLOATING:
            if self.ignore_index >= 0:
                raise ValueError(
                    f"{type(self).__name__}: ignore_index must stay as it is where "
                    f"label is probabilities, got {self.ignore_index}")
            return self._of_probabilities(input, label, axis)
        column = self.columns(input, label, axis)
        weights = self.weights(column, input.dtype)
        if self.label_smoothing or self.weight is not None:
            loss = self._weighted(input, column, weights, axis)
        else:
            _, loss = _ops.cross_entropy_with_softmax(
                input, column, ignore_index=self.ignore_index, axis=axis)
        return self.finish(loss, weights, axis,
                           len(label.shape) == len(input.shape))

    def _weighted(self, input, column, weights, axis):
        logs = _ops.log_softmax(input, axis)
        loss = _weighed(_picked(logs, column, self.ignore_index, axis), weights)
        if not self.label_smoothing:
            return loss
        counted = _ops.cast(_ops.not_equal(column, self.ignore_index),
                            input.dtype)
        spread = _weighed(self._spread(logs, axis), counted)
        return _ops.add(_ops.scale(loss, 1.0 - self.label_smoothing),
                        _ops.scale(spread, self.label_smoothing))

    def _by_class(self, logs, axis):
        """logs times the classes' weights."""
        if self.weight is None:
            return logs
        shape = [1] * len(logs.shape)
        shape[axis] = -1
        return _weighed(logs, _ops.reshape(self.weight, shape))

    def _spread(self, logs, axis):
        """The loss of a label that is every class alike."""
        return _ops.scale(_ops.mean(self._by_class(logs, axis), [axis], True),
                          -1.0)

    def _of_probabilities(self, input, label, axis):
        label = self.check_shapes(input, label)
        logs = _ops.log_softmax(input, axis)
        held = finite_at_zero(self._by_class(logs, axis), label)
        loss = _ops.scale(_ops.sum(_ops.multiply(label, held), [axis]), -1.0)
        if self.label_smoothing:
            spread = _ops.squeeze(self._spread(logs, axis), [axis])
            loss = _ops.add(_ops.scale(loss, 1.0 - self.label_smoothing),
                            _ops.scale(spread, self.label_smoothing))
        return self.reduce(loss)


class CTCLoss(Loss):
    """The loss of sequences without alignment (Graves and others, 2006).

    ``input`` [time, n, classes]: logarithms of probabilities, or logits.
    ``label`` [n, length] holds classes other than ``blank``; the first
    ``label_lengths`` of each count, and ``input_lengths`` of the time; or [sum of
    the lengths], one label after the other. The mean is of the losses divided by
    their label's length. Where the time is too short for a label, the loss is
    infinite, or 0 with ``zero_infinity``; its gradient is 0.
    """

    @checked(blank=FROM_0)
    def __init__(self, blank: int = 0, reduction: str = "mean",
                 zero_infinity: bool = False):
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    @in_float32
    def forward(self, input, label, input_lengths, label_lengths):
        input, label = tensor_of(input), tensor_of(label)
        steps, lengths = tensor_of(input_lengths), tensor_of(label_lengths)
        for name, given in (("label", label), ("input_lengths", steps),
                            ("label_lengths", lengths)):
            if given.dtype not in WHOLE or given.dtype == "bool":
                raise TypeError(f"CTCLoss: {name} must be integers, got {given.dtype}")
            if name != "label" and len(given.shape) > 1:
                raise ValueError(f"CTCLoss: {name} must have one axis, got "
                                 f"{len(given.shape)}")
        label = _ops.cast(label, "int32")
        steps, lengths = _ops.cast(steps, "int64"), _ops.cast(lengths, "int64")
        if len(label.shape) == 1:
            label = _in_rows(label, lengths)
        loss = _ops.warpctc(input, label, steps, lengths, blank=self.blank)
        loss = loss[0] if isinstance(loss, tuple) else loss
        loss = _ops.reshape(loss, [-1])
        if not self.zero_infinity:
            fits = _ops.less_equal(_needed(label, lengths), steps)
            loss = _ops.where(fits, loss, math.inf)
        if self.reduction == "mean":
            loss = _ops.divide(loss, _ops.maximum(
                _ops.cast(lengths, loss.dtype), 1.0))
        return self.reduce(loss)


def _in_rows(label, lengths):
    """Labels one after the other as rows, as wide as all of them together."""
    first = _ops.subtract(_ops.cumsum(lengths, 0), lengths)
    place = _ops.add(_ops.unsqueeze(first, [1]), arange(label.shape[0]))
    each = _ops.reshape(_ops.minimum(place, label.shape[0] - 1), [-1])
    return _ops.reshape(_ops.gather(label, each), [-1, label.shape[0]])


def _needed(label, lengths):
    """How many steps each label takes: its length, and a blank between two
    alike."""
    width = label.shape[1]
    left = _ops.slice(label, [1], [0], [width - 1])
    alike = _ops.equal(left, _ops.slice(label, [1], [1], [width]))
    counts = _ops.less_than(arange(1, width), _ops.unsqueeze(lengths, [1]))
    both = _ops.cast(_ops.logical_and(alike, counts), "int64")
    return _ops.add(lengths, _ops.sum(both, [1]))
