# SPDX-License-Identifier: Apache-2.0
"""Complex matrices by real ones of twice the size, for which there are kernels.

A + iB is [[A, -B], [B, A]]: sums, products, inverses and pseudo-inverses of these
are those of the complex matrices, and each singular value is there twice.
"""

from __future__ import annotations

from switchyard import _core
from switchyard.function import Function
from switchyard.functions.shaping import matrix_transpose

_ops = _core.ops


def joined_parts(x):
    """The real matrices of twice the size."""
    a, b = _ops.real(x), _ops.imag(x)
    return _ops.concat([_ops.concat([a, _ops.scale(b, -1.0)], -1),
                        _ops.concat([b, a], -1)], -2)


def of_parts(function, x):
    """function(x), of complex matrices by their real ones."""
    if not getattr(x, "dtype", "").startswith("complex"):
        return function(x)
    both = function(joined_parts(x))
    rows, columns = both.shape[-2] // 2, both.shape[-1] // 2
    left = both[..., :columns]
    return _ops.complex(left[..., :rows, :], left[..., rows:, :])


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
    """(d / |d|, log |d|) of the determinants d of complex matrices, by elimination
    with partial pivoting."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        sign, size = _ops.full(x.shape[:-2], 1, x.dtype), None
        for _ in range(x.shape[-1]):
            pivot, swapped, x = _eliminated(x)
            length = _ops.abs(pivot)
            none = _ops.equal(length, 0.0)
            turn = _ops.divide(pivot, _ops.cast(
                _ops.where(none, _ops.ones_like(length), length), x.dtype))
            sign = _ops.multiply(sign, _ops.where(swapped, _ops.scale(turn, -1.0), turn))
            log = _ops.log(length)
            size = log if size is None else _ops.add(size, log)
        return sign, size

    @staticmethod
    def backward(ctx, sign_grad, size_grad):
        (x,) = ctx.saved_tensors
        sign, _ = _LogDeterminant.apply(x)
        turned = _ops.imag(_ops.multiply(_ops.conj(sign), sign_grad))
        inverse = _ops.conj(matrix_transpose(of_parts(_ops.inverse, x)))
        factor = _ops.complex(size_grad, turned)
        factor = _ops.unsqueeze(_ops.unsqueeze(factor, [-1]), [-1])
        return _ops.multiply(inverse, factor)


def _eliminated(x):
    """The largest element of the first column, whether its row is not the first,
    and what remains of the other rows and columns."""
    rows, first = x.shape[-2], x[..., 0]
    place = _ops.unsqueeze(_ops.argmax(_ops.abs(first), -1), [-1])
    chosen = _ops.equal(_ops.arange(0, rows, 1, "int64"), place)
    here = _ops.unsqueeze(chosen, [-1])
    row = _ops.sum(_ops.where(here, x, _ops.zeros_like(x)), [-2], None, True)
    pivot = row[..., 0]  # [..., 1]
    others = _ops.where(here, _ops.expand(x[..., :1, :], x.shape), x)[..., 1:, :]
    safe = _ops.where(_ops.equal(_ops.abs(pivot), 0.0), _ops.ones_like(pivot), pivot)
    factors = _ops.divide(others[..., :1], _ops.unsqueeze(safe, [-1]))
    rest = _ops.subtract(others[..., 1:], _ops.multiply(factors, row[..., 1:]))
    return (_ops.squeeze(pivot, [-1]), _ops.not_equal(_ops.squeeze(place, [-1]), 0),
            rest)


def log_determinant(x):
    """(sign, logarithm of the magnitude) of determinants of complex matrices."""
    if len(x.shape) < 2 or x.shape[-2] != x.shape[-1]:
        raise ValueError("slogdet: x must be a stack of square matrices, got shape "
                         f"{tuple(x.shape)}")
    if not x.shape[-1]:
        none = _ops.sum(x, [-2, -1])  # 0, which depends on x.
        return _ops.add(none, 1.0), _ops.real(none)
    return _LogDeterminant.apply(x)
