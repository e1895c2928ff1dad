# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, as the Array API standard's extension names it."""

from __future__ import annotations

import collections
import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, real
from switchyard.functions import (cross, matrix_transpose, outer, tensordot,
                                  vecdot)
from switchyard.functions import reductions
from switchyard.functions.arguments import kept, tensor_of
from switchyard.native import linalg as native
from switchyard.native.linalg import *

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv",
           "matrix_norm", "matrix_power", "matrix_rank",
           "matrix_transpose", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]
__all__ += native.__all__


def __dir__():
    return __all__


norm = reductions.norm

_Eigh = collections.namedtuple("eigh", "eigenvalues eigenvectors")
_Qr = collections.namedtuple("qr", "Q R")
_Slogdet = collections.namedtuple("slogdet", "sign logabsdet")
_Svd = collections.namedtuple("svd", "U S Vh")


def cholesky(x, *, upper: bool = False):
    """The lower (or upper) triangular factor of positive definite matrices."""
    return _ops.cholesky(x, upper)


def det(x):
    """The determinants of square matrices."""
    return _ops.determinant(x)


def diagonal(x, *, offset: int = 0):
    """The diagonals ``offset`` of matrices."""
    return _ops.diagonal(x, offset, -2, -1)


def trace(x, *, offset: int = 0, dtype=None):
    """The sums of the diagonals ``offset`` of matrices; dtypes as of ``sum``."""
    return reductions.sum(diagonal(x, offset=offset), -1, dtype=dtype)


def eigh(x):
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices."""
    return _Eigh(*_ops.eigh(x))


def eigvalsh(x):
    """The eigenvalues of symmetric or Hermitian matrices, ascending."""
    return _ops.eigvalsh(x)


def inv(x):
    """The inverses of square matrices."""
    return _ops.inverse(x)


def matrix_norm(x, *, keepdims: bool = False, ord="fro"):
    """Norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x = tensor_of(x)
    if ord == "fro":
        return reductions.norm(x, 2, (-2, -1), keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        axis = -2 if abs(ord) == 1 else -1
        sums = _ops.sum(_ops.abs(x), axis, None, True)
        largest = _ops.max if ord > 0 else _ops.min
        return largest(sums, [-2, -1], keepdims)
    if ord not in (2, -2, "nuc"):
        raise ValueError("matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2, "
                         f"inf or -inf, got {ord!r}")
    values = _ops.svdvals(x)
    reduce = {2: _ops.max, -2: _ops.min, "nuc": _ops.sum}[ord]
    rank = len(x.shape)
    return kept(reduce(values, -1), x, [rank - 2, rank - 1], keepdims)


def vector_norm(x, *, axis=None, keepdims: bool = False, ord=2):
    """The norm of order ``ord`` of the vectors over ``axis``."""
    return reductions.norm(x, ord, axis, keepdims)


def matrix_power(x, n: int):
    """Square matrices to the power n; of the inverse where it is negative."""
    return _ops.matrix_power(x, n)


def matrix_rank(x, *, rtol=None):
    """The number of singular values above ``rtol`` times the largest (int64)."""
    x = tensor_of(x)
    if 0 in x.shape[-2:]:
        return _ops.full(x.shape[:-2], 0, "int64")
    values = _ops.svdvals(x)
    return reductions.count_nonzero(
        _ops.greater_than(values, _limit(x, values, rtol)), -1)


def _limit(x, values, rtol):
    if rtol is None:
        eps = 2.0**-52 if x.dtype in ("float64", "complex128") else 2.0**-23
        rtol = max(x.shape[-2:]) * eps
    return _ops.multiply(_ops.max(values, -1, True), tensor_of(rtol) if isinstance(
        rtol, (list, tuple, np.ndarray, *_KINDS)) else real("linalg", "rtol", rtol,
                                                            FROM_0))


def pinv(x, *, rtol=None):
    """Pseudo-inverses; singular values up to ``rtol`` times the largest are 0."""
    x = tensor_of(x)
    if 0 in x.shape:
        return matrix_transpose(x)
    u, s, vh = svd(x, full_matrices=False)
    large = _ops.greater_than(s, _limit(x, s, rtol))
    ones = _ops.ones_like(s)
    inverse = _ops.where(large, _ops.divide(ones, _ops.where(large, s, ones)),
                         _ops.zeros_like(s))
    v, uh = matrix_transpose(vh), matrix_transpose(u)
    return _ops.matmul(_ops.multiply(v, _ops.unsqueeze(inverse, [-2])), uh)


def qr(x, *, mode: str = "reduced"):
    """(Q, R) of matrices, "reduced" or "complete"."""
    return _Qr(*_ops.qr(x, mode))


def slogdet(x):
    """(sign, log of the absolute value) of determinants of square matrices."""
    x = tensor_of(x)
    if x.dtype.startswith("complex"):
        value = _ops.determinant(x)
        return _Slogdet(_ops.sign(value), _ops.log(_ops.abs(value)))
    both = _ops.slogdet(x)
    return _Slogdet(both[0], both[1])


def solve(x, y):
    """The solutions s of x s = y; y is matrices, or one vector."""
    x, y = tensor_of(x), tensor_of(y)
    if len(y.shape) != 1:
        return _ops.solve(x, y)
    column = _ops.solve(x, _ops.expand(
        _ops.unsqueeze(y, [1]), [*x.shape[:-2], y.shape[0], 1]))
    return _ops.squeeze(column, [-1])


def svd(x, *, full_matrices: bool = True):
    """(U, S, Vh) with x = U diag(S) Vh, S descending."""
    return _Svd(*_ops.svd(x, full_matrices))


def svdvals(x):
    """The singular values of matrices, descending."""
    return _ops.svdvals(x)
