# SPDX-License-Identifier: Apache-2.0
"""Methods of PyTorch that fill x with random numbers, as copies; the generator is
the one that sy.seed sets."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import NUMBER, POSITIVE, Range, real
from switchyard.functions.arguments import tensor_of

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["cauchy", "exponential", "geometric", "log_normal", "uniform"]

_INSIDE = Range("in (0, 1)", lambda n: 0 < n < 1)


def _shares(x):
    """Numbers uniform in [0, 1), float64."""
    return _ops.uniform(list(x.shape), 0.0, 1.0, "float64")


def _as(drawn, x):
    return _ops.cast(drawn, x.dtype)


def cauchy(x: T, median: float = 0.0, sigma: float = 1.0) -> T:
    """Numbers of Cauchy's distribution, in x's shape and dtype."""
    x = tensor_of(x)
    median = real("cauchy", "median", median)
    sigma = real("cauchy", "sigma", sigma, POSITIVE)
    turn = _ops.tan(_ops.multiply(_ops.subtract(_shares(x), 0.5), math.pi))
    return _as(_ops.add(_ops.multiply(turn, sigma), median), x)


def exponential(x: T, lambd: float = 1.0) -> T:
    """Numbers of the exponential distribution of rate ``lambd``, in x's shape."""
    x = tensor_of(x)
    rate = real("exponential", "lambd", lambd, POSITIVE)
    return _as(_ops.multiply(_ops.log1p(_ops.scale(_shares(x), -1.0)), -1.0 / rate),
               x)


def geometric(x: T, p: float) -> T:
    """How many draws it takes to get what has the probability p, in x's shape."""
    x = tensor_of(x)
    p = real("geometric", "p", p, _INSIDE)
    logs = _ops.log1p(_ops.scale(_shares(x), -1.0))
    return _as(_ops.maximum(_ops.ceil(_ops.multiply(logs, 1.0 / math.log1p(-p))),
                            1.0), x)


def log_normal(x: T, mean: float = 1.0, std: float = 2.0) -> T:
    """The exponentials of numbers of the normal distribution, in x's shape."""
    x = tensor_of(x)
    mean = real("log_normal", "mean", mean, NUMBER)
    std = real("log_normal", "std", std, POSITIVE)
    drawn = _ops.gaussian(list(x.shape), mean, std, "float64")
    return _as(_ops.exp(drawn), x)


def uniform(x: T, low: float = 0.0, high: float = 1.0) -> T:
    """Numbers uniform in [low, high), in x's shape and dtype."""
    x = tensor_of(x)
    low, high = real("uniform", "low", low), real("uniform", "high", high)
    if low > high:
        raise ValueError(f"uniform: high must be at least low, got {low} and {high}")
    return _as(_ops.add(_ops.multiply(_shares(x), high - low), low), x)
