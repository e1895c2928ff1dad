# SPDX-License-Identifier: Apache-2.0
"""Layers without parameters: activations, dropout, flattening."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.elementwise import by_tanh
from switchyard.nn.module import Module
from switchyard.spelling import spelled

_ops = _core.ops


class ReLU(Module):
    """max(x, 0); written into x's own memory where ``inplace``."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return _ops.relu_(x) if self.inplace else _ops.relu(x)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class ReLU6(ReLU):
    """min(max(x, 0), 6); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.relu6_(x) if self.inplace else _ops.relu6(x)


class LeakyReLU(ReLU):
    """x where x > 0, else negative_slope * x; written into x's own memory where
    ``inplace``."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, x):
        leak = _ops.leaky_relu_ if self.inplace else _ops.leaky_relu
        return leak(x, self.negative_slope)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{inplace}"


class GELU(Module):
    """x * Phi(x), Phi the normal distribution; by tanh if ``approximate``, which
    may be written "tanh" or "none"."""

    def __init__(self, approximate: bool | str = False):
        super().__init__()
        self.approximate = by_tanh("GELU", approximate)

    def forward(self, x):
        return _ops.gelu(x, self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate}"


class SiLU(ReLU):
    """x * sigmoid(x); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.silu_(x) if self.inplace else _ops.silu(x)


class Hardswish(ReLU):
    """x * min(max(x + 3, 0), 6) / 6; written into x's own memory where
    ``inplace``."""

    def forward(self, x):
        return _ops.hardswish_(x) if self.inplace else _ops.hardswish(x)


class Hardsigmoid(ReLU):
    """min(max(x / 6 + 1 / 2, 0), 1); written into x's own memory where
    ``inplace``."""

    def forward(self, x):
        squash = _ops.hardsigmoid_ if self.inplace else _ops.hardsigmoid
        return squash(x, 1.0 / 6.0, 0.5)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x):
        return _ops.sigmoid(x)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, x):
        return _ops.tanh(x)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, x):
        return _ops.softplus(x, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """Softmax along ``axis``."""

    @spelled
    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        return _ops.softmax(x, axis=self.axis)

    def extra_repr(self):
        return f"axis={self.axis}"


class LogSoftmax(Softmax):
    """Logarithm of softmax along ``axis``."""

    def forward(self, x):
        return _ops.log_softmax(x, axis=self.axis)


class Dropout(Module):
    """In training, zeroes elements with probability ``p``, scales the rest.

    The kept ones are multiplied by 1 / (1 - p); in evaluation x comes back.
    """

    def __init__(self, p: float = 0.5):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"Dropout: p must be in [0, 1], got {p}")
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        return _ops.dropout(x, p=self.p)

    def extra_repr(self):
        return f"p={self.p}"


class Dropout2D(Dropout):
    """Dropout of whole channels of x [n, channels, ...]."""

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        axes = list(range(2, len(x.shape)))
        once = _ops.slice(x, axes, [0] * len(axes), [1] * len(axes))
        return _ops.multiply(x, _ops.dropout(_ops.ones_like(once), p=self.p))


class Identity(Module):
    """x itself; what it is made with does not count."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, x):
        return x


class Flatten(Module):
    """Joins the axes from ``start_axis`` to ``stop_axis`` into one.

    By default all but the first: [n, ...] to [n, product of the rest].
    """

    @spelled
    def __init__(self, start_axis: int = 1, stop_axis: int = -1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, x):
        return _ops.flatten(x, self.start_axis, self.stop_axis)

    def extra_repr(self):
        return f"start_axis={self.start_axis}, stop_axis={self.stop_axis}"
