# SPDX-License-Identifier: Apache-2.0
"""Layers that drop elements, or whole channels, in training."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import SHARE, checked
from switchyard.nn.module import Module

_ops = _core.ops


class Dropout(Module):
    """In training, zeroes elements with probability ``p``, scales the rest.

    The kept ones are multiplied by 1 / (1 - p); in evaluation x comes back.
    Written into x's own memory where ``inplace``.
    """

    @checked(p=SHARE)
    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        if self.inplace:
            return _ops.multiply_(x, _ops.dropout(_ops.ones_like(x), p=self.p))
        return _ops.dropout(x, p=self.p)

    def extra_repr(self):
        return f"p={self.p}{', inplace=True' if self.inplace else ''}"


class Dropout2D(Dropout):
    """Dropout of whole channels of x [n, channels, ...]."""

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        axes = list(range(2, len(x.shape)))
        once = _ops.slice(x, axes, [0] * len(axes), [1] * len(axes))
        multiply = _ops.multiply_ if self.inplace else _ops.multiply
        return multiply(x, _ops.dropout(_ops.ones_like(once), p=self.p))
