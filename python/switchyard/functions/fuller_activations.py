# SPDX-License-Identifier: Apache-2.0
"""Fuller forms (fuller.py) of activations and of a few functions of one tensor."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.arguments import WHOLE, axis_in
from switchyard.functions.elementwise import clip, logaddexp

_ops = _core.ops


def _of_integers(name, limits):
    """The form of an activation of integers that is a choice between them and
    ``limits``, or, without these, of reals."""
    operator = getattr(_ops, name)

    def form(x=None, *args, **kwargs):
        if getattr(x, "dtype", "") not in WHOLE or args or kwargs:
            return NotImplemented
        if limits is None:
            return operator(_ops.cast(x, "float32"))
        if x.dtype == "bool":
            return NotImplemented
        return clip(x, *limits)
    return form


def _softsign(x=None):
    """softsign of integers."""
    if getattr(x, "dtype", "") in WHOLE:
        return _ops.softsign(_ops.cast(x, "float32"))
    return NotImplemented


def _kron(x=None, y=None):
    """kron of bools."""
    if getattr(x, "dtype", "") != "bool" or getattr(y, "dtype", "") != "bool":
        return NotImplemented
    return _ops.cast(_ops.kron(_ops.cast(x, "int32"), _ops.cast(y, "int32")), "bool")


def _shrink(name):
    """The form of a shrinkage, with PyTorch's ``lambd``."""
    operator = getattr(_ops, name)

    def form(x=None, *, lambd=None):
        if x is None or lambd is None:
            return NotImplemented
        return operator(x, lambd)
    return form


def _logcumsumexp(x=None, axis=None, *, dim=None):
    """logcumsumexp of complex numbers, by strides that double."""
    axis = axis if dim is None else dim
    if not getattr(x, "dtype", "").startswith("complex") or axis is None:
        return NotImplemented
    if not x.shape:
        return _ops.assign(x)
    axis = axis_in("logcumsumexp", axis, len(x.shape))
    stride, extent = 1, x.shape[axis]
    while stride < extent:
        head = _ops.slice(x, [axis], [0], [stride])
        later = _ops.slice(x, [axis], [stride], [extent])
        earlier = _ops.slice(x, [axis], [0], [extent - stride])
        x = _ops.concat([head, logaddexp(later, earlier)], axis)
        stride *= 2
    return x


def forms():
    """{operator: its form}."""
    return {"relu": _of_integers("relu", (0, None)),
            "relu6": _of_integers("relu6", (0, 6)), "softsign": _softsign,
            "kron": _kron, "hardshrink": _shrink("hardshrink"),
            "softshrink": _shrink("softshrink"), "logcumsumexp": _logcumsumexp}
