# SPDX-License-Identifier: Apache-2.0
"""Optimizers that compose operators: Rprop, ASGD, Adafactor and Muon."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import (FROM_0, POSITIVE, SHARE, Range, checked, listed, real,
                               refuse)
from switchyard.optim.optimizer import Optimizer, not_negative, zeros_like
from switchyard.optim.parameters import state_dtype

_ops = _core.ops


def _one(value, param):
    """State of one number, without axes."""
    return _core.tensor(np.array(value), state_dtype(param))


def _mean_square(x):
    """The root of the mean square of all elements."""
    wide = _ops.reshape(x, [-1])
    return _ops.sqrt(_ops.sum(_ops.square(wide), 0) / math.prod(x.shape))


class _Composed(Optimizer):
    """Base: steps in the dtype of the state; float16 and bfloat16 parameters are
    rounded from that."""

    def update(self, param, grad, learning_rate, state):
        dtype = state_dtype(param)
        moved, new = self.stepped(
            _ops.cast(param, dtype), _ops.cast(grad, dtype),
            _ops.reshape(_ops.cast(learning_rate, dtype), []), state)
        return _ops.cast(moved, param.dtype), new

    def stepped(self, param, grad, rate, state):
        """``update`` in the dtype of the state; ``rate`` has no axes."""
        raise NotImplementedError(f"{type(self).__name__}.stepped")


class Rprop(_Composed):
    """Steps by the signs of gradients alone, of a size for each element (Riedmiller
    and Braun, 1993).

    A size, at first ``learning_rate``, is multiplied by ``etas[1]`` where the sign is
    that of before, by ``etas[0]`` where it is the other, within ``step_sizes``; after
    another sign one step is left out.
    """

    elementwise = True

    @checked()
    def __init__(self, parameters, learning_rate: float = 0.01, etas=(0.5, 1.2),
                 step_sizes=(1e-6, 50.0), clip=None):
        less, more = _two("Rprop", "etas", etas)
        if not 0.0 < less < 1.0 < more:
            raise ValueError("Rprop: etas must be one number in (0, 1) and one above 1, "
                             f"got {etas}")
        self.etas, self.step_sizes = (less, more), _two("Rprop", "step_sizes", step_sizes)
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        size = _ops.full_like(zeros_like(param), self._given_rate)
        return {"previous": zeros_like(param), "step_size": size}

    def stepped(self, param, grad, rate, state):
        sign = _ops.sign(grad * state["previous"])
        one, (less, more) = _ops.ones_like(sign), self.etas
        factor = _ops.where(sign > 0.0, more * one, _ops.where(
            sign < 0.0, less * one, one))
        size = _ops.clip(state["step_size"] * factor, *self.step_sizes)
        grad = _ops.where(sign < 0.0, _ops.zeros_like(grad), grad)
        return param - _ops.sign(grad) * size, {"previous": grad, "step_size": size}


def _two(name, argument, value):
    """Two positive numbers."""
    pair = listed(name, argument, value)
    if len(pair) != 2:
        refuse(name, argument, "two numbers", value, ValueError)
    return tuple(real(name, argument, each, POSITIVE) for each in pair)


class ASGD(_Composed):
    """Gradient descent with an average of the parameters, ``state[name]["ax"]``
    (Polyak and Juditsky, 1992).

    param = (1 - lambd * eta) * param - eta * grad, with eta = learning_rate /
    (1 + lambd * learning_rate * step) ** alpha; the average begins after ``t0`` steps.
    """

    elementwise = True

    @checked(t0=FROM_0)
    def __init__(self, parameters, learning_rate: float = 0.01, lambd: float = 1e-4,
                 alpha: float = 0.75, t0: float = 1e6, weight_decay: float = 0.0,
                 clip=None):
        not_negative("ASGD", lambd=lambd, alpha=alpha, weight_decay=weight_decay)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.weight_decay = weight_decay
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        return {"step": _one(0.0, param), "eta": _one(self._given_rate, param),
                "mu": _one(1.0, param), "ax": zeros_like(param)}

    def stepped(self, param, grad, rate, state):
        step, eta = state["step"] + 1.0, state["eta"]
        grad = grad + self.weight_decay * param
        param = param * (1.0 - self.lambd * eta) - eta * grad
        average = state["ax"] + (param - state["ax"]) * state["mu"]
        eta = rate / (1.0 + self.lambd * rate * step)**self.alpha
        mu = 1.0 / _ops.maximum(step - self.t0, _ops.ones_like(step))
        return param, {"step": step, "eta": eta, "mu": mu, "ax": average}


class Adafactor(_Composed):
    """Adam's kind with means of squares kept by rows and columns alone (Shazeer and
    Stern, 2018), relative to the size of the parameter.

    ``beta2_decay``: the mean of squares takes step ** beta2_decay of each gradient.
    ``epsilon``: the least root of such a mean (None: that of the dtype) and the least
    size of a parameter. ``d``: steps whose root mean square is more are cut to it.
    """

    @checked(d=POSITIVE, beta2_decay=Range("up to 0", lambda n: n <= 0))
    def __init__(self, parameters, learning_rate: float = 0.01,
                 beta2_decay: float = -0.8, epsilon=(None, 1e-3), d: float = 1.0,
                 weight_decay: float = 0.0, clip=None):
        not_negative("Adafactor", weight_decay=weight_decay)
        pair = listed("Adafactor", "epsilon", epsilon)
        if len(pair) != 2:
            refuse("Adafactor", "epsilon", "two numbers", epsilon, ValueError)
        self.epsilon = tuple(None if each is None else real(
            "Adafactor", "epsilon", each, FROM_0) for each in pair)
        if self.epsilon[1] is None:
            refuse("Adafactor", "epsilon", "a number at its end", epsilon, ValueError)
        self.beta2_decay, self.d = beta2_decay, d
        self.weight_decay = weight_decay
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        zeros = zeros_like(param)
        if len(param.shape) < 2:
            return {"step": _one(0.0, param), "variance": zeros}
        return {"step": _one(0.0, param),
                "row_var": _ops.sum(zeros, -1, keepdim=True),
                "col_var": _ops.sum(zeros, -2, keepdim=True)}

    def stepped(self, param, grad, rate, state):
        step = state["step"] + 1.0
        new, share = {"step": step}, step**self.beta2_decay
        size = _ops.maximum(_mean_square(param), _ops.full_like(step, self.epsilon[1]))
        size = size * _ops.minimum(rate, 1.0 / _ops.sqrt(step))
        if self.weight_decay:
            param = param * (1.0 - rate * self.weight_decay)
        least = self.epsilon[0]
        if least is None:
            least = 2.0**-52 if param.dtype == "float64" else 2.0**-23
        square = _ops.square(grad)
        if "variance" in state:
            mean = new["variance"] = state["variance"] + share * (
                square - state["variance"])
        else:
            for name, axis in (("row_var", -1), ("col_var", -2)):
                now = _ops.mean(square, [axis], keepdim=True)
                new[name] = state[name] + share * (now - state[name])
            rows = _ops.mean(new["row_var"], [-2], keepdim=True)
            mean = new["row_var"] * new["col_var"] / _ops.maximum(
                rows, _ops.full_like(rows, least))
        moved = grad * _ops.rsqrt(_ops.maximum(mean, _ops.full_like(mean, least**2)))
        cut = _ops.maximum(_mean_square(moved) / self.d, _ops.ones_like(step))
        return param - (size / cut) * moved, new


def _rounded(x):
    """Float32 numbers that bfloat16 holds; products of them are summed in float32."""
    return _ops.cast(_ops.cast(x, "bfloat16"), "float32")


_STEPS = Range("in [1, 100)", lambda n: 1 <= n < 100)


class Muon(_Composed):
    """Steps of velocities whose singular values are made some 1 (Jordan and others,
    2024), of matrices; other parameters are to have another optimizer.

    velocity = momentum * velocity + (1 - momentum) * grad; ``nesterov`` looks a step
    ahead. ``ns_steps`` of Newton and Schulz with ``ns_coefficients`` make the singular
    values alike, in bfloat16. ``adjust_lr_fn``: "original" multiplies the rate by
    sqrt(max(1, rows / columns)), "match_rms_adamw" by 0.2 sqrt(max(rows, columns)).
    ``weight_decay`` times the rate is taken off the parameter.
    """

    @checked(momentum=SHARE, ns_steps=_STEPS, epsilon=FROM_0)
    def __init__(self, parameters, learning_rate: float = 0.001,
                 weight_decay: float = 0.1, momentum: float = 0.95,
                 nesterov: bool = True, ns_coefficients=(3.4445, -4.7750, 2.0315),
                 epsilon: float = 1e-7, ns_steps: int = 5,
                 adjust_lr_fn: str | None = None, clip=None):
        not_negative("Muon", weight_decay=weight_decay)
        self.ns_coefficients = [real("Muon", "ns_coefficients", each) for each in listed(
            "Muon", "ns_coefficients", ns_coefficients)]
        if len(self.ns_coefficients) != 3:
            refuse("Muon", "ns_coefficients", "three numbers", ns_coefficients, ValueError)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError("Muon: adjust_lr_fn must be 'original' or 'match_rms_adamw', "
                             f"got {adjust_lr_fn!r}")
        self.momentum, self.nesterov, self.epsilon = momentum, nesterov, epsilon
        self.weight_decay, self.ns_steps = weight_decay, ns_steps
        self.adjust_lr_fn = adjust_lr_fn
        super().__init__(parameters, learning_rate, clip)

    def initial_state(self, param):
        if len(param.shape) != 2:
            raise ValueError("Muon: parameters must be matrices, got one of shape "
                             f"{tuple(param.shape)}")
        return {"velocity": zeros_like(param)}

    def _orthogonal(self, x):
        """Returns a matrix of the singular vectors of x, with values near 1."""
        a, b, c = self.ns_coefficients
        wide = x.shape[0] <= x.shape[1]
        made = _rounded(x if wide else _ops.transpose(x, [1, 0]))
        length = _rounded(_ops.sqrt(_ops.sum(_ops.square(made), [0, 1])))
        made = _rounded(made / _ops.maximum(length, _ops.full_like(length, self.epsilon)))
        for _ in range(self.ns_steps):
            gram = _rounded(_ops.matmul(made, made, transpose_y=True))
            moved = _rounded(gram * b + _ops.matmul(gram, gram) * c)
            made = _rounded(made * a + _ops.matmul(moved, made))
        made = _ops.cast(made, x.dtype)
        return made if wide else _ops.transpose(made, [1, 0])

    def stepped(self, param, grad, rate, state):
        velocity = state["velocity"] + (1.0 - self.momentum) * (grad - state["velocity"])
        ahead = grad + self.momentum * (velocity - grad) if self.nesterov else velocity
        rows, columns = param.shape
        factor = 0.2 * math.sqrt(max(rows, columns)) if (
            self.adjust_lr_fn == "match_rms_adamw") else math.sqrt(max(1, rows / columns))
        moved = param * (1.0 - rate * self.weight_decay) - (
            rate * factor) * self._orthogonal(ahead)
        return moved, {"velocity": velocity}
