# SPDX-License-Identifier: Apache-2.0
"""Probability distributions: samples, logarithms of densities, divergences.

    policy = sy.distributions.Categorical(logits=model(state))
    action = policy.sample()
    loss = -(policy.log_prob(action) * advantage).mean()

They only call operators, so their parameters may be tensors and, while a program
is traced, values of a graph; numbers and arrays, too. Numbers are drawn from the
generator that ``sy.seed`` sets.
"""

from __future__ import annotations

import math
import numbers

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import public_call, refuse
from switchyard.functions.arguments import tensor_of

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

__all__ = ["Bernoulli", "Categorical", "Distribution", "Normal", "Uniform",
           "kl_divergence"]


def __dir__():
    return __all__


def _tensors(*parameters):
    """Parameters as floating tensors; numbers have the others' dtype."""
    made = [p if isinstance(p, (*_KINDS, numbers.Real)) else tensor_of(p)
            for p in parameters]
    for p in made:
        if isinstance(p, _KINDS) and str(p.dtype).startswith("complex"):
            name, argument = public_call(p)
            refuse(name, argument, "real", p)
    made = [_ops.cast(p, "float32") if isinstance(p, _KINDS)
            and not _is_floating(p) else p for p in made]
    dtypes = [p.dtype for p in made if isinstance(p, _KINDS)]
    dtype = dtypes[0] if dtypes else "float32"
    return [p if isinstance(p, _KINDS) else _ops.full([], float(p), dtype)
            for p in made]


def _is_floating(x):
    return str(x.dtype) in ("float16", "bfloat16", "float32", "float64")


def _value(x, like):
    """A value whose probability is asked for, of the parameters' dtype."""
    x = tensor_of(x)
    return x if x.dtype == like.dtype else _ops.cast(x, like.dtype)


def _same(shape, other):
    """Whether the shapes are known to be the same."""
    try:
        return tuple(shape) == tuple(other)
    except TypeError:  # It is known only when the program runs.
        return False


def _common(x, y):
    """x with the shape that it and y broadcast to."""
    if _same(x.shape, y.shape):
        return x
    return _ops.add(x, _ops.zeros_like(y))


def _positive(name, what, value):
    """ValueError for a number that is not positive; of tensors none is read."""
    if isinstance(value, numbers.Real) and not value > 0:
        raise ValueError(f"{name}: {what} must be positive, got {value}")


class Distribution:
    """Base class. ``shape``, of samples, is put before that of the parameters."""

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


class Normal(Distribution):
    """The normal distribution around ``loc``, of standard deviation ``scale``."""

    def __init__(self, loc, scale):
        _positive("Normal", "scale", scale)
        self.loc, self.scale = _tensors(loc, scale)

    def rsample(self, shape=()):
        like = _common(self.loc, self.scale)
        noise = _ops.gaussian([*shape, *like.shape], 0.0, 1.0, like.dtype)
        return _ops.add(self.loc, _ops.multiply(self.scale, noise))

    def log_prob(self, value):
        value = _value(value, self.loc)
        distance = _ops.divide(_ops.subtract(value, self.loc), self.scale)
        return _ops.subtract(
            _ops.scale(_ops.square(distance), -0.5,
                       -0.5 * math.log(2.0 * math.pi)), _ops.log(self.scale))

    def entropy(self):
        scale = _common(self.scale, self.loc)
        return _ops.scale(_ops.log(scale), 1.0,
                          0.5 + 0.5 * math.log(2.0 * math.pi))

    def cdf(self, value):
        """The probability of a value up to ``value``."""
        distance = _ops.divide(_ops.subtract(_value(value, self.loc), self.loc),
                               self.scale)
        return _ops.scale(_ops.erf(_ops.scale(distance, math.sqrt(0.5))),
                          0.5, 0.5)

    @property
    def mean(self):
        return _common(self.loc, self.scale)

    @property
    def variance(self):
        return _ops.square(_common(self.scale, self.loc))


