# SPDX-License-Identifier: Apache-2.0
"""LU factors of matrices of any shape."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.arguments import to_shape

_ops = _core.ops


def permutation_of(packed, pivots):
    """The matrices P of the pivots of packed factors, with P L U the matrix that
    has these."""
    return _ops.lu_unpack(packed, pivots, unpack_ludata=False)[0]


def unpacked(packed):
    """(L, U) of matrices that hold both."""
    rows, columns = packed.shape[-2:]
    least = min(rows, columns)
    lower = _ops.tril(packed[..., :least], -1)
    identity = _ops.eye(rows, least, packed.dtype)
    return _ops.add(lower, identity), _ops.triu(packed[..., :least, :])


def factors(x):
    """(LU, pivots, info) of matrices."""
    packed, pivots, info = _ops.lu(x)
    return packed, pivots, to_shape(info, list(x.shape[:-2]))
