# SPDX-License-Identifier: Apache-2.0
"""Activations: functions of each element, or along an axis."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_1, NUMBER, POSITIVE, checked
from switchyard.functions.elementwise import by_tanh
from switchyard.nn import init
from switchyard.nn.dtypes import check_dtype
from switchyard.nn.module import Module, Parameter

_ops = _core.ops


class _MayWrite(Module):
    """An activation that may write its result into the memory of x."""

    @checked()
    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class ReLU(_MayWrite):
    """max(x, 0); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.relu_(x) if self.inplace else _ops.relu(x)


class ReLU6(_MayWrite):
    """min(max(x, 0), 6); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.relu6_(x) if self.inplace else _ops.relu6(x)


class LeakyReLU(_MayWrite):
    """x where x > 0, else negative_slope * x; written into x's own memory where
    ``inplace``."""

    @checked(negative_slope=NUMBER)
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, x):
        leak = _ops.leaky_relu_ if self.inplace else _ops.leaky_relu
        return leak(x, self.negative_slope)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{inplace}"


class PReLU(Module):
    """x where x > 0, else weight * x: a slope that is learnt.

    ``weight`` [num_parameters]: one for all, or one for each channel (axis 1).
    """

    @checked(num_parameters=FROM_1, slope=NUMBER)
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


class ELU(_MayWrite):
    """x where x > 0, else alpha * (exp(x) - 1); written into x's own memory where
    ``inplace``."""

    @checked(alpha=NUMBER)
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


class SELU(_MayWrite):
    """ELU times 1.0507..., with the alpha that keeps mean 0 and variance 1;
    written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.selu_(x) if self.inplace else _ops.selu(x)


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


class SiLU(_MayWrite):
    """x * sigmoid(x); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.silu_(x) if self.inplace else _ops.silu(x)


class Mish(_MayWrite):
    """x * tanh(softplus(x)); written into x's own memory where ``inplace``."""

    def forward(self, x):
        return _ops.mish_(x) if self.inplace else _ops.mish(x)


class Hardswish(_MayWrite):
    """x * min(max(x + 3, 0), 6) / 6; written into x's own memory where
    ``inplace``."""

    def forward(self, x):
        return _ops.hardswish_(x) if self.inplace else _ops.hardswish(x)


class Hardsigmoid(_MayWrite):
    """min(max(x / 6 + 1 / 2, 0), 1); written into x's own memory where
    ``inplace``."""

    def forward(self, x):
        squash = _ops.hardsigmoid_ if self.inplace else _ops.hardsigmoid
        return squash(x, 1.0 / 6.0, 0.5)


class Hardtanh(_MayWrite):
    """x, no less than ``min_val`` and no more than ``max_val``; written into x's
    own memory where ``inplace``."""

    @checked(min_val=NUMBER, max_val=NUMBER)
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


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x):
        return _ops.sigmoid(x)


class LogSigmoid(Module):
    """log(1 / (1 + exp(-x)))."""

    def forward(self, x):
        return _ops.logsigmoid(x)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, x):
        return _ops.tanh(x)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, x):
        return _ops.softsign(x)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    @checked(beta=POSITIVE, threshold=NUMBER)
    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, x):
        return _ops.softplus(x, self.beta, self.threshold)

    def extra_repr(self):
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """Softmax along ``axis``."""

    @checked()
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


class GLU(Module):
    """The first half of x times the sigmoid of the second, along ``axis``."""

    @checked()
    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        half = x.shape[self.axis] // 2
        first, second = _ops.split(x, [half, half], self.axis)
        return _ops.multiply(first, _ops.sigmoid(second))

    def extra_repr(self):
        return f"axis={self.axis}"
