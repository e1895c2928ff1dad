# SPDX-License-Identifier: Apache-2.0
"""Initialisers: callables of (shape, dtype) that return a Tensor.

Layers take one for each parameter (``weight_init=``, ``bias_init=``). Random
ones draw from the generator that ``sy.seed`` sets. Functions whose names end in
an underscore write a tensor: ``init.normal_(layer.weight, std=0.02)``. Fans are
counted as layers store weights: [inputs, outputs] for matrices, [outputs, inputs,
height, width] for convolutions.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, FROM_1, NUMBER, SHARE, checked, listed, whole
from switchyard.functions.arguments import fitting

_ops = _core.ops

__all__ = ["Constant", "KaimingNormal", "KaimingUniform", "Normal", "Ones",
           "TruncatedNormal", "Uniform", "XavierNormal", "XavierUniform",
           "Zeros", "calculate_gain", "constant_", "dirac_", "eye_", "fans",
           "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_",
           "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_",
           "zeros_"]


def __dir__():
    return __all__


class Constant:
    """All elements ``value``."""

    @checked()
    def __init__(self, value: float):
        self.value = value

    def __call__(self, shape, dtype="float32"):
        fitting("Constant", "value", self.value, dtype)
        return _ops.full(list(shape), self.value, dtype)


class Zeros(Constant):
    """All elements 0."""

    def __init__(self):
        super().__init__(0.0)


class Ones(Constant):
    """All elements 1."""

    def __init__(self):
        super().__init__(1.0)


class Uniform:
    """Uniform in [low, high)."""

    @checked(low=NUMBER, high=NUMBER)
    def __init__(self, low: float = -1.0, high: float = 1.0):
        self.low, self.high = low, high

    def __call__(self, shape, dtype="float32"):
        return _ops.uniform(list(shape), self.low, self.high, dtype)


class Normal:
    """Normal with this mean and standard deviation."""

    @checked(mean=NUMBER, std=FROM_0)
    def __init__(self, mean: float = 0.0, std: float = 1.0):
        self.mean, self.std = mean, std

    def __call__(self, shape, dtype="float32"):
        return _ops.gaussian(list(shape), self.mean, self.std, dtype)


def fans(shape):
    """(inputs, outputs) that meet in one element of a weight of this shape."""
    shape = [whole("fans", "shape", extent, FROM_0)
             for extent in listed("fans", "shape", shape, 64)]
    if len(shape) < 2:
        size = math.prod(shape)
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


class XavierUniform:
    """Uniform in ±gain * sqrt(6 / (inputs + outputs)) (Glorot, Bengio 2010)."""

    @checked(gain=FROM_0)
    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        bound = self.gain * math.sqrt(6.0 / max(sum(fans(shape)), 1))
        return Uniform(-bound, bound)(shape, dtype)


class XavierNormal:
    """Normal with standard deviation gain * sqrt(2 / (inputs + outputs))."""

    @checked(gain=FROM_0)
    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        std = self.gain * math.sqrt(2.0 / max(sum(fans(shape)), 1))
        return Normal(0.0, std)(shape, dtype)


class KaimingUniform:
    """Uniform in ±gain * sqrt(3 / inputs) (He and others, 2015)."""

    @checked(gain=FROM_0)
    def __init__(self, gain: float = math.sqrt(2.0)):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        bound = self.gain * math.sqrt(3.0 / max(fans(shape)[0], 1))
        return Uniform(-bound, bound)(shape, dtype)


class KaimingNormal:
    """Normal with standard deviation gain / sqrt(inputs)."""

    @checked(gain=FROM_0)
    def __init__(self, gain: float = math.sqrt(2.0)):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        std = self.gain / math.sqrt(max(fans(shape)[0], 1))
        return Normal(0.0, std)(shape, dtype)


@checked(inputs=FROM_0)
def by_inputs(inputs: int):
    """Uniform in ±1/sqrt(inputs): what Linear and Conv2D start from."""
    bound = 1.0 / math.sqrt(max(inputs, 1))
    return Uniform(-bound, bound)


# Functions that write a tensor, with PyTorch's names. They record no gradient.


def _write(tensor, maker):
    """Writes what the initialiser makes of the tensor's shape; returns it."""
    half = tensor.dtype in ("float16", "bfloat16")
    with no_grad():
        made = maker(list(tensor.shape), "float32" if half else tensor.dtype)
        tensor.copy_(_ops.cast(made, tensor.dtype) if half else made)
    return tensor


