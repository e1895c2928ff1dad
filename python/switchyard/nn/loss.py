# SPDX-License-Identifier: Apache-2.0
"""Losses: modules of (input, label)."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.nn.module import Module

_ops = _core.ops


class _Loss(Module):
    """Base: how the elements' losses become one number."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"{type(self).__name__}: reduction must be 'mean', "
                             f"'sum' or 'none', got {reduction!r}")
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


class CrossEntropyLoss(_Loss):
    """-log softmax(input) at the labels, along ``axis``.

    ``input`` [n, classes, ...] floating. ``label`` integer: of input's shape
    without ``axis``, or with an extent of 1 there; with ``soft_label``
    probabilities of input's shape. Labels equal to ``ignore_index`` count
    neither in the sum nor, if given, in the mean. ``reduction="none"`` keeps
    ``axis`` with extent 1.
    """

    def __init__(self, ignore_index: int | None = None,
                 soft_label: bool = False, axis: int = -1,
                 reduction: str = "mean"):
        super().__init__(reduction)
        self.ignore_index = ignore_index
        self.soft_label, self.axis = soft_label, axis

    def forward(self, input, label):
        if not self.soft_label and len(label.shape) == len(input.shape) - 1:
            label = _ops.unsqueeze(label, [self.axis])
        ignored = -100 if self.ignore_index is None else self.ignore_index
        _, loss = _ops.cross_entropy_with_softmax(
            input, label, soft_label=self.soft_label, ignore_index=ignored,
            axis=self.axis)
        if self.ignore_index is None or self.reduction != "mean":
            return self.reduce(loss)
        counted = _ops.cast(_ops.not_equal(label, ignored), input.dtype)
        return _ops.sum(loss) / _ops.maximum(_ops.sum(counted), 1.0)


class MSELoss(_Loss):
    """(input - label) squared, both one shape."""

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_ops.square(_ops.subtract(input, label)))


class L1Loss(_Loss):
    """|input - label|, both one shape."""

    def forward(self, input, label):
        self.check_shapes(input, label)
        return self.reduce(_ops.abs(_ops.subtract(input, label)))


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of sigmoid(input), label in [0, 1], both one shape.

    As softplus(input) - input * label, which never overflows.
    """

    def forward(self, input, label):
        self.check_shapes(input, label)
        # Beyond the threshold softplus is x to the last bit of a float64.
        return self.reduce(_ops.subtract(
            _ops.softplus(input, 1.0, 40.0), _ops.multiply(input, label)))