class Uniform(Distribution):
    """Uniform from ``low`` up to ``high``, which is not included."""

    def __init__(self, low, high):
        if isinstance(low, numbers.Real) and isinstance(
                high, numbers.Real) and not low < high:
            raise ValueError(f"Uniform: high must be above low {low}, got {high}")
        self.low, self.high = _tensors(low, high)

    def _width(self):
        return _ops.subtract(self.high, self.low)

    def rsample(self, shape=()):
        width = self._width()
        part = _ops.uniform([*shape, *width.shape], 0.0, 1.0, width.dtype)
        return _ops.add(self.low, _ops.multiply(width, part))

    def log_prob(self, value):
        value = _value(value, self.low)
        inside = _ops.logical_and(_ops.greater_equal(value, self.low),
                                  _ops.less_than(value, self.high))
        density = _common(_ops.scale(_ops.log(self._width()), -1.0), value)
        return _ops.where(inside, density,
                          _ops.full([], -math.inf, density.dtype))

    def entropy(self):
        return _ops.log(self._width())

    @property
    def mean(self):
        return _ops.scale(_ops.add(self.low, self.high), 0.5)

    @property
    def variance(self):
        return _ops.scale(_ops.square(self._width()), 1.0 / 12.0)


def _one_of(name, probs, logits):
    if (probs is None) == (logits is None):
        raise ValueError(f"{name}: probs or logits must be given, not both")


class Bernoulli(Distribution):
    """1 with the probability ``probs``, or sigmoid(``logits``); else 0."""

    def __init__(self, probs=None, logits=None):
        _one_of("Bernoulli", probs, logits)
        if isinstance(probs, numbers.Real) and not 0.0 <= probs <= 1.0:
            raise ValueError(f"Bernoulli: probs must be in [0, 1], got {probs}")
        self._probs = None if probs is None else _tensors(probs)[0]
        self._logits = None if logits is None else _tensors(logits)[0]

    @property
    def probs(self):
        """The probability of 1."""
        if self._probs is None:
            self._probs = _ops.sigmoid(self._logits)
        return self._probs

    @property
    def logits(self):
        """log(p / (1 - p)), where p is the probability of 1."""
        if self._logits is None:
            self._logits = _ops.subtract(
                _ops.log(self._probs), _ops.log1p(_ops.scale(self._probs, -1.0)))
        return self._logits

    def sample(self, shape=()):
        with no_grad():
            drawn = _ops.uniform([*shape, *self.probs.shape], 0.0, 1.0,
                                 self.probs.dtype)
            return _ops.cast(_ops.less_than(drawn, self.probs), drawn.dtype)

    def _logs(self):
        """The logarithms of the probabilities of 1 and of 0."""
        if self._logits is not None:
            return (_ops.scale(_softplus(_ops.scale(self._logits, -1.0)), -1.0),
                    _ops.scale(_softplus(self._logits), -1.0))
        return (_ops.log(self._probs),
                _ops.log1p(_ops.scale(self._probs, -1.0)))

    def log_prob(self, value):
        of_one, of_zero = self._logs()
        value = _value(value, of_one)
        return _ops.add(_times(value, of_one),
                        _times(_ops.scale(value, -1.0, 1.0), of_zero))

    def entropy(self):
        of_one, of_zero = self._logs()
        return _ops.scale(_ops.add(
            _times(self.probs, of_one),
            _times(_ops.scale(self.probs, -1.0, 1.0), of_zero)), -1.0)

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return _ops.multiply(self.probs, _ops.scale(self.probs, -1.0, 1.0))


def _softplus(x):
    # Beyond the threshold it is x to the last bit of a float64.
    return _ops.softplus(x, 1.0, 40.0)


def _times(probability, logarithm):
    """The product, which is 0 where the probability is, whatever the logarithm."""
    some = _ops.not_equal(probability, 0.0)
    if not _same(some.shape, logarithm.shape):
        shape = _ops.add(_ops.cast(some, logarithm.dtype),
                         _ops.zeros_like(logarithm))
        some, logarithm = _ops.not_equal(shape, 0.0), _common(logarithm, shape)
    safe = _ops.where(some, logarithm, _ops.zeros_like(logarithm))
    return _ops.multiply(probability, safe)