@checked(tensor=_core.Tensor)
def constant_(tensor, val: float):
    """Writes ``val`` to every element."""
    return _write(tensor, Constant(val))


@checked(tensor=_core.Tensor)
def zeros_(tensor):
    """Writes 0 to every element."""
    return _write(tensor, Zeros())


@checked(tensor=_core.Tensor)
def ones_(tensor):
    """Writes 1 to every element."""
    return _write(tensor, Ones())


@checked(tensor=_core.Tensor)
def uniform_(tensor, a: float = 0.0, b: float = 1.0):
    """Writes numbers uniform in [a, b)."""
    return _write(tensor, Uniform(a, b))


@checked(tensor=_core.Tensor)
def normal_(tensor, mean: float = 0.0, std: float = 1.0):
    """Writes numbers of the normal distribution."""
    return _write(tensor, Normal(mean, std))


class TruncatedNormal:
    """Normal with this mean and standard deviation, within [low, high]."""

    @checked(mean=NUMBER, std=FROM_0)
    def __init__(self, mean: float = 0.0, std: float = 1.0, low: float = -2.0,
                 high: float = 2.0):
        if not low < high:
            raise ValueError(f"TruncatedNormal: low must be below high {high}, "
                             f"got {low}")
        self.mean, self.std, self.low, self.high = mean, std, low, high

    def __call__(self, shape, dtype="float32"):
        if self.std == 0.0:
            only = min(max(self.mean, self.low), self.high)
            return _ops.full(list(shape), only, dtype)
        ends = [math.erf((end - self.mean) / (self.std * math.sqrt(2.0)))
                for end in (self.low, self.high)]
        drawn = _ops.erfinv(_ops.uniform(list(shape), *ends, dtype))
        made = _ops.scale(drawn, self.std * math.sqrt(2.0), self.mean)
        return _ops.clip(made, self.low, self.high)


@checked(tensor=_core.Tensor)
def trunc_normal_(tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0,
                  b: float = 2.0):
    """Writes numbers of the normal distribution, those within [a, b]."""
    return _write(tensor, TruncatedNormal(mean, std, a, b))


@checked(tensor=_core.Tensor, gain=FROM_0)
def xavier_uniform_(tensor, gain: float = 1.0):
    """Writes what ``XavierUniform`` makes."""
    return _write(tensor, XavierUniform(gain))


@checked(tensor=_core.Tensor, gain=FROM_0)
def xavier_normal_(tensor, gain: float = 1.0):
    """Writes what ``XavierNormal`` makes."""
    return _write(tensor, XavierNormal(gain))


@checked(param=NUMBER)
def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps variances through a nonlinearity; ``param`` is the
    slope of "leaky_relu"."""
    slope = 0.01 if param is None else param
    gains = {"tanh": 5.0 / 3.0, "relu": math.sqrt(2.0), "selu": 0.75,
             "leaky_relu": math.sqrt(2.0 / (1.0 + slope * slope))}
    straight = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d")
    if nonlinearity not in gains and nonlinearity not in straight:
        raise ValueError("calculate_gain: nonlinearity must be one of "
                         f"{', '.join([*gains, *straight])}, got {nonlinearity!r}")
    return gains.get(nonlinearity, 1.0)


def _kaiming(name, tensor, a, mode, nonlinearity):
    """The standard deviation of He and others' initialisation."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"{name}: mode must be 'fan_in' or 'fan_out', got {mode!r}")
    inputs, outputs = fans(tensor.shape)
    count = max(inputs if mode == "fan_in" else outputs, 1)
    return calculate_gain(nonlinearity, a) / math.sqrt(count)


