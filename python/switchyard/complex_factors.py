# SPDX-License-Identifier: Apache-2.0
"""Factors of complex matrices, and eigenvalues of matrices that are not symmetric,
with their gradients. Cholesky's are those of real matrices of twice the size; the
others are found by NumPy (LAPACK), so programs don't have them."""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.function import Function
from switchyard.functions.arguments import is_empty, to_shape
from switchyard.functions.shaping import matrix_transpose

_ops = _core.ops


def adjoint(x):
    """The transposed, and of complex numbers conjugated, matrices."""
    x = matrix_transpose(x)
    return _ops.conj(x) if x.dtype.startswith("complex") else x


def on_host(name, function, x):
    """The results of NumPy's ``function`` as tensors where x lies; they are not
    recorded. NotImplementedError in a program."""
    if type(x) is not _core.Tensor:
        raise NotImplementedError(f"{name}: x must be a tensor, got a graph's value: "
                                  "programs do not have it")
    if len(x.shape) < 2:
        raise ValueError(f"{name}: x must have two axes at least, got {len(x.shape)}")
    try:
        found = function(np.asarray(x.detach().numpy()))
    except np.linalg.LinAlgError as error:
        raise ValueError(f"{name}: x must be matrices that have one: {error}") from None
    made = [_core.tensor(np.asarray(each, order="C")) for each in found]
    return made if str(x.place) == "cpu" else [each.to(x.place) for each in made]


def cholesky(x, upper):
    """The factors of Hermitian matrices. A number a + bi as [[a, -b], [b, a]] in
    its place makes triangular matrices of triangular ones, since the diagonal of a
    factor is real."""
    size = x.shape[-1]
    real, imaginary = _ops.real(x), _ops.imag(x)
    rows = [_ops.stack([real, _ops.scale(imaginary, -1.0)], -1),
            _ops.stack([imaginary, real], -1)]
    both = _ops.stack(rows, -3)  # [..., size, 2, size, 2]
    both = to_shape(both, [*x.shape[:-2], 2 * size, 2 * size])
    found = _ops.cholesky(both, False)
    found = to_shape(found, [*x.shape[:-2], size, 2, size, 2])[..., 0]
    found = _ops.complex(found[..., 0, :], found[..., 1, :])
    return adjoint(found) if upper else found


def _diagonal(x):
    return _ops.diagonal(x, 0, -2, -1)


def _on_diagonal(x):
    """Matrices with these diagonals."""
    return _ops.multiply(_ops.unsqueeze(x, [-1]), _ops.eye(x.shape[-1], -1, x.dtype))


def _as(x, dtype):
    return x if x.dtype == dtype else _ops.cast(x, dtype)


class _Qr(Function):
    """(Q, R) of matrices that have as many rows as columns at least."""

    @staticmethod
    def forward(ctx, x):
        q, r = on_host("qr", lambda a: np.linalg.qr(a, "reduced"), x)
        ctx.save_for_backward(q, r)
        return q, r

    @staticmethod
    def backward(ctx, q_grad, r_grad):
        q, r = ctx.saved_tensors
        inner = _ops.subtract(_ops.matmul(r_grad, adjoint(r)),
                              _ops.matmul(adjoint(q), q_grad))
        upper = _ops.triu(inner)
        both = _ops.add(upper, adjoint(upper))
        half = _on_diagonal(_as(_ops.real(_diagonal(upper)), upper.dtype))
        right = _ops.add(_ops.matmul(q, _ops.subtract(both, half)), q_grad)
        from switchyard.linear_systems import solve_triangular
        return solve_triangular(adjoint(r), right, upper=False, left=False)


def qr(x, mode):
    """(Q, R) of complex matrices, with the gradient of "reduced" ones."""
    rows, columns = x.shape[-2:]
    if mode == "complete" and rows > columns:
        return on_host("qr", lambda a: np.linalg.qr(a, mode), x)
    if rows >= columns:
        return _Qr.apply(x)
    q, first = _Qr.apply(x[..., :rows])
    return q, _ops.concat([first, _ops.matmul(adjoint(q), x[..., rows:])], -1)


