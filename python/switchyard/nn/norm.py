# SPDX-License-Identifier: Apache-2.0
"""Normalisation."""

from __future__ import annotations

from collections.abc import Sequence
import math

from switchyard import _core
from switchyard.nn import init
from switchyard.nn.module import Buffer, Module, Parameter

_ops = _core.ops


class BatchNorm2D(Module):
    """Each channel of x [n, channels, h, w] to mean 0 and variance 1.

    In training by the batch's own mean and variance, which also move
    ``running_mean`` and ``running_var``: new = momentum * old + (1 - momentum) *
    batch's. In evaluation by the running ones. Then times ``weight`` plus
    ``bias``, [channels] each.
    """

    def __init__(self, num_features: int, momentum: float = 0.9,
                 epsilon: float = 1e-05):
        super().__init__()
        self.num_features = num_features
        self.momentum, self.epsilon = momentum, epsilon
        self.weight = Parameter(init.Ones()([num_features]))
        self.bias = Parameter(init.Zeros()([num_features]))
        self.running_mean = Buffer(init.Zeros()([num_features]))
        self.running_var = Buffer(init.Ones()([num_features]))

    def forward(self, x):
        y, mean, variance, *_ = _ops.batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias,
            is_test=not self.training, momentum=self.momentum,
            epsilon=self.epsilon)
        if self.training:
            self.running_mean, self.running_var = mean, variance
        return y

    def extra_repr(self):
        return (f"{self.num_features}, momentum={self.momentum}, "
                f"epsilon={self.epsilon}")


class LayerNorm(Module):
    """The last axes of x, of shape ``normalized_shape``, to mean 0, variance 1.

    Then times ``weight`` plus ``bias``, of that shape both.
    """

    def __init__(self, normalized_shape: int | Sequence[int],
                 epsilon: float = 1e-05):
        super().__init__()
        self.normalized_shape = ([normalized_shape]
                                 if isinstance(normalized_shape, int)
                                 else list(normalized_shape))
        self.epsilon = epsilon
        size = [math.prod(self.normalized_shape)]
        self.weight = Parameter(init.Ones()(size))
        self.bias = Parameter(init.Zeros()(size))

    def forward(self, x):
        first = len(x.shape) - len(self.normalized_shape)
        if list(x.shape[first:]) != self.normalized_shape or first < 0:
            raise ValueError(f"LayerNorm: x must end in {self.normalized_shape}, "
                             f"got shape {x.shape}")
        result = _ops.layer_norm(x, self.weight, self.bias,
                                 epsilon=self.epsilon, begin_norm_axis=first)
        return result[0] if isinstance(result, tuple) else result

    def extra_repr(self):
        return f"{tuple(self.normalized_shape)}, epsilon={self.epsilon}"
