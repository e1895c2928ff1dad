# SPDX-License-Identifier: Apache-2.0
"""Activations beside those of activation.py: less usual, or with a parameter."""

from __future__ import annotations

from switchyard import _core
from switchyard.nn import init
from switchyard.nn.activation import ReLU
from switchyard.nn.dtypes import check_dtype
from switchyard.nn.module import Module, Parameter
from switchyard.spelling import spelled

_ops = _core.ops


class ELU(ReLU):
    """x where x > 0, else alpha * (exp(x) - 1); written into x's own memory where
    ``inplace``."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, x):
        return (_ops.elu_ if self.inplace else _ops.elu)(x, self.alpha)

    def extra_repr(self):
        return f"alpha={self.alpha}{', inplace=True' if self.inplace else ''}"


class CELU(ELU):
    """x where x > 0, else alpha * (exp(x / alpha) - 1); written into x's own
    memory where ``inplace``."""

    def forward(self, x):
        return (_ops.celu_ if self.inplace else _ops.celu)(x, self.alpha)


class SELU(ReLU):
    """ELU times 1.0507..., with the alpha that keeps mean 0 and variance 1;
    written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.selu_(x) if self.inplace else _ops.selu(x)


class Mish(ReLU):
    """x * tanh(softplus(x)); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.mish_(x) if self.inplace else _ops.mish(x)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, x):
        return _ops.softsign(x)


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x)))."""

    def forward(self, x):
        return _ops.logsigmoid(x)


class Hardtanh(ReLU):
    """x, no less than ``min_val`` and no more than ``max_val``; written into x's
    own memory where ``inplace``."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0,
                 inplace: bool = False):
        super().__init__(inplace)
        if not min_val < max_val:
            raise ValueError(f"Hardtanh: min_val must be below max_val {max_val},"
                             f" got {min_val}")
        self.min_val, self.max_val = min_val, max_val

    def forward(self, x):
        limit = _ops.clip_ if self.inplace else _ops.hardtanh
        return limit(x, self.min_val, self.max_val)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"min_val={self.min_val}, max_val={self.max_val}{inplace}"


class PReLU(Module):
    """x where x > 0, else weight * x: a slope that is learnt.

    ``weight`` [num_parameters]: one for all, or one for each channel (axis 1).
    """

    def __init__(self, num_parameters: int = 1, slope: float = 0.25):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(init.Constant(slope)([num_parameters]))

    def forward(self, x):
        check_dtype(self, x, self.weight)
        one = self.num_parameters == 1
        return _ops.prelu(x, self.weight, mode="all" if one else "channel")

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The first half of x times the sigmoid of the second, along ``axis``."""

    @spelled
    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        half = x.shape[self.axis] // 2
        first, second = _ops.split(x, [half, half], self.axis)
        return _ops.multiply(first, _ops.sigmoid(second))

    def extra_repr(self):
        return f"axis={self.axis}"


class PixelShuffle(Module):
    """[n, channels * r * r, h, w] to [n, channels, h * r, w * r]."""

    def __init__(self, upscale_factor: int):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, x):
        return _ops.pixel_shuffle(x, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"
