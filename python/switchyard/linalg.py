# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, as the Array API standard's extension names it."""

from __future__ import annotations

import collections
import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, real, whole
from switchyard.complex_matrices import adjoint, log_determinant, symmetric, turned
from switchyard.function import Function
from switchyard.functions import (cross, matrix_transpose, moveaxis, outer,
                                  tensordot, vecdot)
from switchyard.functions import reductions
from switchyard.functions.promotion import common
from switchyard.functions.arguments import axes_in, floating, is_empty, kept, tensor_of
from switchyard.functions.repeats import reads_views
from switchyard.native import linalg as native
from switchyard.native.linalg import *

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

__all__ = ["cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv",
           "matrix_norm", "matrix_power", "matrix_rank",
           "matrix_transpose", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]
__all__ += native.__all__


def __dir__():
    return __all__


_Eig = collections.namedtuple("eig", "eigenvalues eigenvectors")
_Eigh = collections.namedtuple("eigh", "eigenvalues eigenvectors")
_Qr = collections.namedtuple("qr", "Q R")
_Slogdet = collections.namedtuple("slogdet", "sign logabsdet")
_Svd = collections.namedtuple("svd", "U S Vh")


def cholesky(x, *, upper: bool = False):
    """The lower (or upper) triangular factor of positive definite matrices."""
    return _ops.cholesky(tensor_of(x), upper)


def det(x):
    """The determinants of square matrices."""
    return _ops.determinant(tensor_of(x))


def diagonal(x, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """The diagonals ``offset`` of matrices, whose axes are ``dim1`` and ``dim2``."""
    axes = [whole("diagonal", argument, given) for argument, given in (
        ("dim1", dim1), ("dim2", dim2))]
    return _ops.diagonal(x, whole("diagonal", "offset", offset), *axes)


def trace(x, *, offset: int = 0, dtype=None):
    """The sums of the diagonals ``offset`` of matrices; dtypes as of ``sum``."""
    offset = whole("trace", "offset", offset)
    return reductions.sum(diagonal(x, offset=offset), -1, dtype=dtype)


def _triangle_of(name, uplo):
    """"L" or "U": the triangle that is read of symmetric matrices."""
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"{name}: UPLO must be 'L' or 'U', got {uplo!r}")
    return uplo.upper()


