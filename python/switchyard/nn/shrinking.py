# SPDX-License-Identifier: Apache-2.0
"""Activations that shrink or cut off, their functions and layers."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import FROM_0, NUMBER, POSITIVE, checked, flag, real
from switchyard.functions.arguments import axis_in, floating, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn.activation import _MayWrite
from switchyard.nn.module import Module
from switchyard.spelling import spelled

_ops = _core.ops


def _into(x, y, inplace):
    """y, or x with y's elements written where ``inplace``."""
    return x._become(y) or x if inplace else y


def tanhshrink(x):
    """x - tanh(x)."""
    x = floating(x)
    if x.dtype.startswith("complex"):
        return _ops.subtract(x, _ops.tanh(x))
    return _ops.tanh_shrink(x)


@spelled
def threshold(x, threshold: float, value: float, inplace: bool = False):
    """x where it is above ``threshold``, else ``value``; written into x's own
    memory where ``inplace``."""
    x = tensor_of(x)
    real("threshold", "threshold", threshold)
    real("threshold", "value", value)
    above = _ops.logical_not(_ops.less_equal(x, threshold))
    return _into(x, _ops.where(above, x, _ops.full([], value, x.dtype)), inplace)


@spelled
def softmin(x, axis: int = -1, dtype=None):
    """Softmax of -x along ``axis``; of x as ``dtype`` where that is given."""
    x = tensor_of(x)
    x = x if dtype is None else x.astype(dtype)
    return _ops.softmax(_ops.scale(x, -1.0),
                        axis_in("softmin", axis, len(x.shape) or 1))


@spelled
@in_float32
def gumbel_softmax(x, tau: float = 1.0, hard: bool = False, axis: int = -1):
    """Draws of the classes along ``axis`` whose logarithms of probabilities x has, as
    softmax of (x + Gumbel's numbers) / ``tau``; with ``hard`` 1 for the class and 0
    for others, with the gradient of the former (Jang and others, 2017)."""
    x = floating(x)
    real("gumbel_softmax", "tau", tau, POSITIVE)
    flag("gumbel_softmax", "hard", hard)
    axis = axis_in("gumbel_softmax", axis, len(x.shape))
    tiny = _ops.full([], 2.0**-25, x.dtype)
    u = _ops.maximum(_ops.uniform(list(x.shape), 0.0, 1.0, x.dtype), tiny)
    gumbel = _ops.scale(_ops.log(_ops.scale(_ops.log(u), -1.0)), -1.0)
    soft = _ops.softmax(_ops.scale(_ops.add(x, gumbel), 1.0 / tau), axis=axis)
    if not hard:
        return soft
    first = _ops.argmax(soft, axis, keepdims=True)
    places = _ops.cumsum(_ops.ones_like(soft), axis)
    one = _ops.equal(_ops.scale(places, 1.0, -1.0), _ops.cast(first, soft.dtype))
    held = soft.detach()
    return _ops.add(_ops.cast(one, soft.dtype), _ops.subtract(soft, held))


@spelled
def rrelu(x, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0,
          training: bool = False, inplace: bool = False):
    """x where x > 0, else x times a slope that is drawn from [lower, upper) in
    training, and their mean otherwise."""
    x = tensor_of(x)
    real("rrelu", "lower", lower, FROM_0)
    if not real("rrelu", "upper", upper) >= lower:
        raise ValueError(f"rrelu: upper must be from lower {lower}, got {upper}")
    flag("rrelu", "training", training)
    y = _ops.rrelu(x, lower=lower, upper=upper, is_test=not training)
    return _into(x, y[0] if isinstance(y, tuple) else y, inplace)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, x):
        return tanhshrink(x)


class Hardshrink(Module):
    """x where |x| is above ``lambd``, else 0."""

    @checked(lambd=FROM_0)
    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, x):
        return _ops.hardshrink(x, self.lambd)

    def extra_repr(self):
        return f"lambd={self.lambd}"


class Softshrink(Hardshrink):
    """x with |x| less by ``lambd``; 0 where that is more than |x|."""

    def forward(self, x):
        return _ops.softshrink(x, self.lambd)


class Threshold(_MayWrite):
    """x where it is above ``threshold``, else ``value``; written into x's own
    memory where ``inplace``."""

    @checked(threshold=NUMBER, value=NUMBER)
    def __init__(self, threshold: float, value: float, inplace: bool = False):
        super().__init__(inplace)
        self.threshold, self.value = threshold, value

    def forward(self, x):
        return threshold(x, self.threshold, self.value, self.inplace)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"threshold={self.threshold}, value={self.value}{inplace}"


class RReLU(_MayWrite):
    """x where x > 0, else x times a slope: drawn from [lower, upper) in training,
    their mean in evaluation; written into x's own memory where ``inplace``."""

    @checked(lower=FROM_0, upper=FROM_0)
    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0,
                 inplace: bool = False):
        super().__init__(inplace)
        if lower > upper:
            raise ValueError(f"RReLU: upper must be from lower {lower}, got {upper}")
        self.lower, self.upper = lower, upper

    def forward(self, x):
        return rrelu(x, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower:g}, upper={self.upper:g}"


class Softmin(Module):
    """Softmax of -x along ``axis``."""

    @checked()
    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        return softmin(x, self.axis)

    def extra_repr(self):
        return f"axis={self.axis}"


class Softmax2D(Module):
    """Softmax over the channels of x [n, channels, h, w], or without n."""

    def forward(self, x):
        if len(x.shape) not in (3, 4):
            raise ValueError(f"Softmax2D: x must have 3 or 4 axes, got {len(x.shape)}")
        return _ops.softmax(x, axis=-3)
