# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices and systems that are solved by them: functions of
``sy.linalg`` that are PyTorch's."""

from __future__ import annotations

import collections
import math

import numpy as np

from switchyard import _core, lu_factors
from switchyard.checks import Range, listed, refuse, whole
from switchyard.complex_matrices import adjoint as adjoint_of
from switchyard.functions.arguments import WHOLE, axes_in, tensor_of, to_shape
from switchyard.functions.shaping import matrix_transpose, permute
from switchyard.lu_factors import permutation_of, unpacked

_ops = _core.ops

__all__ = ["cholesky_ex", "cond", "householder_product", "inv_ex", "lstsq", "lu",
           "lu_factor", "lu_factor_ex", "lu_solve", "matrix_exp", "multi_dot",
           "polar", "solve_ex", "solve_triangular", "tensorinv", "tensorsolve",
           "vander"]

_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
_POWERS = Range("in [0, 4096]", lambda n: 0 <= n <= 4096)

_CholeskyEx = collections.namedtuple("cholesky_ex", "L info")
_InvEx = collections.namedtuple("inv_ex", "inverse info")
_SolveEx = collections.namedtuple("solve_ex", "result info")
_Lu = collections.namedtuple("lu", "P L U")
_LuFactor = collections.namedtuple("lu_factor", "LU pivots")
_LuFactorEx = collections.namedtuple("lu_factor_ex", "LU pivots info")
_Polar = collections.namedtuple("polar", "U P")
_Lstsq = collections.namedtuple(
    "lstsq", "solution residuals rank singular_values")


def _no_errors(x):
    """The zeros that say that each matrix had its factors."""
    return _ops.full(list(x.shape[:-2]), 0, "int32")


def cholesky_ex(x, *, upper: bool = False, check_errors: bool = False):
    """(L, info): ``cholesky``, and 0 for each matrix; one that has no such factor
    is a ValueError, whatever ``check_errors`` says."""
    from switchyard import linalg
    del check_errors
    x = tensor_of(x)
    return _CholeskyEx(linalg.cholesky(x, upper=upper), _no_errors(x))


def inv_ex(x, *, check_errors: bool = False):
    """(inverse, info): ``inv``, and 0 for each matrix; a singular one is a
    ValueError, whatever ``check_errors`` says."""
    del check_errors
    x = tensor_of(x)
    return _InvEx(_ops.inverse(x), _no_errors(x))


def solve_ex(x, y, *, left: bool = True, check_errors: bool = False):
    """(result, info): ``solve``, and 0 for each matrix."""
    from switchyard import linalg
    del check_errors
    return _SolveEx(linalg.solve(x, y, left=left), _no_errors(tensor_of(x)))


def lu_factor(x, *, pivot: bool = True):
    """(LU, pivots): both factors in one matrix, and which row each changed places
    with, counted from 1 (int32)."""
    factors = lu_factor_ex(x, pivot=pivot)
    return _LuFactor(factors.LU, factors.pivots)


def lu_factor_ex(x, *, pivot: bool = True, check_errors: bool = False):
    """(LU, pivots, info): ``lu_factor``, and for each matrix 0, or the place of
    the first pivot that is 0."""
    del check_errors
    if not pivot:
        refuse("lu_factor_ex", "pivot", "True on this device", pivot,
               NotImplementedError)
    return _LuFactorEx(*lu_factors.factors(tensor_of(x)))


def lu(x, *, pivot: bool = True):
    """(P, L, U) with x = P L U; P is a permutation, L has ones on its diagonal."""
    packed, pivots = lu_factor(x, pivot=pivot)
    lower, upper = unpacked(packed)
    return _Lu(permutation_of(packed, pivots), lower, upper)


def lu_solve(LU, pivots, B, *, left: bool = True, adjoint: bool = False):
    """The solutions of systems of the matrices whose ``lu_factor`` is given, or
    of their ``adjoint`` ones; B stands on the other side unless ``left``."""
    packed, other = tensor_of(LU), tensor_of(B)
    if not left:
        return adjoint_of(lu_solve(packed, pivots, adjoint_of(other),
                                 adjoint=not adjoint))
    if len(packed.shape) < 2:
        raise ValueError(f"lu_solve: LU must be matrices, got shape {tuple(packed.shape)}")
    lower, upper = unpacked(packed)
    swaps = permutation_of(packed, tensor_of(pivots))
    if adjoint:
        inner = solve_triangular(adjoint_of(upper), other, upper=False)
        outer = solve_triangular(adjoint_of(lower), inner, upper=True,
                                 unitriangular=True)
        return _ops.matmul(swaps, outer)
    turned = _ops.matmul(matrix_transpose(swaps), other)
    inner = solve_triangular(lower, turned, upper=False, unitriangular=True)
    return solve_triangular(upper, inner, upper=True)


def _one_batch(x, y):
    batch = list(np.broadcast_shapes(tuple(x.shape[:-2]), tuple(y.shape[:-2])))
    return [each if list(each.shape[:-2]) == batch else
            _ops.expand(each, [*batch, *each.shape[-2:]]) for each in (x, y)]