@checked(tensor=_core.Tensor)
def kaiming_uniform_(tensor, a: float = 0.0, mode: str = "fan_in",
                     nonlinearity: str = "leaky_relu"):
    """Writes numbers uniform in ±sqrt(3) * gain / sqrt(fan), the fan of ``mode``
    counted as our layers store weights."""
    std = _kaiming("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std)


@checked(tensor=_core.Tensor)
def kaiming_normal_(tensor, a: float = 0.0, mode: str = "fan_in",
                    nonlinearity: str = "leaky_relu"):
    """Writes numbers of the normal distribution of deviation gain / sqrt(fan),
    the fan of ``mode`` counted as our layers store weights."""
    return normal_(tensor, 0.0,
                   _kaiming("kaiming_normal_", tensor, a, mode, nonlinearity))


@checked(tensor=_core.Tensor, gain=FROM_0)
def orthogonal_(tensor, gain: float = 1.0):
    """Writes a matrix with orthogonal rows or columns, times ``gain``; axes after
    the first count as one."""
    if len(tensor.shape) < 2:
        raise ValueError("orthogonal_: tensor must have two axes or more, got "
                         f"{len(tensor.shape)}")
    rows = tensor.shape[0]
    columns = math.prod(tensor.shape[1:])

    def maker(shape, dtype):
        tall = _ops.gaussian([max(rows, columns), min(rows, columns)], 0.0, 1.0,
                             dtype)
        q, r = _ops.qr(tall)
        q = _ops.multiply(q, _ops.sign(_ops.diagonal(r)))
        q = _ops.transpose(q, [1, 0]) if rows < columns else q
        return _ops.reshape(_ops.scale(q, gain), shape)
    return _write(tensor, maker)


def _matrix(name, tensor):
    """ValueError unless the tensor is a matrix."""
    if len(tensor.shape) != 2:
        raise ValueError(f"{name}: tensor must have 2 axes, got {len(tensor.shape)}")


@checked(tensor=_core.Tensor)
def eye_(tensor):
    """Writes 1 on the diagonal of a matrix, and 0 elsewhere."""
    _matrix("eye_", tensor)
    return _write(tensor, lambda shape, dtype: _ops.eye(*shape, dtype))


@checked(tensor=_core.Tensor, groups=FROM_1)
def dirac_(tensor, groups: int = 1):
    """Writes the weight of a convolution, [outputs, inputs / groups, *kernel], that
    passes on its inputs in each group: 1 in the middle of the kernel."""
    shape = tensor.shape
    if not 3 <= len(shape) <= 5:
        raise ValueError(f"dirac_: tensor must have 3 to 5 axes, got {len(shape)}")
    if shape[0] % groups:
        raise ValueError(f"dirac_: groups must divide the first extent {shape[0]}, got "
                         f"{groups}")
    made, each = np.zeros(shape, np.float32), shape[0] // groups
    middle = tuple(extent // 2 for extent in shape[2:])
    for group in range(groups):
        for i in range(min(each, shape[1])):
            made[(group * each + i, i, *middle)] = 1.0
    return _write(tensor, lambda _, dtype: _core.tensor(made, dtype))


@checked(tensor=_core.Tensor, sparsity=SHARE, std=FROM_0)
def sparse_(tensor, sparsity: float, std: float = 0.01):
    """Writes a matrix of numbers of the normal distribution around 0, of which the
    share ``sparsity`` of each column, rounded up, is 0."""
    _matrix("sparse_", tensor)
    count = math.ceil(sparsity * tensor.shape[0])

    def maker(shape, dtype):
        _, order = _ops.argsort(_ops.uniform(shape, 0.0, 1.0, "float32"), 0)
        _, rank = _ops.argsort(order, 0)
        drawn = _ops.gaussian(shape, 0.0, std, dtype)
        return _ops.where(rank < count, _ops.zeros_like(drawn), drawn)
    return _write(tensor, maker)