class _Svd(Function):
    """(U, S, Vh), reduced."""

    @staticmethod
    def forward(ctx, x):
        u, s, vh = on_host("svd", lambda a: np.linalg.svd(a, full_matrices=False), x)
        ctx.save_for_backward(u, s, vh)
        return u, s, vh

    @staticmethod
    def backward(ctx, u_grad, s_grad, vh_grad):
        u, s, vh = ctx.saved_tensors
        dtype = u.dtype
        by_column = _as(_ops.unsqueeze(s, [-2]), dtype)
        by_row = _as(_ops.unsqueeze(s, [-1]), dtype)
        v, v_grad = adjoint(vh), adjoint(vh_grad)
        left, right = _skew(u, u_grad), _skew(v, v_grad)
        gaps = _ops.subtract(_ops.multiply(by_column, by_column),
                             _ops.multiply(by_row, by_row))
        gaps = _ops.add(gaps, _ops.eye(s.shape[-1], -1, dtype))
        inner = _ops.divide(_ops.add(_ops.multiply(left, by_column),
                                     _ops.multiply(by_row, right)), gaps)
        turns = _ops.divide(_diagonal(left), _as(_ops.scale(s, 2.0), dtype))
        inner = _ops.add(inner, _on_diagonal(_ops.add(_as(s_grad, dtype), turns)))
        rows, columns = u.shape[-2], vh.shape[-1]
        found = _ops.matmul(_ops.matmul(u, inner), vh)
        if rows > s.shape[-1]:
            out = _ops.divide(u_grad, by_column)
            out = _ops.subtract(out, _ops.matmul(u, _ops.matmul(adjoint(u), out)))
            found = _ops.add(found, _ops.matmul(out, vh))
        if columns > s.shape[-1]:
            out = _ops.divide(vh_grad, by_row)
            out = _ops.subtract(out, _ops.matmul(_ops.matmul(out, v), vh))
            found = _ops.add(found, _ops.matmul(u, out))
        return found


def _skew(vectors, grad):
    x = _ops.matmul(adjoint(vectors), grad)
    return _ops.subtract(x, adjoint(x))


def svd(x, full_matrices):
    """(U, S, Vh) of complex matrices; gradients are those of the reduced ones, and
    all of U and Vh has none."""
    if is_empty(x) or (full_matrices and x.shape[-2] != x.shape[-1]):
        u, s, vh = on_host("svd", lambda a: np.linalg.svd(a, full_matrices), x)
        return (u, s, vh) if is_empty(x) else (u, _Svd.apply(x)[1], vh)
    return _Svd.apply(x)


class _Eigh(Function):
    """(eigenvalues, eigenvectors) of Hermitian matrices, of which one triangle is
    read; the gradient is of both, as for real ones."""

    @staticmethod
    def forward(ctx, x, uplo):
        values, vectors = on_host("eigh", lambda a: np.linalg.eigh(a, uplo), x)
        ctx.save_for_backward(values, vectors)
        return values, vectors

    @staticmethod
    def backward(ctx, values_grad, vectors_grad):
        values, vectors = ctx.saved_tensors
        gaps = _ops.subtract(_ops.unsqueeze(values, [-2]), _ops.unsqueeze(values, [-1]))
        gaps = _as(_ops.add(gaps, _ops.eye(values.shape[-1], -1, values.dtype)),
                   vectors.dtype)
        inner = _ops.divide(_ops.matmul(adjoint(vectors), vectors_grad), gaps)
        inner = _ops.subtract(inner, _on_diagonal(_diagonal(inner)))
        inner = _ops.add(inner, _on_diagonal(_as(values_grad, vectors.dtype)))
        return _ops.matmul(_ops.matmul(vectors, inner), adjoint(vectors)), None


def eigh(x, uplo):
    """(eigenvalues, eigenvectors) of Hermitian matrices, of which a triangle is
    read."""
    return _Eigh.apply(x, uplo)


class _Eig(Function):
    """(eigenvalues, eigenvectors) of square matrices; complex ones."""

    @staticmethod
    def forward(ctx, x):
        wide = "complex128" if x.dtype in ("float64", "complex128") else "complex64"
        values, vectors = on_host(
            "eig", lambda a: [each.astype(wide) for each in np.linalg.eig(a)], x)
        ctx.save_for_backward(values, vectors)
        ctx.is_real = not x.dtype.startswith("complex")
        return values, vectors

    @staticmethod
    def backward(ctx, values_grad, vectors_grad):
        values, vectors = ctx.saved_tensors
        across = adjoint(vectors)
        along = _ops.matmul(across, vectors_grad)
        length = _as(_ops.real(_diagonal(along)), along.dtype)
        inner = _ops.subtract(along, _ops.multiply(
            _ops.matmul(across, vectors), _ops.unsqueeze(length, [-2])))
        gaps = _ops.conj(_ops.subtract(_ops.unsqueeze(values, [-2]),
                                       _ops.unsqueeze(values, [-1])))
        eye = _ops.eye(values.shape[-1], -1, values.dtype)
        inner = _ops.divide(_ops.subtract(inner, _on_diagonal(_diagonal(inner))),
                            _ops.add(gaps, eye))
        inner = _ops.add(inner, _on_diagonal(values_grad))
        from switchyard.linalg import solve
        found = solve(across, _ops.matmul(inner, across))
        return _ops.real(found) if ctx.is_real else found


def eig(x):
    """(eigenvalues, eigenvectors), complex ones."""
    if type(x) is _core.Tensor and (len(x.shape) < 2 or x.shape[-1] != x.shape[-2]):
        raise ValueError("eig: x must be a stack of square matrices, got shape "
                         f"{tuple(x.shape)}")
    return _Eig.apply(x)