def solve_triangular(x, y, *, upper: bool, left: bool = True,
                     unitriangular: bool = False):
    """The solutions s of x s = y, or of s x = y unless ``left``, of triangular x,
    of which the other triangle is not read; the diagonal neither where it is
    ``unitriangular``."""
    x, y = tensor_of(x), tensor_of(y)
    if not left:
        return matrix_transpose(solve_triangular(
            matrix_transpose(x), matrix_transpose(y), upper=not upper,
            unitriangular=unitriangular))
    x, y = _one_batch(x, y)
    return _ops.triangular_solve(x, y, upper, False, unitriangular)


def householder_product(A, tau):
    """The first columns of the product of Householder's reflections, of which A
    has the vectors below its diagonal and ``tau`` the factors."""
    A, tau = tensor_of(A), tensor_of(tau)
    product = _ops.slice(reflections(A, tau, "householder_product"),
                         [len(A.shape) - 1], [0], [A.shape[-1]])
    return product if tau.shape[-1] else constant_of(A, product)


def constant_of(x, value):
    """``value``, of x's shape, which does not depend on x: the gradient is 0."""
    never = _ops.full_like(x, False, "bool")
    return _ops.where(never, x, value)


def reflections(A, tau, name):
    """The product of Householder's reflections, square matrices."""
    A, tau = tensor_of(A), tensor_of(tau)
    if len(A.shape) < 2 or not tau.shape:
        raise ValueError(f"{name}: x must be matrices and tau lists of factors, got "
                         f"shapes {tuple(A.shape)} and {tuple(tau.shape)}")
    if A.dtype in WHOLE:
        raise TypeError(f"{name}: x must be floating or complex, got {A.dtype}")
    rows = A.shape[-2]
    count = tau.shape[-1]
    if tau.dtype != A.dtype:
        raise TypeError(f"{name}: tau must be {A.dtype} as x is, got {tau.dtype}")
    if len(tau.shape) != len(A.shape) - 1 or any(
            n != m for n, m in zip(tau.shape[:-1], A.shape[:-2])
            if isinstance(n, int) and isinstance(m, int)) or (
                isinstance(count, int) and isinstance(A.shape[-1], int)
                and count > A.shape[-1]):
        raise ValueError(f"{name}: tau must be a list of at most {A.shape[-1]} factors "
                         f"for each matrix of x {tuple(A.shape)}, got "
                         f"{tuple(tau.shape)}")
    vectors = _ops.add(_ops.tril(A, -1), _ops.eye(rows, A.shape[-1], A.dtype))
    eye = _ops.eye(rows, -1, A.dtype)
    result = _ops.expand(eye, [*A.shape[:-2], rows, rows])
    for i in range(count):
        v = vectors[..., i:i + 1]
        turned = matrix_transpose(v)
        if A.dtype.startswith("complex"):
            turned = _ops.conj(turned)
        scaled = _ops.multiply(_ops.matmul(result, v),
                               _ops.unsqueeze(tau[..., i:i + 1], [-1]))
        result = _ops.subtract(result, _ops.matmul(scaled, turned))
    return result


def multi_dot(tensors):
    """The product of several matrices; the first and the last may be vectors."""
    tensors = [tensor_of(x) for x in listed("multi_dot", "tensors", tensors)]
    if len(tensors) < 2:
        raise ValueError("multi_dot: tensors must be two or more, got "
                         f"{len(tensors)}")
    result = tensors[0]
    for x in tensors[1:]:
        result = _ops.matmul(result, x)
    return result


def cond(x, p=None):
    """The condition of matrices: the norm (2, or as ``matrix_norm``'s ord) times
    that of the inverse."""
    from switchyard import linalg
    x = tensor_of(x)
    if p not in _ORDERS:
        refuse("cond", "p", f"one of {_ORDERS}", p, ValueError)
    if p in (None, 2, -2):
        values = linalg.svdvals(x)
        most, least = values[..., 0], values[..., -1]
        return _ops.divide(least, most) if p == -2 else _ops.divide(most, least)
    return _ops.multiply(linalg.matrix_norm(x, p),
                         linalg.matrix_norm(_ops.inverse(x), p))


def tensorinv(x, ind: int = 2):
    """The inverse of x as a map from its last axes to its first ``ind``."""
    x, ind = tensor_of(x), whole("tensorinv", "ind", ind)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be from 1, got {ind}")
    first, last = list(x.shape[:ind]), list(x.shape[ind:])
    if math.prod(first) != math.prod(last):
        raise ValueError("tensorinv: x must have as many elements along its first "
                         f"{ind} axes as along the others, got {tuple(x.shape)}")
    flat = to_shape(x, [math.prod(first), math.prod(last)])
    return to_shape(_ops.inverse(flat), last + first)