class Categorical(Distribution):
    """A number of a class (int64), of those along the last axis.

    ``probs`` need not have the sum 1; ``logits`` are their logarithms.
    """

    def __init__(self, probs=None, logits=None):
        _one_of("Categorical", probs, logits)
        given = _tensors(logits if probs is None else probs)[0]
        if not given.shape:
            raise ValueError("Categorical: probs or logits must have an axis of "
                             "classes, got none")
        self._given, self._by_logits = given, probs is None

    @property
    def logits(self):
        """The logarithms of the probabilities, whose sum is 1."""
        if self._by_logits:
            return _ops.log_softmax(self._given, -1)
        return _ops.log(self.probs)

    @property
    def probs(self):
        """The probabilities, whose sum is 1."""
        if self._by_logits:
            return _ops.softmax(self._given, -1)
        return _ops.divide(self._given, _ops.sum(self._given, -1, keepdim=True))

    def sample(self, shape=()):
        with no_grad():
            # The largest of log(p) + Gumbel's numbers is a draw.
            logits = self._given if self._by_logits else _ops.log(self._given)
            drawn = _ops.uniform([*shape, *logits.shape], 0.0, 1.0, logits.dtype)
            gumbel = _ops.scale(_ops.log(_ops.scale(_ops.log(drawn), -1.0)), -1.0)
            return _ops.argmax(_ops.add(logits, gumbel), -1)

    def log_prob(self, value):
        if not isinstance(value, _KINDS):
            value = _core.tensor(value)
        column = _ops.unsqueeze(_ops.cast(value, "int64"), [-1])
        logits = self.logits
        if not _same(value.shape, tuple(logits.shape)[:-1]):
            # Both broadcast, except along the classes.
            zeros = _ops.zeros_like(column)
            logits = _ops.add(logits, _ops.cast(zeros, logits.dtype))
            first = _ops.slice(logits, [len(logits.shape) - 1], [0], [1])
            column = _ops.add(column, _ops.cast(_ops.zeros_like(first), "int64"))
        return _ops.squeeze(_ops.take_along_axis(logits, column, -1), [-1])

    def entropy(self):
        return _ops.scale(_ops.sum(_times(self.probs, self.logits), -1), -1.0)


def kl_divergence(p: Distribution, q: Distribution):
    """The mean of log p - log q over draws of p."""
    for (first, second), divergence in _DIVERGENCES.items():
        if isinstance(p, first) and isinstance(q, second):
            return divergence(p, q)
    raise NotImplementedError(
        f"kl_divergence: p and q are {type(p).__name__} and {type(q).__name__}; "
        "known are pairs of one kind, and Uniform with Normal")


def _normals(p, q):
    ratio = _ops.square(_ops.divide(p.scale, q.scale))
    apart = _ops.square(_ops.divide(_ops.subtract(p.loc, q.loc), q.scale))
    return _ops.scale(_ops.subtract(_ops.add(ratio, apart), _ops.log(ratio)),
                      0.5, -0.5)


def _bernoullis(p, q):
    difference = [_ops.subtract(a, b) for a, b in zip(p._logs(), q._logs())]
    return _ops.add(
        _times(p.probs, difference[0]),
        _times(_ops.scale(p.probs, -1.0, 1.0), difference[1]))


def _categoricals(p, q):
    return _ops.sum(_times(p.probs, _ops.subtract(p.logits, q.logits)), -1)


def _uniforms(p, q):
    inside = _ops.logical_and(_ops.less_equal(q.low, p.low),
                              _ops.less_equal(p.high, q.high))
    apart = _ops.subtract(_ops.log(q._width()), _ops.log(p._width()))
    return _ops.where(inside, apart, _ops.full([], math.inf, apart.dtype))


def _uniform_normal(p, q):
    square = _ops.add(p.variance, _ops.square(_ops.subtract(p.mean, q.loc)))
    spread = _ops.scale(_ops.divide(square, _ops.square(q.scale)), 0.5)
    constant = _ops.scale(_ops.log(q.scale), 1.0, 0.5 * math.log(2.0 * math.pi))
    return _ops.subtract(_ops.add(spread, constant), _ops.log(p._width()))


_DIVERGENCES = {(Normal, Normal): _normals, (Uniform, Uniform): _uniforms,
                (Bernoulli, Bernoulli): _bernoullis,
                (Categorical, Categorical): _categoricals,
                (Uniform, Normal): _uniform_normal}
