# SPDX-License-Identifier: Apache-2.0
"""Activation functions that write x's memory, by PyTorch's names, and return x.

The methods of these names do the same; they are recorded as the functions are.
"""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import refuse
from switchyard.nn.shrinking import rrelu, threshold as _threshold
from switchyard.spelling import spelled

_KINDS = (_core.Tensor, _core.Value)


def _written(name, x):
    """x, unless it is an array or a list: they would not be written."""
    if not isinstance(x, _KINDS):
        refuse(name, "x", "a tensor", x)
    return x


@spelled
def relu_(x):
    """Writes 0 where x is below it."""
    return _written("relu_", x).relu_()


@spelled
def elu_(x, alpha: float = 1.0):
    """Writes alpha * (exp(x) - 1) where x is below 0."""
    return _written("elu_", x).elu_(alpha)


@spelled
def celu_(x, alpha: float = 1.0):
    """Writes alpha * (exp(x / alpha) - 1) where x is below 0."""
    return _written("celu_", x).celu_(alpha)


@spelled
def selu_(x):
    """Writes ``selu`` of x."""
    return _written("selu_", x).selu_()


@spelled
def leaky_relu_(x, negative_slope: float = 0.01):
    """Multiplies what is below 0 by ``negative_slope``."""
    return _written("leaky_relu_", x).leaky_relu_(negative_slope)


@spelled
def hardtanh_(x, min_val: float = -1.0, max_val: float = 1.0):
    """Limits the elements to [min_val, max_val]."""
    return _written("hardtanh_", x).hardtanh_(min_val, max_val)


@spelled
def threshold_(x, threshold: float, value: float):
    """Writes ``value`` where x is not above ``threshold``."""
    return _threshold(_written("threshold_", x), threshold, value, inplace=True)


@spelled
def rrelu_(x, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0,
           training: bool = False):
    """Multiplies what is below 0 by a slope drawn from [lower, upper) in training,
    and by their mean otherwise."""
    return rrelu(_written("rrelu_", x), lower, upper, training, inplace=True)

