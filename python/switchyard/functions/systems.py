# SPDX-License-Identifier: Apache-2.0
"""Functions of linear algebra that PyTorch has beside ``linalg``."""

from __future__ import annotations

import collections
import math

from switchyard import _core
from switchyard.functions.arguments import WHOLE, floating, tensor_of
from switchyard.functions.precision import halves_in_float64
from switchyard.functions.shaping import matrix_transpose

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["cholesky", "cholesky_inverse", "cholesky_solve", "det", "geqrf", "inverse",
           "logdet", "lu", "lu_solve", "lu_unpack", "matrix_exp", "matrix_power",
           "ormqr", "pinverse", "qr", "slogdet", "svd", "triangular_solve"]

_Unpacked = collections.namedtuple("lu_unpack", "P L U")
_Solved = collections.namedtuple("triangular_solve", "solution cloned_coefficient")
_Svd = collections.namedtuple("svd", "U S V")


def _linalg():
    from switchyard import linalg
    return linalg


def _adjoint(x):
    from switchyard.complex_matrices import adjoint
    return adjoint(x)


def cholesky(x: T, upper: bool = False) -> T:
    """The triangular factor of positive definite matrices: ``linalg.cholesky``."""
    return _linalg().cholesky(x, upper=upper)


def cholesky_inverse(x: T, upper: bool = False) -> T:
    """The inverses of the matrices whose Cholesky factor is given."""
    x = tensor_of(x)
    factor = _adjoint(_ops.triu(x)) if upper else _ops.tril(x)
    eye = _ops.expand(_ops.eye(x.shape[-1], -1, x.dtype), list(x.shape))
    half = _linalg().solve_triangular(factor, eye, upper=False)
    return _ops.matmul(_adjoint(half), half)


def cholesky_solve(x: T, factor, upper: bool = False) -> T:
    """The solutions of systems with the right sides x, of the matrices whose
    Cholesky factor is given."""
    x, factor = tensor_of(x), tensor_of(factor)
    if factor.dtype in WHOLE:
        raise TypeError("cholesky_solve: factor must be floating or complex, got "
                        f"{factor.dtype}")
    lower = _adjoint(factor) if upper else factor
    solve = _linalg().solve_triangular
    half = solve(lower, x, upper=False)
    return solve(_adjoint(lower), half, upper=True)


def det(x: T) -> T:
    """The determinants of square matrices: ``linalg.det``."""
    return _linalg().det(x)


def inverse(x: T) -> T:
    """The inverses of square matrices: ``linalg.inv``."""
    return _linalg().inv(x)


def slogdet(x: T):
    """(sign, logabsdet) of determinants: ``linalg.slogdet``."""
    return _linalg().slogdet(x)


def logdet(x: T) -> T:
    """The logarithm of determinants: -inf of 0, NaN of real ones below."""
    sign, size = _linalg().slogdet(tensor_of(x))
    if sign.dtype.startswith("complex"):
        return _ops.complex(size, _ops.angle(sign))
    below = _ops.less_than(sign, 0.0)
    return _ops.where(below, _ops.full_like(size, math.nan), size)


def matrix_exp(x: T) -> T:
    """The exponentials of square matrices: ``linalg.matrix_exp``."""
    return _linalg().matrix_exp(x)


def matrix_power(x: T, n: int) -> T:
    """Square matrices to the power n: ``linalg.matrix_power``."""
    return _linalg().matrix_power(x, n)


def pinverse(x: T, rcond: float = 1e-15) -> T:
    """Pseudo-inverses: ``linalg.pinv``."""
    return _linalg().pinv(x, rtol=rcond)


def qr(x: T, some: bool = True):
    """(Q, R) of matrices: ``linalg.qr``, "complete" unless ``some``."""
    return _linalg().qr(x, "reduced" if some else "complete")


def svd(x: T, some: bool = True, compute_uv: bool = True):
    """(U, S, V) with x = U diag(S) V^H; of reduced matrices where ``some``.
    Without ``compute_uv`` U and V are zeros."""
    x = tensor_of(x)
    if not compute_uv:
        rows, columns = x.shape[-2:]
        u, v = (_ops.full([*x.shape[:-2], n, n], 0, x.dtype)
                for n in (rows, columns))
        return _Svd(u, _linalg().svdvals(x), v)
    u, s, vh = _linalg().svd(x, not some)
    return _Svd(u, s, _adjoint(vh))


def lu(x: T, pivot: bool = True, get_infos: bool = False):
    """(LU, pivots), with ``get_infos`` infos too: ``linalg.lu_factor_ex``."""
    found = _linalg().lu_factor_ex(x, pivot=pivot)
    return tuple(found) if get_infos else tuple(found)[:2]


def lu_solve(x: T, LU, pivots) -> T:
    """The solutions of systems with the right sides x: ``linalg.lu_solve``."""
    return _linalg().lu_solve(LU, pivots, x)


def lu_unpack(x: T, pivots, unpack_data: bool = True, unpack_pivots: bool = True):
    """(P, L, U) of what ``linalg.lu_factor`` gives; empty where one is not
    asked for."""
    return _Unpacked(*_ops.lu_unpack(tensor_of(x), tensor_of(pivots), unpack_data,
                                     unpack_pivots))


_Geqrf = collections.namedtuple("geqrf", "a tau")


def geqrf(x: T):
    """(a, tau): Householder's reflections whose product is Q of x = Q R, as
    ``linalg.householder_product`` takes them, with R in the upper triangle of a.
    They have no gradient: a call with an x that needs one is an error."""
    x = floating(x)
    if getattr(x, "requires_grad", False) and _core.is_grad_enabled():
        raise NotImplementedError("geqrf: x must need no gradient, which there is by "
                                  "linalg.qr; call x.detach()")
    return _Geqrf(*_ops.geqrf(x))


def triangular_solve(x: T, A, upper: bool = True, transpose: bool = False,
                     unitriangular: bool = False):
    """(solution, A) of the systems A s = x of triangular A, or of its transpose."""
    x, A = tensor_of(x), tensor_of(A)
    left = A
    if transpose:
        left, upper = matrix_transpose(A), not upper
    return _Solved(_linalg().solve_triangular(
        left, x, upper=upper, unitriangular=unitriangular), _ops.assign(A))


@halves_in_float64
def ormqr(x: T, tau, other, left: bool = True, transpose: bool = False) -> T:
    """The product of ``other`` and the matrix Q that Householder's vectors x and
    their factors ``tau`` stand for; of Q^H where ``transpose``."""
    from switchyard import linear_systems
    q = linear_systems.reflections(x, tau, "ormqr")
    if transpose:
        q = _adjoint(q)
    other = tensor_of(other)
    return _ops.matmul(q, other) if left else _ops.matmul(other, q)
