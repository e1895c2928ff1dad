# SPDX-License-Identifier: Apache-2.0
"""Complex matrices by real ones of twice the size, for which there are kernels.

A + iB is [[A, -B], [B, A]]: sums, products, inverses and pseudo-inverses of these
are those of the complex matrices, and each singular value is there twice.
"""

from __future__ import annotations

from switchyard import _core
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
    """The symmetric or Hermitian matrices of which one triangle is read."""
    half = _ops.tril(x, -1) if uplo == "L" else _ops.triu(x, 1)
    other = matrix_transpose(half)
    both = _ops.subtract(x, _ops.triu(x, 1) if uplo == "L" else _ops.tril(x, -1))
    return _ops.add(both, _ops.conj(other) if x.dtype.startswith("complex")
                    else other)
