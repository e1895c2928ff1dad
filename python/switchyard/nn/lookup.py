# SPDX-License-Identifier: Apache-2.0
"""Options of looking rows of a table up: bounds of their norms, gradients by count."""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import POSITIVE, flag, real
from switchyard.function import Function
from switchyard.functions.arguments import tensor_of
from switchyard.functions.complex_elements import parts_apart
from switchyard.functions.lengths import length

_ops = _core.ops


class _Scaled(Function):
    """x, whose gradient is multiplied by a factor."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(factor)
        return _ops.assign(x)

    @staticmethod
    def backward(ctx, grad):
        (factor,) = ctx.saved_tensors
        return _ops.multiply(grad, factor), None


def _counts(indices, rows):
    """How often each row is looked up."""
    flat = _ops.reshape(indices, [-1])
    ones = _ops.full([flat.shape[0]], 1.0, "float32")
    return _ops.index_add(_ops.full([rows], 0.0, "float32"), flat, ones, 0)


def bounded(name, weight, indices, max_norm, norm_type):
    """Divides the rows that are looked up, and whose norm is above ``max_norm``, in
    place, so that it is that."""
    if max_norm is None:
        return
    most = real(name, "max_norm", max_norm, POSITIVE)
    order = real(name, "norm_type", norm_type, POSITIVE)
    with no_grad():
        table = weight.detach()
        norms = length(table, [1], order)
        some = _ops.greater_than(_counts(tensor_of(indices), weight.shape[0]), 0.0)
        far = _ops.logical_and(_ops.unsqueeze(some, [1]),
                               _ops.greater_than(norms, most))
        factor = _ops.where(far, _ops.divide(most, _ops.scale(norms, 1.0, 1e-7)),
                            _ops.ones_like(norms))
        weight.copy_(_ops.multiply(table, factor))


def by_frequency(name, rows, indices, count, scale_grad_by_freq):
    """rows [*indices' shape, size], whose gradients are divided by how often the
    index of each is among the indices, where ``scale_grad_by_freq``."""
    flag(name, "scale_grad_by_freq", scale_grad_by_freq)
    if not scale_grad_by_freq:
        return rows
    indices = tensor_of(indices)
    each = _ops.gather(_counts(indices, count), _ops.reshape(indices, [-1]))
    factor = _ops.reshape(_ops.divide(1.0, each), [*indices.shape, 1])
    return _Scaled.apply(rows, _ops.cast(factor, rows.dtype))


def rows_of(name, x, weight, padding, sparse):
    """The rows of ``weight``, real or complex, by the indices x; zeros for
    ``padding`` unless it is -1."""
    weight = tensor_of(weight)
    if not weight.dtype.startswith("complex"):
        return _ops.embedding(x, weight, padding_idx=padding, sparse=sparse)
    if sparse:
        raise TypeError(f"{name}: sparse must be False for weight of complex numbers, "
                        "got True")
    return parts_apart(lambda part: _ops.embedding(x, part, padding_idx=padding),
                       weight)
