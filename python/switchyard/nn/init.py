# SPDX-License-Identifier: Apache-2.0
"""Initialisers: callables of (shape, dtype) that return a Tensor.

Layers take one for each parameter (``weight_init=``, ``bias_init=``). Random
ones draw from the generator that ``sy.seed`` sets. Fans are counted as layers
store weights: [inputs, outputs] for matrices, [outputs, inputs, height, width]
for convolutions.
"""

from __future__ import annotations

import math

from switchyard import _core

_ops = _core.ops


class Constant:
    """All elements ``value``."""

    def __init__(self, value: float):
        self.value = value

    def __call__(self, shape, dtype="float32"):
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

    def __init__(self, low: float = -1.0, high: float = 1.0):
        self.low, self.high = low, high

    def __call__(self, shape, dtype="float32"):
        return _ops.uniform(list(shape), self.low, self.high, dtype)


class Normal:
    """Normal with this mean and standard deviation."""

    def __init__(self, mean: float = 0.0, std: float = 1.0):
        self.mean, self.std = mean, std

    def __call__(self, shape, dtype="float32"):
        return _ops.gaussian(list(shape), self.mean, self.std, dtype)


def fans(shape):
    """(inputs, outputs) that meet in one element of a weight of this shape."""
    if len(shape) < 2:
        size = math.prod(shape)
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


class XavierUniform:
    """Uniform in ±gain * sqrt(6 / (inputs + outputs)) (Glorot, Bengio 2010)."""

    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        bound = self.gain * math.sqrt(6.0 / max(sum(fans(shape)), 1))
        return Uniform(-bound, bound)(shape, dtype)


class XavierNormal:
    """Normal with standard deviation gain * sqrt(2 / (inputs + outputs))."""

    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        std = self.gain * math.sqrt(2.0 / max(sum(fans(shape)), 1))
        return Normal(0.0, std)(shape, dtype)


class KaimingUniform:
    """Uniform in ±gain * sqrt(3 / inputs) (He and others, 2015)."""

    def __init__(self, gain: float = math.sqrt(2.0)):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        bound = self.gain * math.sqrt(3.0 / max(fans(shape)[0], 1))
        return Uniform(-bound, bound)(shape, dtype)


class KaimingNormal:
    """Normal with standard deviation gain / sqrt(inputs)."""

    def __init__(self, gain: float = math.sqrt(2.0)):
        self.gain = gain

    def __call__(self, shape, dtype="float32"):
        std = self.gain / math.sqrt(max(fans(shape)[0], 1))
        return Normal(0.0, std)(shape, dtype)


def by_inputs(inputs):
    """Uniform in ±1/sqrt(inputs): what Linear and Conv2D start from."""
    bound = 1.0 / math.sqrt(max(inputs, 1))
    return Uniform(-bound, bound)