def tensorsolve(x, y, dims=None):
    """The s with tensordot(x, s, s's rank) = y; the axes ``dims`` of x count as
    its last."""
    from switchyard import linalg
    x, y = tensor_of(x), tensor_of(y)
    if dims is not None:
        moved = axes_in("tensorsolve", dims, len(x.shape))
        x = permute(x, [i for i in range(len(x.shape)) if i not in moved] + moved)
    rest = list(x.shape[len(y.shape):])
    flat = to_shape(x, [math.prod(y.shape), math.prod(rest)])
    solved = linalg.solve(flat, to_shape(y, [math.prod(y.shape)]))
    return to_shape(solved, rest)


def vander(x, N=None):
    """The powers 0, 1, ... N - 1 (as many as elements) along a new last axis."""
    x = tensor_of(x)
    x = x if x.shape else to_shape(x, [1])
    count = x.shape[-1] if N is None else whole("vander", "N", N, _POWERS)
    column = _ops.unsqueeze(x, [-1])
    ones = _ops.ones_like(column)
    powers = [ones]
    for _ in range(count - 1):
        powers.append(_ops.multiply(powers[-1], column))
    return _ops.concat(powers[:count], -1)


_DRIVERS = (None, "gels", "gelsy", "gelss", "gelsd")


def lstsq(x, y, rcond=None, *, driver=None):
    """(solution, residuals, rank, singular_values) of the least squares of
    x s - y, by pseudo-inverses; singular values up to ``rcond`` times the largest
    are 0. ``driver`` says which of the others are found, as in PyTorch: rank
    (int64) unless it is "gels", singular values by "gelss" and "gelsd", residuals,
    where x has more rows than columns and full rank, unless it is "gelsy". What is
    not found has no elements."""
    from switchyard import linalg
    if driver not in _DRIVERS:
        refuse("lstsq", "driver", f"one of {_DRIVERS}", driver, ValueError)
    x, y = tensor_of(x), tensor_of(y)
    vector = len(y.shape) == len(x.shape) - 1
    right = _ops.unsqueeze(y, [-1]) if vector else y
    rcond = None if isinstance(rcond, (int, float)) and rcond < 0 else rcond
    solution = _ops.matmul(linalg.pinv(x, rtol=rcond), right)
    rank = values = _ops.full([0], 0, "int64")
    if driver != "gels":
        rank = linalg.matrix_rank(x, rtol=rcond)
    if driver in ("gelss", "gelsd") and 0 not in x.shape:
        values = linalg.svdvals(x.detach())
    else:
        values = _ops.real(x.detach()) if x.dtype.startswith("complex") else x.detach()
        values = _ops.slice(_ops.reshape(values, [-1]), [0], [0], [0])
    residuals = _residuals(x, solution, right, None if driver == "gels" else rank,
                           driver != "gelsy")
    if vector:
        solution = _ops.squeeze(solution, [-1])
    return _Lstsq(solution, residuals, rank, values)


def _residuals(x, solution, right, rank, wanted):
    """The sums of squares of x s - y; none where they are not ``wanted``, or x has
    no more rows than columns, or less than full rank."""
    rows, columns = x.shape[-2:]
    full = not isinstance(rank, _core.Tensor) or bool(
        np.all(rank.numpy() == columns))
    if wanted and rows > columns and full:
        off = _ops.abs(_ops.subtract(_ops.matmul(x, solution), right))
        return _ops.sum(_ops.square(off), [-2])
    real = _ops.abs(solution) if x.dtype.startswith("complex") else solution
    return _ops.slice(_ops.reshape(real, [-1]), [0], [0], [0])


def polar(x):
    """(U, P) of matrices of as many rows as columns at least: x = U P, where the
    columns of U are orthonormal and P has no eigenvalue below 0."""
    from switchyard import linalg
    x = tensor_of(x)
    if len(x.shape) < 2 or x.shape[-1] > x.shape[-2]:
        refuse("polar", "x", "matrices of as many rows as columns at least", x,
               ValueError)
    left, values, right = linalg.svd(x, full_matrices=False)
    scaled = _ops.multiply(adjoint_of(right), _ops.cast(
        _ops.unsqueeze(values, [-2]), x.dtype))
    return _Polar(_ops.matmul(left, right), _ops.matmul(scaled, right))


def matrix_exp(x):
    """The exponentials of square matrices, in float64 inside."""
    x = tensor_of(x)
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        refuse("matrix_exp", "x", "square matrices", x, ValueError)
    if 0 in x.shape:
        return _ops.assign(x)
    wide = "complex128" if x.dtype.startswith("complex") else "float64"
    halvings = 10
    if type(x) is _core.Tensor:
        sums = np.abs(np.asarray(x.detach().numpy())).sum(-1).max()
        if np.isfinite(sums):
            halvings = max(0, math.ceil(math.log2(max(float(sums), 2.0**-20))) + 2)
    scaled = _ops.multiply(_ops.cast(x, wide), 2.0**-halvings)
    term = _ops.expand(_ops.eye(x.shape[-1], -1, wide), x.shape)
    result = term
    for i in range(1, 15):
        term = _ops.multiply(_ops.matmul(term, scaled), 1.0 / i)
        result = _ops.add(result, term)
    for _ in range(halvings):
        result = _ops.matmul(result, result)
    return _ops.cast(result, x.dtype)
