# SPDX-License-Identifier: Apache-2.0
"""Losses that are -log of the likelihood of a normal or a Poisson distribution."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import POSITIVE, checked, real
from switchyard.functions.arguments import floating, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn.extents import in_shape
from switchyard.nn.loss import Loss
from switchyard.nn.max_windows import alike

_ops = _core.ops


class GaussianNLLLoss(Loss):
    """(log(var) + (input - label)² / var) / 2, where var is at least ``eps``.

    ``var`` is of input's shape, or without its last extent or with 1 there, or a
    number; its gradient does not see the bound. ``full`` adds log(2π) / 2.
    """

    @checked(eps=POSITIVE)
    def __init__(self, *, full: bool = False, eps: float = 1e-06,
                 reduction: str = "mean"):
        super().__init__(reduction)
        self.full, self.eps = full, eps

    @in_float32
    def forward(self, input, label, var):
        input, label = tensor_of(input), tensor_of(label)
        var = self._variance(input, var)
        low = _ops.full([], self.eps, var.dtype)
        bound = _ops.subtract(_ops.maximum(var, low).detach(), var.detach())
        var = _ops.add(var, bound)
        apart = _ops.square(_ops.subtract(input, label))
        loss = _ops.scale(_ops.add(_ops.log(var), _ops.divide(apart, var)), 0.5,
                          0.5 * math.log(2.0 * math.pi) if self.full else 0.0)
        return self.reduce(loss)

    def _variance(self, input, var):
        if isinstance(var, (int, float)):
            real(type(self).__name__, "var", var)
            if var < 0:
                raise ValueError("GaussianNLLLoss: var must be from 0, got "
                                 f"{var}")
            return _ops.full_like(input, var)
        var = tensor_of(var)
        if var.dtype.startswith("complex"):
            raise TypeError(f"{type(self).__name__}: var must be real, got {var.dtype}")
        var = floating(var)
        given, wanted = tuple(var.shape), tuple(input.shape)
        if alike(given, wanted[:-1]) and len(wanted):
            return _ops.unsqueeze(in_shape(var, wanted[:-1]), [-1])
        if not alike(given, wanted) and not alike(given, (*wanted[:-1], 1)):
            raise ValueError("GaussianNLLLoss: var must have input's shape "
                             f"{wanted}, or 1 as its last extent, got {given}")
        if isinstance(var, _core.Tensor) and bool(_ops.any(_ops.less_than(var, 0.0))):
            raise ValueError("GaussianNLLLoss: var must have no negative elements")
        if not given:
            return var
        one = not isinstance(given[-1], int) or given[-1] == 1  # Or may be 1.
        return in_shape(var, (*wanted[:-1], given[-1] if one else wanted[-1]))


class PoissonNLLLoss(Loss):
    """exp(input) - label * input: input is the logarithm of the rate; or, unless
    ``log_input``, input - label * log(input + eps).

    ``full`` adds Stirling's approximation of log(label!) where label is above 1.
    """

    @checked(eps=POSITIVE)
    def __init__(self, log_input: bool = True, full: bool = False,
                 eps: float = 1e-08, reduction: str = "mean"):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    @in_float32
    def forward(self, input, label):
        input, label = floating(input), floating(label)
        if self.log_input:
            loss = _ops.subtract(_ops.exp(input), _ops.multiply(label, input))
        else:
            logs = _ops.log(_ops.scale(input, 1.0, self.eps))
            loss = _ops.subtract(input, _ops.multiply(label, logs))
        if self.full:
            loss = _ops.add(loss, self._log_factorial(label))
        return self.reduce(loss)

    def _log_factorial(self, label):
        large = _ops.greater_than(label, 1.0)
        safe = _ops.where(large, label, _ops.ones_like(label))
        logs = _ops.log(safe)
        found = _ops.add(_ops.subtract(_ops.multiply(safe, logs), safe),
                         _ops.scale(logs, 0.5, 0.5 * math.log(2.0 * math.pi)))
        return _ops.where(large, found, _ops.zeros_like(found))
