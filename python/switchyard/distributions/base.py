# SPDX-License-Identifier: Apache-2.0
"""Distribution, the base, and the parameters of distributions."""

from __future__ import annotations

import numbers

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import public_call, refuse
from switchyard.functions.arguments import tensor_of

_ops = _core.ops
KINDS = (_core.Tensor, _core.Value)


def tensors(*parameters):
    """Parameters as floating tensors; numbers have the others' dtype."""
    made = [p if isinstance(p, (*KINDS, numbers.Real)) else tensor_of(p)
            for p in parameters]
    for p in made:
        if isinstance(p, KINDS) and str(p.dtype).startswith("complex"):
            name, argument = public_call(p)
            refuse(name, argument, "real", p)
    made = [_ops.cast(p, "float32") if isinstance(p, KINDS)
            and not is_floating(p) else p for p in made]
    dtypes = [p.dtype for p in made if isinstance(p, KINDS)]
    dtype = dtypes[0] if dtypes else "float32"
    return [p if isinstance(p, KINDS) else _ops.full([], float(p), dtype)
            for p in made]


def is_floating(x):
    """Whether x has a floating dtype."""
    return str(x.dtype) in ("float16", "bfloat16", "float32", "float64")


def value_of(x, like):
    """A value whose probability is asked for, of the parameters' dtype."""
    x = tensor_of(x)
    return x if x.dtype == like.dtype else _ops.cast(x, like.dtype)


def same(shape, other):
    """Whether the shapes are known to be the same."""
    try:
        return tuple(shape) == tuple(other)
    except TypeError:  # It is known only when the program runs.
        return False


def common(x, y):
    """x with the shape that it and y broadcast to."""
    if same(x.shape, y.shape):
        return x
    return _ops.add(x, _ops.zeros_like(y))


def positive(name, what, value):
    """ValueError for a number that is not positive; of tensors none is read."""
    if isinstance(value, numbers.Real) and not value > 0:
        raise ValueError(f"{name}: {what} must be positive, got {value}")


class Distribution:
    """Base class. ``shape``, of samples, is put before that of the parameters.

    ``event_rank``: how many of the last axes of a sample are one draw.
    """

    event_rank = 0

    @property
    def batch_shape(self):
        """The extents of the parameters: how many distributions there are."""
        shape = tuple(self.mean.shape)
        return shape[:len(shape) - self.event_rank]

    @property
    def event_shape(self):
        """The extents of one draw."""
        shape = tuple(self.mean.shape)
        return shape[len(shape) - self.event_rank:]

    @property
    def has_rsample(self):
        """Whether ``rsample`` has draws."""
        return type(self).rsample is not Distribution.rsample

    def sample(self, shape=()):
        """Draws, without a gradient."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=()):
        """Draws as a function of the parameters, with their gradients."""
        raise NotImplementedError(f"{type(self).__name__}: rsample has no "
                                  "gradient here: use sample")

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError(f"{type(self).__name__}.log_prob")

    def entropy(self):
        """The mean of -log_prob."""
        raise NotImplementedError(f"{type(self).__name__}.entropy")

    def perplexity(self):
        """exp of the entropy."""
        return _ops.exp(self.entropy())

    def cdf(self, value):
        """The probability of a draw up to ``value``."""
        raise NotImplementedError(f"{type(self).__name__}.cdf")

    def icdf(self, value):
        """The value up to which the probability is ``value``."""
        raise NotImplementedError(f"{type(self).__name__}.icdf")

    @property
    def mean(self):
        """The expectation."""
        raise NotImplementedError(f"{type(self).__name__}.mean")

    @property
    def variance(self):
        """The mean square distance from the mean."""
        raise NotImplementedError(f"{type(self).__name__}.variance")

    @property
    def stddev(self):
        """The root of the variance."""
        return _ops.sqrt(self.variance)


def one_of(name, probs, logits):
    """ValueError unless one of both is given."""
    if (probs is None) == (logits is None):
        raise ValueError(f"{name}: probs or logits must be given, not both")


def softplus(x):
    """log(1 + exp(x))."""
    # Beyond the threshold it is x to the last bit of a float64.
    return _ops.softplus(x, 1.0, 40.0)


def times(probability, logarithm):
    """The product, which is 0 where the probability is and the logarithm is not
    finite."""
    some = _ops.logical_or(_ops.not_equal(probability, 0.0), _ops.isfinite(logarithm))
    return _ops.multiply(probability, _ops.where(
        some, logarithm, _ops.full([], 0.0, logarithm.dtype)))


def drawn(shape, like, low=0.0, high=1.0):
    """Numbers uniform in [low, high), ``shape`` before like's."""
    return _ops.uniform([*shape, *like.shape], low, high, like.dtype)


def opened(shape, like):
    """Numbers uniform in (0, 1), ``shape`` before like's: their logarithms are
    finite."""
    tiny = 2.0**-53 if like.dtype == "float64" else 2.0**-25
    return _ops.maximum(drawn(shape, like), _ops.full([], tiny, like.dtype))


def outside(x, inside):
    """x where ``inside`` holds, else -inf."""
    return _ops.where(inside, x, _ops.full([], float("-inf"), x.dtype))


def host_generator():
    """A generator of NumPy that the generator of ``sy.seed`` begins."""
    words = _ops.randint(0, 2**31 - 1, [4], "int64")
    if not isinstance(words, _core.Tensor):
        raise NotImplementedError("sample: counts are drawn on the host, which a program "
                                  "that is traced can't")
    return np.random.default_rng(words.numpy())
