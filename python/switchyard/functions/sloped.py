# SPDX-License-Identifier: Apache-2.0
"""Functions of one number whose derivative is a formula, not what their operators
make of it."""

from __future__ import annotations

import functools

from switchyard import _core

_ops = _core.ops


@functools.cache
def _kind():
    """The autograd.Function of them, which is made of functions itself."""
    from switchyard.function import Function

    class Sloped(Function):
        """A function with its derivative, which has one itself."""

        @staticmethod
        def forward(ctx, x, function, slope):
            ctx.save_for_backward(x)
            ctx.slope = slope
            return function(x.detach())

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            # Terms cancel far from 0.
            slope = ctx.slope(x if x.dtype == "float64" else _ops.cast(x, "float64"))
            slope = slope if slope.dtype == x.dtype else _ops.cast(slope, x.dtype)
            return _ops.multiply(grad, slope), None, None
    return Sloped


def recorded(function, slope, x):
    """function(x) with the derivative ``slope``; ``function`` gets x detached."""
    return _kind().apply(x, function, slope)


def sloped(function, slope, x):
    """``recorded`` where there may be a gradient."""
    if type(x) is _core.Value or x.requires_grad:
        return recorded(function, slope, x)
    return function(x)
