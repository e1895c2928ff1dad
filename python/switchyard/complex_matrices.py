# SPDX-License-Identifier: Apache-2.0
"""Matrices of complex numbers: adjoint and Hermitian ones, logarithms of
determinants."""

from __future__ import annotations

from switchyard import _core
from switchyard.function import Function
from switchyard.functions.reductions import prod
from switchyard.functions.shaping import matrix_transpose

_ops = _core.ops


def adjoint(x):
    """The transposed, and of complex numbers conjugated, matrices."""
    x = matrix_transpose(x)
    return _ops.conj(x) if x.dtype.startswith("complex") else x


def symmetric(x, uplo="L"):
    """The symmetric or Hermitian matrices of which one triangle is read, and of the
    diagonal the real parts."""
    half = _ops.tril(x, -1) if uplo == "L" else _ops.triu(x, 1)
    other = matrix_transpose(half)
    if not x.dtype.startswith("complex"):
        return _ops.add(_ops.add(half, other), _ops.triu(_ops.tril(x)))
    diagonal = _ops.cast(_ops.triu(_ops.tril(_ops.real(x))), x.dtype)
    return _ops.add(_ops.add(half, _ops.conj(other)), diagonal)


class _LogDeterminant(Function):
    """(d / |d|, log |d|) of the determinants d of complex matrices, by their LU
    factors."""

    @staticmethod
    def forward(ctx, x):
        packed, pivots, _ = _ops.lu(x)
        pivot = _ops.diagonal(packed, 0, -2, -1)
        length = _ops.abs(pivot)
        none = _ops.equal(length, 0.0)
        turns = _ops.divide(pivot, _ops.cast(
            _ops.where(none, _ops.ones_like(length), length), x.dtype))
        stays = _ops.equal(pivots, _ops.arange(1, x.shape[-1] + 1, 1, "int32"))
        turns = _ops.where(stays, turns, _ops.scale(turns, -1.0))
        sign = prod(turns, -1)
        ctx.save_for_backward(x, sign)
        return sign, _ops.sum(_ops.log(length), [-1])

    @staticmethod
    def backward(ctx, sign_grad, size_grad):
        x, sign = ctx.saved_tensors
        turned = _ops.imag(_ops.multiply(_ops.conj(sign), sign_grad))
        factor = _ops.complex(size_grad, turned)
        factor = _ops.unsqueeze(_ops.unsqueeze(factor, [-1]), [-1])
        return _ops.multiply(adjoint(_ops.inverse(x)), factor)


def log_determinant(x):
    """(sign, logarithm of the magnitude) of determinants of complex matrices."""
    if len(x.shape) < 2 or x.shape[-2] != x.shape[-1]:
        raise ValueError("slogdet: x must be a stack of square matrices, got shape "
                         f"{tuple(x.shape)}")
    if not x.shape[-1]:
        none = _ops.sum(x, [-2, -1])  # 0, which depends on x.
        return _ops.add(none, 1.0), _ops.real(none)
    return _LogDeterminant.apply(x)


def turned(vectors):
    """Columns whose entry of largest magnitude is positive, as functions of columns
    that are free up to a phase: their gradients are those of the turned ones."""
    positive = _ops.logical_and(_ops.equal(_ops.imag(vectors), 0.0),
                                _ops.greater_than(_ops.real(vectors), 0.0))
    sizes = _ops.abs(vectors)
    sizes = _ops.where(positive, sizes, _ops.zeros_like(sizes))
    place = _ops.argmax(sizes, -2, True)
    entry = _ops.take_along_axis(vectors, place, -2)
    return _ops.multiply(vectors, _ops.conj(_ops.sign(entry)))
