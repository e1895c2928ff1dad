# SPDX-License-Identifier: Apache-2.0
"""The regularized incomplete gamma functions of ``sy.special``."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.arguments import floating, narrowed, widened
from switchyard.functions.data_types import result_type
from switchyard.functions.promotion import beside

_ops = _core.ops

__all__ = ["gammainc", "gammaincc"]


def _applied(name, a, x):
    a, x = map(floating, beside(a, x))
    if a.dtype.startswith("complex") or x.dtype.startswith("complex"):
        raise TypeError(f"{name}: a and x must be real, got {a.dtype} and {x.dtype}")
    if getattr(a, "requires_grad", False) and _core.is_grad_enabled():
        raise NotImplementedError(f"{name}: a must need no gradient, which there is by x "
                                  "alone; call a.detach()")
    dtype = result_type(a, x)
    a, x = (widened(each if each.dtype == dtype else _ops.cast(each, dtype)) for each in (a, x))
    return narrowed(getattr(_ops, name)(a, x), dtype)


def gammainc(a, x):
    """The regularized lower incomplete gamma function: the integral of t^(a-1)
    exp(-t) from 0 to x, divided by Gamma(a). NaN for a or x below 0. The gradient
    is that of x; where a needs one the call is an error."""
    return _applied("gammainc", a, x)


def gammaincc(a, x):
    """The regularized upper incomplete gamma function: 1 - ``gammainc``, but right
    where that is near 0."""
    return _applied("gammaincc", a, x)