def eigh(x, UPLO: str = "L"):
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices, of which the
    lower ("L") or the upper triangle is read."""
    return _Eigh(*_ops.eigh(tensor_of(x), _triangle_of("eigh", UPLO)))


def eigvalsh(x, UPLO: str = "L"):
    """The eigenvalues of symmetric or Hermitian matrices, ascending."""
    return _ops.eigvalsh(tensor_of(x), _triangle_of("eigvalsh", UPLO))


def eig(x):
    """(eigenvalues, eigenvectors) of square matrices, complex ones; the vectors are
    columns of length 1, in which the entry of largest magnitude is positive."""
    values, vectors = _ops.eig(floating(x))
    if isinstance(vectors, _core.Value) or vectors.requires_grad:
        vectors = turned(vectors)
    return _Eig(values, vectors)


def eigvals(x):
    """The eigenvalues of square matrices, complex ones."""
    return _ops.eigvals(floating(x))


def inv(x):
    """The inverses of square matrices."""
    return _ops.inverse(x)


def _cast(x, dtype):
    x = tensor_of(x)
    return x if dtype is None else _ops.cast(x, dtype)


@reads_views
def matrix_norm(x, ord="fro", dim=(-2, -1), keepdims: bool = False, *,
                keepdim=None, dtype=None):
    """Norms of matrices along two axes: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    x, keepdims = _cast(x, dtype), keepdims if keepdim is None else keepdim
    rank = len(x.shape)
    rows, columns = axes_in("matrix_norm", dim, rank)
    if ord == "fro":
        return reductions.norm(x, 2, (rows, columns), keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        axis = rows if abs(ord) == 1 else columns
        sums = _ops.sum(_ops.abs(x), axis, None, True)
        largest = _ops.max if ord > 0 else _ops.min
        return largest(sums, [rows, columns], keepdims)
    if ord not in (2, -2, "nuc"):
        raise ValueError("matrix_norm: ord must be 'fro', 'nuc', 1, -1, 2, -2, "
                         f"inf or -inf, got {ord!r}")
    values = svdvals(moveaxis(x, (rows, columns), (-2, -1)))
    reduce = {2: _ops.max, -2: _ops.min, "nuc": _ops.sum}[ord]
    return kept(reduce(values, -1), x, [rows, columns], keepdims)


def vector_norm(x, ord=2, dim=None, keepdims: bool = False, *, axis=None,
                keepdim=None, dtype=None):
    """The norm of order ``ord`` of the vectors over ``axis`` (or ``dim``)."""
    axis = dim if axis is None else axis
    return reductions.norm(_cast(x, dtype), ord, axis,
                           keepdims if keepdim is None else keepdim)


def norm(x, ord=None, axis=None, keepdims: bool = False, *, dim=None,
         keepdim=None, dtype=None, p=None):
    """The norm of vectors or, along two axes with an ``ord``, of matrices.

    Without ``axis`` and ``ord`` that of all elements; with ``ord`` alone that of
    the vector or the matrix that x is. (``sy.norm`` is of vectors alone.)
    """
    x, axis = _cast(x, dtype), axis if dim is None else dim
    keepdims = keepdims if keepdim is None else keepdim
    order = ord if p is None else p
    if order is None:
        return reductions.norm(x, None, axis, keepdims)
    axes = axes_in("norm", axis, len(x.shape))
    if len(axes) == 2:
        return matrix_norm(x, order, axes, keepdims)
    if len(axes) != 1:
        raise ValueError("norm: axis must name one axis, or two, where ord is "
                         f"given, got {len(axes)}")
    if isinstance(order, str):
        raise ValueError("norm: ord must be a number for one axis, got "
                         f"{order!r}")
    return reductions.norm(x, order, axes, keepdims)


def matrix_power(x, n: int):
    """Square matrices to the power n; of the inverse where it is negative."""
    x = tensor_of(x)
    power = _ops.matrix_power(x, n)
    return _systems.constant_of(x, power) if n == 0 else power


def matrix_rank(x, *, tol=None, atol=None, rtol=None, hermitian: bool = False):
    """The number of singular values above ``atol`` (``tol``) and above ``rtol``
    times the largest (int64); eigenvalues, if the matrices are ``hermitian``."""
    x = tensor_of(x)
    if 0 in x.shape[-2:]:
        return _ops.full(x.shape[:-2], 0, "int64")
    values = _ops.abs(eigvalsh(x)) if hermitian else svdvals(x)
    limit = _limit(x, values, rtol, tol if atol is None else atol)
    return reductions.count_nonzero(_ops.greater_than(values, limit), -1)


def _number_or_tensor(argument, value):
    if isinstance(value, (list, tuple, np.ndarray, *_KINDS)):
        value = tensor_of(value)
        return _ops.unsqueeze(value, [-1]) if value.shape else value
    return real("linalg", argument, value, FROM_0)


def _limit(x, values, rtol, atol):
    """The limit that singular values must exceed, along the last axis."""
    if rtol is None:
        eps = 2.0**-52 if x.dtype in ("float64", "complex128") else 2.0**-23
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * eps
    limit = _ops.multiply(_ops.max(values, -1, True),
                          _number_or_tensor("rtol", rtol))
    return limit if atol is None else _ops.maximum(
        limit, _number_or_tensor("atol", atol))


class _Pinv(Function):
    """Pseudo-inverses. The gradient is that of Golub and Pereyra, of matrices whose
    rank stays: singular values may be equal, or 0."""

    @staticmethod
    def forward(ctx, x, rtol, atol):
        u, s, vh = svd(x, full_matrices=False)
        large = _ops.greater_than(s, _limit(x, s, rtol, atol))
        ones = _ops.ones_like(s)
        inverse = _ops.where(large, _ops.divide(ones, _ops.where(large, s, ones)),
                             _ops.zeros_like(s))
        row = _ops.unsqueeze(inverse, [-2])
        row = row if row.dtype == x.dtype else _ops.cast(row, x.dtype)
        found = _ops.matmul(_ops.multiply(adjoint(vh), row), adjoint(u))
        ctx.save_for_backward(x, found)
        return found

    @staticmethod
    def backward(ctx, grad):
        x, found = ctx.saved_tensors
        turned, across = adjoint(found), adjoint(grad)
        direct = _ops.matmul(turned, _ops.matmul(grad, turned))
        # The parts out of the range of x, and out of that of its adjoint.
        left = _ops.matmul(_ops.matmul(across, found), turned)
        left = _ops.subtract(left, _ops.matmul(x, _ops.matmul(found, left)))
        right = _ops.matmul(turned, _ops.matmul(found, across))
        right = _ops.subtract(right, _ops.matmul(_ops.matmul(right, found), x))
        return _ops.subtract(_ops.add(left, right), direct), None, None


def pinv(x, rcond=None, hermitian: bool = False, *, atol=None, rtol=None):
    """Pseudo-inverses; singular values up to ``atol`` and up to ``rtol`` (or
    ``rcond``) times the largest are 0, for the gradient, too."""
    x = tensor_of(x)
    rtol = rcond if rtol is None else rtol
    if is_empty(x):
        return matrix_transpose(x)
    x = symmetric(x) if hermitian else x
    return _Pinv.apply(x, rtol, atol)


def qr(x, mode: str = "reduced"):
    """(Q, R) of matrices, "reduced" or "complete"; an empty Q for "r"."""
    x = tensor_of(x)
    if mode == "r":
        factors = _ops.qr(x, "reduced")
        return _Qr(_ops.full([0], 0, factors[1].dtype), factors[1])
    if mode not in ("reduced", "complete"):
        raise ValueError("qr: mode must be 'reduced', 'complete' or 'r', got "
                         f"{mode!r}")
    return _Qr(*_ops.qr(x, mode))


def slogdet(x):
    """(sign, log of the absolute value) of determinants of square matrices."""
    x = tensor_of(x)
    if x.dtype.startswith("complex"):
        return _Slogdet(*log_determinant(x))
    both = _ops.slogdet(x)
    return _Slogdet(both[0], both[1])


def solve(x, y, *, left: bool = True):
    """The solutions s of x s = y, or of s x = y unless ``left``; y is matrices, or
    one vector for each matrix."""
    x, y = tensor_of(x), tensor_of(y)
    if not left:
        return matrix_transpose(solve(matrix_transpose(x), matrix_transpose(y)))
    if len(y.shape) == 1 or tuple(y.shape) == tuple(x.shape[:-1]):
        return _ops.squeeze(_solved(x, _ops.unsqueeze(y, [-1])), [-1])
    return _solved(x, y)


def _solved(x, y):
    """Solutions of systems whose batches broadcast."""
    if x.dtype != y.dtype and "complex" in x.dtype + y.dtype:
        dtype = common(x, y)
        x, y = _ops.cast(x, dtype), _ops.cast(y, dtype)
    batch = list(np.broadcast_shapes(tuple(x.shape[:-2]), tuple(y.shape[:-2])))
    if list(x.shape[:-2]) != batch:
        x = _ops.expand(x, [*batch, *x.shape[-2:]])
    if list(y.shape[:-2]) != batch:
        y = _ops.expand(y, [*batch, *y.shape[-2:]])
    return _ops.solve(x, y)


def svd(x, full_matrices: bool = True):
    """(U, S, Vh) with x = U diag(S) Vh, S descending."""
    return _Svd(*_ops.svd(tensor_of(x), full_matrices))


def svdvals(x):
    """The singular values of matrices, descending."""
    return _ops.svdvals(tensor_of(x))


from switchyard.linear_systems import *
from switchyard import linear_systems as _systems

__all__ += _systems.__all__
