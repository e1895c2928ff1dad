# SPDX-License-Identifier: Apache-2.0
"""Layers that drop elements, or whole channels, in training."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import SHARE, checked
from switchyard.nn import drop_functions
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


class Dropout1D(Dropout):
    """Dropout of whole channels of x [n, channels, length], or without n."""

    def forward(self, x):
        return drop_functions.dropout1d(x, self.p, self.training, self.inplace)


class Dropout2D(Dropout):
    """Dropout of whole channels of x [n, channels, ...]."""

    def forward(self, x):
        return drop_functions.dropout2d(x, self.p, self.training, self.inplace)


class Dropout3D(Dropout):
    """Dropout of whole channels of x [n, channels, d, h, w], or without n."""

    def forward(self, x):
        return drop_functions.dropout3d(x, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    """Dropout that keeps mean 0 and variance 1, for networks of SELU."""

    def forward(self, x):
        return drop_functions.alpha_dropout(x, self.p, self.training, self.inplace)


class FeatureAlphaDropout(Dropout):
    """AlphaDropout of whole channels of x [n, channels, ...]."""

    def forward(self, x):
        return drop_functions.feature_alpha_dropout(x, self.p, self.training,
                                                    self.inplace)
